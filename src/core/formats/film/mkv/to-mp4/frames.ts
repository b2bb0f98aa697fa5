/** Frames of blocks (RFC 9559, section 10): their places and times. */
import { unsignedAt } from '../../../../containers/ebml/element.ts'
import { BLOCK_GROUP } from '../../../../containers/ebml/matroska.ts'
import type { EbmlReader } from '../../../../containers/ebml/reader.ts'
import { ENCRYPTED_BLOCK, SIMPLE_BLOCK, TIMESTAMP } from '../../../../containers/ebml/track-elements.ts'
import { malformed, overBudget, unsupported } from '../../../../model/error.ts'
import { type ClusterChild, childrenOfCluster } from '../cluster.ts'
import type { Element } from '../scan.ts'
import { fieldsOfGroup } from './group.ts'

/** Block with its frames in the file. */
export interface Block {
  readonly track: number
  /** Time in units of TimestampScale, not negative. */
  readonly time: number
  /** True if decoding may begin here. */
  readonly isKey: boolean
  /** Duration in units of TimestampScale. `undefined`: not told. */
  readonly duration: number | undefined
  /** Nanoseconds at the end of the block that are not played. */
  readonly discarded: number
  /** File offsets and sizes of the frames, in turn. */
  readonly frames: readonly (readonly [offset: number, size: number])[]
}

/** Bytes from the start of a block that hold its header and the sizes of its frames. */
const MAX_BLOCK_HEADER_BYTES = 16 * 1024
const USUAL_HEADER_BYTES = 12
const [KEY, INVISIBLE, LACING] = [0x80, 0x08, 0x06]

/** Yields the blocks of a cluster. @throws CodecError for damaged blocks, and for blocks with more than frames */
export async function* blocksOf(reader: EbmlReader, cluster: Element): AsyncGenerator<Block, void> {
  let clusterTime = 0
  for await (const child of childrenOfCluster(reader, cluster)) {
    const { id, bodyAt, end } = child
    if (id === TIMESTAMP) clusterTime = unsignedAt(await reader.bytes(bodyAt, end - bodyAt), 0, Math.min(8, end - bodyAt))
    else if (id === SIMPLE_BLOCK) {
      const head = await simpleHead(reader, bodyAt, end)
      yield { ...blockIn(head, bodyAt, end, clusterTime), isKey: (head[flagsIndex(head)]! & KEY) !== 0, duration: undefined, discarded: 0 }
    } else if (id === BLOCK_GROUP) yield groupBlock(child, clusterTime)
    else if (id === ENCRYPTED_BLOCK) throw unsupported('mkv_encrypted_blocks')
  }
}

/** Returns the first bytes of a block: few, or more if it has several frames. */
async function simpleHead(reader: EbmlReader, bodyAt: number, end: number): Promise<Uint8Array> {
  const head = await reader.bytes(bodyAt, Math.min(USUAL_HEADER_BYTES, end - bodyAt))
  return (head[flagsIndex(head)] ?? 0) & LACING ? await reader.bytes(bodyAt, Math.min(MAX_BLOCK_HEADER_BYTES, end - bodyAt)) : head
}

/** Index of the flags: behind the track number, whose length its first byte tells, and two bytes of time. */
const flagsIndex = (head: Uint8Array) => Math.clz32(head[0] ?? 0) - 23 + 2

function groupBlock({ group, at }: ClusterChild, clusterTime: number): Block {
  if (!group) throw overBudget('mkv_block_too_long')
  const { block, duration, discarded, isKey } = fieldsOfGroup(group, at)
  const head = group.bytes.subarray(block.bodyAt, Math.min(block.end, block.bodyAt + MAX_BLOCK_HEADER_BYTES))
  return { ...blockIn(head, group.offset + block.bodyAt, group.offset + block.end, clusterTime), isKey, duration, discarded }
}

/** @param head first bytes of the block, all of its header included */
function blockIn(head: Uint8Array, bodyAt: number, end: number, clusterTime: number): Pick<Block, 'track' | 'time' | 'frames'> {
  const flagsAt = flagsIndex(head)
  if (flagsAt > 10 || flagsAt >= head.length) throw malformed('matroska', bodyAt, 'mkv_block_damaged')
  const numberBytes = flagsAt - 2
  const track = unsignedAt(head, 0, numberBytes) - 2 ** (7 * numberBytes)
  const relative = ((head[flagsAt - 2]! << 24) >> 16) | head[flagsAt - 1]!
  const time = clusterTime + relative
  // The largest number stands for unknown times.
  if (time < 0 || time >= 0xffffffff) throw unsupported('mkv_time_out_of_range')
  const flags = head[flagsAt]!
  if (flags & INVISIBLE) throw unsupported('mkv_invisible_frames')
  const lacing = (flags & LACING) >> 1
  if (lacing === 0) return { track, time, frames: [[bodyAt + flagsAt + 1, end - bodyAt - flagsAt - 1]] }
  return { track, time, frames: lacedFrames(new LaceReader(head, flagsAt + 1, bodyAt), lacing, bodyAt, end) }
}

const [XIPH, FIXED] = [1, 2]

/** Frames of a block with several of them (RFC 9559, sections 10.3 to 10.6). */
function lacedFrames(reader: LaceReader, lacing: number, bodyAt: number, end: number): (readonly [number, number])[] {
  const count = reader.byte() + 1
  const sizes: number[] = []
  if (lacing !== FIXED) {
    for (let i = 0; i + 1 < count; i++)
      sizes.push(lacing === XIPH ? reader.xiph() : i === 0 ? reader.whole() : sizes[i - 1]! + reader.signed())
  }
  let at = bodyAt + reader.index
  const rest = end - at
  if (lacing === FIXED) while (sizes.length + 1 < count) sizes.push(rest / count)
  sizes.push(rest - sizes.reduce((sum, size) => sum + size, 0))
  if (sizes.some((size) => size < 0 || !Number.isInteger(size))) throw malformed('matroska', bodyAt, 'mkv_block_damaged')
  return sizes.map((size) => [(at += size) - size, size] as const)
}

/** Reads the sizes in front of the frames. */
class LaceReader {
  index: number
  readonly #bytes: Uint8Array
  readonly #offset: number

  constructor(bytes: Uint8Array, index: number, offset: number) {
    this.#bytes = bytes
    this.index = index
    this.#offset = offset
  }

  byte(): number {
    const value = this.#bytes[this.index++]
    if (value === undefined) throw malformed('matroska', this.#offset, 'mkv_block_damaged')
    return value
  }

  /** Sum of bytes up to the first that is not 255. */
  xiph(): number {
    let size = 0
    for (let byte = 255; byte === 255; size += byte) byte = this.byte()
    return size
  }

  whole(): number {
    return this.#variable()[0]
  }

  signed(): number {
    const [value, length] = this.#variable()
    return value - (2 ** (7 * length - 1) - 1)
  }

  #variable(): readonly [value: number, length: number] {
    const first = this.byte()
    const length = Math.clz32(first) - 23
    if (length > 8) throw malformed('matroska', this.#offset, 'mkv_block_damaged')
    let value = first - 2 ** (8 - length)
    for (let i = 1; i < length; i++) value = value * 256 + this.byte()
    return [value, length]
  }
}
