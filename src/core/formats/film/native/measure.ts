/** How alike pictures are that the program beside the press decoded: SSIM by the one definition, in all bits they have. */

import { SimilarityMeter } from '../../../metrics/ssim-psnr.ts'
import type { NativeFigures } from '../../../model/external-encoder.ts'

/** Of the sampled frames, in order. */
export function ssimOf(
  figures: NativeFigures,
  count: number,
  { width, height, bits }: { readonly width: number; readonly height: number; readonly bits: 8 | 10 },
): number[] {
  const rowBytes = width * (bits === 8 ? 1 : 2)
  const frameBytes = rowBytes * height
  return Array.from({ length: count }, (_, frame) => {
    // Not `PictureMeter`: it would bring the engines of the perceptual score into the media Worker.
    using meter = new SimilarityMeter(width, height, 1, bits === 8 ? 8 : 16)
    const start = 2 * frame * frameBytes
    for (let row = 0; row < height; row += ROWS) {
      const bytes = Math.min(ROWS, height - row) * rowBytes
      const at = start + row * rowBytes
      meter.push(widened(figures.luma(at, bytes), bits), widened(figures.luma(at + frameBytes, bytes), bits))
    }
    return meter.finish().ssim
  })
}

const ROWS = 64

/** Ten bits as sixteen: 65535 stands for the peak. */
function widened(bytes: Uint8Array, bits: 8 | 10): Uint8Array {
  if (bits === 8) return bytes
  const values = new Uint16Array(bytes.slice().buffer)
  for (let i = 0; i < values.length; i++) values[i] = Math.round((values[i]! * 65_535) / 1023)
  return new Uint8Array(values.buffer)
}
