/**
 * Codec for WAVE. Stores the samples in fewer bits without loss; below `high`, in fewer bits with inaudible noise; at `low`, as G.711 or
 * ADPCM above the floors.
 */

import { WAV } from '../../catalog/formats/wav.ts'
import { WAV_FLOORS_DB } from '../../catalog/levels.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import type { KnownFormat } from '../../catalog/outputs.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source, Suggestion, Verdict } from '../../model/codec.ts'
import { isCodecError, noGain, unsupported } from '../../model/error.ts'
import { analyse, type SampleForm, type SearchDepth, type WaveAnalysis } from './analyse.ts'
import { type Layout, readWave, type Wave } from './header.ts'
import { type SmallerOutput, smallerOutputs } from './suggest.ts'
import { verifyFlac, wavToFlac } from './to-flac.ts'
import { verifyMp3, wavToMp3 } from './to-mp3.ts'
import { verifyOpus, wavToOpus } from './to-opus.ts'
import { verifyWave } from './verify.ts'
import { withoutWavMetadata } from './without-metadata.ts'
import { writeWave } from './write.ts'

/** What differs between WAVE and AIFF. */
interface Container {
  readonly format: KnownFormat
  read(source: Source): Promise<Wave>
  /** Writes a file with samples in another form. @returns the signal-to-noise ratio of the result in dB */
  write(source: Source, wave: Wave, target: SampleForm | undefined, sink: Sink, options: Options): Promise<number>
  withoutMetadata(source: Source, mode: RemovingMode): Promise<Source>
  /** Message that no smaller form exists. */
  readonly nothingSmaller: 'nothing_smaller_in_wav' | 'nothing_smaller_in_aiff'
}

/** Returns the codec for a container of uncompressed samples. */
export const pcmCodec = (container: Container): MetadataCodec => ({
  withoutMetadata: container.withoutMetadata,
  format: container.format,

  async compress(source, sink, options): Promise<Outcome> {
    const wave = await container.read(source)
    if (wave.layout.coding === 'other') throw unsupported(wave.layout.iff ? 'aiff_codec' : 'wave_codec')
    if (options.output === container.format.id) return toSameContainer(container, source, wave, sink, options)
    if (wave.layout.iff?.isWholeRate === false) throw unsupported('aiff_rate_with_fraction')
    const { tail } = wave
    if (options.output === 'flac' && tail.size > 0) throw unsupported(message('bytes_after_end_would_be_lost', { size: tail.size }))
    if (options.output === 'flac') return withDroppedRest(await wavToFlac(source, wave, sink, options), wave)
    const toLossy = options.output === 'opus' ? wavToOpus : wavToMp3
    return withDroppedRest(withDroppedTail(await toLossy(source, wave, sink, options), tail.size, options), wave)
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    if (options.output === 'mp3') return verifyMp3(original, result, outcome, options)
    if (options.output === 'opus') return verifyOpus(original, result, outcome, options)
    if (options.output === 'flac') return verifyFlac(original, result, outcome, options)
    return verifyWave(original, result, outcome, options)
  },
})

export const wav = pcmCodec({
  format: WAV,
  read: readWave,
  write: writeWave,
  withoutMetadata: withoutWavMetadata,
  nothingSmaller: 'nothing_smaller_in_wav',
})

/** Adds a step for dropped bytes after the RIFF form, because MP3 and Opus cannot store them. */
function withDroppedTail(outcome: Outcome, tailBytes: number, { output }: Options): Outcome {
  if (outcome.kind === 'unchanged' || tailBytes === 0) return outcome
  return {
    ...outcome,
    steps: [...outcome.steps, message('not_kept_no_place', { output, what: message('bytes_after_end', { bytes: tailBytes }) })],
  }
}

/** Adds a step for dropped bytes after the last complete PCM frame. */
function withDroppedRest(outcome: Outcome, { layout, data, frames }: Wave): Outcome {
  const rest = layout.blockSamples === 1 ? data.size - frames * layout.blockBytes : 0
  if (outcome.kind === 'unchanged' || rest === 0) return outcome
  return { ...outcome, steps: [...outcome.steps, message('incomplete_sample_removed', { bytes: rest })] }
}

