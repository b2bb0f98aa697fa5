/**
 * Encodes Opus again at a lower bit rate, at `medium` and `low`. Header packets, pre-skip, gain and length stay the same, but the vendor
 * names the new encoder. A file whose header the encoder cannot keep is not encoded again.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { type OpusChannels, OpusEncoder } from '../../../../wasm/opus/opus.ts'
import { FLOOR_SNR_DB } from '../../catalog/floors.ts'
import { LEVELS, MAX_LOSSY_SIZE_RATIO, MIN_SOUND_BITRATE_RATIO, type Quality } from '../../catalog/levels.ts'
import { MAX_VORBIS_CHANNELS } from '../../containers/ogg/channel-order.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { checkWork } from '../../model/work-estimate.ts'
import { OPUS_VENDOR, OpusFile } from '../../sound/opus-file.ts'
import { opusChannels } from './decoders.ts'
import { planHeaders, withOpusVendor } from './headers.ts'
import { decoded } from './played.ts'
import { type OggSound, readOggSound } from './read-sound.ts'
import { MAX_REENCODED_SAMPLES, MIN_REENCODED_SECONDS, OPUS_SECONDS_PER_MILLION_SAMPLES } from './tuning.ts'

const HERTZ = 48_000

/** Bit rate of the level for this sound, in bit/s. `undefined`: it stays exact. */
export function bitsPerSecondFor(
  { bytes, frames }: Pick<OggSound, 'bytes' | 'frames'>,
  channels: number,
  quality: Quality,
): number | undefined {
  const seconds = frames / HERTZ
  const wanted = LEVELS.opus[quality] * channels
  if (wanted === 0 || seconds < MIN_REENCODED_SECONDS || frames * channels > MAX_REENCODED_SAMPLES) return undefined
  return (bytes * 8) / seconds >= wanted * MIN_SOUND_BITRATE_RATIO ? wanted : undefined
}

/** Levels whose bit rate is tried, the lowest first, because a lower one may miss the floor. */
const TRIED: { readonly [Level in Quality]: readonly Quality[] } = {
  high: [],
  medium: ['medium'],
  low: ['low', 'medium'],
  ultra: ['low', 'medium'],
}

/**
 * Writes the sound encoded again.
 * @returns `undefined` if nothing was written: the sound is small already or damaged, misses the floor, or has gaps or several streams
 */
export async function reencodeOpus(source: Source, sink: Sink, options: Options): Promise<Outcome | undefined> {
  if (options.lossless || TRIED[options.quality].length === 0) return undefined
  try {
    return await atLevels(source, sink, options)
  } catch (error) {
    // Damaged packets, and channels that libopus rejects. The same packets can still be written to fewer pages.
    if (!isCodecError(error, 'malformed', 'unsupported_feature') && !isEngineError(error, 'opus')) throw error
    await sink.abort()
    return undefined
  }
}

async function atLevels(source: Source, sink: Sink, options: Options): Promise<Outcome | undefined> {
  const sound = await readOggSound(source, options.signal)
  if (sound.stream.sound?.codec !== 'opus') return undefined
  const { channels, family } = opusChannels(sound.stream.first)
  for (const level of TRIED[options.quality]) {
    const bitsPerSecond = bitsPerSecondFor(sound, channels, level)
    if (bitsPerSecond === undefined || family > 1 || channels > MAX_VORBIS_CHANNELS || !hasTime(sound.frames * channels, options)) continue
    const snrDb = await encodeAgain({ source, sound, sink, options }, bitsPerSecond)
    if (snrDb !== undefined && snrDb >= FLOOR_SNR_DB)
      return {
        kind: 'compressed',
        loss: { sound: { snrDb } },
        steps: [message('encoded_as_opus', { kilobits: Math.round(bitsPerSecond / 1000) })],
      }
    await sink.abort()
  }
  return undefined
}

/** True if the caller pays for the work. If not, the sound stays exact, which is cheap. */
function hasTime(samples: number, options: Options): boolean {
  try {
    checkWork((samples / 1e6) * OPUS_SECONDS_PER_MILLION_SAMPLES, options)
    return true
  } catch (error) {
    if (isCodecError(error, 'over_budget')) return false
    throw error
  }
}

interface Job {
  readonly source: Source
  readonly sound: OggSound
  readonly sink: Sink
  readonly options: Options
}

/** @returns the signal-to-noise ratio in dB. `undefined`: the header cannot stay, or too little is saved */
async function encodeAgain({ source, sound, sink, options }: Job, bitsPerSecond: number): Promise<number | undefined> {
  const header = opusChannels(sound.stream.first)
  using encoder = new OpusEncoder({ channels: header.channels, family: header.family === 0 ? 0 : 1, bitsPerSecond })
  // Players skip as many samples as before, so the pre-skip must cover the delay of the encoder.
  if (sound.skip < encoder.delay || !isSameLayout(encoder.layout, header)) return undefined
  const plan = await planHeaders(sound.stream, sound.headers, true, options)
  using file = new OpusFile({ ...sound, serial: sound.stream.serial }, encoder, sink)
  await file.begin({ first: plan.first, others: withOpusVendor(plan.others, OPUS_VENDOR) })
  // With the pre-skip, which the decoder needs to settle, but without the delay that the encoder adds.
  const input = { ...sound, skip: encoder.delay, frames: sound.skip - encoder.delay + sound.frames }
  for await (const planar of decoded(source, input, { withGain: false }, options)) {
    await file.add(planar)
    if (file.bytes >= sound.bytes * MAX_LOSSY_SIZE_RATIO) return undefined
    options.progress((0.6 * file.bytes) / sound.bytes)
  }
  await file.end()
  return file.bytes < sound.bytes * MAX_LOSSY_SIZE_RATIO ? file.snrDb : undefined
}

const isSameLayout = (a: OpusChannels, b: OpusChannels): boolean =>
  a.streams === b.streams && a.coupled === b.coupled && a.mapping.every((value, i) => value === b.mapping[i])
