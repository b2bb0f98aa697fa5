/** Converts WAVE to FLAC (RFC 9639): all samples, the tags, and other chunks as foreign metadata. */

import { FlacDecoder, FlacEncoder, STREAM_INFO_OFFSET } from '../../../../wasm/flac/flac.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { concat } from '../../bytes/concat.ts'
import { id3Frames, id3Picture, id3Tags } from '../../containers/id3/id3.ts'
import { COMMENT_NAME, isTextAndPictures } from '../../containers/id3/plain.ts'
import { commentsOf } from '../../containers/xiph/tags.ts'
import { type Message, message } from '../../i18n/message.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { analyse, type SampleForm } from './analyse.ts'
import type { Layout, Wave } from './header.ts'
import { unstorableChunks } from './not-kept.ts'
import { readSound } from './read-sound.ts'
import { readSamples, type SampleBlock } from './samples.ts'
import { embeddedId3, readTags, TEXT_CHUNKS } from './tags.ts'
import { FLAC_LEVEL, MAX_FOREIGN_BYTES, MAX_FOREIGN_CHUNKS, MAX_WAITING_SAMPLES } from './tuning.ts'

/** True if a FLAC frame header can store the channels and rate, which decoders that start mid-stream need (RFC 9639, 7 and 9.1.2). */
export const fitsFlac = ({ channels, hertz }: Pick<Layout, 'channels' | 'hertz'>): boolean =>
  channels <= 8 && hertz > 0 && (hertz < 65_536 || (hertz <= 655_350 && hertz % 10 === 0))

/** Ids of chunks whose content FLAC comments and pictures can store. */
const ID3 = ['id3 ', 'ID3 ']

export interface IntegerFormat {
  readonly bits: number
  readonly shift: number
  /** Factor that scales float samples to integers. */
  readonly scale: number
  readonly exact: boolean
}

export async function wavToFlac(source: Source, wave: Wave, sink: Sink, options: Options): Promise<Outcome> {
  const { channels, hertz } = wave.layout
  const { integers, excess } = await integersOf(source, wave, options)
  if (excess && !integers.exact) throw unsupported(message('flac_would_clip', { excess }))
  if (!fitsFlac(wave.layout)) throw unsupported(message('flac_has_no_channels_at_hz', { channels, hertz }))
  if (options.lossless && !integers.exact) throw unsupported('flac_has_no_floating_point_samples')
  const id3 = await embeddedId3(source, wave)
  const tags = [...(await readTags(source, wave)), ...(id3 ? id3Tags(id3) : [])].filter(([key]) => COMMENT_NAME.test(key))
  // Many files repeat metadata in both kinds of tag, so duplicates are removed.
  const comments = [...new Set(commentsOf(tags))]
  const pictures = (id3 ? id3Frames(id3) : []).flatMap(({ id, body }) => (id === 'APIC' ? (id3Picture(body) ?? []) : []))
  if (wave.layout.mask) comments.push(`WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x${wave.layout.mask.toString(16).toUpperCase().padStart(4, '0')}`)
  const others = await unstorableChunks(source, wave, new Set([...TEXT_CHUNKS, ...(id3 && !isTextAndPictures(id3) ? [] : ID3)]))
  const applications = others.length > 0 ? await foreignBlocks(source, wave) : []
  using encoder = new FlacEncoder(
    { channels, bits: integers.bits, hertz, level: FLAC_LEVEL, totalFrames: wave.frames },
    { comments, applications, pictures },
  )
  const meter = new SnrMeter()
  for await (const samples of readSamples(source, wave, options, (share) => options.progress(0.2 + share * 0.7))) {
    const values = toIntegers(samples, integers)
    if (!integers.exact)
      meter.add(
        samples.values,
        Float64Array.from(values, (value) => value / integers.scale),
      )
    for (const chunk of encoder.encode(values)) await sink.write(chunk)
  }
  const { chunks, streamInfo } = encoder.finish()
  for (const chunk of chunks) await sink.write(chunk)
  sink.patch(STREAM_INFO_OFFSET, streamInfo)
  const steps = [message('libflac_level_bits', { level: FLAC_LEVEL, bits: integers.bits })]
  if (applications.length === 0) for (const what of others) steps.push(message('not_kept_no_place', { output: 'flac', what }))
  if (integers.exact) return { kind: 'compressed', steps }
  return { kind: 'compressed', loss: { sound: { snrDb: meter.decibels } }, steps: [...steps, message('float_rounded_to_24_bits')] }
}

async function integersOf(source: Source, wave: Wave, options: Options): Promise<{ integers: IntegerFormat; excess: Message | undefined }> {
  const { coding } = wave.layout
  const found = coding === 'integer' || coding === 'float' ? await analyse(source, wave, 'exact', options) : undefined
  return { integers: flacIntegers(wave.layout, found?.exact), excess: found?.clippingReason }
}

