/** Decodes the general filters of streams (ISO 32000-2, 7.4). Filters of pictures stay encoded. */
import { concat } from '../../bytes/concat.ts'
import { inflated } from '../inflate.ts'
import { unpredicted } from './predictor.ts'
import type { PdfDictionary } from './values.ts'

export interface Filter {
  readonly name: string
  readonly parameters: PdfDictionary | undefined
}

/** Most encoded bytes of the filters that are not decoded as a stream. */
const MAX_GATHERED_BYTES = 8 * 1024 * 1024
/** Most bytes that these filters return. */
const MAX_EXPANDED_BYTES = 32 * 1024 * 1024

const FULL_NAMES: { readonly [short: string]: string } = {
  Fl: 'FlateDecode',
  LZW: 'LZWDecode',
  A85: 'ASCII85Decode',
  AHx: 'ASCIIHexDecode',
  RL: 'RunLengthDecode',
}
const GENERAL = new Set(Object.values(FULL_NAMES))

/** Full name of a filter that may have the short name of an inline picture (ISO 32000-2, 8.9.7). */
export const fullFilterName = (name: string): string => FULL_NAMES[name] ?? name

/** True for filters that this file decodes. */
export const isGeneralFilter = (name: string): boolean => GENERAL.has(name)

/**
 * Yields the decoded data of one filter, at most `maxBytes`. The data ends where it is damaged.
 * @throws RangeError if there is more data
 */
export async function* decodedBy(filter: Filter, data: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (filter.name === 'FlateDecode') yield* unpredicted(inflatedUpTo(data, maxBytes), filter.parameters)
  else {
    const bytes = await gathered(data, MAX_GATHERED_BYTES)
    const limit = Math.min(maxBytes, MAX_EXPANDED_BYTES)
    if (filter.name === 'LZWDecode')
      yield* unpredicted(once(lzw(bytes, filter.parameters?.get('EarlyChange') !== 0, limit)), filter.parameters)
    else if (filter.name === 'RunLengthDecode') yield runLength(bytes, limit)
    else if (filter.name === 'ASCIIHexDecode') yield asciiHex(bytes)
    else yield ascii85(bytes)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Inflates data up to the place where it is damaged or cut, as PDF readers do. */
async function* inflatedUpTo(data: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  try {
    yield* inflated(data, { wrapper: 'zlib', maxBytes })
  } catch (error) {
    // fflate throws errors with a number as their code.
    const fromLibrary =
      error instanceof Error && (typeof (error as { code?: unknown }).code === 'number' || error.message.endsWith('too early'))
    if (!fromLibrary) throw error
  }
}

/**
 * Returns all data.
 * @throws RangeError if it is longer than `maxBytes`
 */
export async function gathered(data: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let total = 0
  for await (const part of data) {
    total += part.length
    if (total > maxBytes) throw new RangeError(`the data has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return concat(parts)
}

/** Bytes that grow up to a limit. */
class Output {
  #bytes = new Uint8Array(4096)
  #length = 0
  readonly #limit: number
  constructor(limit: number) {
    this.#limit = limit
  }
  push(byte: number): void {
    if (this.#length >= this.#limit) throw new RangeError(`the data expands to more than ${this.#limit} bytes`)
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = byte
  }
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Decodes RunLengthDecode (ISO 32000-2, 7.4.5). */
function runLength(bytes: Uint8Array, limit: number): Uint8Array {
  const out = new Output(limit)
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at++]!
    if (length === 128) break
    if (length < 128) for (const end = Math.min(bytes.length, at + length + 1); at < end; at++) out.push(bytes[at]!)
    else if (at < bytes.length) {
      for (let count = 257 - length; count > 0; count--) out.push(bytes[at]!)
      at++
    }
  }
  return out.finish()
}

/** Decodes ASCIIHexDecode (ISO 32000-2, 7.4.2). */
function asciiHex(bytes: Uint8Array): Uint8Array {
  const out = new Output(bytes.length)
  let high = -1
  for (const byte of bytes) {
    if (byte === GREATER) break
    const digit = Number.parseInt(String.fromCharCode(byte), 16)
    if (Number.isNaN(digit)) continue
    if (high >= 0) out.push(high * 16 + digit)
    high = high < 0 ? digit : -1
  }
  if (high >= 0) out.push(high * 16)
  return out.finish()
}

/** Decodes ASCII85Decode (ISO 32000-2, 7.4.3). */
function ascii85(bytes: Uint8Array): Uint8Array {
  const out = new Output(bytes.length * 4)
  let [value, digits] = [0, 0]
  const flush = (count: number) => {
    for (let index = 0; index < count; index++) out.push(Math.floor(value / 256 ** (3 - index)) % 256)
    value = digits = 0
  }
  for (const byte of bytes) {
    if (byte === TILDE) break
    if (byte === LETTER_Z && digits === 0) flush(4)
    else if (byte >= FIRST_85 && byte < FIRST_85 + 85) {
      value = value * 85 + byte - FIRST_85
      if (++digits === 5) flush(4)
    }
  }
  if (digits > 1) {
    const count = digits - 1
    for (; digits < 5; digits++) value = value * 85 + 84
    flush(count)
  }
  return out.finish()
}

const [GREATER, TILDE, LETTER_Z, FIRST_85] = [62, 126, 122, 33] as const
const CLEAR_TABLE = 256
const END_OF_DATA = 257
const MAX_CODES = 4096

/** Decodes LZWDecode (ISO 32000-2, 7.4.4). `early`: codes grow one entry early, the default of /EarlyChange. */
function lzw(bytes: Uint8Array, early: boolean, limit: number): Uint8Array {
  const out = new Output(limit)
  const [prefixes, suffixes] = [new Uint16Array(MAX_CODES), new Uint8Array(MAX_CODES)]
  const text = new Uint8Array(MAX_CODES)
  let [width, next, previous] = [9, 258, -1]
  let [held, bits] = [0, 0]
  for (let at = 0; at < bytes.length; ) {
    for (; bits < width && at < bytes.length; bits += 8) held = ((held << 8) | bytes[at++]!) & 0xff_ffff
    if (bits < width) break
    const code = (held >> (bits -= width)) & ((1 << width) - 1)
    if (code === END_OF_DATA) break
    if (code === CLEAR_TABLE) {
      ;[width, next, previous] = [9, 258, -1]
      continue
    }
    // A damaged code ends the data, as in PDF readers.
    if (code > next || (code === next && previous < 0)) break
    let [entry, length] = [code < next ? code : previous, 0]
    for (; entry > END_OF_DATA; entry = prefixes[entry]!) text[length++] = suffixes[entry]!
    out.push(entry)
    while (length > 0) out.push(text[--length]!)
    if (code === next) out.push(entry)
    if (previous >= 0 && next < MAX_CODES) {
      prefixes[next] = previous
      suffixes[next++] = entry
    }
    previous = code
    if (next + (early ? 1 : 0) >= 1 << width && width < 12) width++
  }
  return out.finish()
}
