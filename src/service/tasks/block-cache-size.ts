/** What a job may keep in memory of the objects it reads (`src/service/store/blocks.ts`), beside what its codec takes. */

import type { Format } from '../../core/catalog/format.ts'
import { FORMATS, type FormatId } from '../../core/catalog/index.ts'
import { LANES } from '../lanes.ts'
import type { Task } from '../store/task.ts'

const MIB = 1024 * 1024
/** Up to here a file is read at once, beside its result and one more. */
const SMALL_BYTES = 8 * MIB
const SMALL_KEPT_BYTES = 3 * SMALL_BYTES
/** A film's engine may hold 90 MB, and a join has 20 beside it. */
const MEDIA_KEPT_BYTES = 2 * MIB
/** Pictures are read forwards, and may take all the memory there is. */
const FORWARD_KEPT_BYTES = 4 * MIB
/** Follow references all over the file. */
const HOPPING: ReadonlySet<string> = new Set(['pdf', 'hdf5', 'netcdf'] satisfies FormatId[])
const HOPPING_KEPT_BYTES = 12 * MIB

export function keptBytesFor({ format, originalSize }: Pick<Task, 'format' | 'originalSize'>): number {
  const facts: Format | undefined = format === 'unknown' ? undefined : FORMATS[format]
  if (format !== 'unknown' && LANES[format].worker === 'media') return MEDIA_KEPT_BYTES
  if (facts?.family === 'image' || format === 'geotiff') return FORWARD_KEPT_BYTES
  if (originalSize <= SMALL_BYTES) return SMALL_KEPT_BYTES
  return HOPPING.has(format) ? HOPPING_KEPT_BYTES : FORWARD_KEPT_BYTES
}
