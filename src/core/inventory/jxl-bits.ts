/** Bits of the headers of a JPEG XL codestream (ISO/IEC 18181-1, annexes B and D), the least significant bit of a byte first. */

/** Value of a U32 field: a constant, or an offset and a number of bits. */
type Choice = readonly [offset: number, bits?: number]

/** Types of extra channels with fields of their own. */
const [ALPHA, SPOT, FILTER] = [0, 2, 5]

export class JxlBits {
  readonly #bytes: Uint8Array
  readonly #ended: () => Error
  #at = 0

  /** @param ended returns the error for a read after the last byte */
  constructor(bytes: Uint8Array, ended: () => Error) {
    this.#bytes = bytes
    this.#ended = ended
  }

  /** Returns the next `count` bits, at most 30, as a number. */
  number(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3]
      if (byte === undefined) throw this.#ended()
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** i
    }
    return value
  }

  flag(): boolean {
    return this.number(1) === 1
  }

  /** Returns a U32 field: two bits select one of four values. */
  choice(choices: readonly [Choice, Choice, Choice, Choice]): number {
    const [offset, bits = 0] = choices[this.number(2) as 0 | 1 | 2 | 3]
    return offset + this.number(bits)
  }

  skipSize(): void {
    const isSmall = this.flag()
    const side = () =>
      isSmall
        ? this.number(5)
        : this.choice([
            [1, 9],
            [1, 13],
            [1, 18],
            [1, 30],
          ])
    side()
    if (this.number(3) === 0) side()
  }

  skipBitDepth(): void {
    const isFloat = this.flag()
    this.choice(isFloat ? [[32], [16], [24], [1, 6]] : [[8], [10], [12], [1, 6]])
    if (isFloat) this.number(4)
  }

  skipExtraChannel(): void {
    if (this.flag()) return
    const type = this.choice([[0], [1], [2, 4], [18, 6]])
    this.skipBitDepth()
    this.choice([[0], [3], [4], [1, 3]])
    const nameBytes = this.choice([[0], [0, 4], [16, 5], [48, 10]])
    for (let i = 0; i < nameBytes; i++) this.number(8)
    if (type === ALPHA) this.flag()
    if (type === SPOT) for (let i = 0; i < 4; i++) this.number(16)
    if (type === FILTER) this.choice([[1], [0, 2], [3, 4], [19, 8]])
  }
}
