/** Encodes one part of an AVI file: a span of pictures or of sound. */

import { sumOf } from '../../../bytes/compact-array.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { Options, Sink, Source } from '../../../model/codec.ts'
import { malformed } from '../../../model/error.ts'
import type { FinishedPart, PartPlan, PartReceipt } from '../../../model/segmented.ts'
import type { Level } from '../levels.ts'
import { encodeMp3Frames } from '../mp3-sound.ts'
import { type PartFile, type PartHead, PartWriter, type PicturesHead, readParts } from '../part-file.ts'
import { finishPart, snrOf } from '../part-loss.ts'
import { encodePart } from '../pictures.ts'
import { isPicturePart, runInSequence } from '../single-message.ts'
import { encodeSound } from '../sound.ts'
import { type AviJob, type AviSound, cutFromPlan, partsOf } from './job.ts'

export async function runPart(source: Source, job: AviJob, part: PartPlan, sink: Sink, options: Options): Promise<PartReceipt> {
  if (part.facts['kind'] === 'sound') return runSound(source, job, part, sink, options)
  if (!job.pictures) throw malformed('avi', 0, 'part_does_not_belong_to_this_film')
  const { track } = job.pictures
  const cut = cutFromPlan(part, track.samples.count)
  const writer = new PartWriter(sink)
  const done = await encodePart({ source, track, cut, part: writer, options }, job.level)
  const { bytes, facts } = await finishPart(writer, done)
  return { bytes, replaces: sumOf(track.samples.size.subarray(cut.start, cut.end)), facts }
}

async function runSound(source: Source, job: AviJob, { facts }: PartPlan, sink: Sink, options: Options): Promise<PartReceipt> {
  const sound = job.sounds.find(({ stream }) => stream.index === facts['stream'])
  const { from, to } = facts
  if (!sound || typeof from !== 'number' || !(to === null || typeof to === 'number'))
    throw malformed('avi', 0, 'part_does_not_belong_to_this_film')
  const { audio, runs, coding } = sound
  const stored = { source, stream: audio, runs, options }
  const writer = new PartWriter(sink)
  const { head, memoryBytes } =
    coding === 'mp3'
      ? await encodeMp3Frames(stored, writer, { from, to: to ?? Number.POSITIVE_INFINITY }, job.level.mp3)
      : await encodeSound(stored, writer, aacRate(job.level, sound))
  return { bytes: await writer.finish(head), facts: { snrDb: snrOf([head]), memoryBytes } }
}

export const aacRate = ({ aacPerChannel }: Level, { audio }: AviSound): number => Math.min(aacPerChannel, audio.hertz * 3) * audio.channels

/** Encodes all parts in sequence. For an AVI result, stops encoding pictures once they do not become smaller. */
export async function runAll(source: Source, job: AviJob, options: Options): Promise<FinishedPart[]> {
  const run = (plan: PartPlan, into: Sink, inner: Options) => runPart(source, job, plan, into, inner)
  return runInSequence(await partsOf(source, job), { run, mustShrink: options.output === 'avi' }, options)
}

/** Returns the finished picture parts, or `undefined` if they do not hold all frames. */
export async function pictureFiles({ pictures }: AviJob, parts: readonly FinishedPart[]): Promise<PartFile<PicturesHead>[] | undefined> {
  const files = await readParts<PicturesHead>(parts.filter(({ plan }) => isPicturePart(plan)))
  const frames = files.reduce((sum, { head }) => sum + head.count, 0)
  return pictures && frames === pictures.track.samples.count ? files : undefined
}

export const soundFiles = <Head extends PartHead>({ stream }: AviSound, parts: readonly FinishedPart[]): Promise<PartFile<Head>[]> =>
  readParts<Head>(parts.filter(({ plan }) => plan.facts['kind'] === 'sound' && plan.facts['stream'] === stream.index))

/** Describes the encoding for the receipt, for example `mpeg4 → H.264 crf 27/25 in 12 parts`. */
export function describePictures({ pictures }: AviJob, files: readonly PartFile<PicturesHead>[]): Message {
  const crfs = [...new Set(files.map(({ head }) => head.crf))].sort((a, b) => b - a)
  const what = message('pictures_coded', { decoder: pictures!.track.stream.decoder, to: 'H.264', crf: crfs.join('/') })
  return files.length > 1 ? message('in_parts', { what, parts: files.length }) : what
}

/** Frames by which players show the new stream later, because its old decoder waited for reordered frames. */
export const frameDelayOf = (files: readonly PartFile<PicturesHead>[]): number =>
  files.reduce((most, { head }) => Math.max(most, head.delay ?? 0), 0)
