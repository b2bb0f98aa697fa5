/** A small file that takes long: an animated PNG of full frames (review S4). */
import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
/** 32-bit integers and their bytes, big-endian. */
const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, at) => {
    bytes.writeUInt32BE(value, 4 * at)
  })
  return bytes
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([u32(data.length), body, u32(crc32(body))])
}

/** Filter types of PNG rows (W3C PNG, 9.2). */
const NO_FILTER = 0
const SUB_FILTER = 1

/** An animated PNG of `frames` RGBA frames of `side` × `side` pixels in which every pixel changes. 12 × 2000² take 190 kB. */
export function heavyAnimation(frames: number, side: number): Uint8Array<ArrayBuffer> {
  const parts = [SIGNATURE, chunk('IHDR', Buffer.concat([u32(side, side), Buffer.from([8, 6, 0, 0, 0])])), chunk('acTL', u32(frames, 0))]
  let sequence = 0
  for (let frame = 0; frame < frames; frame++) {
    const control = Buffer.concat([u32(sequence++, side, side, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])])
    parts.push(chunk('fcTL', control))
    const data = deflateSync(pixels(frame, side))
    parts.push(frame === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([u32(sequence++), data])))
  }
  parts.push(chunk('IEND', Buffer.alloc(0)))
  return new Uint8Array(Buffer.concat(parts))
}

/** Rows of a gradient that moves with the frame. The Sub filter leaves the same four bytes for each pixel, so that they deflate 1000:1. */
function pixels(frame: number, side: number): Buffer {
  const row = Buffer.alloc(1 + 4 * side, Buffer.from([1, 3, 2, 0]))
  row.copyWithin(1, 0)
  const rows = Buffer.alloc(row.length * side)
  for (let y = 0; y < side; y++) {
    row[0] = SUB_FILTER
    row.set([(7 * frame + y) & 255, (2 * y) & 255, (11 * frame) & 255, 255], 1)
    row.copy(rows, y * row.length)
  }
  return rows
}

/** A PNG of `side` × `side` noisy RGB pixels, which takes some CPU seconds for each megapixel. */
export function noisyPicture(side: number): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((1 + 3 * side) * side, NO_FILTER)
  let state = 1
  for (let y = 0; y < side; y++)
    for (let x = 0; x < 3 * side; x++) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      rows[y * (1 + 3 * side) + 1 + x] = (x >> 4) + (y >> 3) + ((state >>> 16) & 31)
    }
  const header = chunk('IHDR', Buffer.concat([u32(side, side), Buffer.from([8, 2, 0, 0, 0])]))
  return new Uint8Array(Buffer.concat([SIGNATURE, header, chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]))
}
