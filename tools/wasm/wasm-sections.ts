/** A Wasm module as its sections (WebAssembly Core, 5.5.2), for the scripts that change compiled ones. */

export interface Section {
  /** Where the content begins and ends in the module. */
  readonly from: number
  readonly to: number
}

export class WasmModule {
  readonly bytes: Buffer
  /** By number, in the order of the file; custom ones are left out. */
  readonly sections = new Map<number, Section>()

  constructor(bytes: Buffer) {
    this.bytes = bytes
    for (let at = 8; at < bytes.length; ) {
      const id = bytes.readUInt8(at)
      const [length, start] = this.number(at + 1)
      at = start + length
      if (id !== 0) this.sections.set(id, { from: start, to: at })
    }
  }

  /** An unsigned LEB128 and where it ends (5.2.2). */
  number(at: number): [value: number, end: number] {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes.readUInt8(at++)
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return [value, at]
    }
  }

  /** @throws when there is none of this number */
  section(id: number): Section {
    const found = this.sections.get(id)
    if (!found) throw new Error(`the module has no section ${id}`)
    return found
  }

  /** The module with other contents of some sections; `null` leaves one out. */
  with(changed: ReadonlyMap<number, Uint8Array | null>): Buffer {
    const parts: Uint8Array[] = [this.bytes.subarray(0, 8)]
    for (const [id, { from, to }] of this.sections) {
      const content = changed.get(id)
      if (content === null) continue
      const kept = content ?? this.bytes.subarray(from, to)
      parts.push(Buffer.from([id, ...numberBytes(kept.length)]), kept)
    }
    return Buffer.concat(parts)
  }

  /** The content of a section that is a vector (5.1.3), with one more entry. */
  withEntry(id: number, entry: readonly number[]): Buffer {
    const { from, to } = this.section(id)
    const [count, start] = this.number(from)
    return Buffer.concat([Buffer.from(numberBytes(count + 1)), this.bytes.subarray(start, to), Buffer.from(entry)])
  }
}

/** As an unsigned LEB128. */
export const numberBytes = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...numberBytes(value >>> 7)])

/** As a name (5.2.4) of fewer than 128 letters. */
export const nameBytes = (text: string): number[] => [text.length, ...Buffer.from(text)]
