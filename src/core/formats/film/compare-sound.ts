/** Compares new sound with the old sound. Decodes stretches of both and compares them sample by sample. */

import { type AudioStream, Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { SampleTables } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import { message } from '../../i18n/message.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { packetStream, pcmStream } from './decoders.ts'
import type { SoundRuns } from './sound.ts'
import { LOW_HERTZ, MAX_SOUND_STRETCHES, MOST_LOW_NOISE, SILENCE_LEVEL, SNR_TOLERANCE_DB } from './tuning.ts'

/** Encoded sound in a file, with the position of each decodable unit. */
export interface IndexedSound {
  readonly source: Source
  readonly stream: AudioStream
  /** Byte ranges of the sound that the decoder takes in one call, in playing order. */
  readonly units: SoundRuns
  /** Sample index at which each decodable unit begins. */
  readonly starts: Float64Array
  /** Number of samples per channel of the whole sound. */
  readonly samples: number
  /** Number of samples at the start that the decoder cannot reproduce, because packets before them were dropped. `undefined`: 0. */
  readonly unrestorable?: number
}

const UNIT_BYTES = 32 * 1024

/** Indexes sound that is stored in runs of blocks with `perBlock` samples each. */
export function indexBlocks(source: Source, stream: AudioStream, runs: SoundRuns, perBlock = 1): IndexedSound {
  const { blockAlign } = stream
  const step = Math.max(blockAlign, UNIT_BYTES - (UNIT_BYTES % blockAlign))
  const [offset, size, starts]: [number[], number[], number[]] = [[], [], []]
  let samples = 0
  for (let run = 0; run < runs.count; run++) {
    const whole = runs.size[run]! - (runs.size[run]! % blockAlign)
    for (let at = 0; at < whole; at += step) {
      const bytes = Math.min(step, whole - at)
      offset.push(runs.offset[run]! + at)
      size.push(bytes)
      starts.push(samples)
      samples += (bytes / blockAlign) * perBlock
    }
  }
  const units = { count: offset.length, offset: Float64Array.from(offset), size: Float64Array.from(size) }
  return { source, stream, units, starts: Float64Array.from(starts), samples }
}

/** Indexes sound packets with `perPacket` samples each. */
export function indexPackets(source: Source, stream: AudioStream, units: SoundRuns, perPacket: number): IndexedSound {
  const starts = new Float64Array(units.count)
  for (let i = 0; i < units.count; i++) starts[i] = i * perPacket
  return { source, stream, units, starts, samples: units.count * perPacket }
}

/**
 * Seconds by which a packet's timestamp may differ from its expected time. Some recorders round timestamps to milliseconds. By experiment.
 */
const STEADY_SECONDS = 0.003

/** Samples per packet if all packets follow each other without gaps, otherwise `undefined`. */
export function gaplessPacketSamples({ count, dts }: SampleTables, timescale: number, hertz: number): number | undefined {
  if (count < 2) return undefined
  const place = (i: number) => ((dts[i]! - dts[0]!) * hertz) / timescale
  const perPacket = Math.round(place(count - 1) / (count - 1))
  for (let i = 1; i < count; i++) if (Math.abs(place(i) - i * perPacket) > STEADY_SECONDS * hertz) return undefined
  return perPacket
}

/** Indexes the sound track of a movie. `undefined`: no decoder, or the packets have gaps. */
export function indexSoundTrack(source: Source, moov: Uint8Array, track: Track): IndexedSound | undefined {
  const entry = track.descriptions[0]!
  const uncompressed = pcmStream(moov, entry)
  if (uncompressed) return indexBlocks(source, uncompressed, track.chunks)
  const stream = packetStream(moov, entry)
  if (!stream) return undefined
  const samples = track.samples()
  const perPacket = gaplessPacketSamples(samples, track.timescale, stream.hertz)
  if (!perPacket) return undefined
  return indexPackets(source, stream, samples, perPacket)
}

const STRETCH_SECONDS = 2

/** Share of `seconds` seconds of sound that `compareSound` decodes, 0 to 1. */
export const comparedSoundShare = (seconds: number): number => Math.min(1, (MAX_SOUND_STRETCHES * STRETCH_SECONDS) / seconds)

/**
 * Compares stretches of two sound tracks.
 * @param shift samples by which the new sound starts later than the old
 * @param snrDb signal-to-noise ratio in the receipt, in dB
 * @returns a description of the difference. `undefined`: no difference
 */
export async function compareSound(
  old: IndexedSound,
  made: IndexedSound,
  shift: number,
  snrDb: number,
  options: Options,
): Promise<string | undefined> {
  const { hertz } = old.stream
  if (made.stream.hertz !== hertz || made.stream.channels !== old.stream.channels) return 'the sample rate or number of channels changed'
  const step = STRETCH_SECONDS * hertz
  const stretches = Math.ceil(old.samples / step)
  const whole = stretches <= MAX_SOUND_STRETCHES
  const taken = Math.min(stretches, MAX_SOUND_STRETCHES)
  const all = new SnrMeter()
  for (let k = 0; k < taken; k++) {
    await yieldToEventLoop(options.signal)
    const from = whole ? k * step : Math.round((k * (old.samples - step)) / (taken - 1))
    const count = Math.min(step, old.samples - from)
    const [a, b] = [await stretch(old, from, count), await stretch(made, from + shift, count)]
    const skip = Math.max(0, (made.unrestorable ?? 0) - from)
    const low = new SnrMeter()
    const span = Math.max(1, Math.round(hertz / LOW_HERTZ))
    a.forEach((channel, i) => {
      all.add(channel.subarray(skip), b[i]!.subarray(skip))
      // The receipt's ratio includes the first samples, measured before earlier packets were dropped. Their noise cannot be measured
      // again, so it counts as zero.
      all.add(channel.subarray(0, skip), channel.subarray(0, skip))
      low.add(averageGroups(channel, span), averageGroups(b[i]!, span))
    })
    for (const channel of [...a, ...b]) discard(channel)
    const loud = low.signal / ((count / span) * a.length) > SILENCE_LEVEL
    if (loud && low.noise > MOST_LOW_NOISE * low.signal) return `the sound differs at ${(from / hertz).toFixed(1)} s`
  }
  if (whole && all.decibels < snrDb - SNR_TOLERANCE_DB) return `${all.decibels.toFixed(1)} dB of sound instead of ${snrDb.toFixed(1)}`
  return undefined
}

/** Packets to decode before the first compared one, so that the decoder's state has settled. */
const RUN_UP = 8

/** Decodes the planar samples `from` to `from + count`. Positions without sound are silence. */
async function stretch({ source, stream, units, starts }: IndexedSound, from: number, count: number): Promise<Float32Array[]> {
  const out = Array.from({ length: stream.channels }, () => new Float32Array(count))
  let first = 0
  while (first + 1 < units.count && starts[first + 1]! <= from) first++
  using decoder = new Ffmpeg()
  using window = new ReadWindow(source)
  decoder.openAudio(stream)
  for (let i = Math.max(0, first - RUN_UP); i < units.count && starts[i]! < from + count; i++) {
    if (!decoder.sendAudio(await window.read(units.offset[i]!, units.size[i]!)) && i >= first)
      throw malformed('sound', units.offset[i]!, 'cannot_be_decoded')
    let at = starts[i]! - from
    for (let sound = decoder.nextSound(); sound; sound = decoder.nextSound()) {
      const { channels } = sound
      if (channels.length !== out.length)
        throw malformed('sound', units.offset[i]!, message('channels_found', { channels: channels.length }))
      const length = channels[0]!.length
      const [skip, end] = [Math.max(0, -at), Math.min(length, count - at)]
      if (skip < end) channels.forEach((channel, c) => void out[c]!.set(channel.subarray(skip, end), at + skip))
      channels.forEach(discard)
      at += length
    }
  }
  return out
}

/** Averages each group of `span` samples, which removes high frequencies. */
function averageGroups(samples: Float32Array, span: number): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / span))
  for (let i = 0, at = 0; i < out.length; i++) {
    let sum = 0
    for (let k = 0; k < span; k++) sum += samples[at++]!
    out[i] = sum / span
  }
  return out
}
