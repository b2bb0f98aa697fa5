/** Decoders for LZW, ASCII85, ASCIIHex and run-length filters (ISO 32000-2, 7.4.2 to 7.4.5). */
import { isDigit } from './lexer.ts'
import { PdfSyntax } from './objects.ts'

/** Byte buffer that grows up to a limit. */
class GrowableBuffer {
  bytes = new Uint8Array(16_384)
  length = 0
  private readonly max: number
  constructor(max: number) {
    this.max = max
  }
  reserve(count: number): void {
    const need = this.length + count
    if (need > this.max) throw new PdfSyntax('decoded_data_over_limit')
    if (need <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, need))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
  done(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

const CLEAR = 256
const END_OF_DATA = 257

/** Decodes LZW data (ISO 32000-2, 7.4.4.2). A damaged code ends the data, as in PDF readers. */
export function lzw(source: Uint8Array, earlyChange: number, maxBytes: number): Uint8Array {
  const out = new GrowableBuffer(maxBytes)
  // Each LZW table entry is a range of the output: `start` and `length` in bytes.
  const start = new Int32Array(4097)
  const length = new Int32Array(4097)
  let next = 258
  let width = 9
  let accumulator = 0
  let bits = 0
  let previous = -1
  for (let i = 0; ; ) {
    while (bits < width && i < source.length) {
      accumulator = ((accumulator << 8) | source[i++]!) & 0xffffff
      bits += 8
    }
    if (bits < width) break
    const code = (accumulator >>> (bits - width)) & ((1 << width) - 1)
    bits -= width
    if (code === END_OF_DATA) break
    if (code === CLEAR) {
      next = 258
      width = 9
      previous = -1
      continue
    }
    const at = out.length
    if (code < 256) {
      out.reserve(1)
      out.bytes[out.length++] = code
    } else if (code < next && code > END_OF_DATA) {
      copy(out, start[code]!, length[code]!)
    } else if (code === next && previous >= 0) {
      copy(out, previous, at - previous)
      out.reserve(1)
      out.bytes[out.length++] = out.bytes[previous]!
    } else break
    if (previous >= 0 && next < 4096) {
      start[next] = previous
      length[next] = at - previous + 1
      next++
    }
    previous = at
    if (next + earlyChange >= 1 << width && width < 12) width++
  }
  return out.done()
}

function copy(out: GrowableBuffer, from: number, count: number): void {
  out.reserve(count)
  for (let k = 0; k < count; k++) out.bytes[out.length++] = out.bytes[from + k]!
}

/** Decodes ASCII85 data (ISO 32000-2, 7.4.3). */
export function ascii85(source: Uint8Array): Uint8Array {
  const out = new Uint8Array(source.length * 4)
  let n = 0
  let value = 0
  let count = 0
  const put = (bytes: number) => {
    for (let i = 0; i < bytes; i++) out[n++] = Math.floor(value / 256 ** (3 - i)) & 255
    value = 0
    count = 0
  }
  for (const c of source) {
    if (c === 126) break
    if (c === 122 && count === 0) put(4)
    else if (c >= 33 && c <= 117) {
      value = value * 85 + c - 33
      if (++count === 5) put(4)
    }
  }
  if (count > 1) {
    const bytes = count - 1
    for (; count < 5; count++) value = value * 85 + 84
    put(bytes)
  }
  return out.slice(0, n)
}

/** Decodes ASCIIHex data (ISO 32000-2, 7.4.2). */
export function asciiHex(source: Uint8Array): Uint8Array {
  const out = new Uint8Array((source.length >> 1) + 1)
  let n = 0
  let high = -1
  for (const c of source) {
    if (c === 62) break
    const value = isDigit(c) ? c - 48 : c >= 65 && c <= 70 ? c - 55 : c >= 97 && c <= 102 ? c - 87 : -1
    if (value < 0) continue
    if (high < 0) high = value
    else {
      out[n++] = high * 16 + value
      high = -1
    }
  }
  if (high >= 0) out[n++] = high * 16
  return out.subarray(0, n)
}

/** Decodes run-length data (ISO 32000-2, 7.4.5). */
export function runLength(source: Uint8Array, maxBytes: number): Uint8Array {
  const out = new GrowableBuffer(maxBytes)
  for (let i = 0; i < source.length; ) {
    const c = source[i++]!
    if (c === 128) break
    if (c < 128) {
      const n = Math.min(c + 1, source.length - i)
      out.reserve(n)
      out.bytes.set(source.subarray(i, i + n), out.length)
      out.length += n
      i += n
    } else {
      const n = 257 - c
      out.reserve(n)
      out.bytes.fill(source[i++] ?? 0, out.length, out.length + n)
      out.length += n
    }
  }
  return out.done()
}
