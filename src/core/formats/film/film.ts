/**
 * Codecs for MP4 and QuickTime. Tracks that shrink are encoded again in parts and joined; all other tracks are copied. Unused space is
 * dropped.
 */

import { sumOf } from '../../bytes/compact-array.ts'
import { MOV, MP4 } from '../../catalog/formats/film.ts'
import type { KnownFormat } from '../../catalog/outputs.ts'
import { samplesBetween } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { isCodecError, malformed, unsupported } from '../../model/error.ts'
import type { FinishedPart, SegmentPlan as JobPlan, PartPlan, PartReceipt, PartTotals, SegmentedCodec } from '../../model/segmented.ts'
import { type Analysis, analyse, jobPlanOf, type VideoJob } from './analyse.ts'
import type { Cut } from './cut.ts'
import { joinParts } from './join.ts'
import type { Level } from './levels.ts'
import { encodeNatively } from './native/encode.ts'
import { PartWriter, writeUnchangedPictures } from './part-file.ts'
import { finishPart, snrOf } from './part-loss.ts'
import { encodePart } from './pictures.ts'
import { isNotShrinking, isPicturePart, runInSequence } from './single-message.ts'
import { type EncodedSound, encodeSound, leadSilenceOf, runsOf } from './sound.ts'
import { MAX_SOUND_DRIFT } from './tuning.ts'
import { verifyFilm } from './verify.ts'
import { withoutFilmMetadata } from './without-metadata.ts'

/** Codec for MP4 (ISO/IEC 14496-14) and related brands, for example M4V. */
export const mp4: SegmentedCodec & MetadataCodec = filmCodec(MP4)

/** Codec for QuickTime movies (MOV). */
export const mov: SegmentedCodec & MetadataCodec = filmCodec(MOV)

/** Returns the codec for a format that is an MP4 or QuickTime file. */
export function filmCodec(format: KnownFormat): SegmentedCodec & MetadataCodec {
  return {
    format,
    withoutMetadata: withoutFilmMetadata,
    compress: compressWhole,
    plan: planned,
    compressPart,
    join,
    verify: verifyFilm,
  }
}

async function planned(source: Source, options: Options): Promise<JobPlan> {
  const analysis = await analyse(source, options)
  using _ = analysis.movie
  return jobPlanOf(source, analysis.cpuSeconds, partsOf(analysis))
}

/** Plans one part per cut of the pictures, then one part per sound track that is encoded. */
export function partsOf({ video, sounds }: Analysis): PartPlan[] {
  const cuts = video?.cuts ?? []
  const frames = cuts.reduce((sum, cut) => sum + cut.frames, 0)
  const pictures = cuts.map((cut, index): PartPlan => {
    const seconds = (cut.start / video!.pictures.timescale).toFixed(1)
    return { index, label: `pictures from ${seconds} s`, weight: (0.95 * cut.frames) / frames, facts: { kind: 'pictures', ...cut } }
  })
  const others = sounds.map(
    ({ track }, i): PartPlan => ({
      index: cuts.length + i,
      label: `sound of track ${track.id}`,
      weight: (cuts.length ? 0.05 : 1) / sounds.length,
      facts: { kind: 'sound', track: track.index },
    }),
  )
  return [...pictures, ...others]
}

async function compressPart(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: PartTotals): Promise<PartReceipt> {
  const analysis = await analyse(source, options, true)
  using _ = analysis.movie
  const { video } = analysis
  if (video && isPicturePart(part) && isNotShrinking(soFar, sumOf(video.pictures.samples.size))) return await writeUnchangedPictures(sink)
  return await runPart(source, keepOnlyPart(analysis, part), part, sink, options)
}

/** Returns an analysis with only the samples of one picture part. The tables of the whole film would take megabytes beside the encoder. */
function keepOnlyPart(analysis: Analysis, { index, facts }: PartPlan): Analysis {
  const { video, movie } = analysis
  const cut = video?.cuts[index]
  if (!video || !cut || facts['kind'] !== 'pictures') return analysis
  const { samples, stream } = video.pictures
  const pictures = {
    ...video.pictures,
    stream: { ...stream, extradata: stream.extradata.slice() },
    samples: samplesBetween(samples, cut.from, cut.to),
  }
  const cuts = video.cuts.map((one) => ({ ...one, from: one.from - cut.from, to: one.to - cut.from }))
  movie[Symbol.dispose]()
  return { ...analysis, video: { ...video, pictures, cuts } }
}

