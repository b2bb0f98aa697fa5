/** Run-length coding RLE8 and RLE4 of BMP (documentation of BITMAPINFOHEADER, "Bitmap Compression"). */

import { discard } from '../../../../wasm/memories/discard.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { LARGE_BYTES } from '../../model/source.ts'
import type { BmpHeader } from './header.ts'
import { MOST_RUN_ROWS, RUN_WINDOW_BYTES } from './tuning.ts'

/** Most bytes of one coded row: two a pixel, plus codes without effect. */
const mostRowBytes = (width: number) => 4 * width + 1024

/**
 * Decodes the row whose codes start at `at` to one index a byte, and returns the offset after them. Without `out`, it only checks the
 * codes.
 */
function decodeRow(
  data: Uint8Array,
  at: number,
  { width, coding }: Pick<BmpHeader, 'width' | 'coding'>,
  out?: Uint8Array,
): { at: number; last: boolean } {
  const nibbles = coding === 'rle4'
  // Some writers also code the padding of plain rows, which readers ignore.
  const padded = Math.ceil(width / (nibbles ? 8 : 4)) * (nibbles ? 8 : 4)
  let x = 0
  const next = () => {
    const byte = data[at++]
    if (byte === undefined) throw malformed('bmp', at, 'run_length_data_without_end')
    return byte
  }
  const put = (index: number) => {
    if (x >= padded) throw malformed('bmp', at, 'run_outside_picture')
    if (out && x < width) out[x] = index
    x++
  }
  for (;;) {
    const [count, value] = [next(), next()]
    if (count > 0) {
      for (let i = 0; i < count; i++) put(nibbles ? (i & 1 ? value & 15 : value >> 4) : value)
    } else if (value < 2) {
      if (x < width) throw leftOut()
      return { at, last: value === 1 }
    } else if (value === 2) {
      if (next() > 0 || next() > 0) throw leftOut()
    } else {
      const bytes = nibbles ? (value + 1) >> 1 : value
      for (let i = 0, byte = 0; i < value; i++) {
        if (!nibbles || !(i & 1)) byte = next()
        put(nibbles ? (i & 1 ? byte & 15 : byte >> 4) : byte)
      }
      if (bytes & 1) at++ // absolute runs are padded to 2 bytes
    }
  }
}

const leftOut = () => unsupported('run_lengths_leave_pixels_out')

/**
 * Offsets of the codes of each row, from the bottom, and of the end. All codes are checked. @throws CodecError `unsupported_feature` if
 * codes skip pixels, which readers show differently
 */
export async function rleRowStarts(
  source: Source,
  header: Pick<BmpHeader, 'width' | 'height' | 'coding' | 'pixelsAt'>,
): Promise<Float64Array> {
  const { width, height, pixelsAt } = header
  if (height > MOST_RUN_ROWS) throw overBudget(message('rows_of_run_lengths', { height }))
  const starts = new Float64Array(height + 1)
  const most = mostRowBytes(width)
  let window = new Uint8Array()
  let windowAt = pixelsAt
  let at = pixelsAt
  const refill = async () => {
    if (at - windowAt + most <= window.length || windowAt + window.length >= source.size) return
    window = await replaced(window, source, at, Math.max(RUN_WINDOW_BYTES, most))
    windowAt = at
  }
  for (let y = 0, last = false; y < height; y++) {
    starts[y] = at
    await refill()
    if (last) throw leftOut()
    const row = decodeRow(window, at - windowAt, header)
    last = row.last
    at = windowAt + row.at
    if (y + 1 < height || last) continue
    starts[height] = at
    await refill()
    // End-of-line codes may follow, up to the end-of-bitmap code.
    for (let i = at - windowAt; window[i] !== 0 || window[i + 1] !== 1; i += 2)
      if (window[i] !== 0 || window[i + 1] !== 0) throw malformed('bmp', windowAt + i, 'run_length_data_without_end')
  }
  starts[height] = at
  freed(window, source)
  return starts
}

