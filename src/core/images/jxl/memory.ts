/** Estimated memory of JPEG XL encoding. */
import type { JxlPicture } from '../../../../wasm/jxl-picture/jxl-picture.ts'
import { BASE_BYTES, EXACT_BYTES_PER_SAMPLE, LOSSY_ALPHA_BYTES_PER_PIXEL, LOSSY_BYTES_PER_PIXEL } from './tuning.ts'

/** Side of the square of pixels that libjxl works on at a time: lossy, and exact (wasm/jxl-picture/glue.cc, `kSmallGroups`). */
const GROUP_SIDES = { lossy: 2048, exact: 1024 }

/** Bytes of engine memory that an encoding needs. Decoding the result needs less. */
export function memoryOf({ width, height, channels, sampleBytes = 1 }: JxlPicture, form: 'lossy' | 'exact'): number {
  const side = GROUP_SIDES[form]
  const lossy = LOSSY_BYTES_PER_PIXEL + (channels % 2 === 0 ? LOSSY_ALPHA_BYTES_PER_PIXEL : 0)
  const perPixel = form === 'lossy' ? lossy : channels * EXACT_BYTES_PER_SAMPLE
  return BASE_BYTES + width * height * channels * sampleBytes + Math.min(width, side) * Math.min(height, side) * perPixel
}
