/** Codes alpha apart from colours: it is lossless, so a search codes it once, and each probe only the colours. */
import { WebpEncoder } from '../../../../wasm/webp/webp.ts'
import { concat } from '../../bytes/concat.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { Raster } from '../raster/raster.ts'
import { chunk, webpChunks, wrapWebp } from './container.ts'

export const hasAlpha = ({ channels }: Pick<Raster, 'channels'>): boolean => channels === 2 || channels === 4

/** Number of channels without alpha. */
export const channelsOfColours = ({ channels }: Pick<Raster, 'channels'>): 1 | 3 => (channels < 3 ? 1 : 3)

/** Returns rows without their alpha channel. Colours of transparent pixels stay. */
export function coloursOf(strip: Uint8Array, { channels }: Pick<Raster, 'channels'>): Uint8Array {
  const colours = channelsOfColours({ channels })
  if (colours === channels) return strip
  const out = new Uint8Array((strip.length / channels) * colours)
  for (let from = 0, to = 0; to < out.length; from += channels, to += colours)
    for (let c = 0; c < colours; c++) out[to + c] = strip[from + c] ?? 0
  return out
}

/**
 * Returns the body of the picture's ALPH chunk. `undefined`: the picture has no transparent pixel. @param method libwebp's method
 * @throws EngineError `memory` if memory does not suffice
 */
export async function alphaOf(raster: Raster, method: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (!hasAlpha(raster)) return undefined
  using encoder = new WebpEncoder(raster.width, raster.height, raster.channels)
  for await (const strip of raster.rows()) encoder.write(strip)
  await yieldToEventLoop(signal)
  encoder.encode({ quality: 0, method })
  return webpChunks(encoder.file())
    .find(({ name }) => name === 'ALPH')
    ?.data.slice()
}

/** Adds an ALPH chunk to a file of colours. */
export function withAlpha(
  file: Uint8Array,
  alpha: Uint8Array | undefined,
  { width, height }: Pick<Raster, 'width' | 'height'>,
): Uint8Array {
  if (!alpha) return file
  const parts = webpChunks(file).map(({ name, data }) => chunk(name, data))
  const [whole = file] = wrapWebp(concat([file.subarray(0, 12), chunk('ALPH', alpha), ...parts]), {}, { width, height, channels: 4 })
  return whole
}
