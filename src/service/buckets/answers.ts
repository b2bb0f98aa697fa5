/** Reads the facts of objects from the headers and lists of S3 and Azure, which write them alike. */
import { BucketError, type ObjectBody, type ObjectEntry, type ObjectFacts, type ReadRange } from './object-store.ts'

/** Longest entity tag in characters. */
const MAX_ETAG_LENGTH = 256

/** Headers of a request for the part of an object that begins at the offset. `undefined`: for all of it. */
export const rangeHeaders = (range: ReadRange | undefined): Readonly<Record<string, string>> =>
  range === undefined ? {} : { range: `bytes=${range.offset}-`, 'if-match': `"${range.etag}"` }

/** @throws BucketError `malformed` */
export function factsIn(headers: Headers): ObjectFacts {
  return factsOf(headers.get('content-length'), headers.get('etag'), headers.get('last-modified'))
}

/** @throws BucketError `malformed` */
export function entryOf(
  key: string | undefined,
  size: string | undefined,
  etag: string | undefined,
  modified: string | undefined,
): ObjectEntry {
  if (!key) throw new BucketError('malformed')
  return { key, ...factsOf(size ?? null, etag ?? null, modified ?? null) }
}

/** Returns an opened object. Its body is cancelled if the answer is not the one that was asked for. @throws BucketError */
export async function bodyOf(response: Response, range: ReadRange | undefined): Promise<ObjectBody> {
  const { body, headers } = response
  try {
    const encoding = headers.get('content-encoding')?.trim() ?? ''
    if (encoding !== '' && encoding.toLowerCase() !== 'identity') throw new BucketError('encoded', { status: response.status })
    const facts = range === undefined ? wholeOf(response) : restOf(response, range)
    const contentType = headers.get('content-type')
    return { ...facts, body: body ?? emptyStream(), ...(contentType === null ? {} : { contentType }) }
  } catch (error) {
    await body?.cancel().catch(() => undefined)
    throw error
  }
}

function wholeOf({ status, headers }: Response): ObjectFacts {
  if (status !== 200) throw new BucketError('malformed', { status })
  return factsIn(headers)
}

function restOf({ status, headers }: Response, { offset, etag }: ReadRange): ObjectFacts {
  const [, first, last, size] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? []
  const facts = factsOf(size ?? null, headers.get('etag'), headers.get('last-modified'))
  if (status !== 206 || Number(first) !== offset || Number(last) !== facts.size - 1) throw new BucketError('malformed', { status })
  if (facts.etag !== etag) throw new BucketError('changed', { status })
  return facts
}

function factsOf(size: string | null, etag: string | null, modified: string | null): ObjectFacts {
  const facts = { size: Number(size), etag: etagOf(etag), modified: Date.parse(modified ?? '') }
  if (size === null || !/^\d{1,15}$/.test(size) || Number.isNaN(facts.modified)) throw new BucketError('malformed')
  return facts
}

/** Returns an entity tag without its quotes, which lists of Azure do not have. @throws BucketError `malformed` */
export function etagOf(text: string | null): string {
  const etag = text?.replace(/^"(.*)"$/, '$1') ?? ''
  if (etag === '' || etag.length > MAX_ETAG_LENGTH || !/^[\x21\x23-\x7e]+$/.test(etag)) throw new BucketError('malformed')
  return etag
}

const emptyStream = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
