/** Reads numbers from bytes in one byte order. Reading outside the bytes throws a `RangeError`. */
export class ByteReader {
  readonly bytes: Uint8Array
  readonly littleEndian: boolean
  readonly #view: DataView

  constructor(bytes: Uint8Array, littleEndian: boolean) {
    this.bytes = bytes
    this.littleEndian = littleEndian
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.bytes.length
  }

  u8(at: number): number {
    return this.#view.getUint8(at)
  }

  u16(at: number): number {
    return this.#view.getUint16(at, this.littleEndian)
  }

  i16(at: number): number {
    return this.#view.getInt16(at, this.littleEndian)
  }

  u32(at: number): number {
    return this.#view.getUint32(at, this.littleEndian)
  }

  i32(at: number): number {
    return this.#view.getInt32(at, this.littleEndian)
  }

  /** Returns a 64-bit number, rounded above 2^53. File offsets never reach that. */
  u64(at: number): number {
    return Number(this.bigU64(at))
  }

  bigU64(at: number): bigint {
    return this.#view.getBigUint64(at, this.littleEndian)
  }

  f64(at: number): number {
    return this.#view.getFloat64(at, this.littleEndian)
  }
}
