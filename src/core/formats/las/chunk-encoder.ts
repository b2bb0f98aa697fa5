import { LazEncoder } from '../../../../wasm/laz/laz.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { PointLayout } from './point-layout.ts'

/** Encodes chunks of whole point records as LASzip chunks, without the chunk table. */
export class ChunkEncoder {
  readonly #encoder: LazEncoder
  readonly #layout: PointLayout

  constructor(layout: PointLayout, maxChunkBytes: number) {
    this.#layout = layout
    this.#encoder = new LazEncoder({ ...layout, layered: layout.compressor === 3 }, maxChunkBytes)
  }

  /**
   * Returns the chunk: the first record unchanged, then the encoded streams. Layered chunks have the point count and the layer sizes
   * between them.
   */
  encode(records: Uint8Array): Uint8Array {
    const { recordLength, compressor } = this.#layout
    const streams = this.#encoder.encode(records)
    const sizesBytes = compressor === 3 ? 4 + 4 * streams.length : 0
    const streamsAt = recordLength + sizesBytes
    const chunk = new Uint8Array(streams.reduce((sum, { length }) => sum + length, streamsAt))
    chunk.set(records.subarray(0, recordLength))
    if (compressor === 3) {
      const sizes = new DataView(chunk.buffer, recordLength, sizesBytes)
      sizes.setUint32(0, records.length / recordLength, true)
      for (const [i, stream] of streams.entries()) sizes.setUint32(4 + 4 * i, stream.length, true)
    }
    let at = streamsAt
    for (const stream of streams) {
      chunk.set(stream, at)
      at += stream.length
    }
    return chunk
  }
  /** Encodes the chunk table for chunks of these byte counts. */
  table(chunkBytes: readonly number[]): Uint8Array {
    const coded = chunkBytes.length === 0 ? new Uint8Array(0) : this.#encoder.encodeTable(Uint32Array.from(chunkBytes))
    // Chunk table header: version 0, number of chunks.
    return ByteWriter.growing(true).u32(0).u32(chunkBytes.length).bytes(coded).finish()
  }
}
