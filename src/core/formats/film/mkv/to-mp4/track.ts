/** Reads the descriptions of tracks (TrackEntry) that MP4 can hold. */
import {
  AUDIO,
  BIT_DEPTH,
  BLOCK_ADDITION_DATA,
  BLOCK_ADDITION_MAPPING,
  BLOCK_ADDITION_TYPE,
  CHANNELS,
  CODEC_DELAY,
  CODEC_ID,
  CODEC_PRIVATE,
  CONTENT_ALGORITHM,
  CONTENT_COMPRESSION,
  CONTENT_ENCODING,
  CONTENT_ENCODING_SCOPE,
  CONTENT_ENCODINGS,
  CONTENT_ENCRYPTION,
  CONTENT_SETTINGS,
  DEFAULT_DURATION,
  IS_DEFAULT,
  LANGUAGE,
  LANGUAGE_BCP_47,
  SAMPLING_FREQUENCY,
  TRACK_ENTRY,
  TRACK_NAME,
  TRACK_NUMBER,
  TRACK_OPERATION,
  TRACK_TIMESTAMP_SCALE,
  TRACK_TYPE,
  VIDEO,
} from '../../../../containers/ebml/track-elements.ts'
import { message } from '../../../../i18n/message.ts'
import { CodecError, malformed, unsupported } from '../../../../model/error.ts'
import { type Child, type Content, childrenOf, rootOf } from '../content.ts'
import { bytesIn, childFields, type Fields, fractionIn, textIn, wholeIn } from './fields.ts'
import { notInMp4, type TrackName } from './refusals.ts'
import { type VideoFacts, videoFacts } from './video-facts.ts'

export interface SoundFacts {
  readonly hertz: number
  readonly channels: number
  /** Bits of a sample. `undefined`: the file does not tell. */
  readonly bits: number | undefined
}

/** Track of a Matroska file. */
export interface MkvTrack extends TrackName {
  /** Configuration of the codec (CodecPrivate). Empty: none. */
  readonly config: Uint8Array
  readonly isDefault: boolean
  readonly name: string
  /** Three letters (ISO 639-2). */
  readonly language: string
  /** Language with country (BCP 47). Empty: none. */
  readonly longLanguage: string
  /** Duration of a frame in nanoseconds. `undefined`: the file does not tell. */
  readonly frameNanoseconds: number | undefined
  /** Time in nanoseconds that is subtracted from each timestamp, because the decoder drops its first samples. */
  readonly delayNanoseconds: number
  /** Bytes that are left out at the start of each frame in the file (ContentCompression, header stripping). */
  readonly prefix: Uint8Array
  /** Exactly one of both. */
  readonly video: VideoFacts | undefined
  readonly sound: SoundFacts | undefined
  /** Boxes of the sample entry for extensions of the codec, for example Dolby Vision: type and content. */
  readonly extensions: readonly (readonly [type: string, body: Uint8Array])[]
}

const [PICTURES, SOUND] = [1, 2]
/** Most tracks. Each one reads through the file with its own window of 256 KiB. */
const MAX_TRACKS = 32

/** Returns all tracks. @throws CodecError (unsupported_feature) that names a track which MP4 cannot hold, (encrypted) */
export function readTracks(content: Content): MkvTrack[] {
  const tracks = [...childrenOf(content, 0, rootOf(content).end)].filter(({ id }) => id === TRACK_ENTRY)
  if (tracks.length === 0) throw malformed('matroska', content.offset, 'mkv_no_tracks')
  if (tracks.length > MAX_TRACKS) throw unsupported(message('mkv_too_many_tracks', { most: MAX_TRACKS }))
  const read = tracks.map((entry) => readTrack(content, entry))
  if (new Set(read.map(({ number }) => number)).size < read.length) throw malformed('matroska', content.offset, 'mkv_track_number_twice')
  return read
}

