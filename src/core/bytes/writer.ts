/**
 * Writes numbers to bytes in one byte order: each after the previous one, or at the offset set by `at`. Bits that do not fit are dropped,
 * so -1 writes the largest number.
 */
export class ByteWriter {
  readonly littleEndian: boolean
  readonly #grows: boolean
  #bytes: Uint8Array
  #view: DataView
  #at = 0
  #end = 0

  /** Writes into `bytes`. Writing outside them throws a `RangeError`. */
  constructor(bytes: Uint8Array, littleEndian: boolean, grows = false) {
    this.littleEndian = littleEndian
    this.#grows = grows
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#end = grows ? 0 : bytes.length
  }

  /** Returns a writer whose buffer grows. Skipped bytes are zero. */
  static growing(littleEndian: boolean): ByteWriter {
    return new ByteWriter(new Uint8Array(64), littleEndian, true)
  }

  /** Sets the offset of the next value, in bytes from the start. */
  at(offset: number): this {
    this.#at = offset
    return this
  }

  u8(value: number): this {
    const at = this.#take(1)
    this.#view.setUint8(at, value)
    return this
  }

  u16(value: number): this {
    const at = this.#take(2)
    this.#view.setUint16(at, value, this.littleEndian)
    return this
  }

  u24(value: number): this {
    const low = value & 0xffff
    const high = (value >> 8) & 0xffff
    return this.littleEndian ? this.u16(low).u8(value >> 16) : this.u16(high).u8(value)
  }

  u32(value: number): this {
    const at = this.#take(4)
    this.#view.setUint32(at, value, this.littleEndian)
    return this
  }

  /** @throws RangeError if the number is not whole */
  u64(value: number | bigint): this {
    const at = this.#take(8)
    this.#view.setBigUint64(at, BigInt(value), this.littleEndian)
    return this
  }

  f32(value: number): this {
    const at = this.#take(4)
    this.#view.setFloat32(at, value, this.littleEndian)
    return this
  }

  f64(value: number): this {
    const at = this.#take(8)
    this.#view.setFloat64(at, value, this.littleEndian)
    return this
  }

  bytes(bytes: ArrayLike<number>): this {
    const at = this.#take(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  /** Writes one byte for each character. */
  ascii(text: string): this {
    return this.bytes(Array.from(text, (letter) => letter.charCodeAt(0)))
  }

  /** Returns all bytes: those given to the constructor, or those written so far. */
  finish(): Uint8Array {
    return this.#grows ? this.#bytes.slice(0, this.#end) : this.#bytes
  }

  /** Returns the offset of the next `length` bytes and moves past them. It may replace `#bytes` and `#view`. */
  #take(length: number): number {
    const at = this.#at
    this.#at += length
    if (this.#at > this.#end && this.#grows) this.#grow()
    return at
  }

  #grow(): void {
    this.#end = this.#at
    if (this.#end <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#end))
    larger.set(this.#bytes)
    this.#bytes = larger
    this.#view = viewOf(larger)
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
