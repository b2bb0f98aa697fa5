/** Measures the similarity of two SVG drawings by rendering both. */
import { isEngineError } from '../../../wasm/engine-error.ts'
import { readSvg } from '../formats/svg/document.ts'
import { SvgMeter } from '../formats/svg/measure.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'

export async function drawingSimilarity(original: Source, result: Source): Promise<Similarity> {
  const [before, after] = [await readSvg(original), await readSvg(result)]
  try {
    const found = new SvgMeter(before.text).measure(after.text)
    if (found) return found
  } catch (error) {
    if (!isEngineError(error, 'resvg')) throw error
  }
  throw unsupported('what_renderer_cannot_draw')
}
