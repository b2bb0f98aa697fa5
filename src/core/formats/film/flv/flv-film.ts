/** Reads Flash video as a film whose frames lie in its tags. */
import { GrowingCompactArray } from '../../../bytes/compact-array.ts'
import { equalBytes } from '../../../bytes/equal.ts'
import { pictureTag, soundTag, TAG, tagsOf } from '../../../containers/flv/tags.ts'
import { h264Sequence } from '../../../containers/h26x/h264.ts'
import { HEVC, hevcSequence } from '../../../containers/h26x/hevc.ts'
import { layerHeader } from '../../../containers/mpeg-audio/any-layer.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../../model/error.ts'
import { aacFacts } from '../mkv/to-mp4/aac.ts'
import { type FrameTable, startAtZero } from '../mkv/to-mp4/frame-table.ts'
import { refuseJumps, TimeSteps } from '../mkv/to-mp4/jumps.ts'
import type { FilmAsMp4 } from '../mkv/to-mp4/mp4-film.ts'
import { notInMp4 } from '../mkv/to-mp4/refusals.ts'
import type { MkvTrack } from '../mkv/to-mp4/track.ts'
import { MAX_FRAMES } from '../mkv/tuning.ts'

export interface FlvFilm extends FilmAsMp4 {
  /** Bytes of the last tag, if it is cut off. */
  readonly brokenBytes: number
}

/** Units of time a second: milliseconds. */
const TICKS = 1000
/** Added to times, because pictures may be shown before time 0. */
const SLACK = 60 * 60 * TICKS
const MAX_CONFIG_BYTES = 64 * 1024

class Stream {
  readonly number: number
  codec = ''
  config: Uint8Array | undefined
  /** Channels of MP3. 0: not known. */
  channels = 0
  readonly offset = new GrowingCompactArray()
  readonly size = new GrowingCompactArray()
  readonly time = new GrowingCompactArray()
  readonly key = new GrowingCompactArray()

  readonly #steps = new TimeSteps(TICKS)

  constructor(number: number) {
    this.number = number
  }

  /** @throws CodecError (unsupported_feature) if codec or configuration change */
  begin(codec: string, config?: Uint8Array): void {
    if (this.codec !== '' && this.codec !== codec) throw unsupported('ts_parameters_change')
    if (config && this.config && !equalBytes(config, this.config)) throw unsupported('ts_parameters_change')
    this.codec = codec
    this.config ??= config?.slice()
  }

  add(offset: number, size: number, time: number, isKey: boolean): void {
    this.#steps.add(time)
    const shifted = time + SLACK
    if (!(shifted >= 0 && shifted < 0xffffffff)) throw unsupported('ts_times_jump')
    if (this.offset.length >= MAX_FRAMES) throw overBudget(message('ts_too_many_frames', { most: MAX_FRAMES }))
    this.offset.push(offset)
    this.size.push(size)
    this.time.push(shifted)
    this.key.push(isKey ? 1 : 0)
  }

  table(): FrameTable {
    const [offset, size, time, key] = [this.offset.finish(), this.size.finish(), this.time.finish(), this.key.finish()]
    return { count: time.length, offset, size, time, key, samples: undefined, lastDuration: undefined, discarded: 0 }
  }
}

