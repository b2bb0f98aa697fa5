/** Encodes pictures as JPEG XL (ISO/IEC 18181): lossy at the lowest quality that reaches the target, or lossless. */

import { type EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { encodeJxlPicture, type JxlPicture } from '../../../../wasm/jxl-picture/jxl-picture.ts'
import { JobMemory } from '../../../../wasm/memories/memories.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { type ColourFigures, FLOORS, reaches } from '../../catalog/target.ts'
import { message } from '../../i18n/message.ts'
import { highestThatFits, lowestThatHolds } from '../../metrics/search.ts'
import { fitsMemoryBudget, hasLargeMemoryBudget } from '../../model/budget.ts'
import { overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { bandsOf } from '../compare/bands.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { comparePictures, type Figures, type Measure } from '../compare/compare.ts'
import { hasFewColours } from '../raster/few-colours.ts'
import { orientationOf, uprightRaster, withUprightOrientation } from '../raster/orientation.ts'
import { asRgb, asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isSteeredByScore, isUnacceptable, lowestPerceptualQuality, type QualityScale } from '../search/perceptual-search.ts'
import { MOST_MEASURED_PIXELS } from '../search/tuning.ts'
import { jxlRows, sourceOfPieces } from './decode.ts'
import { memoryOf } from './memory.ts'
import { DISTANCE_STEP, EFFORTS, FEW_PROBES, ISOLATE_ENGINE_BYTES, PERCEPTUAL_SCALE, QUALITY } from './tuning.ts'

const SCALE: QualityScale = { ...PERCEPTUAL_SCALE, coarseness: (quality) => -quality, qualityOf: (coarseness) => -coarseness }

/** Smallest side in pixels for which SSIM is defined. */
const LEAST_MEASURED_SIDE = 11

/** Encodes `stored` as JPEG XL. Pixels are rotated upright first, because JPEG XL readers ignore the EXIF orientation. */
export async function encodeJxl(stored: Raster, original: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const raster = inProfile(uprightRaster(stored, orientationOf(original.exif)), original.icc)
  const exif = original.exif && withUprightOrientation(original.exif)
  const { width, height, channels } = raster
  using encoder = new Encoder(raster, { width, height, channels, icc: original.icc, exif, xmp: original.xmp }, request)
  const { targetSize, lossless, pristine } = request
  const isTiny = Math.min(width, height) < LEAST_MEASURED_SIDE
  const mayBeExact = lossless || isTiny || (pristine && (targetSize !== undefined || (await hasFewColours(raster))))
  const exact = mayBeExact ? await encoder.exact() : undefined
  if (lossless || isTiny) {
    if (exact) return exact
    throw overBudget(message('jxl_pixels_over_memory', { width, height }))
  }
  if (exact && targetSize !== undefined && bytesOf(exact) <= targetSize) return exact
  const lossy = await encoder.lossy()
  return exact && bytesOf(exact) <= bytesOf(lossy) ? exact : lossy
}

/** Returns the raster with the number of colours of its profile: a grey picture may have a profile of RGB, and the reverse. */
function inProfile(raster: Raster, icc: Uint8Array | undefined): Raster {
  const space = icc && latin1Of(icc.subarray(16, 20))
  if (space === 'GRAY' && raster.channels > 2) return greyOf(raster)
  if (space !== 'RGB ' || raster.channels > 2) return raster
  return raster.channels === 1 ? asRgb(raster) : asRgba(raster)
}

/** Returns the red samples of a picture with equal colours as grey. */
function greyOf({ width, height, channels, rows }: Raster): Raster {
  const [from, to] = channels === 4 ? ([4, 2] as const) : ([3, 1] as const)
  return {
    width,
    height,
    channels: to,
    async *rows() {
      for await (const strip of rows()) {
        const out = new Uint8Array((strip.length / from) * to)
        for (let i = 0, at = 0; i < strip.length; i += from, at += to) {
          out[at] = strip[i] ?? 0
          if (to === 2) out[at + 1] = strip[i + 3] ?? 0
        }
        yield out
      }
    },
  }
}

const bytesOf = ({ chunks }: Pick<EncodedPicture, 'chunks'>) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

interface Encoding {
  readonly chunks: readonly Uint8Array[]
  readonly figures: ColourFigures
}

type ScoredEncoding = Encoding & Pick<Figures, 'perceptual'>

/** Measures of a search that luma steers. */
const LUMA = ['similarity'] as const

/** Encoder of one picture. Its engines and the decoder of each probe use one memory, one after the other. */
class Encoder implements Disposable {
  readonly #raster: Raster
  readonly #picture: JxlPicture
  readonly #request: EncodeRequest
  readonly #memory = new JobMemory()

  constructor(raster: Raster, picture: JxlPicture, request: EncodeRequest) {
    this.#raster = raster
    this.#picture = picture
    this.#request = request
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]()
  }

  /** Encodes without loss. `undefined`: the memory budget is too small. */
  async exact(): Promise<EncodedPicture | undefined> {
    if (!this.#fits(memoryOf(this.#picture, 'exact'))) return undefined
    try {
      return { chunks: await this.#encode(0), step: message('exact_jxl') }
    } catch (error) {
      if (isEngineError(error, 'jxl') && error.failure === 'memory') return undefined
      throw refusalOf(error)
    }
  }

  async lossy(): Promise<EncodedPicture> {
    const { width, height } = this.#raster
    if (!this.#fits(memoryOf(this.#picture, 'lossy'))) throw overBudget(message('jxl_pixels_over_memory', { width, height }))
    try {
      if (isSteeredByScore(this.#raster, this.#request)) return await this.#toScore()
      const { targetSize } = this.#request
      const quality = targetSize === undefined ? await this.#toTarget() : await this.#toSize(targetSize)
      return encodedOf(await this.#probe(quality, LUMA), quality)
    } catch (error) {
      if (isEngineError(error, 'jxl') && error.failure === 'memory') throw overBudget(message('jxl_pixels_over_memory', { width, height }))
      throw refusalOf(error)
    }
  }

  #fits(bytes: number): boolean {
    const { options } = this.#request
    return fitsMemoryBudget(options, bytes, hasLargeMemoryBudget(options) ? options.memoryBudget : ISOLATE_ENGINE_BYTES)
  }

  async #encode(distance: number): Promise<Uint8Array[]> {
    const { options } = this.#request
    await yieldToEventLoop(options.signal)
    const effort = options.effort === 'fast' ? EFFORTS.fast : EFFORTS.usual
    return await encodeJxlPicture(this.#picture, this.#raster.rows(), { distance, effort }, this.#memory)
  }

  /** Encodes at a quality, decodes the result as viewers do, and compares it. */
  async #probe<M extends Measure>(quality: number, measures: readonly (M | 'similarity')[]): Promise<Encoding & Pick<Figures, M>> {
    const chunks = await this.#encode((100 - quality) * DISTANCE_STEP)
    await yieldToEventLoop(this.#request.options.signal)
    const rows = jxlRows(sourceOfPieces(chunks), this.#raster, this.#memory)
    const reference = asRgba(this.#raster)
    const bands = bandsOf(reference, MOST_MEASURED_PIXELS)
    const found = await comparePictures(reference, rows, measures, bands)
    // libjxl encodes with some profiles that its decoder does not support.
    if (!found) throw unsupported('jxl_cannot_hold_picture')
    return { ...found, chunks, figures: colourFiguresOf(found.similarity) }
  }

  /** Searches for the lowest quality that reaches the perceptual target. */
  async #toScore(): Promise<EncodedPicture> {
    const target = perceptualTarget(this.#request.options, this.#raster)
    // The search may return any of its probes, and their files are small beside the picture.
    const probes = new Map<number, ScoredEncoding>()
    let last: ScoredEncoding | undefined
    const lastProbe = () => {
      if (!last) throw new Error('no encoding exists yet: call encode() first')
      return last
    }
    const found = await lowestPerceptualQuality(
      {
        encode: async (quality) => {
          last = probes.get(quality) ?? (await this.#probe(quality, ['similarity', 'perceptual']))
          probes.set(quality, last)
          return last.figures
        },
        perceptualFigures: async () => lastProbe().perceptual,
        bytes: () => bytesOf(lastProbe()),
      },
      target,
      this.#raster.width * this.#raster.height < FEW_PROBES.fromPixels ? SCALE : { ...SCALE, mostProbes: FEW_PROBES.mostProbes },
      { quality: target.usualQuality.jxl },
    )
    if (isUnacceptable(found)) throw unsupported('colours_jxl_does_not_keep')
    return { ...encodedOf(lastProbe(), found.quality), steeredByScore: true, score: found.perceptual.score }
  }

  /** Lowest quality that reaches luma SSIM and PSNR of the level. */
  async #toTarget(): Promise<number> {
    const { target } = this.#request
    return await lowestThatHolds(QUALITY.lowest, QUALITY.highest, async (quality) =>
      reaches((await this.#probe(quality, LUMA)).figures, target),
    )
  }

  async #toSize(limit: number): Promise<number> {
    const { lowest, highest } = QUALITY
    const quality = await highestThatFits(lowest, highest, async (value) => bytesOf(await this.#probe(value, LUMA)) <= limit)
    if (quality !== undefined && reaches((await this.#probe(quality, LUMA)).figures, FLOORS)) return quality
    const least = await lowestThatHolds(lowest, highest, async (value) => reaches((await this.#probe(value, LUMA)).figures, FLOORS))
    throw new TargetUnreachable(bytesOf(await this.#probe(least, LUMA)))
  }
}

const encodedOf = ({ chunks, figures }: Encoding, quality: number): EncodedPicture => ({
  chunks,
  loss: pixelLoss(figures),
  step: message('jxl_at_distance', { distance: ((100 - quality) * DISTANCE_STEP) / 1000 }),
})

/** Converts an error of the encoder. It refuses profiles that libjxl does not understand. */
const refusalOf = (error: unknown): unknown =>
  isEngineError(error, 'jxl') && (error as EngineError).failure === 'unsupported' ? unsupported('jxl_cannot_hold_picture') : error
