/** Bits out of bytes and into them, the most significant first. */

export class BitReader {
  readonly #bytes: Uint8Array
  /** In bits. */
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** @throws what `ended` makes when there is none */
  bit(): number {
    const byte = this.#bytes[this.#at >> 3]
    if (byte === undefined) throw this.ended()
    return (byte >> (7 - (this.#at++ & 7))) & 1
  }

  /** Leaves out what is left of a byte that was begun. */
  toByte(): void {
    this.#at = (this.#at + 7) & ~7
  }

  /** What is wrong when bits are wanted behind the last one. */
  protected ended(): Error {
    return new RangeError('the bits end early')
  }
}

export class BitWriter {
  readonly #mostBytes: number
  #bytes: Uint8Array
  #length = 0
  #held = 0
  #heldBits = 0

  /** `full` from `mostBytes` on. */
  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes
    this.#bytes = new Uint8Array(Math.min(mostBytes, 4096) + 8)
  }

  get full(): boolean {
    return this.#length >= this.#mostBytes
  }

  /** The lowest `length` bits of `value`, at most 24 and with no bits above them. */
  put(value: number, length: number): void {
    this.#held = (this.#held << length) | value
    this.#heldBits += length
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8
      this.#byte((this.#held >> this.#heldBits) & 255)
    }
    this.#held &= (1 << this.#heldBits) - 1
  }

  /** The lowest `length` bits of a whole number below 2^53, whatever is above them. */
  putNumber(value: number, length: number): void {
    if (length > 24) this.putNumber(Math.floor(value / 2 ** 24), length - 24)
    const low = Math.min(length, 24)
    this.put(value % 2 ** low, low)
  }

  /** Bytes that are full. */
  get length(): number {
    return this.#length
  }

  /** Fills up a byte that was begun, with zeros. */
  toByte(): void {
    if (this.#heldBits > 0) this.put(0, 8 - this.#heldBits)
  }

  /** All bytes, the last one padded with zeros. */
  finish(): Uint8Array {
    this.toByte()
    return this.#bytes.slice(0, this.#length)
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = value
  }
}
