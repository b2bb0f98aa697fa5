/**
 * Decodes lossless JPEG with Huffman codes (ITU-T T.81, process 14, annex H), DICOM transfer syntaxes 1.2.840.10008.1.2.4.57 and .70. One
 * component, or three in one scan. Each sample is predicted from its neighbours, and the difference is coded.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import { type CodecError, malformed, unsupported } from '../../model/error.ts'
import { LOOKUP_BITS } from './tuning.ts'

export interface JpegShape {
  readonly width: number
  readonly height: number
  readonly sampleBytes: number
  /** Samples per pixel. */
  readonly samples: number
  /** True if the decoded frame stores its samples by plane. */
  readonly planar: boolean
  /** True if samples are signed. Readers agree on signed samples only if all allocated bits are stored. */
  readonly signed: boolean
}

const MARKER = { SOF3: 0xc3, DHT: 0xc4, SOI: 0xd8, EOI: 0xd9, SOS: 0xda, DRI: 0xdd, APP14: 0xee } as const

/** Error for valid JPEG streams that this decoder does not support. */
const otherJpeg = () => unsupported('jpeg_not_lossless_or_of_another_kind')

interface Codes {
  /**
   * Table by the next LOOKUP_BITS bits: category and code length as `category << 5
   * length`. 0: the code is longer.
   */
  readonly short: Uint16Array
  /** By code length (T.81, F.2.2.3): `largest` code, and `offset` from a code to its index in `categories`. */
  readonly largest: Int32Array
  readonly offset: Int32Array
  readonly categories: Uint8Array
}

interface Header {
  readonly bits: number
  readonly predictor: number
  readonly shift: number
  readonly restartLines: number
  /** Huffman tables by colour component. */
  readonly codes: readonly Codes[]
  readonly scanAt: number
}

/**
 * Decodes a frame to little-endian samples. @param at offset of its code in the file, for error messages @throws CodecError (malformed),
 * CodecError (unsupported_feature)
 */
export function decodeLosslessJpeg(shape: JpegShape, code: Uint8Array, at: number): Uint8Array {
  const samples = decodeScan(code, readHeader(shape, code, at), shape.width, shape.height, at)
  if (shape.samples > 1 && shape.planar) return byPlane(samples, shape.samples)
  if (shape.sampleBytes === 1) return Uint8Array.from(samples)
  const frame = new Uint8Array(2 * samples.length)
  for (let i = 0; i < samples.length; i++) {
    frame[2 * i] = samples[i]!
    frame[2 * i + 1] = samples[i]! >> 8
  }
  discard(samples)
  return frame
}

/** Converts interleaved colour samples, 8 bits each, to planes. */
function byPlane(samples: Uint16Array, components: number): Uint8Array {
  const frame = new Uint8Array(samples.length)
  const pixels = samples.length / components
  for (let c = 0; c < components; c++) for (let i = 0; i < pixels; i++) frame[c * pixels + i] = samples[i * components + c]!
  return frame
}

