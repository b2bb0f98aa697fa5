/** Reads the rows of a BMP in any form, as 8-bit samples in PNG's forms. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { PictureHeader } from '../../../../wasm/png/engine.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { BMP } from '../../catalog/formats/bmp.ts'
import { message } from '../../i18n/message.ts'
import type { PngPicture } from '../../images/png/png-picture.ts'
import { maxPixelsOf } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { LARGE_BYTES } from '../../model/source.ts'
import type { BmpHeader } from './header.ts'
import { rleRowStarts, rleRows } from './rle.ts'
import { STRIP_BYTES } from './tuning.ts'

type Order = 'bottom-up' | 'top-down'

export interface BmpPixels {
  readonly header: PictureHeader
  /** Yields rows in PNG's native form, each a view that is valid until the next one. */
  rows(order: Order): AsyncGenerator<Uint8Array>
  /** True if pixels have bits outside the colour masks. */
  readonly hasSpareBits: boolean
  /** True if a channel has more than 8 bits, so that `rows` loses precision. */
  readonly hasDeepFields: boolean
  /** Offset in the file of the first byte after the picture and its profile. */
  readonly end: number
  /** Yields 16-bit RGBA rows with all bits of the fields. Empty unless `hasDeepFields`. */
  deepRows(order: Order): AsyncGenerator<Uint16Array>
}

/** Opens the pixels and checks everything that needs no pixel data. Run-length pictures are scanned once to find the start of each row. */
export async function openPixels(source: Source, bmp: BmpHeader, options: Options): Promise<BmpPixels> {
  const { width, height, bits, palette, masks } = bmp
  if (width * height > maxPixelsOf(BMP.mostPixels, options)) throw overBudget(message('pixels_of', { width, height }))
  if (bits <= 8) {
    const starts = bmp.coding === 'plain' ? undefined : await rleRowStarts(source, bmp)
    const bitDepth = starts ? 8 : bits
    const header: PictureHeader = { width, height, colourType: 3, bitDepth, palette }
    return {
      header,
      hasSpareBits: false,
      hasDeepFields: false,
      end: endOf(source, bmp, starts ? (starts[height] ?? 0) + END_OF_RUNS : bmp.pixelsAt + bmp.rowBytes * height),
      rows: (order) => (starts ? rleRows(source, bmp, starts, order === 'bottom-up') : indexRows(source, bmp, order, options)),
      deepRows: noDeepRows,
    }
  }
  const alpha = masks[3] !== 0
  const header: PictureHeader = { width, height, colourType: alpha ? 6 : 2, bitDepth: 8 }
  return {
    header,
    hasSpareBits: bits === 32 && !alpha,
    hasDeepFields: masks.some((mask) => mask !== 0 && mask / (mask & -mask) > 255),
    end: endOf(source, bmp, bmp.pixelsAt + bmp.rowBytes * height),
    async *deepRows(order) {
      const convert = maskedWide(masks, bits === 16 ? 2 : 4)
      for await (const row of storedRows(source, bmp, order, options)) yield convert(row, width)
    },
    async *rows(order) {
      const convert = bits === 24 ? from24 : bits === 16 ? masked(masks, 2) : masked(masks, 4)
      const out = new Uint8Array(width * (alpha ? 4 : 3))
      for await (const row of storedRows(source, bmp, order, options)) {
        convert(row, out, width)
        yield out
      }
    },
  }
}

/** Bytes of the end-of-bitmap code after run-length data. */
const END_OF_RUNS = 2

async function* noDeepRows(): AsyncGenerator<Uint16Array> {
  yield* []
}

/** Offset of the first byte after pixels and profile. A profile usually follows the pixels, after up to three padding bytes. */
function endOf(source: Source, { profile, profileAt }: BmpHeader, pixelsEnd: number): number {
  const end = Math.min(source.size, pixelsEnd)
  if (!profile || profileAt < end) return end
  if (profileAt - end > 3) throw unsupported(message('bytes_between_pixels_and_profile', { bytes: profileAt - end }))
  return profileAt + profile.length
}

function* order(height: number, from: 'first' | 'last') {
  for (let i = 0; i < height; i++) yield from === 'first' ? i : height - 1 - i
}

async function* indexRows(source: Source, bmp: BmpHeader, rowOrder: Order, options: Options): AsyncGenerator<Uint8Array> {
  const bytes = Math.ceil((bmp.width * bmp.bits) / 8)
  for await (const row of storedRows(source, bmp, rowOrder, options)) yield row.subarray(0, bytes)
}

