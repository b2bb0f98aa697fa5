/**
 * Encodes a part of a film with the machine's FFmpeg, and measures it against the upload.
 * If the quality is too low, encodes again with a lower rate factor.
 */

import { sumOf } from '../../../bytes/compact-array.ts'
import { concat } from '../../../bytes/concat.ts'
import { LARGE_FRAME_CRF } from '../../../catalog/levels.ts'
import { type Box, findBox } from '../../../containers/isobmff/box.ts'
import { readMovie } from '../../../containers/isobmff/movie.ts'
import type { SampleTables } from '../../../containers/isobmff/tables.ts'
import { message } from '../../../i18n/message.ts'
import { isCodecError, malformed, unsupported } from '../../../model/error.ts'
import type { ExternalFilmCodec } from '../../../model/external-encoder.ts'
import { memorySource } from '../../../model/source.ts'
import type { Cut } from '../cut.ts'
import type { Level } from '../levels.ts'
import type { EncodedPart, EncodeRequest } from '../part-encoder.ts'
import { secondsOf } from '../picture-track.ts'
import { psnrOf, QualityBySecond, SsimSampling } from '../seconds.ts'
import { isLarge } from '../settings.ts'
import { X265_CRF } from '../tuning.ts'
import { encodeUntilGoodEnough, searchRateFactor } from './factor.ts'
import { staticHdr } from './hdr.ts'
import { ssimOfFrames } from './measure.ts'
import { type SingleTrackFilm, singleTrackFilm } from './one-track.ts'
import { displayTimesOf, middleSampleOf } from './sample.ts'
import type { NativeStream } from './stream.ts'

/**
 * Lookahead frames: the preset's own number while the frames have at most `pixels` pixels in all, otherwise fewer. Bounds memory to 0.5
 * GB.
 */
const LOOKAHEAD = { x264: { most: 40, pixels: 166_000_000 }, x265: { most: 20, pixels: 83_000_000 } }

function lookaheadOf({ encoder, stream }: NativeStream): number {
  const { most, pixels } = LOOKAHEAD[encoder]
  return Math.max(LEAST_LOOKAHEAD, Math.min(most, Math.floor(pixels / (stream.width * stream.height))))
}
/** Fewest lookahead frames: more than the B-frames between two other frames. */
const LEAST_LOOKAHEAD = 5

type Job = Omit<EncodeRequest, 'crf' | 'seen'> & { readonly native: NativeStream; readonly program: ExternalFilmCodec }

/**
 * Encodes a part and writes its packets to `part`, without tables and header. Finds the rate factor on a sample first, so the part is
 * usually encoded once.
 * @throws the errors of `encodePart`
 */
export async function encodeNatively(job: Omit<Job, 'program'>, level: Level): Promise<EncodedPart> {
  const { track, options, native } = job
  if (!options.native) throw unsupported('pictures_for_program_not_here')
  const all = { ...job, program: options.native }
  const most = level.crf + (isLarge(track.stream) ? LARGE_FRAME_CRF : 0) + (native.encoder === 'x265' ? X265_CRF : 0)
  const crf = await factorFor(all, level, most).catch((error: unknown) => {
    // If the sample cannot be encoded, the part as a whole may still be.
    if (isCodecError(error, 'unsupported_feature', 'malformed')) return most
    throw error
  })
  const trial = await trialsOf(all)
  const { film, encoded } = await encodeUntilGoodEnough(trial, level, crf)
  return await written(job, film, encoded)
}

async function factorFor(job: Job, level: Level, most: number): Promise<number> {
  const sample = middleSampleOf(job.track.samples, job.cut)
  return sample ? await searchRateFactor(await trialsOf({ ...job, cut: sample }), level, most) : most
}

interface Trial {
  readonly film: Uint8Array
  readonly encoded: EncodedPart
}

/** Returns a function that encodes the cut with a rate factor and measures the result. */
async function trialsOf(job: Job): Promise<(crf: number) => Promise<Trial>> {
  const { source, track, cut, options, native, program } = job
  const { samples, timescale } = track
  const original = await singleTrackFilm({ source, samples, timescale, entry: native.entry }, cut.from, cut.to, options)
  const shown = shownTimes(samples, cut)
  const first = await source.read(samples.offset[cut.from]!, Math.min(samples.size[cut.from]!, FIRST_BYTES))
  const hdr = native.encoder === 'x265' && track.stream.decoder === 'hevc' ? staticHdr(native.entry, first) : {}
  const span = { from: shown[0]! - original.timeShift, to: shown.at(-1)! + 1 - original.timeShift }
  return async (crf) => {
    const { encoder, bits } = native
    const mostBetweenKeys = Math.max(24, Math.round((track.rate.num / track.rate.den) * 8))
    const wanted = { encoder, bits, crf, mostBetweenKeys, lookahead: lookaheadOf(native), timescale, shown: span, hdr }
    const film = await program.encode(original.film, wanted)
    options.signal.throwIfAborted()
    return { film, encoded: await measured(job, { original, film, span, shown, crf }) }
  }
}