/** Integer format for FLAC. `exact`: form with equal samples; `undefined`: the present form. */
export function flacIntegers({ coding, bits }: Layout, exact: SampleForm | undefined): IntegerFormat {
  if (coding !== 'integer' && coding !== 'float') return { bits: 16, shift: 0, scale: 1, exact: true }
  if (coding === 'integer') {
    // libFLAC detects unused low bits, but a smaller bit depth is visible to every player.
    const fits = exact?.coding === 'integer' ? exact.bits : bits
    return { bits: fits, shift: bits - fits, scale: 1, exact: true }
  }
  const word = exact?.coding === 'integer' ? exact.bits : 24
  return { bits: word, shift: 0, scale: 2 ** (word - 1), exact: exact?.coding === 'integer' }
}

/** Describes FLAC output for the receipt, for example `format=flac (exact)`. */
export const describeFlac = ({ bits, exact }: IntegerFormat): Message => (exact ? message('flac_exact') : message('flac_rounded', { bits }))

export function toIntegers(samples: SampleBlock, { bits, shift, scale }: IntegerFormat): Int32Array {
  if (samples.kind === 'integer') return shift ? samples.values.map((value) => value >> shift) : samples.values
  const highest = 2 ** (bits - 1) - 1
  return Int32Array.from(samples.values, (value) => Math.max(-highest - 1, Math.min(highest, Math.round(value * scale))))
}

/** Stores all chunks except the samples as `riff` or `aiff` APPLICATION blocks, as `flac --keep-foreign-metadata` does. Empty if they are too large. */
async function foreignBlocks(source: Source, wave: Wave): Promise<Uint8Array[]> {
  const soundId = wave.data.id
  const others = wave.chunks.filter(({ id }) => id !== soundId)
  const total = others.reduce((sum, chunk) => sum + chunk.size, 0)
  if (!['RIFF', 'AIFF', 'AIFC'].includes(wave.container) || total > MAX_FOREIGN_BYTES || others.length > MAX_FOREIGN_CHUNKS) return []
  const id = new TextEncoder().encode(wave.layout.iff ? 'aiff' : 'riff')
  const blocks = [concat([id, await source.read(0, 12)])]
  for (const chunk of wave.chunks) {
    // The header of the sound: id and size, and in AIFF offset and block size.
    const body = chunk.id !== soundId ? 8 + chunk.size + (chunk.size & 1) : wave.layout.iff ? 16 : 8
    blocks.push(concat([id, await source.read(chunk.offset - 8, body)]))
  }
  return blocks
}

/** Decodes the FLAC stream, checks its MD5, and compares every sample. */
export async function verifyFlac(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const wave = await readSound(original)
  const { integers } = await integersOf(original, wave, options)
  const expected: Int32Array[] = []
  let [compared, comparedOfFirst] = [0, 0]
  let difference = ''
  using decoder = new FlacDecoder(wave.layout.channels, (got) => {
    let at = 0
    while (at < got.length && !difference) {
      const next = expected[0]
      if (!next) {
        difference = `sample ${compared} is not in the original`
        return
      }
      const part = Math.min(next.length - comparedOfFirst, got.length - at)
      for (let i = 0; i < part; i++) if (next[comparedOfFirst + i] !== got[at + i]) difference ||= `sample ${compared + i} differs`
      at += part
      compared += part
      comparedOfFirst += part
      if (comparedOfFirst < next.length) continue
      expected.shift()
      discard(next)
      comparedOfFirst = 0
    }
  })
  const samples = readSamples(original, wave, options)
  // The decoder runs in steps, so the original is read only slightly ahead of it.
  for await (const chunk of result.stream()) {
    while (waiting(expected) < MAX_WAITING_SAMPLES) {
      const next = await samples.next()
      if (next.done) break
      expected.push(toIntegers(next.value, integers).slice())
    }
    for (let at = 0; at < chunk.length; at += 65536) decoder.push(chunk.slice(at, at + 65536))
    if (!decoder.run()) return { equal: false, difference: 'libFLAC cannot decode the result' }
    if (difference) return { equal: false, difference }
  }
  for (let next = await samples.next(); !next.done; next = await samples.next()) expected.push(toIntegers(next.value, integers).slice())
  decoder.end()
  if (!decoder.run() || !decoder.finish()) return { equal: false, difference: 'libFLAC cannot decode the result' }
  if (difference) return { equal: false, difference }
  if (compared !== wave.frames * wave.layout.channels)
    return { equal: false, difference: `the result has ${compared} samples instead of ${wave.frames * wave.layout.channels}` }
  if (integers.exact !== (outcome.kind === 'compressed' && !outcome.loss))
    return { equal: false, difference: 'the receipt gives the wrong fidelity' }
  return { equal: true }
}

const waiting = (blocks: Int32Array[]) => blocks.reduce((sum, block) => sum + block.length, 0)
