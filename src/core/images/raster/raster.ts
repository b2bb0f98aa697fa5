/** Still pictures as rows: what decoders give, resizing passes on and encoders take, so that no picture is ever whole in memory. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Comment, Resolution } from '../convert/descriptive-metadata.ts'
import type { ColourSignalling } from './colour-signalling.ts'

/** Samples of a pixel: grey, grey and alpha, RGB, RGBA (8 bits each, alpha not premultiplied). */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
  /** Strips of whole rows from the top; each holds until the next is asked for. May be called again: the picture is decoded again. */
  rows(): AsyncIterable<Uint8Array>
}

/** What a picture carries beside its pixels, in no container's wrapping. */
export interface Carried {
  /** ICC profile. */
  readonly icc?: Uint8Array | undefined
  /** EXIF from its TIFF header on (no `Exif\0\0`). */
  readonly exif?: Uint8Array | undefined
  /** XMP packet. */
  readonly xmp?: Uint8Array | undefined
  /** Code points and light levels, for outputs that have a place for them. */
  readonly signalling?: ColourSignalling | undefined
  /** For PNG and JPEG, which have a place for both. */
  readonly resolution?: Resolution | undefined
  readonly comments?: readonly Comment[] | undefined
}

/** Bytes of a strip that is comfortable to pass along. */
const STRIP_BYTES = 256 * 1024

/** How many rows make a comfortable strip. */
export function stripRows(width: number, channels: number): number {
  return Math.max(1, Math.floor(STRIP_BYTES / (width * channels)))
}

/** The same picture without transparency, on white: grey stays grey. */
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

/** The same picture without an alpha channel that says nothing; it is read up to the first pixel that is transparent. */
export async function withoutIdleAlpha(raster: Raster): Promise<Raster> {
  const { channels } = raster
  if (channels === 1 || channels === 3) return raster
  for await (const strip of raster.rows()) {
    for (let i = channels - 1; i < strip.length; i += channels) if (strip[i] !== 255) return raster
  }
  return onWhite(raster)
}

/** A grey picture as RGB. */
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

/** The same picture as RGBA. */
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

/** Rows collected in one buffer, RGBA: only where an encoder cannot take them one by one. */
export async function wholeRgba(raster: Raster): Promise<Uint8ClampedArray<ArrayBuffer>> {
  const into = new Uint8ClampedArray(raster.width * raster.height * 4)
  let at = 0
  for await (const strip of asRgba(raster).rows()) {
    into.set(strip, at)
    at += strip.length
  }
  return into
}
