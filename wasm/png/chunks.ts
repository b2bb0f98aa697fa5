/**
 * Reads and writes the chunks of PNG files (W3C PNG, Third Edition, section 5). Reading is streamed and checked; writing is piece by
 * piece.
 */

import { crc32 } from '../crc32.ts'
import { EngineError } from '../engine-error.ts'
import type { ColourType, Layout, PictureHeader } from './engine.ts'

export type Bytes = AsyncIterable<Uint8Array>

/** Event of the PNG reader: a part of the file, in file order. Image data arrive in pieces, other chunks complete. */
export type PngEvent =
  | { kind: 'header'; header: PictureHeader; end: number }
  /** Any chunk except image data, IHDR and IEND. `offset`: offset of the chunk in the file. */
  | { kind: 'chunk'; type: string; data: Uint8Array; offset: number }
  /** Image data of the default image (IDAT) or of a further frame (fdAT, without its sequence number). */
  | {
      kind: 'data'
      type: 'IDAT' | 'fdAT'
      bytes: Uint8Array
      /** Sequence number of an fdAT chunk, with its first piece. */
      sequence?: number
    }
  /** End of the file's chunks. `end`: offset of the first byte after IEND. */
  | { kind: 'end'; offset: number; end: number }

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Most bytes of chunks that are kept in memory, in total. */
const MOST_CHUNK_BYTES = 24 * 1024 * 1024
const DEPTHS: Record<number, readonly number[]> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }

function damaged(what: string, offset: number): EngineError {
  return new EngineError('png', 'damaged', `${what} (byte ${offset})`)
}

/** Reads bytes from a stream at a current position. */
class Cursor {
  offset = 0
  readonly #iterator: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(bytes: Bytes) {
    this.#iterator = bytes[Symbol.asyncIterator]()
  }

  /** Returns 1 to `limit` bytes, or an empty array at the end. The view into the stream's chunk is valid until the next call. */
  async some(limit: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const next = await this.#iterator.next()
      if (next.done) return new Uint8Array()
      this.#rest = next.value
    }
    const part = this.#rest.subarray(0, limit)
    this.#rest = this.#rest.subarray(part.length)
    this.offset += part.length
    return part
  }

  async exactly(count: number): Promise<Uint8Array> {
    const first = await this.some(count)
    if (first.length === count) return first
    const whole = new Uint8Array(count)
    whole.set(first)
    for (let have = first.length; have < count; ) {
      const part = await this.some(count - have)
      if (part.length === 0) throw new EngineError('png', 'truncated', `the file ends at byte ${this.offset}`)
      whole.set(part, have)
      have += part.length
    }
    return whole
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}

/** Parses IHDR (W3C PNG, 11.2.1). @throws EngineError if a field is invalid */
export function parseHeader(data: Uint8Array, offset: number): PictureHeader {
  if (data.length !== 13) throw damaged(`IHDR has ${data.length} bytes, 13 expected`, offset)
  const view = new DataView(data.buffer, data.byteOffset)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [bitDepth = 0, colourType = 0, compression, filter, interlace = 0] = data.subarray(8)
  if (width === 0 || height === 0 || width > 0x7fffffff || height > 0x7fffffff)
    throw damaged(`IHDR: invalid size of ${width} x ${height} pixels`, offset)
  if (!DEPTHS[colourType]?.includes(bitDepth))
    throw damaged(`IHDR: colour type ${colourType} does not allow ${bitDepth} bits a sample`, offset)
  if (compression !== 0 || filter !== 0 || interlace > 1) throw damaged('IHDR: unknown compression, filter or interlace method', offset)
  return { width, height, bitDepth, colourType: colourType as ColourType, interlaced: interlace === 1 }
}

