/** Destinations of requests: an address or a place in a bucket, and distinct names for the results of a batch. */
import { nameMarks } from '../../core/model/zip-names.ts'
import type { Destination } from '../store/destinations.ts'
import { invalidParameter } from '../tasks/api-error.ts'
import { isConnection, unknownConnection } from '../tasks/connections.ts'
import { destinationOf } from '../tasks/destination.ts'
import type { IngestedFile } from '../tasks/ingest.ts'
import type { JobOptions } from '../tasks/job-options.ts'
import type { Submission } from '../tasks/submit.ts'
import type { AppContext } from './context.ts'
import { parseDestination } from './schemas/places.ts'

/**
 * Returns the destination that the fields of a request name. `undefined`: none.
 * @throws ApiError `unsafe_url`, `unknown_connection`, or `invalid_parameter`, also if there are two destinations
 */
export async function chosenDestination(
  c: AppContext,
  fields: ReadonlyMap<string, string>,
  isBatch: boolean,
): Promise<Destination | undefined> {
  const address = destinationOf(c.env, fields.get('destination_url'), fields.get('destination_headers'))
  const text = fields.get('destination')
  if (text === undefined) return address
  if (address) throw invalidParameter('destination', 'one_destination_only')
  const place = parseDestination('destination', text, isBatch)
  if (await isConnection(c.env, { accountId: c.get('key').accountId, name: place.connection })) return place
  throw unknownConnection(place.connection)
}

/**
 * Returns the options of each file of a batch. Results of files with equal names get distinct ones in the bucket: the second `photo.jpg`
 * becomes `photo-2.jpg`.
 */
export function ownDestinations({ jobOptions }: Submission, files: readonly IngestedFile[]): Partial<JobOptions>[] {
  const { destination, format = jobOptions.preset?.format } = jobOptions
  if (!destination || !('prefix' in destination)) return files.map(() => jobOptions)
  // With a common output format, `a.png` and `a.bmp` may both become `a.webp`.
  const marks = nameMarks(
    files.map(({ fileName }) => fileName),
    format !== undefined,
  )
  return marks.map((mark) => ({ ...jobOptions, destination: { ...destination, ...(mark === undefined ? {} : { mark }) } }))
}
