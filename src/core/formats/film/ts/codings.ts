/** What each coding of a stream needs to become a track. */
import type { StreamCoding } from '../../../containers/mpeg-ts/stream-kinds.ts'
import { notInMp4 } from '../mkv/to-mp4/refusals.ts'
import type { MkvTrack } from '../mkv/to-mp4/track.ts'
import type { VideoFacts } from '../mkv/to-mp4/video-facts.ts'
import type { Framer } from './framer.ts'
import { H264Units } from './h264-units.ts'
import { HevcUnits } from './hevc-units.ts'
import { MpegVideoUnits } from './mpeg-video-units.ts'
import { SoundFramer, type SoundSyntax } from './sound-framer.ts'
import { AC3, ADTS, adtsConfiguration, MPEG_AUDIO } from './sound-syntax.ts'
import { UnitFramer } from './unit-framer.ts'

/** Coding of one stream while it is read. */
export interface TrackCoding {
  readonly framer: Framer
  /** True if frames are units whose sizes MP4 stores instead of start codes. */
  readonly isSized: boolean
  /** False for units that MP4 stores once for the whole track, by their first byte. */
  isStored(firstByte: number): boolean
  /** Samples a second. 0: pictures, or not known yet. */
  hertz(): number
  /** Parameter sets that MP4 stores once for the whole track. */
  parameterSets(): Uint8Array[]
  /** What the stream tells about its track, after it was read. @throws CodecError (unsupported_feature) */
  describe(): Pick<MkvTrack, 'codec' | 'config' | 'video' | 'sound'>
}

/** Names of codings in messages. */
const NAMES: { readonly [Coding in StreamCoding]: string } = {
  h264: 'H.264',
  hevc: 'HEVC',
  'mpeg-video': 'MPEG video',
  adts: 'AAC',
  'mpeg-audio': 'MPEG audio',
  ac3: 'AC-3',
}

export function codingOf(coding: StreamCoding, pid: number): TrackCoding {
  const of = { number: pid, codec: NAMES[coding] }
  if (coding === 'h264' || coding === 'hevc') return sizedPictures(coding, of)
  if (coding === 'mpeg-video') return mpegPictures(of)
  return sound(coding, of)
}

type Of = { readonly number: number; readonly codec: string }
const SILENT = { hertz: () => 0 }
const WHOLE = { isSized: false, isStored: () => true, parameterSets: () => [] }

const shown = ({ width, height, pixelShape, colours }: Pick<VideoFacts, 'width' | 'height' | 'pixelShape' | 'colours'>): VideoFacts => ({
  ...{ width, height, pixelShape, colours, turned: 0 },
  ...{ mastering: undefined, lightLevel: undefined },
})

function sizedPictures(coding: 'h264' | 'hevc', of: Of): TrackCoding {
  const units = coding === 'h264' ? new H264Units() : new HevcUnits()
  const describe = () => {
    const facts = units.facts()
    if (!facts) throw notInMp4(of, 'mkv_why_configuration')
    const codec = coding === 'h264' ? 'V_MPEG4/ISO/AVC' : 'V_MPEGH/ISO/HEVC'
    return { codec, config: facts.config, video: shown(facts.sequence), sound: undefined }
  }
  return {
    framer: new UnitFramer(units),
    isSized: true,
    isStored: (first) => units.isStored(first),
    parameterSets: () => units.sets.all(),
    ...SILENT,
    describe,
  }
}

function mpegPictures(of: Of): TrackCoding {
  const units = new MpegVideoUnits()
  const describe = () => {
    const facts = units.facts()
    if (!facts) throw notInMp4(of, 'mkv_why_configuration')
    const video = shown({ ...facts, colours: undefined })
    return { codec: facts.isMpeg2 ? 'V_MPEG2' : 'V_MPEG1', config: new Uint8Array(), video, sound: undefined }
  }
  return { framer: new UnitFramer(units), ...WHOLE, ...SILENT, describe }
}

const SYNTAXES = { adts: ADTS, 'mpeg-audio': MPEG_AUDIO, ac3: AC3 } as const satisfies { readonly [coding: string]: SoundSyntax }

function sound(coding: keyof typeof SYNTAXES, of: Of): TrackCoding {
  const framer = new SoundFramer(SYNTAXES[coding], () => notInMp4(of, 'ts_why_changes'))
  const describe = () => {
    const { first } = framer
    if (!first) throw notInMp4(of, 'mkv_why_empty')
    const config = coding === 'adts' ? adtsConfiguration(first) : new Uint8Array()
    if (!config) throw notInMp4(of, 'ts_why_channels')
    const { hertz, channels, facts } = first
    const codec =
      coding === 'adts'
        ? 'A_AAC'
        : coding === 'ac3'
          ? facts.startsWith('e')
            ? 'A_EAC3'
            : 'A_AC3'
          : facts.startsWith('2')
            ? 'A_MPEG/L2'
            : 'A_MPEG/L3'
    return { codec, config, video: undefined, sound: { hertz, channels, bits: undefined } }
  }
  return { framer, ...WHOLE, hertz: () => framer.first?.hertz ?? 0, describe }
}
