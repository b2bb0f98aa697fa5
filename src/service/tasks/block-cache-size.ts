/** Size of a job's read cache for blobs (`src/service/store/blocks.ts`), in addition to the memory of its codec. */

import type { Format } from '../../core/catalog/format.ts'
import { FORMATS, type FormatId } from '../../core/catalog/index.ts'
import { LANES } from '../lanes.ts'
import type { Task } from '../store/task.ts'

const MIB = 1024 * 1024
/** Largest file, in bytes, that is cached as a whole together with its result and one more object. */
const SMALL_FILE_BYTES = 8 * MIB
const SMALL_CACHE_BYTES = 3 * SMALL_FILE_BYTES
/** Cache size of audio and video jobs, in bytes. Small, because an engine may use 90 MB and the join of parts another 20 MB. */
const MEDIA_CACHE_BYTES = 2 * MIB
/** Cache size for pictures, in bytes. Pictures are read sequentially, and their codecs may use all other memory. */
const SEQUENTIAL_CACHE_BYTES = 4 * MIB
/** Formats that are read in random order, because they contain references to any position in the file. */
const RANDOM_ACCESS_FORMATS: ReadonlySet<string> = new Set(['pdf', 'hdf5', 'netcdf'] satisfies FormatId[])
const RANDOM_ACCESS_CACHE_BYTES = 12 * MIB

export function blockCacheBytes({ format, originalSize }: Pick<Task, 'format' | 'originalSize'>): number {
  const facts: Format | undefined = format === 'unknown' ? undefined : FORMATS[format]
  if (format !== 'unknown' && LANES[format].worker === 'media') return MEDIA_CACHE_BYTES
  if (facts?.family === 'image' || format === 'geotiff') return SEQUENTIAL_CACHE_BYTES
  if (originalSize <= SMALL_FILE_BYTES) return SMALL_CACHE_BYTES
  return RANDOM_ACCESS_FORMATS.has(format) ? RANDOM_ACCESS_CACHE_BYTES : SEQUENTIAL_CACHE_BYTES
}