/** @throws CodecError for content that MP4 cannot hold, and damaged files */
export async function readFlvFilm(source: Source, signal: AbortSignal): Promise<FlvFilm> {
  const [pictures, sound] = [new Stream(TAG.pictures), new Stream(TAG.sound)]
  const tags = tagsOf(source, signal)
  let next = await tags.next()
  for (; !next.done; next = await tags.next()) {
    const { type, head, at, size, time } = next.value
    if (type === TAG.pictures) {
      const tag = pictureTag(head)
      if (!tag || tag.kind === 'none') continue
      const content = size - tag.skipped
      pictures.begin(tag.codec, tag.kind === 'start' ? await configAt(source, at + tag.skipped, content) : undefined)
      if (tag.kind === 'frame' && content > 0) pictures.add(at + tag.skipped, content, time + tag.composition, tag.isKey)
    } else if (type === TAG.sound) {
      const tag = soundTag(head)
      if (!tag) continue
      const content = size - tag.skipped
      sound.begin(tag.codec, tag.kind === 'start' ? await configAt(source, at + tag.skipped, content) : undefined)
      if (tag.kind === 'frame' && content > 0) {
        if (tag.codec === 'mp3') sound.channels ||= mp3Channels(head.subarray(1), content, at)
        sound.add(at + tag.skipped, content, time, true)
      }
    }
  }
  const streams = [pictures, sound].filter(({ codec }) => codec !== '')
  if (streams.length === 0) throw malformed('flv', 0, 'ts_no_streams')
  const tracks = streams.map(trackOf)
  const tables = streams.map((stream) => stream.table())
  startAtZero(tables)
  refuseJumps({ tracks, tables }, TICKS)
  return { scale: 1e9 / TICKS, tracks, tables, notes: [], extras: {}, brokenBytes: next.value }
}

async function configAt(source: Source, at: number, size: number): Promise<Uint8Array> {
  if (size < 0 || size > MAX_CONFIG_BYTES) throw malformed('flv', at, 'flv_tag_damaged')
  return (await source.read(at, size)).slice()
}

/** Channels of an MP3 frame. @throws CodecError (unsupported_feature) if a tag does not hold exactly one frame */
function mp3Channels(head: Uint8Array, size: number, at: number): number {
  const header = layerHeader(head)
  if (!header) throw malformed('flv', at, 'flv_tag_damaged')
  if (header.bytes !== size) throw unsupported('flv_several_frames')
  return header.channels
}

function trackOf({ number, codec, channels, config = new Uint8Array() }: Stream): MkvTrack {
  const of = { number, codec }
  const track = {
    ...{ number, isDefault: true, name: '', language: 'und', longLanguage: '' },
    ...{ frameNanoseconds: undefined, delayNanoseconds: 0, prefix: new Uint8Array(), extensions: [] },
  }
  if (codec === 'h264' || codec === 'hevc') {
    const sequence = codec === 'h264' ? sequenceOfAvc(config) : sequenceOfHevc(config)
    if (!sequence) throw notInMp4(of, 'mkv_why_configuration')
    const { width, height, pixelShape, colours } = sequence
    const video = { width, height, pixelShape, colours, turned: 0, mastering: undefined, lightLevel: undefined }
    return { ...track, codec: codec === 'h264' ? 'V_MPEG4/ISO/AVC' : 'V_MPEGH/ISO/HEVC', config, video, sound: undefined }
  }
  if (codec === 'aac') {
    const facts = aacFacts(config)
    if (!facts) throw notInMp4(of, 'mkv_why_configuration')
    return { ...track, codec: 'A_AAC', config, video: undefined, sound: { hertz: facts.hertz, channels: facts.channels, bits: undefined } }
  }
  // The frames tell the rate.
  if (codec === 'mp3')
    return {
      ...track,
      codec: 'A_MPEG/L3',
      config: new Uint8Array(),
      video: undefined,
      sound: { hertz: 44_100, channels, bits: undefined },
    }
  throw notInMp4(of, 'mkv_why_codec')
}

function sequenceOfAvc(config: Uint8Array) {
  const size = ((config[6] ?? 0) << 8) | (config[7] ?? 0)
  return ((config[5] ?? 0) & 31) > 0 && 8 + size <= config.length ? h264Sequence(config.subarray(8, 8 + size)) : undefined
}

function sequenceOfHevc(config: Uint8Array) {
  let at = 23
  for (let arrays = config[22] ?? 0; arrays > 0 && at + 5 <= config.length; arrays--) {
    const type = config[at]! & 63
    const count = (config[at + 1]! << 8) | config[at + 2]!
    at += 3
    for (let i = 0; i < count && at + 2 <= config.length; i++) {
      const size = (config[at]! << 8) | config[at + 1]!
      if (type === HEVC.sps) return hevcSequence(config.subarray(at + 2, at + 2 + size))
      at += 2 + size
    }
  }
  return undefined
}
