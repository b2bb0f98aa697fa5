/** Reads big-endian numbers of font files. @throws RangeError beyond the end of the bytes; callers then keep the font unchanged */
export class FontView {
  readonly bytes: Uint8Array
  private readonly view: DataView
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  u8(offset: number): number {
    return this.view.getUint8(offset)
  }
  u16(offset: number): number {
    return this.view.getUint16(offset)
  }
  i16(offset: number): number {
    return this.view.getInt16(offset)
  }
  u32(offset: number): number {
    return this.view.getUint32(offset)
  }
  tag(offset: number): string {
    return String.fromCharCode(this.u8(offset), this.u8(offset + 1), this.u8(offset + 2), this.u8(offset + 3))
  }
}

export class FontWriter {
  length = 0
  private bytes = new Uint8Array(4096)

  u8(value: number): this {
    this.reserve(1)
    this.bytes[this.length++] = value
    return this
  }
  u16(value: number): this {
    return this.u8(value >> 8).u8(value)
  }
  u32(value: number): this {
    return this.u16(value >>> 16).u16(value & 0xffff)
  }
  put(part: ArrayLike<number>): this {
    this.reserve(part.length)
    this.bytes.set(part, this.length)
    this.length += part.length
    return this
  }
  pad(multiple: number): this {
    while (this.length % multiple) this.u8(0)
    return this
  }
  done(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}
