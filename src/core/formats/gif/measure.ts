/** Compares two animations frame by frame, as viewers show them. */
import { GifEngine, type GifFacts } from '../../../../wasm/gif/gif.ts'
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { convertibleGif } from './convert.ts'
import { framesOf } from './gif.ts'

const open = () => new GifEngine(() => undefined)

/** Similarity of the worst frame. One frame of the result may replace several equal frames of the upload. */
export async function gifSimilarity(original: Source, result: Source, options: Options): Promise<Similarity> {
  using first = open()
  using second = open()
  for (const engine of [first, second]) engine.begin('look')
  const [before, after] = [framesOf(original, first, options), framesOf(result, second, options)]
  let [ssim, psnrDb, remainingDelay] = [1, Number.POSITIVE_INFINITY, 0]
  let exact = true
  for (let needsNextFrame = true; ; ) {
    if (!(await before.next()).value) break
    if (needsNextFrame && !(await after.next()).value) throw unsupported('animation_ends_early')
    if (needsNextFrame) remainingDelay = second.currentFrame().delay
    const { delay, digest } = first.currentFrame()
    remainingDelay -= delay
    needsNextFrame = remainingDelay <= 0
    if (digest === second.currentFrame().digest) continue
    exact = false
    const { width, height } = first.facts()
    const found = second.similarityTo(first, { x: 0, y: 0, width, height })
    ssim = Math.min(ssim, found.ssim)
    psnrDb = Math.min(psnrDb, found.psnrDb)
  }
  return { ssim, psnrDb, psnrRgbDb: exact ? Number.POSITIVE_INFINITY : psnrDb }
}

/** Reads a still GIF as a picture that can be converted. */
export async function convertibleGifOf(source: Source, options: Options): Promise<ConvertiblePicture> {
  return convertibleGif(source, await factsOf(source, options), open, framesOf, options)
}

/** Number of frames in a GIF. */
export const framesIn = async (source: Source, options: Options): Promise<number> => (await factsOf(source, options)).frames

async function factsOf(source: Source, options: Options): Promise<GifFacts> {
  using engine = open()
  engine.begin('scan')
  for await (const frame of framesOf(source, engine, options)) if (!frame) break
  engine.finish()
  return engine.facts()
}
