/** Reduces a picture to the maximum size that the options request. */
import { type Message, message } from '../../i18n/message.ts'
import type { Options } from '../../model/codec.ts'
import { type Raster, stripRows } from '../raster/raster.ts'
import { resized, sizeWithin } from '../raster/resize.ts'
import { CACHED_RASTER_BYTES } from './tuning.ts'

/** Size to which the picture must be reduced. `undefined`: it keeps its size. */
export const reducedSize = ({ width, height }: Pick<Raster, 'width' | 'height'>, { fitWithin, lossless }: Options) =>
  fitWithin && !lossless ? sizeWithin(width, height, fitWithin) : undefined

export function fitToSize(raster: Raster, options: Options): { raster: Raster; steps: Message[] } {
  const size = reducedSize(raster, options)
  if (!size) return { raster, steps: [] }
  const steps = [message('downsampled_from', { width: raster.width, height: raster.height, newWidth: size.width, newHeight: size.height })]
  const alpha = raster.channels === 2 || raster.channels === 4
  if (!alpha) return { raster: cachedIfSmall(resized(raster, size.width, size.height)), steps }
  return { raster: cachedIfSmall(mapColours(resized(mapColours(raster, premultiply), size.width, size.height), unpremultiply)), steps }
}

function cachedIfSmall(raster: Raster): Raster {
  const { width, height, channels } = raster
  const bytes = width * height * channels
  if (bytes > CACHED_RASTER_BYTES) return raster
  let whole: Uint8Array | undefined
  return {
    ...raster,
    async *rows() {
      const step = stripRows(width, channels) * width * channels
      for (let at = 0; whole && at < bytes; at += step) yield whole.slice(at, at + step)
      if (whole) return
      const copy = new Uint8Array(bytes)
      let at = 0
      for await (const strip of raster.rows()) {
        copy.set(strip, at)
        at += strip.length
        yield strip
      }
      if (at === bytes) whole = copy
    },
  }
}

/** Applies `change` to each colour sample and its alpha, such as premultiplication. */
function mapColours(raster: Raster, change: (colour: number, alpha: number) => number): Raster {
  const { channels } = raster
  return {
    ...raster,
    async *rows() {
      for await (const strip of raster.rows()) {
        const out = new Uint8Array(strip.length)
        for (let i = 0; i < strip.length; i += channels) {
          const alpha = strip[i + channels - 1] ?? 255
          for (let c = 0; c < channels - 1; c++) out[i + c] = change(strip[i + c] ?? 0, alpha)
          out[i + channels - 1] = alpha
        }
        yield out
      }
    },
  }
}
const premultiply = (colour: number, alpha: number) => Math.round((colour * alpha) / 255)
const unpremultiply = (colour: number, alpha: number) => (alpha === 0 ? 0 : Math.min(255, Math.round((colour * 255) / alpha)))
