/** What a part writes: a head in JSON, tables, packets. An intermediate file of these rooms only. */
import { concat } from '../../bytes/concat.ts'
import { discard } from '../../bytes/discard.ts'
import { MalformedFile, type Sink, type Source } from '../../codec/codec.ts'
import type { FinishedPart } from '../../codec/segmented.ts'
import type { PartQuality } from './pictures.ts'

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
  /** Where the packets begin. */
  readonly dataOffset: number
  readonly source: Source
}

/**
 * @param packets buffers of their own, which are freed as they are written: the engine's memory is still there
 * @returns bytes written
 */
export async function writePart(
  head: PartHead,
  pts: Float64Array,
  sizes: Uint32Array,
  keys: Uint8Array,
  packets: readonly Uint8Array[],
  sink: Sink,
) {
  const json = new TextEncoder().encode(JSON.stringify(head))
  const padded = new Uint8Array(Math.ceil((json.length + 4) / 8) * 8)
  new DataView(padded.buffer).setUint32(0, padded.length)
  padded.fill(0x20, 4)
  padded.set(json, 4)
  const view = (array: Float64Array | Uint32Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  await sink.write(concat([padded, view(pts), view(sizes), keys]))
  let batch: Uint8Array[] = []
  let bytes = 0
  for (const packet of packets) {
    batch.push(packet)
    bytes += packet.length
    if (bytes > 1 << 20) {
      await sink.write(joined(batch))
      batch = []
      bytes = 0
    }
  }
  if (bytes) await sink.write(joined(batch))
  return sink.written
}

function joined(packets: readonly Uint8Array[]): Uint8Array {
  const all = concat(packets)
  for (const packet of packets) discard(packet)
  return all
}

/** Heads and tables of finished parts, one after the other: each read leaves a block behind. */
export async function readParts<Head extends PartHead>(parts: readonly FinishedPart[]): Promise<PartFile<Head>[]> {
  const files: PartFile<Head>[] = []
  for (const { result } of parts) files.push((await readPart(result)) as PartFile<Head>)
  return files
}

async function readPart(source: Source): Promise<PartFile<PartHead>> {
  const first = await source.read(0, 4)
  const headBytes = first.length === 4 ? new DataView(first.buffer, first.byteOffset).getUint32(0) : 0
  if (headBytes < 8 || headBytes > 1 << 20) throw new MalformedFile('part', 0, 'no head')
  const head = JSON.parse(new TextDecoder().decode((await source.read(4, headBytes - 4)).slice())) as PartHead
  const tables = (await source.read(headBytes, head.count * 13)).slice()
  if (tables.length < head.count * 13) throw new MalformedFile('part', headBytes, 'tables are cut short')
  return {
    head,
    pts: new Float64Array(tables.buffer, 0, head.count),
    sizes: new Uint32Array(tables.buffer, head.count * 8, head.count),
    keys: tables.subarray(head.count * 12),
    dataOffset: headBytes + head.count * 13,
    source,
  }
}
