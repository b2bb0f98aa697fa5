/** Reads and writes the sections of a Wasm module (WebAssembly Core, 5.5.2), for tools that rewrite compiled modules. */

export interface Section {
  /** Offsets of the section's content in the module: first byte, and end (exclusive). */
  readonly from: number
  readonly to: number
}

export class WasmModule {
  readonly bytes: Buffer
  /** Sections by id, in file order, without custom sections. */
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

  /** Reads an unsigned LEB128 number (5.2.2). @returns its value and the offset after it */
  number(at: number): [value: number, end: number] {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes.readUInt8(at++)
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return [value, at]
    }
  }

  /** @throws Error if the module has no section with this id */
  section(id: number): Section {
    const found = this.sections.get(id)
    if (!found) throw new Error(`the module has no section ${id}`)
    return found
  }

  /** The module with replaced section contents. `null` removes a section. */
  with(changed: ReadonlyMap<number, Uint8Array | null>): Buffer {
    const parts: Uint8Array[] = [this.bytes.subarray(0, 8)]
    for (const [id, { from, to }] of this.sections) {
      const content = changed.get(id)
      if (content === null) continue
      const data = content ?? this.bytes.subarray(from, to)
      parts.push(Buffer.from([id, ...numberBytes(data.length)]), data)
    }
    return Buffer.concat(parts)
  }

  /** Content of a vector section (5.1.3) with more entries. */
  withEntries(id: number, entries: readonly (readonly number[])[]): Buffer {
    const { from, to } = this.section(id)
    const [count, start] = this.number(from)
    return Buffer.concat([Buffer.from(numberBytes(count + entries.length)), this.bytes.subarray(start, to), Buffer.from(entries.flat())])
  }
}

/** Encodes an unsigned LEB128 number. */
export const numberBytes = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...numberBytes(value >>> 7)])

/** Encodes a name (5.2.4) of fewer than 128 bytes. */
export const nameBytes = (text: string): number[] => [text.length, ...Buffer.from(text)]
