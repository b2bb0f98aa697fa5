/** Estimates of a sync from names and sizes, before any object was read. */
import { DEFAULT_EFFORT, type Effort } from '../../../core/catalog/effort.ts'
import type { Family } from '../../../core/catalog/format.ts'
import { FORMATS, type FormatId } from '../../../core/catalog/index.ts'
import type { KnownFormat } from '../../../core/catalog/outputs.ts'
import { extension } from '../../../core/pipeline/extension.ts'
import type { MeasuredCost, UsageView } from '../../store/accounts.ts'
import type { SyncEstimate } from '../../store/syncs.ts'
import { effortCost } from '../estimated-seconds.ts'
import { lastSegment } from './places.ts'

/** Completed tasks of a format from which on they replace what is typical. */
const ENOUGH_TASKS = 10
/** Size of a typical result as a share of the file, at the level `medium`. Files of a format differ by far more than levels do. */
const TYPICAL_SHARES: Readonly<Partial<Record<Family, number>>> = { image: 0.6, document: 0.7, video: 0.6, audio: 0.8 }
/** Share of formats of other families, which are packed without loss. */
const PACKED_SHARE = 0.7

const BY_EXTENSION: ReadonlyMap<string, FormatId> = new Map(
  Object.values<KnownFormat>(FORMATS)
    .toReversed()
    .flatMap(({ id, extensions }) => extensions.map((name) => [name, id] as const)),
)

/** Returns the format that the name of an object promises. `unknown`: it promises none. */
export const promisedFormat = (key: string): FormatId | 'unknown' => BY_EXTENSION.get(extension(lastSegment(key))) ?? 'unknown'

/** Earlier tasks of the account. */
export interface Experience {
  readonly byFormat: UsageView['by_format']
  readonly costs: readonly MeasuredCost[]
}

/** Returns the estimates with more objects. */
export function withObjects(
  estimates: readonly SyncEstimate[],
  objects: readonly { readonly key: string; readonly size: number }[],
  experience: Experience,
  effort: Effort = DEFAULT_EFFORT,
): SyncEstimate[] {
  const sums = new Map(estimates.map((estimate) => [estimate.format, estimate]))
  for (const { key, size } of objects) {
    const format = promisedFormat(key)
    const { share, secondsPerMb, basis } = expected(format, experience, effort)
    const { objects: count = 0, originalSize = 0, cpuSeconds = 0, compressedSize = 0 } = sums.get(format) ?? {}
    sums.set(format, {
      format,
      objects: count + 1,
      originalSize: originalSize + size,
      cpuSeconds: cpuSeconds + (size / 1e6) * secondsPerMb,
      compressedSize: compressedSize + size * share,
      basis,
    })
  }
  return [...sums.values()]
}

/** What a file of a format will probably become. Objects of an unknown type are copied as they are. */
function expected(format: FormatId | 'unknown', { byFormat, costs }: Experience, effort: Effort) {
  if (format === 'unknown') return { share: 1, secondsPerMb: 0, basis: 'typical' as const }
  const { secondsPerMb } = effortCost(format, effort, costs)
  const earlier = byFormat[format]
  if (earlier && earlier.tasks >= ENOUGH_TASKS && earlier.original_size > 0)
    return { share: Math.min(1, earlier.compressed_size / earlier.original_size), secondsPerMb, basis: 'account' as const }
  return { share: TYPICAL_SHARES[FORMATS[format].family] ?? PACKED_SHARE, secondsPerMb, basis: 'typical' as const }
}
