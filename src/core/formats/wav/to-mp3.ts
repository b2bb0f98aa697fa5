/** Converts WAVE to MP3 with LAME, and keeps the tags. */

import { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { LEVELS } from '../../catalog/levels.ts'
import { id3Bytes, id3Tag, id3Tags, withId3Tags } from '../../containers/id3/id3.ts'
import { frameHeader, tagFrame } from '../../containers/mpeg-audio/frame.ts'
import { MeasuredMp3Encoder } from '../../containers/mpeg-audio/measured-encoder.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { mp3Rate } from '../../sound/rates.ts'
import { Resampler } from '../../sound/resample.ts'
import { FullScaleCheck } from './full-scale.ts'
import type { Wave } from './header.ts'
import { unstorableChunks } from './not-kept.ts'
import { readSound } from './read-sound.ts'
import { readSamples, type SampleBlock } from './samples.ts'
import { embeddedId3, readTags, TEXT_CHUNKS } from './tags.ts'
import { MAX_MP3_SOURCE_HERTZ } from './tuning.ts'

export async function wavToMp3(source: Source, wave: Wave, sink: Sink, options: Options): Promise<Outcome> {
  const { channels, hertz } = wave.layout
  if (options.lossless) throw unsupported('mp3_cannot_be_exact')
  if (channels !== 1 && channels !== 2) throw unsupported(message('mp3_has_no_channels', { channels }))
  if (hertz > MAX_MP3_SOURCE_HERTZ) throw unsupported(message('sample_rate_of_hz', { hertz }))
  if (wave.frames === 0) throw malformed('wav', wave.data.offset, 'no_samples')
  const vbrQuality = LEVELS.wavAsMp3[options.quality]
  const rate = mp3Rate(hertz)
  using engine = new Ffmpeg()
  using encoder = new MeasuredMp3Encoder(engine, { channels, hertz: rate, vbrQuality, maxKbps: 0 })
  const resampler = rate === hertz ? undefined : new Resampler(channels, hertz, rate)
  const embedded = await embeddedId3(source, wave)
  const { id3, carried } = await tagsFor(source, wave, embedded)
  const others = await unstorableChunks(source, wave, new Set(carried))
  if (id3.length) await sink.write(id3)
  const tagAt = sink.written
  const fullScale = new FullScaleCheck()
  for await (const samples of readSamples(source, wave, options, options.progress)) {
    fullScale.add(samples)
    if (fullScale.clippingReason) throw unsupported(message('players_of_mp3_would_clip', { excess: fullScale.clippingReason }))
    const sound = toPlanar(samples, channels)
    for (const packet of encoder.encode(resampler?.push(sound) ?? sound)) await sink.write(packet)
  }
  for (const packet of resampler ? encoder.encode(resampler.finish()) : []) await sink.write(packet)
  const { last, tag } = encoder.finish()
  if (last.length) await sink.write(last)
  sink.patch(tagAt, tag)
  return {
    kind: 'compressed',
    loss: { sound: { snrDb: encoder.snrDb } },
    steps: [
      ...(resampler ? [message('resampled', { hertz, newHertz: rate })] : []),
      message('lame_quality', { quality: vbrQuality }),
      ...others.map((what) => message('not_kept_no_place', { output: 'mp3', what })),
    ],
  }
}

/** Returns the ID3 tag for the sound: the one in the file with the entries of `LIST INFO` that it lacks, or a new one. */
async function tagsFor(source: Source, wave: Wave, embedded: Uint8Array | undefined): Promise<{ id3: Uint8Array; carried: string[] }> {
  const tags = await readTags(source, wave)
  if (!embedded) return { id3: id3Tag(tags), carried: [...TEXT_CHUNKS] }
  const present = new Set(id3Tags(embedded).map((tag) => tag.join('=')))
  const missing = tags.filter((tag) => !present.has(tag.join('=')))
  const merged = missing.length > 0 ? withId3Tags(embedded, missing) : embedded
  return { id3: merged ?? embedded, carried: ['id3 ', 'ID3 ', ...(merged ? TEXT_CHUNKS : [])] }
}

/** Converts interleaved samples to one array of −1…1 per channel. */
export function toPlanar(samples: SampleBlock, channels: number): Float32Array[] {
  const count = samples.values.length / channels
  const scale = samples.kind === 'integer' ? 2 ** (1 - samples.bits) : 1
  return Array.from({ length: channels }, (_, channel) => {
    const out = new Float32Array(count)
    for (let i = 0, at = channel; i < count; i++, at += channels) {
      const value = samples.values[at]! * scale
      out[i] = Number.isNaN(value) ? 0 : Math.max(-4, Math.min(4, value))
    }
    return out
  })
}

/** Reads every frame of the result. Checks that the format is constant and that LAME's tag gives the original number of samples. */
export async function verifyMp3(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  if (outcome.kind === 'compressed' && !outcome.loss?.sound) return { equal: false, difference: 'the receipt has no loss of sound' }
  const wave = await readSound(original)
  const rate = mp3Rate(wave.layout.hertz)
  const samples = Resampler.samples(wave.frames, wave.layout.hertz, rate)
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  let at = id3Bytes(await result.read(0, 10), 0)
  let frames = 0
  let promised = -1
  let window: Uint8Array = new Uint8Array()
  let windowAt = at
  while (at < result.size) {
    options.signal.throwIfAborted()
    if (at + 2048 > windowAt + window.length) {
      window = await result.read(at, 512 * 1024)
      windowAt = at
    }
    const header = frameHeader(window, at - windowAt)
    if (!header || at + header.bytes > result.size) return differs(`no frame at byte ${at}`)
    if (header.hertz !== rate || header.channels !== wave.layout.channels) return differs(`another format at byte ${at}`)
    if (frames === 0) {
      const tag = tagFrame(window.subarray(0, header.bytes), header)
      if (tag?.delay === undefined || tag.padding === undefined) return differs('the LAME tag is missing')
      promised = -tag.delay - tag.padding - header.samples
    }
    promised += header.samples
    frames++
    at += header.bytes
  }
  return promised === samples ? { equal: true } : differs(`${promised} samples instead of ${samples}`)
}
