/** Computes SSIM of pictures that the machine's FFmpeg decoded, at their full bit depth. */

import { SimilarityMeter } from '../../../metrics/ssim-psnr.ts'
import type { ExternalFilmFigures } from '../../../model/external-encoder.ts'

/** Returns the SSIM of each sampled frame, in order. */
export function ssimOfFrames(
  figures: ExternalFilmFigures,
  count: number,
  { width, height, bits }: { readonly width: number; readonly height: number; readonly bits: 8 | 10 },
): number[] {
  const rowBytes = width * (bits === 8 ? 1 : 2)
  const frameBytes = rowBytes * height
  return Array.from({ length: count }, (_, frame) => {
    // `PictureMeter` would bundle the engines of the perceptual score into the media Worker, so `SimilarityMeter` is used.
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

/** Scales 10-bit samples to 16 bits: 1023 becomes 65535. Returns 8-bit samples unchanged. */
function widened(bytes: Uint8Array, bits: 8 | 10): Uint8Array {
  if (bits === 8) return bytes
  const values = new Uint16Array(bytes.slice().buffer)
  for (let i = 0; i < values.length; i++) values[i] = Math.round((values[i]! * 65_535) / 1023)
  return new Uint8Array(values.buffer)
}
