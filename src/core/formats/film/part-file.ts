/** Intermediate file of one part: packets, tables, a JSON header, and the header's length. Only the film codecs read it. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { GrowingCompactArray } from '../../bytes/compact-array.ts'
import { u32At, words } from '../../containers/isobmff/box.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import type { FinishedPart, PartReceipt } from '../../model/segmented.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { SECOND_COLUMNS } from './seconds.ts'

export interface PicturesHead {
  readonly kind: 'pictures'
  readonly headers: number[]
  readonly count: number
  /** Number of rows in `PartFile.seconds`. */
  readonly seconds: number
  readonly crf: number
  /** AVI only: frames by which players delay the stream, because its old decoder waits for reordered frames. */
  readonly delay?: number
}

export interface SoundHead {
  readonly kind: 'sound'
  readonly config: number[]
  readonly count: number
  readonly hertz: number
  readonly channels: number
  /** Samples of silence at the start: the encoder delay. */
  readonly delay: number
  /** Samples of sound per channel, without `delay`. */
  readonly samples: number
  /** Sums of squares of the source sound (`signal`) and of the difference after decoding (`noise`). */
  readonly signal: number
  readonly noise: number
}

export type PartHead = PicturesHead | SoundHead

export interface PartFile<Head extends PartHead> {
  readonly head: Head
  readonly pts: Float64Array
  readonly sizes: Uint32Array
  readonly keys: Uint8Array
  /** Pictures only: rows of `QualityBySecond.table()`. */
  readonly seconds: Float64Array
  /** Source with all packets of the part, one after another, from its first byte on. */
  readonly source: Source
}

/** Writes the intermediate file of a part while the part is encoded. */
export class PartWriter {
  readonly #sink: Sink
  readonly #packets: WriteBuffer
  #sizes = new GrowingCompactArray()
  #bytes = 0

  constructor(sink: Sink) {
    this.#sink = sink
    this.#packets = new WriteBuffer(sink)
  }

  /** Number of packets written so far. */
  get count(): number {
    return this.#sizes.length
  }

  /** Bytes of the packets written so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Discards all packets written so far. */
  async restart(): Promise<void> {
    if (this.count === 0) return
    this.#sizes = new GrowingCompactArray()
    this.#bytes = 0
    this.#packets.drop()
    await this.#sink.abort()
  }

  /** Writes the next packet and frees its buffer. The packet must be a copy, because the engine still uses its own memory. */
  async write(packet: Uint8Array): Promise<void> {
    this.#sizes.push(packet.length)
    this.#bytes += packet.length
    await this.#packets.write(packet)
    discard(packet)
  }

  /**
   * Writes tables and JSON header after the packets.
   * @returns bytes written
   */
  async finish(head: PartHead, tables: PictureTables = NO_TABLES(head.count)): Promise<number> {
    const { pts, keys, seconds } = tables
    const view = (array: Float64Array | Uint32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    const json = new TextEncoder().encode(JSON.stringify(head))
    const end = words(json.length)
    const sizes = new Uint32Array(this.#sizes.finish()).subarray(0, head.count)
    for (const bytes of [view(seconds), view(pts), view(sizes), keys, json, end]) {
      await this.#packets.write(bytes)
    }
    await this.#packets.flush()
    return this.#sink.written
  }
}

/** Tables of a picture part: display times and key frame flags in decoding order, quality sums by second. */
interface PictureTables {
  readonly pts: Float64Array
  readonly keys: Uint8Array
  readonly seconds: Float64Array
}

const NO_TABLES = (count: number): PictureTables => ({
  pts: new Float64Array(count),
  keys: new Uint8Array(count),
  seconds: new Float64Array(),
})

/** Writes a part without packets: the old pictures are copied. */
export async function writeUnchangedPictures(sink: Sink): Promise<PartReceipt> {
  const bytes = await new PartWriter(sink).finish({ kind: 'pictures', headers: [], count: 0, seconds: 0, crf: 0 })
  return { bytes, facts: { frames: 0 } }
}

/** Reads header and tables of finished parts in turn, each into its own buffer, because each read keeps a block of memory. */
export async function readParts<Head extends PartHead>(parts: readonly FinishedPart[]): Promise<PartFile<Head>[]> {
  const files: PartFile<Head>[] = []
  for (const { result } of parts) files.push((await readPart(result)) as PartFile<Head>)
  return files
}

async function readPart(source: Source): Promise<PartFile<PartHead>> {
  const end = source.size - 4
  const last = await source.read(Math.max(0, end), 4)
  const headBytes = last.length === 4 ? u32At(last, 0) : 0
  if (headBytes === 0 || headBytes > Math.min(end, 1 << 20)) throw malformed('part', 0, 'no_head')
  const head = JSON.parse(new TextDecoder().decode((await source.read(end - headBytes, headBytes)).slice())) as PartHead
  const secondBytes = head.kind === 'pictures' ? head.seconds * SECOND_COLUMNS * 8 : 0
  const tableBytes = secondBytes + head.count * 13
  if (tableBytes > end - headBytes) throw malformed('part', 0, 'tables_cut_short')
  const tables = await source.read(end - headBytes - tableBytes, tableBytes)
  const column = (from: number, to: number) => tables.slice(secondBytes + head.count * from, secondBytes + head.count * to)
  return {
    head,
    pts: new Float64Array(column(0, 8).buffer),
    sizes: new Uint32Array(column(8, 12).buffer),
    keys: column(12, 13),
    seconds: new Float64Array(tables.slice(0, secondBytes).buffer),
    source,
  }
}
