/** Still pictures as strips of rows, from decoders through resizing to encoders, so that no picture is complete in memory. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Resolution, TextComment } from '../convert/descriptive-metadata.ts'
import type { AvifForm } from './avif-form.ts'
import type { ColourSignalling } from './colour-signalling.ts'

/** Picture with 8 bits a sample: grey, grey and alpha, RGB or RGBA (alpha not premultiplied). */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
  /** Yields strips of whole rows from the top, each valid until the next one is requested. Each call decodes the picture again. */
  rows(): AsyncIterable<Uint8Array>
}

/** Metadata of a picture, without the framing of its container. */
export interface PictureMetadata {
  /** Bytes of the ICC profile. `undefined`: none. */
  readonly icc?: Uint8Array | undefined
  /** EXIF block from its TIFF header on (without `Exif\0\0`). */
  readonly exif?: Uint8Array | undefined
  /** Bytes of the XMP packet. `undefined`: none. */
  readonly xmp?: Uint8Array | undefined
  /** Colour code points and light levels, for output formats that store them. */
  readonly signalling?: ColourSignalling | undefined
  /** Form of the AVIF file that the picture comes from, for AVIF output in the same form. */
  readonly form?: AvifForm | undefined
  /** Resolution, for PNG and JPEG output. */
  readonly resolution?: Resolution | undefined
  readonly comments?: readonly TextComment[] | undefined
  /** Further chunks of a WebP file, for WebP output: unknown ones, and metadata that its header does not announce. */
  readonly riffChunks?: readonly RiffChunk[] | undefined
}

/** Chunk of a RIFF file: an id of four characters, and the body without the padding byte. */
interface RiffChunk {
  readonly id: string
  readonly data: Uint8Array
}

/** Target size in bytes of a strip of rows. */
const STRIP_BYTES = 256 * 1024

/** Number of rows in a strip of about `STRIP_BYTES`, at least 1. */
export function stripRows(width: number, channels: number): number {
  return Math.max(1, Math.floor(STRIP_BYTES / (width * channels)))
}

/** Yields copies of the rows of a picture that is complete in memory, in strips. */
export function* stripsOf(pixels: Uint8Array, { width, channels }: Pick<Raster, 'width' | 'channels'>): Generator<Uint8Array> {
  const step = stripRows(width, channels) * width * channels
  for (let at = 0; at < pixels.length; at += step) yield pixels.slice(at, at + step)
}

/** Returns the picture without transparency, drawn on white. Grey pictures stay grey. */
export function onWhite(raster: Raster): Raster & { readonly channels: 1 | 3 } {
  const { width, height, channels } = raster
  if (channels === 1 || channels === 3) return { width, height, channels, rows: () => raster.rows() }
  const colours = channels === 2 ? 1 : 3
  return {
    width,
    height,
    channels: colours,
    async *rows() {
      for await (const strip of raster.rows()) yield flattened(strip, channels, colours)
    },
  }
}

function flattened(strip: Uint8Array, channels: number, colours: number): Uint8Array {
  const pixels = strip.length / channels
  const out = new Uint8Array(pixels * colours)
  for (let i = 0; i < pixels; i++) {
    const alpha = strip[i * channels + colours] ?? 255
    for (let c = 0; c < colours; c++) {
      const value = strip[i * channels + c] ?? 0
      out[i * colours + c] = Math.round((value * alpha + 255 * (255 - alpha)) / 255)
    }
  }
  return out
}

/** Returns the picture without its alpha channel if all pixels are opaque. Reads up to the first transparent pixel. */
export async function withoutOpaqueAlpha(raster: Raster): Promise<Raster> {
  const { channels } = raster
  if (channels === 1 || channels === 3) return raster
  for await (const strip of raster.rows()) {
    for (let i = channels - 1; i < strip.length; i += channels) if (strip[i] !== 255) return raster
  }
  return onWhite(raster)
}

/** Returns a grey picture as RGB. */
export function asRgb({ width, height, rows }: Raster): Raster & { readonly channels: 3 } {
  return {
    width,
    height,
    channels: 3,
    async *rows() {
      for await (const strip of rows()) {
        const out = new Uint8Array(strip.length * 3)
        for (let i = 0, to = 0; i < strip.length; i++, to += 3) out.fill(strip[i] ?? 0, to, to + 3)
        yield out
      }
    },
  }
}

/** Returns the picture as RGBA. */
export function asRgba(raster: Raster): Raster & { readonly channels: 4 } {
  const { width, height, channels } = raster
  return {
    width,
    height,
    channels: 4,
    async *rows() {
      for await (const strip of raster.rows()) {
        const rgba = channels === 4 ? strip : expanded(strip, channels)
        yield rgba
        if (rgba !== strip) discard(rgba)
      }
    },
  }
}

function expanded(strip: Uint8Array, channels: 1 | 2 | 3): Uint8Array {
  const grey = channels < 3
  const out = new Uint8Array((strip.length / channels) * 4)
  for (let i = 0, to = 0; i < strip.length; i += channels, to += 4) {
    const first = strip[i] ?? 0
    out[to] = first
    out[to + 1] = grey ? first : (strip[i + 1] ?? 0)
    out[to + 2] = grey ? first : (strip[i + 2] ?? 0)
    out[to + 3] = channels === 2 ? (strip[i + 1] ?? 0) : 255
  }
  return out
}

/** Returns all rows in one RGBA buffer, for encoders that need the whole picture. */
export async function wholeRgba(raster: Raster): Promise<Uint8ClampedArray<ArrayBuffer>> {
  const into = new Uint8ClampedArray(raster.width * raster.height * 4)
  let at = 0
  for await (const strip of asRgba(raster).rows()) {
    into.set(strip, at)
    at += strip.length
  }
  return into
}
