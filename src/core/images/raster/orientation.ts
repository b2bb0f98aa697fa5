/** EXIF orientation: reads it, resets it, and rotates pixels upright for formats whose readers ignore it. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { findField, readHeader } from '../../containers/tiff/ifd.ts'
import type { Frame } from '../../model/rendition.ts'
import type { Raster } from './raster.ts'
import type { Raster16 } from './raster16.ts'

const TAG_ORIENTATION = 0x0112

/** Offset and value of the EXIF orientation field, 1 to 8 (EXIF 2.32, 4.6.4.A). `undefined`: no valid field. */
function findOrientation(exif: Uint8Array): { at: number; little: boolean; value: number } | undefined {
  const header = readHeader(exif)
  if (!header) return undefined
  const reader = new ByteReader(exif, header.littleEndian)
  const field = findField(reader, header, header.firstAt, TAG_ORIENTATION)
  if (!field) return undefined
  const value = reader.u16(field.valueAt)
  return value >= 1 && value <= 8 ? { at: field.valueAt, little: header.littleEndian, value } : undefined
}

export const orientationOf = (exif: Uint8Array | undefined): number => (exif && findOrientation(exif)?.value) ?? 1

/** Prefix that some programs write before EXIF. Only JPEG needs it. */
const JPEG_PREFIX = 'Exif\0\0'

/** EXIF from its TIFF header on. */
export const withoutJpegPrefix = (exif: Uint8Array): Uint8Array =>
  latin1Of(exif.subarray(0, JPEG_PREFIX.length)) === JPEG_PREFIX ? exif.subarray(JPEG_PREFIX.length) : exif

/** EXIF orientation of a block with or without the prefix of JPEG. */
export const shownOrientationOf = (exif: Uint8Array | undefined): number => orientationOf(exif && withoutJpegPrefix(exif))

/** True if viewers show stored rows as columns (EXIF 2.32, 4.6.4.A). */
export const swapsAxes = (orientation: number): boolean => orientation >= 5

/** True for stored columns or rows that run opposite to those of the picture (EXIF 2.32, 4.6.4.A). */
const flipsOf = (orientation: number) => ({ flipX: [2, 3, 7, 8].includes(orientation), flipY: [3, 4, 6, 7].includes(orientation) })

/** Returns where a part of the picture, as viewers show it, lies in the stored picture of this size. */
export function storedFrame(shown: Frame, { width, height }: Pick<Frame, 'width' | 'height'>, orientation: number): Frame {
  const { flipX, flipY } = flipsOf(orientation)
  const isTransposed = swapsAxes(orientation)
  const [x, y] = isTransposed ? [shown.top, shown.left] : [shown.left, shown.top]
  const size = isTransposed ? { width: shown.height, height: shown.width } : { width: shown.width, height: shown.height }
  return { ...size, left: flipX ? width - x - size.width : x, top: flipY ? height - y - size.height : y }
}

/** Returns the EXIF block with the orientation set to upright. */
export function withUprightOrientation(exif: Uint8Array): Uint8Array {
  const found = findOrientation(exif)
  if (!found) return exif
  return new ByteWriter(exif.slice(), found.little).at(found.at).u16(1).finish()
}

/** Bytes of the band of output rows that one reading of the picture fills. */
const BAND_BYTES = 8 * 1024 * 1024

/**
 * Returns the picture rotated upright. If rows become columns or change their order, the source is read again for every band, which saves
 * memory.
 */
export function uprightRaster(raster: Raster, orientation: number): Raster {
  if (orientation === 1) return raster
  return { channels: raster.channels, ...rotated(raster, raster.channels, orientation) }
}

/** Returns the 16-bit picture rotated upright. */
export function uprightRaster16(deep: Raster16, orientation: number): Raster16 {
  if (orientation === 1) return deep
  const { width, height } = deep
  const stored = {
    width,
    height,
    async *rows() {
      for await (const strip of deep.rows()) yield new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength)
    },
  }
  const rotatedRows = rotated(stored, 8, orientation)
  return {
    width: rotatedRows.width,
    height: rotatedRows.height,
    async *rows() {
      for await (const band of rotatedRows.rows()) yield new Uint16Array(band.buffer, band.byteOffset, band.byteLength / 2)
    },
  }
}

type Rows = Pick<Raster, 'width' | 'height' | 'rows'>

/** Rotates rows to the orientation. `channels`: bytes per pixel. */
function rotated(raster: Rows, channels: number, orientation: number): Rows {
  const isTransposed = swapsAxes(orientation)
  const [width, height] = isTransposed ? [raster.height, raster.width] : [raster.width, raster.height]
  const { flipX, flipY } = flipsOf(orientation)
  const stride = width * channels
  return {
    width,
    height,
    async *rows() {
      const bandRows = Math.max(1, Math.floor(BAND_BYTES / stride))
      const whole = new Uint8Array(Math.min(bandRows, height) * stride)
      for (let top = 0; top < height; top += bandRows) {
        const band = whole.subarray(0, Math.min(bandRows, height - top) * stride)
        const bottom = top + band.length / stride
        let storedY = 0
        for await (const strip of raster.rows()) {
          for (let at = 0; at < strip.length; at += raster.width * channels, storedY++) {
            const outputY = flipY ? raster.height - 1 - storedY : storedY
            if (isTransposed) {
              // A stored row is an output column; copy its samples that lie in the band.
              for (let y = top; y < bottom; y++) {
                const from = at + (flipX ? raster.width - 1 - y : y) * channels
                const to = (y - top) * stride + outputY * channels
                for (let c = 0; c < channels; c++) band[to + c] = strip[from + c] ?? 0
              }
            } else if (outputY >= top && outputY < bottom) {
              const to = (outputY - top) * stride
              if (!flipX) band.set(strip.subarray(at, at + stride), to)
              else
                for (let x = 0; x < width; x++)
                  for (let c = 0; c < channels; c++) band[to + x * channels + c] = strip[at + (width - 1 - x) * channels + c] ?? 0
            }
          }
        }
        yield band
      }
      discard(whole)
    },
  }
}
