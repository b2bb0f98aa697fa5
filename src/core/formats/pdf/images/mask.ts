/** Decodes the mask of a picture (ISO 32000-2, 8.9.6.3 and 11.6.5.2) row by row at the size of the picture. */
import { type Dict, PdfSyntax, Ref, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { decodeBilevelStrips, isBilevel } from './bilevel.ts'
import { type ImageFacts, imageFacts } from './facts.ts'
import { meanOpacity } from './opacity.ts'
import { hasExactRows, openRows } from './rows.ts'
import { RowScaler } from './scale.ts'

/** Mask at its own size: 8 bits per pixel, 255 is opaque. */
export interface Mask {
  width: number
  height: number
  strips: AsyncIterable<Uint8Array>
}

/**
 * Opens the mask of a picture. `undefined`: the picture has no mask.
 * @throws PdfSyntax if the mask cannot be decoded.
 */
export async function openMask(reader: Reader, dict: Dict): Promise<Mask | undefined> {
  // A soft mask (/SMask) overrides a stencil mask (/Mask) (ISO 32000-2, 11.6.5.2).
  for (const key of ['SMask', 'Mask']) {
    const stream = await reader.resolve(dict.get(key))
    if (!(stream instanceof Stream)) continue
    const facts = await imageFacts(reader, stream, await reader.filters(stream))
    if (!facts) throw new PdfSyntax('mask_no_image')
    const [from, to] = facts.decode ?? [0, 1]
    // In a stencil mask, 1 marks pixels that are not painted.
    const levels = Uint8Array.from({ length: 256 }, (_, value) => {
      const opaque = (from! + ((to! - from!) * value) / 255) * 255
      return Math.round(Math.min(255, Math.max(0, key === 'Mask' ? 255 - opaque : opaque)))
    })
    if (!isBilevel(facts) && (!hasExactRows(facts) || facts.palette || facts.components !== 1))
      throw new PdfSyntax('mask_of_kind_not_followed')
    return { width: facts.width, height: facts.height, strips: mapped(grey(reader, stream, facts), levels) }
  }
  return undefined
}

async function* grey(reader: Reader, stream: Stream, facts: ImageFacts): AsyncGenerator<Uint8Array> {
  yield* isBilevel(facts)
    ? unpacked(await decodeBilevelStrips(reader, stream, facts), facts)
    : (await openRows(reader, stream, facts)).strips
}

async function* mapped(strips: AsyncIterable<Uint8Array>, levels: Uint8Array): AsyncGenerator<Uint8Array> {
  const isIdentity = levels.every((level, value) => level === value)
  for await (const strip of strips) {
    // A copy, because decoders use the memory of a strip again.
    const opacity = strip.slice()
    if (!isIdentity) for (let i = 0; i < opacity.length; i++) opacity[i] = levels[opacity[i]!]!
    yield opacity
  }
}

/** Unpacks rows of bits into bytes with the values 0 and 255. */
async function* unpacked(flow: AsyncIterable<Uint8Array>, { width, height }: ImageFacts): AsyncGenerator<Uint8Array> {
  const rowBytes = (width + 7) >> 3
  let row = new Uint8Array(width)
  let column = 0
  let rows = 0
  for await (const piece of flow) {
    for (const byte of piece) {
      if (rows === height) return
      for (let bit = 0, x = column * 8; bit < 8 && x < width; bit++, x++) row[x] = (byte >> (7 - bit)) & 1 ? 255 : 0
      if (++column < rowBytes) continue
      yield row
      row = new Uint8Array(width)
      column = 0
      rows++
    }
  }
}

/** Rows of a mask at another size: averaged when reduced, repeated when enlarged. */
export class MaskRows {
  private readonly width: number
  private readonly height: number
  private readonly stage: { width: number; height: number }
  private readonly rows: AsyncGenerator<Uint8Array>
  private current: Uint8Array | undefined
  private index = -1
  private rowsReturned = 0

  constructor(mask: Mask, width: number, height: number) {
    this.width = width
    this.height = height
    this.stage = { width: Math.min(mask.width, width), height: Math.min(mask.height, height) }
    this.rows = rowsOf(mask, this.stage)
  }

  /** Returns the next `count` rows of the mask. */
  async next(count: number): Promise<Uint8Array> {
    const { width, stage } = this
    const out = new Uint8Array(count * width)
    for (let y = 0; y < count; y++) {
      const wanted = Math.floor((this.rowsReturned++ * stage.height) / this.height)
      while (this.index < wanted) {
        const { value, done } = await this.rows.next()
        if (done) throw new PdfSyntax('mask_ends_early')
        this.current = value
        this.index++
      }
      const row = this.current!
      if (stage.width === width) out.set(row, y * width)
      else for (let x = 0; x < width; x++) out[y * width + x] = row[Math.floor((x * stage.width) / width)]!
    }
    return out
  }
}

async function* rowsOf(mask: Mask, size: { width: number; height: number }): AsyncGenerator<Uint8Array> {
  const scaler = new RowScaler({ ...mask, channels: 1 }, size)
  for await (const strip of mask.strips) {
    for (const rows of scaler.push(strip)) {
      // The rows are copied, because the scaler reuses their memory.
      const own = rows.slice()
      for (let at = 0; at < own.length; at += size.width) yield own.subarray(at, at + size.width)
    }
  }
}

/** Object numbers of images that are masks of other images (ISO 32000-2, 8.9.6.3 and 11.6.5.2). */
export async function maskNumbers(reader: Reader, streams: Iterable<number>, canonical: (number: number) => number): Promise<Set<number>> {
  const masks = new Set<number>()
  for (const number of streams) {
    const stream = await reader.get(number)
    if (!(stream instanceof Stream)) continue
    for (const key of ['SMask', 'Mask']) {
      const mask = stream.dict.get(key)
      if (mask instanceof Ref) masks.add(canonical(mask.number))
    }
  }
  return masks
}

/** Mean opacity of a picture under its mask, 0 to 1. */
export async function shownShare(reader: Reader, dict: Dict): Promise<number> {
  const mask = await openMask(reader, dict)
  let [sum, count] = [0, 0]
  for await (const strip of mask?.strips ?? []) {
    sum += meanOpacity(strip, 1, 0) * strip.length
    count += strip.length
  }
  return sum > 0 ? sum / count : 1
}
