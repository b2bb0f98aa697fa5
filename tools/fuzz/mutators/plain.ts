/** What has no container of its own: fields at the beginning, or lines, and bytes behind them. */
import type { FormatId } from '../../../src/core/catalog/index.ts'
import { damaged, fromLatin1, latin1, rearranged, withNumber } from '../edits.ts'
import type { Mutator } from './mutator.ts'

/** A header of so many bytes, of numbers in this order, and data. */
const headed = (container: string, format: FormatId, headerBytes: number, littleEndian: boolean): Mutator => ({
  container,
  formats: [format],
  mutate(file, random) {
    if (random.chance(0.4)) return damaged(file, random, random.chance(0.5) ? 0 : Math.min(headerBytes, file.length - 1))
    return withNumber(file, random.below(Math.min(headerBytes, file.length)), random.pick([1, 2, 4, 8]), littleEndian, random)
  },
})

export const BMP_MUTATOR = headed('BMP', 'bmp', 60, true)
export const NIFTI_MUTATOR = headed('NIfTI', 'nifti', 360, true)
export const NETCDF3_MUTATOR = headed('NetCDF-3', 'netcdf3', 100, false)
/** ID3, the first frames' headers, and what Xing and LAME write there. */
export const MP3_MUTATOR = headed('MP3', 'mp3', 200, false)

export const LINES_MUTATOR: Mutator = {
  container: 'lines',
  formats: ['text', 'dxf'],
  mutate(file, random) {
    if (random.chance(0.4)) return damaged(file, random)
    return fromLatin1(rearranged(latin1(file).split('\n'), random).join('\n'))
  },
}