/** Reads the segments before the only scan (T.81, B.2). @throws CodecError (malformed), CodecError (unsupported_feature) */
export function readHeader(shape: JpegShape, code: Uint8Array, at: number): Header {
  const damaged = (position: number, what: MessageOrCode) => malformed('dicom', at + position, what)
  const reader = new ByteReader(code, false)
  const tables = new Map<number, Codes>()
  let bits = 0
  let restart = 0
  if (code.length < 4 || reader.u16(0) !== 0xff00 + MARKER.SOI) throw damaged(0, 'no_jpeg_stream')
  for (let position = 2; position + 4 <= code.length; ) {
    const marker = code[position + 1]!
    if (code[position] !== 0xff) throw damaged(position, 'expected_jpeg_marker')
    if (marker === 0xff) {
      position++
      continue
    }
    const length = reader.u16(position + 2)
    const body = code.subarray(position + 4, position + 2 + length)
    if (length < 2 || body.length !== length - 2) throw damaged(position, 'jpeg_segment_without_end')
    position += 2 + length
    if (marker === MARKER.DHT) readTables(body, tables, () => damaged(position, 'table_of_huffman_codes'))
    else if (marker === MARKER.DRI && body.length >= 2) restart = (body[0]! << 8) | body[1]!
    else if (marker === MARKER.SOF3 && body.length >= 9) bits = frameBits(shape, body)
    else if (marker === MARKER.SOS) {
      const n = shape.samples
      if (!bits || body.length < 4 + 2 * n || body[0] !== n) throw otherJpeg()
      const codes = Array.from({ length: n }, (_, c) => tables.get(body[2 + 2 * c]! >> 4)).filter((one) => one !== undefined)
      if (codes.length < n) throw damaged(position, 'scan_without_huffman_codes')
      const [predictor, shift] = [body[1 + 2 * n]!, body[3 + 2 * n]! & 15]
      // Encoders disagree about the overflow of predictor 6 with 16 bits (DCMTK, "workaround-pred6").
      if (predictor < 1 || predictor > 7 || (bits === 16 && predictor === 6) || shift >= bits || restart % shape.width) throw otherJpeg()
      return { bits, predictor, shift, restartLines: restart / shape.width, codes, scanAt: position }
    } else if (marker === MARKER.APP14 && isTransformed(body)) throw otherJpeg()
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== MARKER.DHT) throw otherJpeg()
  }
  throw damaged(code.length, 'jpeg_stream_without_scan')
}

/** True if an Adobe segment announces a colour transform, which some DICOM readers ignore. */
const isTransformed = (body: Uint8Array) => latin1Of(body.subarray(0, 5)) === 'Adobe' && body[11] !== 0

function frameBits({ width, height, sampleBytes, samples, signed }: JpegShape, body: Uint8Array): number {
  const bits = body[0]!
  const same = ((body[1]! << 8) | body[2]!) === height && ((body[3]! << 8) | body[4]!) === width && body[5] === samples
  // Sampling factors must be 1 × 1: each component is as large as the picture.
  for (let c = 0; samples > 1 && c < samples; c++) if (body[7 + 3 * c] !== 0x11) throw otherJpeg()
  if (!same || bits < 2 || bits > 8 * sampleBytes || (signed && bits !== 8 * sampleBytes)) throw otherJpeg()
  return bits
}

/** Reads JPEG Huffman tables (ITU-T T.81, B.2.4.2 and annex C). */
function readTables(body: Uint8Array, tables: Map<number, Codes>, damaged: () => CodecError): void {
  for (let at = 0; at < body.length; ) {
    const id = body[at]!
    const counts = body.subarray(at + 1, at + 17)
    const total = counts.reduce((sum, count) => sum + count, 0)
    const categories = body.slice(at + 17, at + 17 + total)
    if (counts.length !== 16 || categories.length !== total || categories.some((category) => category > 16)) throw damaged()
    const short = new Uint16Array(1 << LOOKUP_BITS)
    const [largest, offset] = [new Int32Array(18).fill(-1), new Int32Array(18)]
    let [next, place] = [0, 0]
    for (let length = 1; length <= 16; length++) {
      offset[length] = place - next
      for (let i = 0; i < counts[length - 1]!; i++, next++, place++) {
        if (next >= 1 << length) throw damaged()
        if (length > LOOKUP_BITS) continue
        const from = next << (LOOKUP_BITS - length)
        short.fill((categories[place]! << 5) | length, from, from + (1 << (LOOKUP_BITS - length)))
      }
      if (counts[length - 1]! > 0) largest[length] = next - 1
      next <<= 1
    }
    if ((id & 0xf0) === 0) tables.set(id & 15, { short, largest, offset, categories })
    at += 17 + total
  }
}

/** Reads bits of entropy-coded data (T.81, F.2.2.5). A stuffed zero follows each FF; a marker ends the data. */
class Bits {
  readonly #code: Uint8Array
  #at: number
  #held = 0
  #count = 0
  /** Number of zero bits that the bit reader returned after the end of the data. */
  missing = 0

  constructor(code: Uint8Array, at: number) {
    this.#code = code
    this.#at = at
  }

