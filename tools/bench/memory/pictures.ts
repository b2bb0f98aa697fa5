/** Generates large pictures: smooth waves with noise, which compress poorly. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { JpegJob, type Scans } from '../../../wasm/jpeg/jpeg.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../wasm/png/png.ts'

/** Size in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
  /** `fine`: noise of 2 bits. `undefined`: noise of 5 bits. */
  readonly grain?: 'fine' | undefined
}

/** Returns a sample of a channel. */
const sampleAt = (x: number, y: number, channel: number, { grain }: Pick<Size, 'grain'> = {}) =>
  110 +
  60 * Math.sin((x + channel * 90) / 300 + y / 170) +
  (Math.imul(x * 7919 + y * 104_729 + channel, 2_654_435_761) >>> (grain ? 30 : 27))

function rowOf(size: Size, y: number, channels: number): Uint8Array {
  const { width } = size
  const row = new Uint8Array(width * channels)
  for (let i = 0; i < row.length; i++) row[i] = sampleAt(Math.floor(i / channels), y, i % channels, size)
  return row
}

/** Writes the chunks to a file one after the other. */
export function writeChunks(path: string, pieces: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w')
  for (const piece of pieces) writeSync(file, piece)
  closeSync(file)
}

export function jpeg(path: string, size: Size, quality: number, scans: Scans): void {
  const { width, height } = size
  const taking = JpegJob.fromRows({ width, height, pixels: 'rgb', subsampled: false }, { kind: 'stream', quality, trellis: false })
  for (let y = 0; y < height; y++) taking.write(rowOf(size, y, 3))
  using job = taking.end()
  writeChunks(path, job.write('made', scans))
}

/** Writes a 24-bit BMP, which stores the last row first. */
export function bmp(path: string, size: Size): void {
  const { width, height } = size
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(54 + rowBytes * height, 2)
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
    [26, 1 + (24 << 16)],
  ] as const)
    head.writeUInt32LE(value, at)
  writeChunks(
    path,
    (function* () {
      yield head
      for (let y = 0; y < height; y++) yield Buffer.concat([rowOf(size, height - y, 3), Buffer.alloc(rowBytes - width * 3)])
    })(),
  )
}

export function png(path: string, size: Size, channels: 3 | 4): void {
  const { width, height } = size
  using encoder = new PngEncoder({ width, height, colourType: channels === 3 ? 2 : 6, bitDepth: 8 }, QUICK_EFFORT)
  for (let y = 0; y < height; y++) encoder.writeRow(rowOf(size, y, channels))
  writeChunks(path, encoder.finish())
}

/** First column, first row, column step and row step of each Adam7 pass (W3C PNG, 8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

export function interlacedPng(path: string, { width, height }: Size): void {
  const rows: Uint8Array[] = []
  for (const [left, top, across, down] of PASSES) {
    for (let y = top; y < height; y += down) {
      const row = new Uint8Array(1 + Math.ceil((width - left) / across) * 3)
      for (let i = 1; i < row.length; i++) row[i] = sampleAt(left + Math.floor((i - 1) / 3) * across, y, (i - 1) % 3)
      rows.push(row)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 1], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const data = deflateSync(Buffer.concat(rows), { level: 1 })
  writeChunks(path, [signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

/**
 * Writes a GIF with full frames of 256 greys and without real compression (GIF89a, appendix F): 9-bit codes, and the table is cleared
 * before it grows.
 */
export function gif(path: string, { width, height }: Size, frames: number): void {
  const word = (value: number) => [value & 255, value >> 8]
  const palette = Array.from({ length: 768 }, (_, i) => Math.floor(i / 3))
  writeChunks(
    path,
    (function* () {
      yield Buffer.from([...Buffer.from('GIF89a'), ...word(width), ...word(height), 0xf7, 0, 0, ...palette])
      for (let frame = 0; frame < frames; frame++) {
        yield Buffer.from([0x21, 0xf9, 4, 4, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0, 8])
        yield* subBlocks(width, height, frame)
        yield Buffer.from([0])
      }
      yield Buffer.from([0x3b])
    })(),
  )
}

const PIXELS_A_CLEAR = 200

function* subBlocks(width: number, height: number, frame: number): Generator<Uint8Array> {
  const block = Buffer.alloc(256)
  let [filled, bits, count] = [0, 0, 0]
  const last = width * height
  for (let at = 0; at <= last; at++) {
    const pixel = at < last ? sampleAt(at % width, Math.floor(at / width) + frame * 3, 0) & 0xff : 257
    for (const code of at % PIXELS_A_CLEAR === 0 && at < last ? [256, pixel] : [pixel]) {
      bits |= code << count
      for (count += 9; count >= 8; count -= 8, bits >>= 8) {
        block[++filled] = bits & 255
        if (filled < 255) continue
        block[0] = filled
        yield Buffer.from(block)
        filled = 0
      }
    }
  }
  if (count > 0) block[++filled] = bits
  block[0] = filled
  if (filled > 0) yield block.subarray(0, filled + 1)
}
