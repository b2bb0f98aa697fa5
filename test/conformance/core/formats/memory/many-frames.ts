/** Streams with as many pictures as a job takes: one real key frame, then starts of slices, which are never decoded. */
import { concat } from '../../../../../src/core/bytes/concat.ts'
import { mov } from '../../../../../src/core/formats/film/film.ts'
import { press, rawMovie } from '../../../../core/formats/media-fixtures.ts'
import { type TsUnit, tsOf } from '../../../../support/ts-file.ts'
import { FLV_HEADER, flvFromMp4, flvTag, STREAMS, tsUnitsOf, VIDEO_PID } from '../../../../support/ts-from-mp4.ts'

const film = async () => (await press(mov, rawMovie(3), 'high', 'mp4')).bytes
/** Bytes that stay of a frame: a delimiter with its start code, and the header of a slice. */
const FRAME_BYTES = 40

export async function manyTsFrames(count: number): Promise<Uint8Array> {
  const units = (await tsUnitsOf(await film())).filter(({ pid }) => pid === VIDEO_PID)
  const [first, second] = units as [TsUnit, TsUnit]
  const parts = [tsOf([STREAMS[0]!], [first])]
  // The packets of a stream have a counter of four bits, so each part has a whole number of rounds.
  const [perPart, header] = [1600, 2 * 188]
  const counter = (parts[0]!.at(-188 + 3)! & 15) + 1
  for (let from = 1; from < count; from += perPart) {
    const some = Array.from({ length: Math.min(perPart, count - from) }, (_, i) => ({
      pid: VIDEO_PID,
      bytes: second.bytes.subarray(0, FRAME_BYTES),
      pts: first.pts! + (from + i) * 3600,
    }))
    const packets = tsOf([STREAMS[0]!], some).slice(header)
    for (let at = 3; at < packets.length; at += 188) packets[at] = (packets[at]! & 0xf0) | ((packets[at]! + counter) & 15)
    parts.push(packets)
  }
  return concat(parts)
}

export async function manyFlvFrames(count: number): Promise<Uint8Array> {
  const whole = await flvFromMp4(await film())
  const tags: Uint8Array[] = []
  for (let at = FLV_HEADER.length; at < whole.length; ) {
    const size = 15 + ((whole[at + 1]! << 16) | (whole[at + 2]! << 8) | whole[at + 3]!)
    if (whole[at] === 9) tags.push(whole.slice(at, at + size))
    at += size
  }
  const [config, key] = tags as [Uint8Array, Uint8Array]
  const slice = Uint8Array.of(0x27, 1, 0, 0, 0, 0, 0, 0, 4, 0x41, 0x9a, 0x21, 0x6c)
  const rest = Array.from({ length: count - 1 }, (_, i) => flvTag(9, (i + 1) * 40, slice))
  return concat([FLV_HEADER, config, key, ...rest])
}
