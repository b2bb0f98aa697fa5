/** Transport stream and Flash video of an MP4 film with H.264 and AAC: the same frames. */
import { concat } from '../../src/core/bytes/concat.ts'
import type { Box } from '../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../src/core/containers/isobmff/movie.ts'
import type { Track } from '../../src/core/containers/isobmff/track.ts'
import { visualExtensions } from '../../src/core/containers/isobmff/write.ts'
import { packetStream } from '../../src/core/formats/film/decoders.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { adtsFrame, language, type TsOptions, type TsStream, type TsUnit, tsOf, unit } from './ts-file.ts'

export const [VIDEO_PID, SOUND_PID] = [0x100, 0x101]

interface Frame {
  readonly isVideo: boolean
  readonly bytes: Uint8Array
  /** Decoding and display time in seconds. */
  readonly at: number
  readonly shown: number
  readonly isKey: boolean
}

interface Film {
  readonly frames: readonly Frame[]
  readonly avcConfig: Uint8Array
  readonly soundConfig: Uint8Array
}

async function filmIn(bytes: Uint8Array): Promise<Film> {
  using movie = await readMovie(memorySource(bytes, 'a.mp4'))
  let [avcConfig, soundConfig] = [new Uint8Array(), new Uint8Array()] as Uint8Array[]
  const frames: Frame[] = []
  for (const track of movie.tracks) {
    const [entry] = track.descriptions as readonly [Box]
    const isVideo = track.handler === 'vide'
    if (isVideo) {
      const box = visualExtensions(movie.moov, entry).find(({ type }) => type === 'avcC')!
      avcConfig = movie.moov.slice(box.body, box.end)
    } else soundConfig = packetStream(movie.moov, entry)!.extradata
    frames.push(...framesOf(bytes, track))
  }
  return { frames: frames.sort((a, b) => a.at - b.at), avcConfig: avcConfig!, soundConfig: soundConfig! }
}

function framesOf(bytes: Uint8Array, track: Track): Frame[] {
  const { count, offset, size, dts, composition, sync } = track.samples()
  const isVideo = track.handler === 'vide'
  const shift = isVideo ? (track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0) : 0
  return Array.from({ length: count }, (_, i) => ({
    isVideo,
    bytes: bytes.slice(offset[i]!, offset[i]! + size[i]!),
    at: (dts[i]! - shift) / track.timescale,
    shown: (dts[i]! + composition[i]! - shift) / track.timescale,
    isKey: sync[i] !== 0,
  }))
}

/** Parameter sets of an `avcC` box. */
function setsIn(config: Uint8Array): Uint8Array[] {
  const sets: Uint8Array[] = []
  let at = 5
  for (const mask of [31, 255]) {
    for (let left = config[at++]! & mask; left > 0; left--) {
      const size = (config[at]! << 8) | config[at + 1]!
      sets.push(config.slice(at + 2, at + 2 + size))
      at += 2 + size
    }
  }
  return sets
}

/** Units with start codes instead of sizes. Key frames begin with the parameter sets. */
function annexB({ bytes, isKey }: Frame, sets: readonly Uint8Array[]): Uint8Array {
  const units: Uint8Array[] = [unit(9, 0xf0), ...(isKey ? sets.map((set) => unit(set)) : [])]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + 4 <= bytes.length; at += 4 + view.getUint32(at))
    units.push(unit(bytes.subarray(at + 4, at + 4 + view.getUint32(at))))
  return concat(units)
}

export const STREAMS: readonly TsStream[] = [
  { pid: VIDEO_PID, type: 0x1b },
  { pid: SOUND_PID, type: 0x0f, descriptors: language('fra'), id: 0xc0 },
]

/** Units of a transport stream. `start`: time of the film's start in units of 90 kHz. */
export async function tsUnitsOf(bytes: Uint8Array, start = 126_000): Promise<TsUnit[]> {
  const { frames, avcConfig, soundConfig } = await filmIn(bytes)
  const sets = setsIn(avcConfig)
  const rate = ((soundConfig[0]! & 7) << 1) | (soundConfig[1]! >> 7)
  return frames.map((frame) => ({
    pid: frame.isVideo ? VIDEO_PID : SOUND_PID,
    bytes: frame.isVideo ? annexB(frame, sets) : adtsFrame(frame.bytes, rate),
    pts: Math.round(start + frame.shown * 90_000),
  }))
}

export const tsFromMp4 = async (bytes: Uint8Array, options?: TsOptions): Promise<Uint8Array> =>
  tsOf(STREAMS, await tsUnitsOf(bytes), options)

/** Tag of Flash video. */
export function flvTag(type: number, time: number, content: Uint8Array): Uint8Array {
  const size = content.length
  const head = [
    type,
    size >> 16,
    (size >> 8) & 255,
    size & 255,
    (time >> 16) & 255,
    (time >> 8) & 255,
    time & 255,
    (time >> 24) & 255,
    0,
    0,
    0,
  ]
  const back = size + 11
  return concat([Uint8Array.from(head), content, Uint8Array.of(0, back >> 16, (back >> 8) & 255, back & 255)])
}

export const FLV_HEADER = Uint8Array.of(0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0)

/** Flash video of the same film. Each tag of pictures holds one frame. */
export async function flvFromMp4(bytes: Uint8Array): Promise<Uint8Array> {
  const { frames, avcConfig, soundConfig } = await filmIn(bytes)
  const tags = frames.map((frame) => {
    const [at, shown] = [Math.max(0, Math.round(frame.at * 1000)), Math.round(frame.shown * 1000)]
    if (!frame.isVideo) return flvTag(8, shown, concat([Uint8Array.of(0xaf, 1), frame.bytes]))
    const late = shown - at
    return flvTag(
      9,
      at,
      concat([Uint8Array.of(frame.isKey ? 0x17 : 0x27, 1, (late >> 16) & 255, (late >> 8) & 255, late & 255), frame.bytes]),
    )
  })
  const script = flvTag(18, 0, new TextEncoder().encode(`\x02\0\x0aonMetaData${'filling '.repeat(500)}`))
  const configs = [
    flvTag(9, 0, concat([Uint8Array.of(0x17, 0, 0, 0, 0), avcConfig])),
    flvTag(8, 0, concat([Uint8Array.of(0xaf, 0), soundConfig])),
  ]
  return concat([FLV_HEADER, script, ...configs, ...tags])
}
