/** Reduces a picture to the maximum size that the options request. */
import type { Format } from '../../catalog/format.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { swapsAxes } from '../raster/orientation.ts'
import type { Raster } from '../raster/raster.ts'
import { type Raster16, resizedByOpacity16 } from '../raster/raster16.ts'
import { resized, resizedByOpacity, sizeWithin } from '../raster/resize.ts'

/** Size to which the picture must be reduced. `undefined`: it keeps its size. */
export const reducedSize = ({ width, height }: Pick<Raster, 'width' | 'height'>, { fitWithin, lossless }: Options) =>
  fitWithin && !lossless ? sizeWithin(width, height, fitWithin) : undefined

/**
 * Returns the options for a picture that viewers rotate by the EXIF `orientation`. A box that the caller asked for limits the picture as it
 * is shown; codecs compare it with the stored one.
 */
export function optionsForStored<Asked extends Pick<Options, 'fitWithin'>>(options: Asked, orientation: number): Asked {
  const { fitWithin: box } = options
  if (!box?.isRequired || !swapsAxes(orientation)) return options
  return { ...options, fitWithin: { ...box, width: box.height, height: box.width } }
}

/**
 * Checks that a picture whose format is not reduced has the size that the caller asked for.
 * @throws CodecError `unsupported_feature`
 */
export function refuseReduction({ title }: Pick<Format, 'title'>, size: Pick<Raster, 'width' | 'height'>, options: Options): void {
  if (options.fitWithin?.isRequired && reducedSize(size, options)) throw unsupported(message('format_is_not_reduced', { format: title }))
}

/** Receipt step of a reduced picture. */
export const downsampledStep = (
  { width, height }: Pick<Raster, 'width' | 'height'>,
  { width: newWidth, height: newHeight }: Pick<Raster, 'width' | 'height'>,
): Message => message('downsampled_from', { width, height, newWidth, newHeight })

export function fitToSize(raster: Raster, options: Options): { raster: Raster; steps: Message[] } {
  const size = reducedSize(raster, options)
  if (!size) return { raster, steps: [] }
  const steps = [downsampledStep(raster, size)]
  if (options.fitWithin?.isRequired) return { raster: cachedIfSmall(resizedByOpacity(raster, size.width, size.height)), steps }
  const alpha = raster.channels === 2 || raster.channels === 4
  if (!alpha) return { raster: cachedIfSmall(resized(raster, size.width, size.height)), steps }
  return { raster: cachedIfSmall(mapColours(resized(mapColours(raster, premultiply), size.width, size.height), unpremultiply)), steps }
}

/** Reduces a 16-bit picture to the maximum size that the options request. */
export function fitToSize16(deep: Raster16, options: Options): { deep: Raster16; steps: Message[] } {
  const size = reducedSize(deep, options)
  return size ? { deep: resizedByOpacity16(deep, size.width, size.height), steps: [downsampledStep(deep, size)] } : { deep, steps: [] }
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
