/** All frames of a track, one after another, as a source. */
import { type CompactArray, createCompactArray, sumOf } from '../../../../bytes/compact-array.ts'
import { lastStartUpTo } from '../../../../bytes/search.ts'
import type { Source } from '../../../../model/codec.ts'
import { malformed } from '../../../../model/error.ts'
import { rangeStream } from '../../../../model/source.ts'
import type { FrameTable } from './frame-table.ts'

/** Bytes of the file that are read at once. Frames of a track lie near each other. */
const WINDOW_BYTES = 256 * 1024

/** Sizes of the frames in MP4: stored sizes and the prefix that Matroska leaves out. */
export const sizesOf = ({ size }: FrameTable, prefix: Uint8Array): Uint32Array => Uint32Array.from(size, (bytes) => bytes + prefix.length)

/** Source of the frames. It keeps a window of the file in memory. */
export function packetSource(source: Source, { offset, size, count }: FrameTable, prefix: Uint8Array): Source {
  const total = sumOf(size) + count * prefix.length
  const starts = startsOf(size, count, prefix.length, total)
  let window: Uint8Array = new Uint8Array()
  let windowAt = 0
  const stored = async (at: number, length: number): Promise<Uint8Array> => {
    if (at < windowAt || at + length > windowAt + window.length) {
      const bytes = await source.read(at, Math.max(length, WINDOW_BYTES))
      if (bytes.length < length) throw malformed('matroska', at, 'mkv_element_cut_off')
      window = bytes
      windowAt = at
      return bytes.subarray(0, length)
    }
    return window.subarray(at - windowAt, at - windowAt + length)
  }
  async function read(from: number, wanted: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(wanted, total - from)))
    for (let done = 0, frame = lastStartUpTo(starts, count, from); done < out.length; frame++) {
      const inside = from + done - starts[frame]!
      const left = Math.min(starts[frame + 1]! - starts[frame]! - inside, out.length - done)
      const added = prefix.subarray(inside, inside + left)
      out.set(added, done)
      const rest = left - added.length
      if (rest > 0) out.set(await stored(offset[frame]! + inside + added.length - prefix.length, rest), done + added.length)
      done += left
    }
    return out
  }
  return { name: source.name, size: total, read, stream: () => rangeStream(total, read) }
}

function startsOf(size: CompactArray, count: number, prefix: number, total: number): CompactArray {
  const starts = createCompactArray(count + 1, total)
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i]! + size[i]! + prefix
  return starts
}
