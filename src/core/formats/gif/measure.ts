/** Two animations side by side, frame by frame, as a viewer shows them. */
import { GifEngine, type GifFacts } from '../../../../wasm/gif/gif.ts'
import type { Convertible } from '../../images/convert/convert.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { convertibleGif } from './convert.ts'
import { framesOf } from './gif.ts'

const open = () => new GifEngine(() => undefined)

/** The worst frame. A frame of the result may stand for several equal ones of the upload. */
export async function gifSimilarity(original: Source, result: Source, options: Options): Promise<Similarity> {
  using first = open()
  using second = open()
  for (const engine of [first, second]) engine.begin('look')
  const [before, after] = [framesOf(original, first, options), framesOf(result, second, options)]
  let [ssim, psnrDb, shownFor] = [1, Number.POSITIVE_INFINITY, 0]
  let exact = true
  for (let needed = true; ; ) {
    if (!(await before.next()).value) break
    if (needed && !(await after.next()).value) throw unsupported('animation_ends_early')
    if (needed) shownFor = second.look().delay
    const { delay, digest } = first.look()
    shownFor -= delay
    needed = shownFor <= 0
    if (digest === second.look().digest) continue
    exact = false
    const { width, height } = first.facts()
    const found = second.similarityTo(first, { x: 0, y: 0, width, height })
    ssim = Math.min(ssim, found.ssim)
    psnrDb = Math.min(psnrDb, found.psnrDb)
  }
  return { ssim, psnrDb, psnrRgbDb: exact ? Number.POSITIVE_INFINITY : psnrDb }
}

/** A still picture. */
export async function convertibleGifOf(source: Source, options: Options): Promise<Convertible> {
  return convertibleGif(source, await factsOf(source, options), open, framesOf, options)
}

/** How many there are. */
export const framesIn = async (source: Source, options: Options): Promise<number> => (await factsOf(source, options)).frames

async function factsOf(source: Source, options: Options): Promise<GifFacts> {
  using engine = open()
  engine.begin('scan')
  for await (const frame of framesOf(source, engine, options)) if (!frame) break
  engine.finish()
  return engine.facts()
}
