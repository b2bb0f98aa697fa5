import wasmModule from './laz.wasm'

/** What the engine exports (laz.c). */
interface Exports {
  memory: WebAssembly.Memory
  begin(layered: number, time: number, rgb: number, nir: number, wave: number, extra: number, room: number): number
  encode(bytes: number): number
  encode_table(count: number): number
  streams_at(): number
}

/** Which fields a point record has behind its core of 20 bytes, or of 30 in layered formats. */
export interface LazRecord {
  readonly layered: boolean
  readonly time: boolean
  readonly rgb: boolean
  readonly nir: boolean
  readonly wave: boolean
  /** Bytes behind the fields of the point format, at most 1,024. */
  readonly extra: number
}

/** Compresses point records into LASzip's code streams, a chunk at a time; needs twice a chunk's records and some MB. */
export class LazEncoder {
  readonly #engine: Exports
  readonly #recordsAt: number
  readonly #maxChunkBytes: number

  /** @param maxChunkBytes what a chunk's records take at most */
  constructor(record: LazRecord, maxChunkBytes: number) {
    this.#engine = new WebAssembly.Instance(wasmModule).exports as unknown as Exports
    const { layered, time, rgb, nir, wave, extra } = record
    this.#recordsAt = this.#engine.begin(+layered, +time, +rgb, +nir, +wave, extra, maxChunkBytes)
    if (this.#recordsAt === 0) throw new RangeError('LASzip has no such records')
    this.#maxChunkBytes = maxChunkBytes
  }

  get memoryBytes(): number {
    return this.#engine.memory.buffer.byteLength
  }

  /**
   * The code streams that follow a chunk's first record, which is stored as it is: one, or in layered formats one a layer,
   * empty where nothing changes. They are views, valid until the next call.
   */
  encode(records: Uint8Array): Uint8Array[] {
    if (records.length > this.#maxChunkBytes) throw new RangeError(`a chunk of ${records.length} bytes`)
    const engine = this.#engine
    new Uint8Array(engine.memory.buffer, this.#recordsAt, records.length).set(records)
    const count = engine.encode(records.length)
    if (count === 0) throw new RangeError(`${records.length} bytes are not whole records`)
    return this.#streams(count)
  }

  /** The code stream of a chunk table. A view, valid until the next call. */
  encodeTable(chunkBytes: Uint32Array): Uint8Array {
    const engine = this.#engine
    if (chunkBytes.byteLength > this.#maxChunkBytes) throw new RangeError(`${chunkBytes.length} chunks`)
    new Uint32Array(engine.memory.buffer, this.#recordsAt, chunkBytes.length).set(chunkBytes)
    return this.#streams(engine.encode_table(chunkBytes.length))[0]!
  }

  #streams(count: number): Uint8Array[] {
    const { memory } = this.#engine
    const streams = new Uint32Array(memory.buffer, this.#engine.streams_at(), 2 * count)
    return Array.from({ length: count }, (_, i) => new Uint8Array(memory.buffer, streams[2 * i]!, streams[2 * i + 1]!))
  }
}