/** Encodes one part of a film whose analysis is already known. */
export async function runPart(source: Source, analysis: Analysis, part: PartPlan, sink: Sink, options: Options): Promise<PartReceipt> {
  const { video, sounds, level } = analysis
  if (part.facts['kind'] === 'sound') {
    const writer = new PartWriter(sink)
    const job = sounds.find(({ track }) => track.index === part.facts['track'])
    if (!job) throw malformed('mp4', 0, 'part_does_not_belong_to_this_film')
    const runs = runsOf(job.track, job.stream)
    const sound = { source, stream: job.stream, runs, options }
    const made = encodeSound(sound, writer, job.bitsPerSecond, leadSilenceOf(job.stream, runs))
    const { head, memoryBytes } = await made.then((done) => checkDuration(done, job.track)).catch(emptySoundPart)
    return { bytes: await writer.finish(head), facts: { snrDb: snrOf([head]), memoryBytes } }
  }
  const cut = video?.cuts[part.index]
  if (!video || !cut || cut.start !== part.facts['start']) throw malformed('mp4', 0, 'part_does_not_belong_to_this_film')
  return await runPicturePart(source, { ...video, cut, isOnly: video.cuts.length === 1 }, sink, level, options)
}

/** Stretch of pictures to encode. */
export interface PictureJob extends Pick<VideoJob, 'pictures' | 'native'> {
  readonly cut: Cut
  /** True if it is all of the film. */
  readonly isOnly: boolean
}

/** Encodes one part of the pictures. */
export async function runPicturePart(
  source: Source,
  { pictures, native, cut, isOnly }: PictureJob,
  sink: Sink,
  level: Level,
  options: Options,
): Promise<PartReceipt> {
  const writer = new PartWriter(sink)
  const sourcePictureBytes = isOnly ? sumOf(pictures.samples.size) : undefined
  const job = { source, track: pictures, cut, part: writer, options, sourcePictureBytes }
  const encoded = native ? encodeNatively({ ...job, native }, level) : encodePart(job, level)
  const done = await encoded.catch((error: unknown) => {
    if (isCodecError(error, 'no_gain')) return undefined
    throw error
  })
  if (!done) {
    await writer.restart()
    return await writeUnchangedPictures(sink)
  }
  const { bytes, facts } = await finishPart(writer, done)
  return { bytes, replaces: sumOf(pictures.samples.size.subarray(cut.from, cut.to)), facts }
}

/**
 * @throws CodecError (unsupported_feature) if the decoded duration of the sound differs from the track's duration: the new sound would
 * drift
 */
function checkDuration(made: EncodedSound, { duration, timescale }: Track): EncodedSound {
  const { samples, hertz } = made.head
  // Half of the tolerance is reserved for the encoder delay and the padding of the last packet.
  if (Math.abs(samples / hertz - duration / timescale) < MAX_SOUND_DRIFT / 2) return made
  throw unsupported('sound_lasts_otherwise_than_times_say')
}

/** Returns a sound part without packets, so that the old sound track is copied, if its packets contradict the track header. */
function emptySoundPart(error: unknown): EncodedSound {
  if (!isCodecError(error, 'unsupported_feature')) throw error
  const head = { kind: 'sound', config: [], count: 0, hertz: 0, channels: 0, delay: 0, samples: 0, signal: 0, noise: 0 } as const
  return { head: { ...head, config: [] }, memoryBytes: 0 }
}

/** Runs plan, parts and join in one message. Stops encoding pictures once the parts are no longer smaller than the source. */
async function compressWhole(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const analysis = await analyse(source, options)
  const run = (plan: PartPlan, into: Sink, inner: Options) => runPart(source, analysis, plan, into, inner)
  const parts = await runInSequence(partsOf(analysis), { run, mustShrink: true }, options)
  return joinParts(source, analysis, parts, sink, options)
}

async function join(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  return joinParts(source, await analyse(source, options), parts, sink, options)
}
