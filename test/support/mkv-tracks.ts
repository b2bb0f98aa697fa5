/** Builds Matroska files whose tracks MP4 can hold. The frames have random bytes. */
import { concat } from '../../src/core/bytes/concat.ts'
import { ebmlHeader, element, number, text } from './mkv-file.ts'

export const float = (id: number, value: number): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value)
  return element(id, bytes, 1)
}

export interface TestTrack {
  readonly number: number
  readonly codec: string
  readonly config?: Uint8Array | undefined
  /** Children of Video. `undefined`: a sound track. */
  readonly video?: readonly Uint8Array[]
  readonly audio?: readonly Uint8Array[]
  /** Default: 1 for pictures, 2 for sound. */
  readonly type?: number
  /** Other children of TrackEntry. */
  readonly more?: readonly Uint8Array[]
}

export interface TestFrame {
  readonly track: number
  readonly time: number
  readonly bytes: Uint8Array
  /** Default: true. */
  readonly isKey?: boolean
  /** Children of a BlockGroup besides the block. `undefined`: a SimpleBlock. */
  readonly group?: readonly Uint8Array[]
  /** Flags of lacing; default: none. */
  readonly lacing?: number
}

export const [PICTURES, SOUND] = [
  [number(0xb0, 64, 2), number(0xba, 48, 2)],
  [float(0xb5, 48_000), number(0x9f, 2, 1)],
]
/** Configuration with one parameter set of the profile Main, level 3. */
export const AVC_CONFIG = Uint8Array.of(1, 77, 64, 30, 255, 0xe1, 0, 4, 0x67, 77, 64, 30, 1, 0, 1, 0x68)
/** AAC LC, 48 kHz, two channels. */
export const AAC_CONFIG = Uint8Array.of(0x11, 0x90)
export const AVC: TestTrack = { number: 1, codec: 'V_MPEG4/ISO/AVC', config: AVC_CONFIG, video: PICTURES }
export const AAC: TestTrack = { number: 2, codec: 'A_AAC', config: AAC_CONFIG, audio: SOUND }

function entryOf({ number: id, codec, config, video, audio = SOUND, type = video ? 1 : 2, more = [] }: TestTrack): Uint8Array {
  return element(0xae, [
    number(0xd7, id, 1),
    number(0x83, type, 1),
    text(0x86, codec),
    ...(config ? [element(0x63a2, config)] : []),
    element(video ? 0xe0 : 0xe1, video ?? audio),
    ...more,
  ])
}

/** Block at a time that counts from its cluster. */
function blockOf({ track, bytes, isKey = true, group, lacing = 0 }: TestFrame, time: number): Uint8Array {
  const flags = (group || !isKey ? 0 : 0x80) | lacing
  const body = concat([Uint8Array.of(0x80 | track, (time >> 8) & 255, time & 255, flags), bytes])
  return group ? element(0xa0, [element(0xa1, body), ...group]) : element(0xa3, body)
}

export interface TestFilm {
  readonly tracks: readonly TestTrack[]
  readonly frames: readonly TestFrame[]
  /** Nanoseconds of a unit of time; default: a million. */
  readonly scale?: number
  /** Children of Info. */
  readonly info?: readonly Uint8Array[]
  /** Children of Segment in front of the clusters: tags, chapters, attached files. */
  readonly more?: readonly Uint8Array[]
}

/** Film with a new cluster after every ten frames. */
export function filmOf({ tracks, frames, scale = 1_000_000, info = [], more = [] }: TestFilm): Uint8Array {
  const clusters: Uint8Array[] = []
  for (let at = 0; at < frames.length; at += 10) {
    const some = frames.slice(at, at + 10)
    const start = Math.min(...some.map(({ time }) => time))
    clusters.push(element(0x1f43b675, [number(0xe7, start), ...some.map((frame) => blockOf(frame, frame.time - start))]))
  }
  const parts = [element(0x1549a966, [number(0x2ad7b1, scale, 4), ...info]), element(0x1654ae6b, tracks.map(entryOf)), ...more, ...clusters]
  return concat([ebmlHeader(), element(0x18538067, parts)])
}
