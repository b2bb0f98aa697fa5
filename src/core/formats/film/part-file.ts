/** What a part writes: packets, tables, a head in JSON, its length. An intermediate file of these codecs only. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { GrowingColumn } from '../../bytes/compact-array.ts'
import { u32At, words } from '../../containers/isobmff/box.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import type { FinishedPart, PartReceipt } from '../../model/segmented.ts'
import { Gathered } from '../../model/sink.ts'
import { SECOND_COLUMNS } from './seconds.ts'

export interface PicturesHead {
  readonly kind: 'pictures'
  readonly headers: number[]
  readonly count: number
  /** Rows of `PartFile.seconds`. */
  readonly seconds: number
  readonly crf: number
  /** AVI: by how many frames players show them later, because the old decoder had to wait for reordered ones. */
  readonly delay?: number
}

export interface SoundHead {
  readonly kind: 'sound'
  readonly config: number[]
  readonly count: number
  readonly hertz: number
  readonly channels: number
  /** Samples of silence in front. */
  readonly delay: number
  /** Samples of sound. */
  readonly samples: number
  /** Squares of the sound, and of what decoders make different of it, summed up. */
  readonly signal: number
  readonly noise: number
}

export type PartHead = PicturesHead | SoundHead

export interface PartFile<Head extends PartHead> {
  readonly head: Head
  readonly pts: Float64Array
  readonly sizes: Uint32Array
  readonly keys: Uint8Array
  /** Of pictures: the table of `Seconds`. */
  readonly seconds: Float64Array
  /** The packets, one after the other from the first byte on. */
  readonly source: Source
}

/** Writes a part as it is made. */
export class PartWriter {
  readonly #sink: Sink
  readonly #packets: Gathered
  #sizes = new GrowingColumn()
  #bytes = 0

  constructor(sink: Sink) {
    this.#sink = sink
    this.#packets = new Gathered(sink)
  }

  /** Packets so far. */
  get count(): number {
    return this.#sizes.length
  }

  /** Of all packets so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Forgets all packets. */
  async restart(): Promise<void> {
    if (this.count === 0) return
    this.#sizes = new GrowingColumn()
    this.#bytes = 0
    this.#packets.drop()
    await this.#sink.abort()
  }

  /** The next packet, in a buffer of its own, which is freed: the engine's memory is still there. */
  async write(packet: Uint8Array): Promise<void> {
    this.#sizes.push(packet.length)
    this.#bytes += packet.length
    await this.#packets.write(packet)
    discard(packet)
  }

  /**
   * Tables and head, behind the packets.
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

/** What pictures have beside sizes: times and keys in decoding order, sums by second. */
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

/** A part that was not encoded: the old pictures stay. */
export async function keptPictures(sink: Sink): Promise<PartReceipt> {
  const bytes = await new PartWriter(sink).finish({ kind: 'pictures', headers: [], count: 0, seconds: 0, crf: 0 })
  return { bytes, facts: { frames: 0 } }
}

/** Heads and tables, each in a buffer of its own, of finished parts, one after the other: each read leaves a block behind. */
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
