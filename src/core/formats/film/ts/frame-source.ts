/** All frames of a stream as MP4 stores them, one after another, as a source. */
import { type CompactArray, createCompactArray, sumOf } from '../../../bytes/compact-array.ts'
import { lastStartUpTo } from '../../../bytes/search.ts'
import { StreamReader } from '../../../containers/mpeg-ts/stream-reader.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed } from '../../../model/error.ts'
import { rangeStream } from '../../../model/source.ts'
import type { FrameTable } from '../mkv/to-mp4/frame-table.ts'
import type { TsFile } from './pass.ts'
import type { TsTrack } from './ts-track.ts'
import { withSizes } from './units.ts'

/** @param stored bytes of each frame in the stream */
export function frameSource({ source, grid }: TsFile, { stream, coding }: TsTrack, table: FrameTable, stored: CompactArray): Source {
  const { offset, size, count } = table
  const total = sumOf(size)
  const reader = new StreamReader(source, grid, stream.pid)
  const starts = createCompactArray(count + 1, total)
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i]! + size[i]!
  let known = { frame: -1, bytes: new Uint8Array() as Uint8Array }
  const frameAt = async (frame: number): Promise<Uint8Array> => {
    if (known.frame === frame) return known.bytes
    const raw = await reader.read(offset[frame]!, stored[frame]!)
    const bytes = coding.isSized ? withSizes(raw, size[frame]!, coding.isStored) : raw
    if (bytes.length !== size[frame]) throw malformed('ts', offset[frame]!, 'ts_packet_damaged')
    known = { frame, bytes }
    return bytes
  }
  async function read(from: number, wanted: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(wanted, total - from)))
    for (let done = 0, frame = lastStartUpTo(starts, count, from); done < out.length; frame++) {
      const inside = from + done - starts[frame]!
      const part = (await frameAt(frame)).subarray(inside, inside + out.length - done)
      out.set(part, done)
      done += part.length
    }
    return out
  }
  return { name: source.name, size: total, read, stream: () => rangeStream(total, read) }
}
