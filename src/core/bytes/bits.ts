/** Reads and writes single bits of bytes, the most significant bit first. */

export class BitReader {
  readonly #bytes: Uint8Array
  /** Position in bits. */
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reader of the first `length` bytes. Zeros stand for missing bytes. */
  static padded(bytes: Uint8Array, length: number): BitReader {
    const padded = new Uint8Array(length)
    padded.set(bytes.subarray(0, length))
    return new BitReader(padded)
  }

  /**
   * Returns the next bit.
   * @throws the error that `ended` returns, if no bit is left
   */
  bit(): number {
    const byte = this.#bytes[this.#at >> 3]
    if (byte === undefined) throw this.ended()
    return (byte >> (7 - (this.#at++ & 7))) & 1
  }

  /**
   * Returns the next bits as an unsigned number: `count` of them, at most 32.
   * @throws the error that `ended` returns, if fewer are left
   */
  bits(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++) value = value * 2 + this.bit()
    return value
  }

  /** Skips the remaining bits of a partly read byte. */
  toByte(): void {
    this.#at = (this.#at + 7) & ~7
  }

  /** Returns the error for a read after the last bit. */
  protected ended(): Error {
    return new RangeError('the bits end early')
  }
}

export class BitWriter {
  readonly #mostBytes: number
  #bytes: Uint8Array
  #length = 0
  #pending = 0
  #pendingBits = 0

  /** @param mostBytes capacity: `full` becomes true at this length; default: no limit */
  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes
    this.#bytes = new Uint8Array(Math.min(mostBytes, 4096) + 8)
  }

  get full(): boolean {
    return this.#length >= this.#mostBytes
  }

  /** Appends the lowest `length` bits of `value`. `length` is at most 24, and higher bits of `value` must be 0. */
  put(value: number, length: number): void {
    this.#pending = (this.#pending << length) | value
    this.#pendingBits += length
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8
      this.#byte((this.#pending >> this.#pendingBits) & 255)
    }
    this.#pending &= (1 << this.#pendingBits) - 1
  }

  /** Appends the lowest `length` bits of a whole number below 2^53. Higher bits are ignored. */
  putNumber(value: number, length: number): void {
    if (length > 24) this.putNumber(Math.floor(value / 2 ** 24), length - 24)
    const low = Math.min(length, 24)
    this.put(value % 2 ** low, low)
  }

  /** Number of complete bytes. */
  get length(): number {
    return this.#length
  }

  /** Pads a partly written byte with zeros. */
  toByte(): void {
    if (this.#pendingBits > 0) this.put(0, 8 - this.#pendingBits)
  }

  /** Returns all bytes, the last one padded with zeros. */
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
