import { hex } from '../bytes/hex.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { ByteReader } from '../bytes/reader.ts'

/** Numbers, texts and parts of a structure in one byte order. A field outside throws a `RangeError`. */
export class Fields extends ByteReader {
  static big(bytes: Uint8Array): Fields {
    return new Fields(bytes, false)
  }

  static little(bytes: Uint8Array): Fields {
    return new Fields(bytes, true)
  }

  /** Big-endian number of 0 to 8 bytes; no bytes are 0. */
  unsigned(at: number, bytes: number): number {
    let value = 0
    for (let i = 0; i < bytes; i++) value = value * 256 + this.u8(at + i)
    return value
  }

  /** Latin-1 text of a range. */
  text(from: number, to = this.length): string {
    return latin1Of(this.bytes.subarray(from, to))
  }

  /** Hexadecimal digits of a range. */
  hex(from = 0, to = this.length): string {
    return hex(this.bytes.subarray(from, to))
  }

  part(from: number, to = this.length): Fields {
    return new Fields(this.bytes.subarray(from, to), this.littleEndian)
  }
}