async function replaced(window: Uint8Array, source: Source, at: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  freed(window, source)
  return (await source.read(at, Math.min(bytes, source.size - at))) as Uint8Array<ArrayBuffer>
}

/** Yields rows of one index a byte, from the bottom or the top. A row is valid until the next one is requested. */
export async function* rleRows(
  source: Source,
  header: Pick<BmpHeader, 'width' | 'height' | 'coding' | 'pixelsAt'>,
  starts: Float64Array,
  fromBottom: boolean,
): AsyncGenerator<Uint8Array> {
  const { width, height } = header
  const out = new Uint8Array(width)
  const start = (row: number) => starts[row] ?? source.size
  let [first, end] = fromBottom ? [0, 0] : [height, height] // first and last row in the window
  let window = new Uint8Array()
  for (let i = 0; i < height; i++) {
    const y = fromBottom ? i : height - 1 - i
    if (y < first || y >= end) {
      ;[first, end] = [y, y + 1]
      const within = () => start(end) - start(first) <= RUN_WINDOW_BYTES
      if (fromBottom) while (end < height && within()) end++
      else while (first > 0 && within()) first--
      window = await replaced(window, source, start(first), start(end) - start(first))
    }
    decodeRow(window, start(y) - start(first), header, out)
    yield out
  }
  freed(window, source)
}

const freed = (window: Uint8Array, source: Source) => source.size > LARGE_BYTES && discard(window)

/** Most bytes that the encoder writes for one row. */
export const rleBytes = (width: number) => 2 * width + 8

/**
 * Encodes one row as RLE8, with the end-of-line code: runs, and literal stretches without runs. Returns the number of bytes written to
 * `out`.
 */
export function encodeRle8(row: Uint8Array, out: Uint8Array): number {
  let to = 0
  const n = row.length
  for (let at = 0; at < n; ) {
    const run = runLength(row, at, 255)
    if (run >= 3 || at + run === n) {
      out[to++] = run
      out[to++] = row[at] ?? 0
      at += run
      continue
    }
    // Extend the uncompressed stretch up to the next run that is long enough to save bytes.
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
        out[to++] = length
        out[to++] = row[at] ?? 0
        at += length
      }
      continue
    }
    out[to++] = 0
    out[to++] = count
    while (at < end) out[to++] = row[at++] ?? 0
    if (count & 1) out[to++] = 0
  }
  out[to++] = 0
  out[to++] = 0
  return to
}

/**
 * Encodes one row as RLE4: runs of one colour or of two alternating colours, and literal stretches. Returns the number of bytes written to
 * `out`.
 */
export function encodeRle4(row: Uint8Array, out: Uint8Array): number {
  let to = 0
  const n = row.length
  const alternating = (at: number) => {
    let end = Math.min(at + 2, n)
    while (end < n && end - at < 255 && row[end] === row[end - 2]) end++
    return end - at
  }
  for (let at = 0; at < n; ) {
    const run = alternating(at)
    if (run >= 6 || at + run === n) {
      out[to++] = run
      out[to++] = ((row[at] ?? 0) << 4) | (row[at + 1] ?? 0)
      at += run
      continue
    }
    let end = at
    while (end < n && end - at < 252 && alternating(end) < 8) end++
    // Literal stretches have an even length, because common readers compute their bytes as half the count, rounded down.
    const count = (end - at) & ~1
    end = at + count
    if (count < 4) {
      const short = Math.min(run, 2)
      out[to++] = short
      out[to++] = ((row[at] ?? 0) << 4) | (row[at + 1] ?? 0)
      at += short
      continue
    }
    out[to++] = 0
    out[to++] = count
    const start = to
    for (let i = at; i < end; i += 2) out[to++] = ((row[i] ?? 0) << 4) | (i + 1 < end ? (row[i + 1] ?? 0) : 0)
    if ((to - start) & 1) out[to++] = 0
    at = end
  }
  out[to++] = 0
  out[to++] = 0
  return to
}

function runLength(row: Uint8Array, at: number, most: number): number {
  let end = at + 1
  while (end < row.length && end - at < most && row[end] === row[at]) end++
  return end - at
}