/** Bytes to read of the first access unit: enough for all NAL units before its picture. */
const FIRST_BYTES = 64 * 1024

/** Display times of the part's frames, in order. @throws CodecError (malformed) if their number differs from the cut's */
function shownTimes(samples: SampleTables, cut: Cut): Float64Array {
  const times = displayTimesOf(samples, cut)
  if (times.length !== cut.frames)
    throw malformed('video', samples.offset[cut.from]!, message('pictures_instead', { count: times.length, frames: cut.frames }))
  return times
}

interface Made {
  readonly original: SingleTrackFilm
  readonly film: Uint8Array
  readonly span: { readonly from: number; readonly to: number }
  readonly shown: Float64Array
  readonly crf: number
}

async function measured({ track, cut, native, program }: Job, { original, film, span, shown, crf }: Made): Promise<EncodedPart> {
  using movie = await readMovie(memorySource(film, 'part'))
  const [made] = movie.tracks
  const samples = made?.samples()
  if (!made || !samples || made.timescale !== track.timescale || samples.count !== cut.frames)
    throw malformed(
      'video',
      track.samples.offset[cut.from]!,
      message('pictures_instead', { count: samples?.count ?? 0, frames: cut.frames }),
    )
  const sampling = new SsimSampling()
  const sampled = [...shown.keys()].filter((i) => sampling.includes(secondsOf(track, shown[i]!)))
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER }
  const figures = await program.measure(original.film, film, { bits: native.bits, original: span, result: all, sampled })
  if (figures.mse.length !== cut.frames) throw malformed('video', track.samples.offset[cut.from]!, 'picture_damaged')
  const ssim = ssimOfFrames(figures, sampled.length, { ...track.stream, bits: native.bits })
  const seconds = new QualityBySecond()
  for (const [i, mse] of figures.mse.entries()) seconds.add(secondsOf(track, shown[i]!), mse, ssim[sampled.indexOf(i)])
  const psnrDb = Float64Array.from(figures.mse, (mse) => Math.min(100, psnrOf(mse)))
  return {
    headers: headersOf(movie.moov, made.descriptions[0]!, native),
    pts: inDecodingOrder(samples, shown),
    keys: Uint8Array.from(samples.sync, (kind) => (kind === 1 ? 1 : 0)),
    quality: {
      frames: cut.frames,
      seconds,
      meanPsnrDb: sumOf(psnrDb) / psnrDb.length,
      worstBlockSsim: worst(Float64Array.from(ssim)),
      worstPsnrDb: worst(psnrDb),
    },
    memoryBytes: 0,
    crf,
    delay: 0,
  }
}

/** Mean of the worst 1 % of the values. */
function worst(values: Float64Array): number {
  const few = values
    .slice()
    .sort()
    .subarray(0, Math.max(1, Math.ceil(values.length / 100)))
  return sumOf(few) / few.length
}

/** Assigns the source's display times to the packets, which are in decoding order. */
function inDecodingOrder(samples: SampleTables, shown: Float64Array): Float64Array {
  const time = (i: number) => samples.dts[i]! + samples.composition[i]!
  const order = [...samples.size.keys()].sort((a, b) => time(a) - time(b))
  const pts = new Float64Array(samples.count)
  order.forEach((sample, place) => {
    pts[sample] = shown[place]!
  })
  const apart = time(order[0]!) - shown[0]!
  if (order.some((sample) => time(sample) - pts[sample]! !== apart)) throw unsupported('times_encoder_does_not_keep')
  return pts
}

/**
 * Parameter sets for the sample entry. HEVC: the configuration record. H.264: NAL units after four-byte lengths, as the WebAssembly x264
 * returns them.
 */
function headersOf(moov: Uint8Array, description: Box, { encoder }: NativeStream): Uint8Array {
  const inside = { body: description.body + 78, end: description.end }
  const box = findBox(moov, inside, encoder === 'x265' ? 'hvcC' : 'avcC')
  if (!box) throw unsupported('encoder_without_configuration')
  const record = moov.slice(box.body, box.end)
  return encoder === 'x265' ? record : parameterSets(record)
}

/** Parameter sets in an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1). */
function parameterSets(record: Uint8Array): Uint8Array {
  const out: Uint8Array[] = []
  let at = 6
  for (let left = record[5]! & 31, kind = 0; kind < 2; ) {
    if (left-- === 0) {
      left = record[at++]!
      kind++
      continue
    }
    const size = (record[at]! << 8) | record[at + 1]!
    out.push(Uint8Array.of(0, 0, size >> 8, size & 255), record.subarray(at + 2, at + 2 + size))
    at += 2 + size
  }
  return concat(out)
}

async function written({ part }: Pick<Job, 'part'>, film: Uint8Array, encoded: EncodedPart): Promise<EncodedPart> {
  await part.restart()
  using movie = await readMovie(memorySource(film, 'part'))
  const { offset, size, count } = movie.tracks[0]!.samples()
  for (let i = 0; i < count; i++) await part.write(film.slice(offset[i]!, offset[i]! + size[i]!))
  return encoded
}
