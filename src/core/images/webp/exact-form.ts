/** Encodes pictures as lossless WebP. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { WEBP_MEMORY_MAX, WebpEncoder } from '../../../../wasm/webp/webp.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget, hasLargeMemoryBudget } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { wrapWebp } from './container.ts'
import { BASE_BYTES, EXACT_BYTES_PER_PIXEL, EXACT_METHODS, QUICK_EXACT, ROW_BUFFER_BYTES } from './tuning.ts'

/** Most memory in bytes that an engine of this job may use. */
export const mostEngineBytes = (options: Options): number =>
  hasLargeMemoryBudget(options) ? options.memoryBudget : Math.min(options.memoryBudget, WEBP_MEMORY_MAX)

type Settings = { readonly quality: number; readonly method: number }

/** Encodes losslessly. `undefined`: the memory budget is too small. */
export async function encodeExact(
  raster: Raster,
  carried: PictureMetadata,
  { options }: Pick<EncodeRequest, 'options'>,
  settings: Settings = slowSettings(raster),
): Promise<EncodedPicture | undefined> {
  const { width, height, channels } = raster
  if (!fitsMemoryBudget(options, width * height * EXACT_BYTES_PER_PIXEL + BASE_BYTES, mostEngineBytes(options))) return undefined
  options.estimated?.(mostEngineBytes(options) + ROW_BUFFER_BYTES)
  try {
    using encoder = new WebpEncoder(width, height, channels, 'exact')
    for await (const strip of raster.rows()) encoder.write(strip)
    await yieldToEventLoop(options.signal)
    encoder.encode({ ...settings, lossless: true })
    return { chunks: wrapWebp(encoder.file(), carried, raster), step: message('exact_webp') }
  } catch (error) {
    if (isEngineError(error, 'webp')) return undefined
    throw error
  }
}

const slowSettings = ({ width, height }: Raster): Settings => ({
  quality: 75,
  method: width * height <= EXACT_METHODS.mostPixels ? EXACT_METHODS.small : EXACT_METHODS.large,
})

/** Lossless form of a picture, which is encoded quickly first and then slowly if that may be worth its time. */
export class ExactForm {
  readonly #encode: (settings?: Settings) => Promise<EncodedPicture | undefined>
  #quick: Promise<EncodedPicture | undefined> | undefined

  constructor(...picture: readonly [raster: Raster, carried: PictureMetadata, request: Pick<EncodeRequest, 'options'>]) {
    this.#encode = (settings) => encodeExact(...picture, settings)
  }

  /** Size in bytes that the result does not exceed. Infinity: the memory budget is too small. */
  async mostBytes(): Promise<number> {
    const quick = await this.#quickForm()
    return quick ? bytesOf(quick) : Number.POSITIVE_INFINITY
  }

  /** Result of at most `mostBytes`. `undefined`: it would be larger, or the memory budget is too small. */
  async within(mostBytes: number): Promise<EncodedPicture | undefined> {
    const quick = await this.#quickForm()
    if (!quick || bytesOf(quick) * QUICK_EXACT.leastShare > mostBytes) return undefined
    // The slow encoding takes more memory, and is sometimes larger.
    const slow = await this.#encode()
    const exact = slow && bytesOf(slow) < bytesOf(quick) ? slow : quick
    return bytesOf(exact) <= mostBytes ? exact : undefined
  }

  #quickForm(): Promise<EncodedPicture | undefined> {
    this.#quick ??= this.#encode(QUICK_EXACT)
    return this.#quick
  }
}

export const bytesOf = ({ chunks }: EncodedPicture): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
