import { message } from '../../i18n/message.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { LZW_PIECE_BYTES, MIN_COPIED_BYTES } from './tuning.ts'

const CLEAR = 256
const END = 257
const MAX_CODES = 4096

/**
 * LZW decoder for TIFF (TIFF 6.0 section 13): codes of 9 to 12 bits, most significant bit first; the code width grows one code early.
 * Input and output are split into pieces, so a strip may have any size.
 */
export class LzwDecoder {
  readonly #format: string
  readonly #prefix = new Uint16Array(MAX_CODES)
  readonly #suffix = new Uint8Array(MAX_CODES)
  readonly #first = new Uint8Array(MAX_CODES)
  readonly #length = new Uint16Array(MAX_CODES)
  /** Offset of each code's bytes in the whole output. */
  readonly #at = new Float64Array(MAX_CODES)
  #emitted = 0
  #next = CLEAR + 2
  #width = 9
  #previous = -1
  #bits = 0
  #bitCount = 0
  #started = false
  #ended = false

  constructor(format: string) {
    this.#format = format
    for (let code = 0; code < 256; code++) {
      this.#suffix[code] = code
      this.#first[code] = code
      this.#length[code] = 1
    }
  }

  /** Decodes `input`. Passes pieces to `emit`, which may keep them. */
  push(input: Uint8Array, emit: (bytes: Uint8Array) => void): void {
    this.#checkBitOrder(input)
    let out = new Uint8Array(LZW_PIECE_BYTES)
    let filled = 0
    let at = 0
    let previousAt = -1
    while (!this.#ended) {
      while (this.#bitCount < this.#width && at < input.length) {
        this.#bits = ((this.#bits << 8) | input[at++]!) & 0xffffff
        this.#bitCount += 8
      }
      if (this.#bitCount < this.#width) break
      this.#bitCount -= this.#width
      const code = (this.#bits >> this.#bitCount) & ((1 << this.#width) - 1)
      if (code === END) {
        this.#ended = true
        break
      }
      if (code === CLEAR) {
        this.#next = CLEAR + 2
        this.#width = 9
        this.#previous = -1
        continue
      }
      this.#addCode(code, previousAt)
      const length = this.#length[code]!
      if (filled + length > out.length) {
        emit(out.subarray(0, filled))
        this.#emitted += filled
        out = new Uint8Array(LZW_PIECE_BYTES)
        filled = 0
      }
      this.#write(code, out, filled)
      previousAt = this.#emitted + filled
      filled += length
      this.#previous = code
    }
    this.#emitted += filled
    if (filled > 0) emit(out.subarray(0, filled))
  }

  /**
   * Detects writers before TIFF 6.0, which packed codes from the least significant bit. Their first code (Clear) is bytes 0 and an odd
   * number.
   */
  #checkBitOrder(input: Uint8Array): void {
    if (this.#started || input.length < 2) return
    this.#started = true
    if (input[0] === 0 && (input[1]! & 1) === 1) throw unsupported('lzw_in_bit_order_of_tiff_5')
  }

  /**
   * Adds the string of the previous code plus one byte to the table. The previous string is at output offset `previousAt`. A full table
   * stays unchanged until the next Clear.
   */
  #addCode(code: number, previousAt: number): void {
    const next = this.#next
    const previous = this.#previous
    if (code > next || (code === next && (previous < 0 || next === MAX_CODES)) || (code > 255 && code < CLEAR + 2)) {
      throw malformed(this.#format, 0, message('lzw_code_not_known_yet', { lzwCode: code }))
    }
    if (previous < 0 || next === MAX_CODES) return
    // If the code is the one being added now, its string ends with its own first byte.
    this.#prefix[next] = previous
    this.#first[next] = this.#first[previous]!
    this.#suffix[next] = this.#first[code === next ? previous : code]!
    this.#length[next] = this.#length[previous]! + 1
    this.#at[next] = previousAt
    this.#next = next + 1
    if (next + 2 >= 1 << this.#width && this.#width < 12) this.#width++
  }

  /**
   * Writes the string of a code. Copies a long string from earlier output if it is still in the buffer; otherwise looks up its bytes from
   * last to first.
   */
  #write(code: number, out: Uint8Array, at: number): void {
    const length = this.#length[code]!
    const from = length >= MIN_COPIED_BYTES ? this.#at[code]! - this.#emitted : -1
    if (from >= 0 && from + length <= at) {
      out.copyWithin(at, from, from + length)
      return
    }
    for (let position = at + length - 1, c = code; position >= at; position--) {
      out[position] = this.#suffix[c]!
      c = this.#prefix[c]!
    }
  }
}