  /** Refills the bit buffer to more than 16 bits. */
  #fill(): void {
    while (this.#count <= 16) {
      let byte = this.#code[this.#at] ?? 0xff
      if (byte === 0xff && this.#code[this.#at + 1] !== 0) {
        byte = 0
        this.missing += 8
      } else this.#at += byte === 0xff ? 2 : 1
      this.#held = ((this.#held << 8) | byte) & 0xff_ffff
      this.#count += 8
    }
  }

  /** Decodes a category (T.81, H.1.2.2). 17: no code matches. */
  category({ short, largest, offset, categories }: Codes): number {
    if (this.#count < 16) this.#fill()
    const found = short[(this.#held >> (this.#count - LOOKUP_BITS)) & ((1 << LOOKUP_BITS) - 1)]!
    if (found) {
      this.#count -= found & 31
      return found >> 5
    }
    for (let length = LOOKUP_BITS + 1; length <= 16; length++) {
      const code = (this.#held >> (this.#count - length)) & ((1 << length) - 1)
      if (code <= largest[length]!) {
        this.#count -= length
        return categories[code + offset[length]!] ?? 17
      }
    }
    return 17
  }

  /** Decodes a difference of the category: reads 1 to 15 more bits. */
  difference(category: number): number {
    if (category === 0) return 0
    if (category === 16) return 32_768
    if (this.#count < category) this.#fill()
    this.#count -= category
    const value = (this.#held >> this.#count) & ((1 << category) - 1)
    return value < 1 << (category - 1) ? value - (1 << category) + 1 : value
  }

  /** True if no bits were read past the end of the data. */
  get whole(): boolean {
    return this.missing <= this.#count
  }

  /** Skips to the data after the next restart marker. False if another marker, or none, follows. */
  restart(number: number): boolean {
    if (!this.whole) return false
    while (this.#at + 1 < this.#code.length && !(this.#code[this.#at] === 0xff && this.#code[this.#at + 1]! >= 0xc0)) this.#at++
    const found = this.#code[this.#at + 1] === 0xd0 + (number & 7)
    this.#at += 2
    this.#held = this.#count = this.missing = 0
    return found
  }
}

/** Decodes the samples of a lossless JPEG scan (ITU-T T.81, H.1.2 and H.2). */
function decodeScan(code: Uint8Array, header: Header, width: number, height: number, at: number): Uint16Array {
  const { bits, predictor, shift, restartLines, codes, scanAt } = header
  const n = codes.length
  const row = width * n
  const samples = new Uint16Array(row * height)
  const input = new Bits(code, scanAt)
  const most = (1 << (bits - shift)) - 1
  let restarts = 0
  let first = true
  for (let y = 0; y < height; y++) {
    if (restartLines > 0 && y > 0 && y % restartLines === 0) {
      if (!input.restart(restarts++)) throw malformed('dicom', at, message('no_restart_marker_before_line', { line: y }))
      first = true
    }
    // Index `i` is the current sample. Its neighbours `a`, `b` and `c` are n, row and row + n samples before it.
    for (let x = 0, i = y * row; x < row; x++, i++) {
      const component = n === 1 ? 0 : x % n
      const category = input.category(codes[component]!)
      if (category > 16) throw malformed('dicom', at, message('no_huffman_code_in_line', { line: y }))
      let expected: number
      if (x < n) expected = first ? 1 << (bits - shift - 1) : samples[i - row]!
      else if (first || predictor === 1) expected = samples[i - n]!
      else {
        const [a, b, c] = [samples[i - n]!, samples[i - row]!, samples[i - row - n]!]
        if (predictor === 2) expected = b
        else if (predictor === 3) expected = c
        else if (predictor === 4) expected = a + b - c
        else if (predictor === 5) expected = a + ((b - c) >> 1)
        else if (predictor === 6) expected = b + ((a - c) >> 1)
        else expected = (a + b) >> 1
      }
      const sample = (expected + input.difference(category)) & 0xffff
      if (sample > most) throw malformed('dicom', at, message('sample_of_more_than_bits_in_line', { bits, line: y }))
      samples[i] = sample
    }
    first = false
  }
  if (!input.whole) throw malformed('dicom', at, 'frame_cut_off')
  if (shift > 0) for (let i = 0; i < samples.length; i++) samples[i]! <<= shift
  return samples
}