async function toSameContainer(
  { write, nothingSmaller }: Container,
  source: Source,
  wave: Wave,
  sink: Sink,
  options: Options,
): Promise<Outcome> {
  const { coding } = wave.layout
  // Players treat a file without samples in different ways.
  if (wave.frames === 0) throw noGain()
  const found = coding === 'integer' || coding === 'float' ? await analyse(source, wave, depthOf(options), options) : undefined
  const chosen = found && choose(wave.layout, found, depthOf(options))
  if (chosen) {
    const snrDb = await write(source, wave, chosen, sink, options)
    return withDroppedRest(
      {
        kind: 'compressed',
        loss: { sound: { snrDb } },
        steps: [message('form_to', { from: describe(wave.layout), to: describe(chosen) })],
      },
      wave,
    )
  }
  const exact = found?.exact ?? (isLow(options) ? found?.exactLaw : undefined)
  try {
    await write(source, wave, exact, sink, options)
  } catch (error) {
    if (!isCodecError(error, 'no_gain')) throw error
    const excess = found?.clippingReason
    const nothing = message(nothingSmaller, { form: describe(wave.layout) })
    const smaller = await smallerOutputs(source, wave, { exact, excess }, options)
    const detail = excess
      ? message('integers_would_clip', { what: whatWouldBeSmaller(nothing, smaller), excess })
      : whatWouldBeSmaller(nothing, smaller)
    return { kind: 'unchanged', reason: 'no_gain', detail, ...suggested(smaller[0]) }
  }
  if (!exact) return { kind: 'compressed', steps: [message('padding_dropped')] }
  const steps = [message('form_to_samples_equal', { from: describe(wave.layout), to: describe(exact) }), message('padding_dropped')]
  return withDroppedRest({ kind: 'compressed', steps }, wave)
}

/** True for `low` and `ultra`, which are equal for WAVE. */
const isLow = ({ quality }: Options) => quality === 'low' || quality === 'ultra'

function depthOf(options: Options): SearchDepth {
  if (options.lossless || options.quality === 'high') return 'exact'
  return isLow(options) ? 'lossy' : 'unheard'
}

/** Selects the smallest lossy form that the level allows, if it beats the exact form. ADPCM and G.711 are only for `low`. */
function choose(
  layout: Layout,
  { exact, exactLaw, inaudibleBits: unheard, snrDb, clippingReason: excess }: WaveAnalysis,
  depth: SearchDepth,
): SampleForm | undefined {
  // All lossy sample forms would clip the sound.
  if (excess) return undefined
  const best = exact?.bits ?? layout.bits
  if (depth === 'lossy') {
    if (best > 4 && allowsAdpcm(layout) && snrDb.ima >= WAV_FLOORS_DB.ima) return { coding: 'ima', bits: 4 }
    const law = snrDb.alaw >= snrDb.mulaw ? 'alaw' : 'mulaw'
    if (best > 8 && !exactLaw && snrDb[law] >= WAV_FLOORS_DB.law) return { coding: law, bits: 8 }
    if (best > 16 && snrDb.dithered16 >= WAV_FLOORS_DB.dithered16) return { coding: 'integer', bits: 16, dithered: true }
  }
  return unheard && { coding: 'integer', bits: unheard, dithered: true }
}

/** True if the file can become IMA ADPCM: a WAVE file without a channel mask, or with the default one. */
const allowsAdpcm = ({ mask = 0, channels, iff }: Layout) => !iff && (mask === 0 || mask === (channels === 1 ? 4 : 3))

function whatWouldBeSmaller(what: Message, smaller: readonly SmallerOutput[]): Message {
  const [one, other] = smaller.map(({ name }) => name)
  if (!one) return what
  return message('would_be_smaller', { what, outputs: other ? message('either', { one, other }) : one })
}

function suggested(smaller: SmallerOutput | undefined): { suggestion?: Suggestion } {
  return smaller ? { suggestion: { output: smaller.output, estimatedBytes: smaller.estimatedBytes } } : {}
}

const NAMES = {
  integer: 'PCM',
  float: 'float',
  alaw: 'A-law',
  mulaw: 'µ-law',
  ima: 'IMA ADPCM',
  ms: 'Microsoft ADPCM',
  other: '?',
} as const
const describe = ({ coding, bits, dithered }: Pick<Layout, 'coding' | 'bits'> & { dithered?: true }) =>
  message(dithered ? 'form_of_bits_dithered' : 'form_of_bits', { bits, coding: NAMES[coding] })
