import { createInstance } from '../loading/engine-files.ts'
import wasmModule from './laz.wasm'

/** Exports of the WebAssembly engine (laz.c). */
interface Exports {
  memory: WebAssembly.Memory
  begin(layered: number, time: number, rgb: number, nir: number, wave: number, extra: number, room: number): number
  encode(bytes: number): number
  encode_table(count: number): number
  streams_at(): number
}

/** Fields of a point record after its core of 20 bytes, or 30 in layered formats. */
export interface LazRecord {
  readonly layered: boolean
  readonly time: boolean
  readonly rgb: boolean
  readonly nir: boolean
  readonly wave: boolean
  /** Bytes after the fields of the point format, at most 1,024. */
  readonly extra: number
}

/** Encodes point records as LASzip streams, one chunk at a time. Needs twice the memory of a chunk's records plus some MB. */
export class LazEncoder {
  readonly #engine: Exports
  readonly #recordsAt: number
  readonly #maxChunkBytes: number

  /** @param maxChunkBytes most bytes of a chunk's records */
  constructor(record: LazRecord, maxChunkBytes: number) {
    this.#engine = createInstance(wasmModule).exports as unknown as Exports
    const { layered, time, rgb, nir, wave, extra } = record
    this.#recordsAt = this.#engine.begin(+layered, +time, +rgb, +nir, +wave, extra, maxChunkBytes)
    if (this.#recordsAt === 0) throw new RangeError('LASzip does not support this record layout')
    this.#maxChunkBytes = maxChunkBytes
  }

  get memoryBytes(): number {
    return this.#engine.memory.buffer.byteLength
  }

  /**
   * Returns the streams that follow a chunk's first record, which is stored unchanged. Pointwise formats have one stream, layered formats
   * one per layer; the stream of an unchanged layer is empty. The arrays are views, valid until the next call.
   */
  encode(records: Uint8Array): Uint8Array[] {
    if (records.length > this.#maxChunkBytes)
      throw new RangeError(`a chunk has ${records.length} bytes, the limit is ${this.#maxChunkBytes}`)
    const engine = this.#engine
    new Uint8Array(engine.memory.buffer, this.#recordsAt, records.length).set(records)
    const count = engine.encode(records.length)
    if (count === 0) throw new RangeError(`${records.length} bytes are not whole records`)
    return this.#streams(count)
  }

  /** Encodes a chunk table. The array is a view, valid until the next call. */
  encodeTable(chunkBytes: Uint32Array): Uint8Array {
    const engine = this.#engine
    if (chunkBytes.byteLength > this.#maxChunkBytes)
      throw new RangeError(`${chunkBytes.length} chunks exceed the chunk table limit of ${this.#maxChunkBytes >> 2}`)
    new Uint32Array(engine.memory.buffer, this.#recordsAt, chunkBytes.length).set(chunkBytes)
    return this.#streams(engine.encode_table(chunkBytes.length))[0]!
  }

  #streams(count: number): Uint8Array[] {
    const { memory } = this.#engine
    const streams = new Uint32Array(memory.buffer, this.#engine.streams_at(), 2 * count)
    return Array.from({ length: count }, (_, i) => new Uint8Array(memory.buffer, streams[2 * i]!, streams[2 * i + 1]!))
  }
}
