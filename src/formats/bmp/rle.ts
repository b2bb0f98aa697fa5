/** RLE8 and RLE4, as BITMAPINFOHEADER's documentation has them ("Bitmap Compression"). */
import { MalformedFile, type Source, UnsupportedFeature } from '../../codec/codec.ts'
import type { BmpHeader } from './header.ts'

/** Decodes to one index a byte, rows from the bottom. @throws UnsupportedFeature where pixels are left out: readers differ */
export async function decodeRle(source: Source, header: BmpHeader): Promise<Uint8Array> {
  const { width, height, coding, pixelsAt } = header
  const out = new Uint8Array(width * height)
  const data = await source.read(pixelsAt, source.size - pixelsAt)
  const nibbles = coding === 'rle4'
  let at = 0
  let x = 0
  let y = 0
  let missing = out.length
  const next = () => {
    const byte = data[at++]
    if (byte === undefined) throw new MalformedFile('bmp', source.size, 'run-length data without an end')
    return byte
  }
  const put = (index: number) => {
    if (x >= width || y >= height) throw new MalformedFile('bmp', pixelsAt + at, 'a run outside the picture')
    out[y * width + x++] = index
    missing--
  }
  for (;;) {
    const [count, value] = [next(), next()]
    if (count > 0) {
      for (let i = 0; i < count; i++) put(nibbles ? (i & 1 ? value & 15 : value >> 4) : value)
    } else if (value === 0) {
      x = 0
      y++
    } else if (value === 1) {
      if (missing > 0) throw new UnsupportedFeature('run lengths that leave pixels out, which readers fill differently')
      return out
    } else if (value === 2) {
      x += next()
      y += next()
    } else {
      const bytes = nibbles ? (value + 1) >> 1 : value
      for (let i = 0, byte = 0; i < value; i++) {
        if (!nibbles || !(i & 1)) byte = next()
        put(nibbles ? (i & 1 ? byte & 15 : byte >> 4) : byte)
      }
      if (bytes & 1) at++ // runs are padded to words
    }
  }
}

/** One row as RLE8, end-of-line included: runs, and stretches without runs as they are. */
export function encodeRle8(row: Uint8Array): Uint8Array {
  const out: number[] = []
  const n = row.length
  for (let at = 0; at < n; ) {
    const run = runLength(row, at, 255)
    if (run >= 3 || at + run === n) {
      out.push(run, row[at] ?? 0)
      at += run
      continue
    }
    // Up to the next run that is worth leaving for.
    let end = at + run
    while (end < n && end - at < 255) {
      const length = runLength(row, end, 4)
      if (length >= 4 || (length === 3 && end + 3 === n)) break
      end = Math.min(n, end + length, at + 255)
    }
    const count = end - at
    if (count < 3) {
      for (; at < end; ) {
        const length = Math.min(runLength(row, at, 255), end - at)
        out.push(length, row[at] ?? 0)
        at += length
      }
      continue
    }
    out.push(0, count, ...row.subarray(at, end))
    if (count & 1) out.push(0)
    at = end
  }
  out.push(0, 0)
  return Uint8Array.from(out)
}

/** One row as RLE4: runs of a colour or of two in turn, and stretches as they are. */
export function encodeRle4(row: Uint8Array): Uint8Array {
  const out: number[] = []
  const n = row.length
  const alternating = (at: number) => {
    let end = Math.min(at + 2, n)
    while (end < n && end - at < 255 && row[end] === row[end - 2]) end++
    return end - at
  }
  for (let at = 0; at < n; ) {
    const run = alternating(at)
    if (run >= 6 || at + run === n) {
      out.push(run, ((row[at] ?? 0) << 4) | (row[at + 1] ?? 0))
      at += run
      continue
    }
    let end = at
    while (end < n && end - at < 252 && alternating(end) < 8) end++
    // Even stretches only: widespread readers take half of the count as bytes, rounded down.
    const count = (end - at) & ~1
    end = at + count
    if (count < 4) {
      const short = Math.min(run, 2)
      out.push(short, ((row[at] ?? 0) << 4) | (row[at + 1] ?? 0))
      at += short
      continue
    }
    out.push(0, count)
    const start = out.length
    for (let i = at; i < end; i += 2) out.push(((row[i] ?? 0) << 4) | (i + 1 < end ? (row[i + 1] ?? 0) : 0))
    if ((out.length - start) & 1) out.push(0)
    at = end
  }
  out.push(0, 0)
  return Uint8Array.from(out)
}

function runLength(row: Uint8Array, at: number, most: number): number {
  let end = at + 1
  while (end < row.length && end - at < most && row[end] === row[at]) end++
  return end - at
}