/** Yields stored rows, read in strips. A row is valid until the first row of the next strip is requested. */
async function* storedRows(source: Source, bmp: BmpHeader, rowOrder: Order, options: Options): AsyncGenerator<Uint8Array> {
  const { rowBytes, height, pixelsAt, topDown } = bmp
  const forward = topDown === (rowOrder === 'top-down')
  const perStrip = Math.max(1, Math.floor(STRIP_BYTES / rowBytes))
  for (let done = 0; done < height; done += perStrip) {
    options.signal.throwIfAborted()
    const count = Math.min(perStrip, height - done)
    const first = forward ? done : height - done - count
    let strip = await source.read(pixelsAt + first * rowBytes, count * rowBytes)
    if (strip.length < count * rowBytes) {
      // Some writers omit the padding of the last row.
      if (strip.length < count * rowBytes - 3) throw malformed('bmp', source.size, 'file_ends_in_pixels')
      const padded = new Uint8Array(count * rowBytes)
      padded.set(strip)
      strip = padded
    }
    for (const i of order(count, forward ? 'first' : 'last')) yield strip.subarray(i * rowBytes, (i + 1) * rowBytes)
    if (source.size > LARGE_BYTES) discard(strip)
    if (done % (8 * perStrip) === 0) await yieldToEventLoop(options.signal)
  }
}

function from24(row: Uint8Array, out: Uint8Array, width: number): void {
  for (let i = 0, at = 0; i < width; i++, at += 3) {
    out[at] = row[at + 2] ?? 0
    out[at + 1] = row[at + 1] ?? 0
    out[at + 2] = row[at] ?? 0
  }
}

const fieldOf = (mask: number) => {
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)
  return { mask, shift, most: Math.max(1, mask >>> shift) }
}

/** Converter of bit fields of any width to 16-bit RGBA. */
function maskedWide(masks: BmpHeader['masks'], bytes: 2 | 4) {
  const fields = masks.map(fieldOf)
  return (row: Uint8Array, width: number): Uint16Array => {
    const view = new DataView(row.buffer, row.byteOffset, row.length)
    const out = new Uint16Array(width * 4)
    for (let i = 0, at = 0; i < width; i++) {
      const pixel = bytes === 2 ? view.getUint16(i * 2, true) : view.getUint32(i * 4, true)
      for (const { mask, shift, most } of fields) out[at++] = Math.round((((pixel & mask) >>> shift) * 65535) / most)
      if (masks[3] === 0) out[at - 1] = 65535
    }
    return out
  }
}

/** Converter of bit fields to 8 bits: narrow fields are truncated, as most readers do; wide fields are rounded. */
function masked(masks: BmpHeader['masks'], bytes: 2 | 4) {
  const used = masks[3] !== 0 ? masks : masks.slice(0, 3)
  const fields = used.map(fieldOf)
  return (row: Uint8Array, out: Uint8Array, width: number): void => {
    const view = new DataView(row.buffer, row.byteOffset, row.length)
    for (let i = 0, at = 0; i < width; i++) {
      const pixel = bytes === 2 ? view.getUint16(i * 2, true) : view.getUint32(i * 4, true)
      for (const { mask, shift, most } of fields) {
        const value = (((pixel & mask) >>> shift) * 255) / most
        out[at++] = most > 255 ? Math.round(value) : Math.floor(value)
      }
    }
  }
}

/** Returns the picture for the PNG engine with rows from the bottom, the order in which a BMP stores them. */
export function asPicture(pixels: BmpPixels): PngPicture {
  return {
    header: pixels.header,
    frames: 1,
    profiled: false,
    async visit(visitor) {
      await visitor.frame()
      for await (const row of pixels.rows('bottom-up')) await visitor.takeRow(row)
      await visitor.frameEnd()
    },
  }
}

/** True if the unused bits of all 32-bit pixels are equal. Only then may they be dropped. */
export async function spareBytesAreEqual(source: Source, bmp: BmpHeader, options: Options): Promise<boolean> {
  let first: number | undefined
  const spare = ~(bmp.masks[0] | bmp.masks[1] | bmp.masks[2]) >>> 0
  for await (const row of storedRows(source, bmp, 'bottom-up', options)) {
    const view = new DataView(row.buffer, row.byteOffset, row.length)
    for (let i = 0; i < bmp.width; i++) {
      const value = (view.getUint32(i * 4, true) & spare) >>> 0
      first ??= value
      if (value !== first) return false
    }
  }
  return true
}

/** Yields rows as RGB, or RGBA if the picture has alpha. */
export async function* rgbRows({ header, rows }: BmpPixels, order: 'bottom-up' | 'top-down'): AsyncGenerator<Uint8Array> {
  if (header.colourType !== 3) return yield* rows(order)
  const { width, bitDepth, palette } = header
  const out = new Uint8Array(width * 3)
  const mask = (1 << bitDepth) - 1
  for await (const row of rows(order)) {
    for (let i = 0; i < width; i++) {
      const bit = i * bitDepth
      const entry = ((row[bit >> 3] ?? 0) >> (8 - bitDepth - (bit & 7))) & mask
      for (let c = 0; c < 3; c++) out[3 * i + c] = palette?.[3 * entry + c] ?? 0
    }
    yield out
  }
}
