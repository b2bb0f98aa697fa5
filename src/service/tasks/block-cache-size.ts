/** Size of a job's read cache for blobs (`src/service/store/blocks.ts`), in addition to the memory of its codec. */

import type { Format } from '../../core/catalog/format.ts'
import { FORMATS, type FormatId } from '../../core/catalog/index.ts'
import { LANES } from '../lanes.ts'
import type { Task } from '../store/task.ts'

const MIB = 1024 * 1024
/** Largest file, in bytes, whose cache holds the whole file, its result and one more of that size. */
const SMALL_BYTES = 8 * MIB
const SMALL_KEPT_BYTES = 3 * SMALL_BYTES
/** Cache size of audio and video jobs, in bytes. Small, because an engine may use 90 MB and the join of parts another 20 MB. */
const MEDIA_KEPT_BYTES = 2 * MIB
/** Cache size for pictures, in bytes. Pictures are read sequentially, and their codecs may use all other memory. */
const FORWARD_KEPT_BYTES = 4 * MIB
/** Formats that are read in random order, because they contain references to any position in the file. */
const HOPPING: ReadonlySet<string> = new Set(['pdf', 'hdf5', 'netcdf'] satisfies FormatId[])
const HOPPING_KEPT_BYTES = 12 * MIB

export function keptBytesFor({ format, originalSize }: Pick<Task, 'format' | 'originalSize'>): number {
  const facts: Format | undefined = format === 'unknown' ? undefined : FORMATS[format]
  if (format !== 'unknown' && LANES[format].worker === 'media') return MEDIA_KEPT_BYTES
  if (facts?.family === 'image' || format === 'geotiff') return FORWARD_KEPT_BYTES
  if (originalSize <= SMALL_BYTES) return SMALL_KEPT_BYTES
  return HOPPING.has(format) ? HOPPING_KEPT_BYTES : FORWARD_KEPT_BYTES
}