/** Reads a PNG up to IEND and checks every CRC. @throws EngineError if the file is not a valid PNG */
export async function* readPng(bytes: Bytes): AsyncGenerator<PngEvent> {
  const cursor = new Cursor(bytes)
  try {
    const signature = await cursor.exactly(8)
    if (SIGNATURE.some((byte, i) => signature[i] !== byte)) throw damaged('no PNG signature', 0)
    let chunkBytes = 0
    let first = true
    for (;;) {
      const offset = cursor.offset
      const start = await cursor.exactly(8)
      const length = new DataView(start.buffer, start.byteOffset).getUint32(0)
      const type = new TextDecoder('latin1').decode(start.subarray(4))
      if (!/^[A-Za-z]{4}$/.test(type)) throw damaged('a chunk type is not four letters', offset)
      if (length > 0x7fffffff) throw damaged(`a chunk has ${length} bytes, at most 2147483647 are allowed`, offset)
      if (first !== (type === 'IHDR')) throw damaged(first ? 'the first chunk is not IHDR' : 'there is a second IHDR', offset)
      first = false
      let crc = crc32(start.subarray(4))
      if (type === 'IDAT' || type === 'fdAT') {
        let left = length
        let numbered: { sequence?: number } = {}
        if (type === 'fdAT') {
          if (length < 4) throw damaged('fdAT without a sequence number', offset)
          const number = await cursor.exactly(4)
          numbered = { sequence: new DataView(number.buffer, number.byteOffset).getUint32(0) }
          crc = crc32(number, crc)
          left -= 4
        }
        if (left === 0) yield { kind: 'data', type, bytes: new Uint8Array(), ...numbered }
        while (left > 0) {
          const part = await cursor.some(left)
          if (part.length === 0) throw new EngineError('png', 'truncated', `the file ends at byte ${cursor.offset}`)
          crc = crc32(part, crc)
          left -= part.length
          yield { kind: 'data', type, bytes: part, ...numbered }
          numbered = {}
        }
        checkCrc(await cursor.exactly(4), crc, type, offset)
        continue
      }
      if ((chunkBytes += length) > MOST_CHUNK_BYTES)
        throw new EngineError('png', 'memory', `the chunks up to ${type} have ${chunkBytes} bytes, at most ${MOST_CHUNK_BYTES} are allowed`)
      const data = (await cursor.exactly(length)).slice()
      checkCrc(await cursor.exactly(4), crc32(data, crc), type, offset)
      if (type === 'IHDR') yield { kind: 'header', header: parseHeader(data, offset), end: cursor.offset }
      else if (type !== 'IEND') yield { kind: 'chunk', type, data, offset }
      else if (length > 0) throw damaged(`IEND has ${length} bytes, none expected`, offset)
      else return yield { kind: 'end', offset, end: cursor.offset }
    }
  } finally {
    await cursor.close()
  }
}

function checkCrc(stored: Uint8Array, crc: number, type: string, offset: number): void {
  const expected = new DataView(stored.buffer, stored.byteOffset).getUint32(0)
  if (expected !== crc >>> 0) throw damaged(`the CRC of ${type} is wrong`, offset)
}

/** Returns one chunk with its length and CRC. */
export function chunk(type: string, ...data: Uint8Array[]): Uint8Array {
  const length = data.reduce((sum, part) => sum + part.length, 0)
  const out = new Uint8Array(length + 12)
  const view = new DataView(out.buffer)
  view.setUint32(0, length)
  for (let i = 0; i < 4; i++) out[4 + i] = type.charCodeAt(i)
  let at = 8
  for (const part of data) {
    out.set(part, at)
    at += part.length
  }
  view.setUint32(at, crc32(out.subarray(4, at)))
  return out
}

/** Returns signature and IHDR of a file in this layout. */
export function startOfPng(width: number, height: number, layout: Layout, interlaced: boolean): Uint8Array {
  const data = new Uint8Array(13)
  const view = new DataView(data.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  data.set([layout.bitDepth, layout.colourType, 0, 0, interlaced ? 1 : 0], 8)
  const header = chunk('IHDR', data)
  const out = new Uint8Array(8 + header.length)
  out.set(SIGNATURE)
  out.set(header, 8)
  return out
}

/** Returns the PLTE and tRNS chunks that a layout needs (W3C PNG, 11.2.2 and 11.3.1.1). */
export function colourChunks(layout: Layout): Uint8Array[] {
  const out: Uint8Array[] = []
  if (layout.palette) out.push(chunk('PLTE', layout.palette))
  if (layout.paletteAlpha) out.push(chunk('tRNS', layout.paletteAlpha))
  if (layout.key) {
    const samples = layout.colourType === 0 ? layout.key.slice(0, 1) : layout.key
    out.push(chunk('tRNS', Uint8Array.from(samples.flatMap((v) => [v >> 8, v & 255]))))
  }
  return out
}

/** Returns the header with the colours of a PLTE or tRNS chunk. @throws EngineError if the chunk has a wrong length */
export function withColours(header: PictureHeader, type: 'PLTE' | 'tRNS', data: Uint8Array, offset: number): PictureHeader {
  if (type === 'PLTE') {
    if (data.length % 3 || data.length === 0 || data.length > 768)
      throw damaged(`PLTE has ${data.length} bytes, 3 to 768 in steps of 3 are allowed`, offset)
    return { ...header, palette: data }
  }
  if (header.colourType === 3) {
    if (!header.palette || data.length * 3 > header.palette.length) throw damaged(`tRNS has ${data.length} entries`, offset)
    return { ...header, paletteAlpha: data }
  }
  const samples = header.colourType === 0 ? 1 : header.colourType === 2 ? 3 : 0
  if (data.length !== samples * 2 || samples === 0) throw damaged(`tRNS has ${data.length} bytes`, offset)
  const at = (i: number) => ((data[2 * i] ?? 0) << 8) | (data[2 * i + 1] ?? 0)
  return { ...header, key: samples === 1 ? [at(0), at(0), at(0)] : [at(0), at(1), at(2)] }
}
