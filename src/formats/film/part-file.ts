/** What a part writes: packets, tables, a head in JSON, its length. An intermediate file of these codecs only. */

import { discard } from '../../../wasm/memories/discard.ts'
import { GrowingColumn } from '../../bytes/column.ts'
import type { Sink, Source } from '../../codec/codec.ts'
import { malformed } from '../../codec/error.ts'
import type { FinishedPart, PartReceipt } from '../../codec/segmented.ts'
import { Gathered } from '../../codec/sink.ts'
import type { PartQuality } from './picture-track.ts'

export interface PicturesHead {
  readonly kind: 'pictures'
  readonly headers: number[]
  readonly count: number
  readonly quality: PartQuality
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
  readonly snrDb: number
}

export type PartHead = PicturesHead | SoundHead

export interface PartFile<Head extends PartHead> {
  readonly head: Head
  readonly pts: Float64Array
  readonly sizes: Uint32Array
  readonly keys: Uint8Array
  /** The packets, one after the other from the first byte on. */
  readonly source: Source
}

/** Writes a part as it is made. */
export class PartWriter {
  readonly #sink: Sink
  readonly #packets: Gathered
  #sizes = new GrowingColumn()

  constructor(sink: Sink) {
    this.#sink = sink
    this.#packets = new Gathered(sink)
  }

  /** Packets so far. */
  get count(): number {
    return this.#sizes.length
  }

  /** Forgets all packets. */
  async restart(): Promise<void> {
    if (this.count === 0) return
    this.#sizes = new GrowingColumn()
    this.#packets.drop()
    await this.#sink.abort()
  }

  /** The next packet, in a buffer of its own, which is freed: the engine's memory is still there. */
  async write(packet: Uint8Array): Promise<void> {
    this.#sizes.push(packet.length)
    await this.#packets.write(packet)
    discard(packet)
  }

  /**
   * Tables and head, behind the packets. Pictures have times and keys, in decoding order.
   * @returns bytes written
   */
  async finish(
    head: PartHead,
    pts: Float64Array = new Float64Array(head.count),
    keys: Uint8Array = new Uint8Array(head.count),
  ): Promise<number> {
    const view = (array: Float64Array | Uint32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    const json = new TextEncoder().encode(JSON.stringify(head))
    const end = new Uint8Array(4)
    new DataView(end.buffer).setUint32(0, json.length)
    for (const bytes of [view(pts), view(new Uint32Array(this.#sizes.finish()).subarray(0, head.count)), keys, json, end]) {
      await this.#packets.write(bytes)
    }
    await this.#packets.flush()
    return this.#sink.written
  }
}

/** A part that was not encoded: the old pictures stay. */
export async function keptPictures(sink: Sink): Promise<PartReceipt> {
  const quality = { frames: 0, meanSsim: 0, meanPsnrDb: 0, worstSsim: 0, worstPsnrDb: 0 }
  const bytes = await new PartWriter(sink).finish({ kind: 'pictures', headers: [], count: 0, quality, crf: 0 })
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
  const headBytes = last.length === 4 ? new DataView(last.buffer, last.byteOffset).getUint32(0) : 0
  if (headBytes === 0 || headBytes > Math.min(end, 1 << 20)) throw malformed('part', 0, 'no head')
  const head = JSON.parse(new TextDecoder().decode((await source.read(end - headBytes, headBytes)).slice())) as PartHead
  const tableBytes = head.count * 13
  if (tableBytes > end - headBytes) throw malformed('part', 0, 'tables are cut short')
  const tables = await source.read(end - headBytes - tableBytes, tableBytes)
  const column = (from: number, to: number) => tables.slice(head.count * from, head.count * to)
  return {
    head,
    pts: new Float64Array(column(0, 8).buffer),
    sizes: new Uint32Array(column(8, 12).buffer),
    keys: column(12, 13),
    source,
  }
}