function readTrack(content: Content, entry: Child): MkvTrack {
  const fields = childFields(content, entry)
  const number = wholeIn(content, fields.get(TRACK_NUMBER)) ?? 0
  const codec = textIn(content, fields.get(CODEC_ID)) ?? ''
  const type = wholeIn(content, fields.get(TRACK_TYPE)) ?? 0
  const of = { number, codec }
  if (type !== PICTURES && type !== SOUND) throw notInMp4(of, 'mkv_why_kind')
  const scale = fields.get(TRACK_TIMESTAMP_SCALE)
  if (fields.has(TRACK_OPERATION) || (scale && fractionIn(content, scale) !== 1)) throw notInMp4(of, 'mkv_why_operation')
  return {
    ...of,
    config: bytesIn(content, fields.get(CODEC_PRIVATE)),
    isDefault: wholeIn(content, fields.get(IS_DEFAULT)) !== 0,
    name: textIn(content, fields.get(TRACK_NAME)) ?? '',
    language: textIn(content, fields.get(LANGUAGE)) ?? 'eng',
    longLanguage: textIn(content, fields.get(LANGUAGE_BCP_47)) ?? '',
    frameNanoseconds: wholeIn(content, fields.get(DEFAULT_DURATION)) || undefined,
    delayNanoseconds: wholeIn(content, fields.get(CODEC_DELAY)) ?? 0,
    prefix: prefixOf(content, fields.get(CONTENT_ENCODINGS), of),
    video: type === PICTURES ? videoFacts(content, fields.get(VIDEO), of) : undefined,
    sound: type === SOUND ? soundFacts(content, fields.get(AUDIO)) : undefined,
    extensions: extensionsOf(content, entry, of),
  }
}

function soundFacts(content: Content, audio: Child | undefined): SoundFacts {
  const fields: Fields = audio ? childFields(content, audio) : new Map()
  return {
    hertz: fractionIn(content, fields.get(SAMPLING_FREQUENCY)) ?? 8000,
    channels: wholeIn(content, fields.get(CHANNELS)) ?? 1,
    bits: wholeIn(content, fields.get(BIT_DEPTH)),
  }
}

/** Header stripping (RFC 9559, section 5.1.4.1.31.6), and its scope: frames. */
const [STRIPPED, FRAMES] = [3, 1]

/** Returns the bytes that are left out of each frame. @throws CodecError for other encodings */
function prefixOf(content: Content, encodings: Child | undefined, of: TrackName): Uint8Array {
  if (!encodings) return new Uint8Array()
  const all = [...childrenOf(content, encodings.bodyAt, encodings.end)].filter(({ id }) => id === CONTENT_ENCODING)
  const fields = all.map((one) => childFields(content, one))
  if (fields.some((one) => one.has(CONTENT_ENCRYPTION))) throw new CodecError('encrypted')
  const [only] = fields
  if (!only) return new Uint8Array()
  const compression = only.get(CONTENT_COMPRESSION)
  const settings = compression && childFields(content, compression)
  const isStripped = settings !== undefined && wholeIn(content, settings.get(CONTENT_ALGORITHM)) === STRIPPED
  const scope = wholeIn(content, only.get(CONTENT_ENCODING_SCOPE)) ?? FRAMES
  if (fields.length > 1 || !isStripped || scope !== FRAMES) throw notInMp4(of, 'mkv_why_encoding')
  return bytesIn(content, settings.get(CONTENT_SETTINGS))
}

/** Extensions whose configuration is a box of MP4, too: Dolby Vision, and its HEVC enhancement layer. */
const BOXES = ['dvcC', 'dvvC', 'dvwC', 'hvcE']

function extensionsOf(content: Content, entry: Child, of: TrackName): MkvTrack['extensions'] {
  const mappings = [...childrenOf(content, entry.bodyAt, entry.end)].filter(({ id }) => id === BLOCK_ADDITION_MAPPING)
  return mappings.map((mapping) => {
    const fields = childFields(content, mapping)
    const value = wholeIn(content, fields.get(BLOCK_ADDITION_TYPE)) ?? 0
    const type = String.fromCharCode(value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255)
    if (!BOXES.includes(type)) throw notInMp4(of, 'mkv_why_additions')
    return [type, bytesIn(content, fields.get(BLOCK_ADDITION_DATA))] as const
  })
}
