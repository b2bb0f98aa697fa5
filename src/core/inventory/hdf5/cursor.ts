import { textOfBytes } from '../decode-text.ts'

/** Sizes of the fields of a file (HDF5 File Format Specification 4.0, II.A). */
export interface FieldSizes {
  /** Bytes of an address. */
  readonly offsetBytes: number
  /** Bytes of a length. */
  readonly lengthBytes: number
}

/** Reads the fields of a structure in order, in little-endian byte order. A field outside throws a `RangeError`. */
export class Cursor {
  readonly bytes: Uint8Array
  at: number
  readonly sizes: FieldSizes

  constructor(bytes: Uint8Array, sizes: FieldSizes, at = 0) {
    this.bytes = bytes
    this.sizes = sizes
    this.at = at
  }

  /** Bytes that are left. */
  get left(): number {
    return this.bytes.length - this.at
  }

  /** Next bytes. */
  take(length: number): Uint8Array {
    return this.bytes.subarray(this.#pass(length), this.at)
  }

  skip(length: number): this {
    this.#pass(length)
    return this
  }

  /** Unsigned number of `length` bytes, rounded above 2^53. No bytes are 0. */
  unsigned(length: number): number {
    const start = this.#pass(length)
    let value = 0
    for (let at = this.at - 1; at >= start; at--) value = value * 256 + this.bytes[at]!
    return value
  }

  /** Passes over the next bytes and returns the offset of the first. */
  #pass(length: number): number {
    if (!(length >= 0 && length <= this.left)) throw new RangeError(`${length} bytes at ${this.at} of ${this.bytes.length}`)
    const start = this.at
    this.at += length
    return start
  }

  u8(): number {
    return this.unsigned(1)
  }

  u16(): number {
    return this.unsigned(2)
  }

  u32(): number {
    return this.unsigned(4)
  }

  length(): number {
    return this.unsigned(this.sizes.lengthBytes)
  }

  /** Address, relative to the base address. `undefined`: the undefined address, all bits of which are 1. */
  address(): number | undefined {
    return this.unlessOnes(this.sizes.offsetBytes)
  }

  /** Unsigned number of `length` bytes. `undefined`: all bits are 1. */
  unlessOnes(length: number): number | undefined {
    const value = this.unsigned(length)
    if (value < 256 ** length - 256) return value
    for (let at = this.at - length; at < this.at; at++) if (this.bytes[at] !== 0xff) return value
    return undefined
  }

  /** Bytes up to a NUL, which is skipped, or up to the end. */
  untilNul(): Uint8Array {
    const end = this.bytes.indexOf(0, this.at)
    if (end < 0) return this.take(this.left)
    const found = this.take(end - this.at)
    this.at++
    return found
  }

  /** Text up to a NUL or up to the end. */
  text(): string {
    return textOfBytes(this.untilNul())
  }

  /** Cursor for the next bytes only. */
  part(length: number): Cursor {
    return new Cursor(this.take(length), this.sizes)
  }
}

/** Bytes that hold a number from 0 to `limit`. */
export const bytesFor = (limit: number): number => {
  let bytes = 1
  while (limit >= 256 ** bytes) bytes++
  return bytes
}
