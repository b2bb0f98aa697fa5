/** Joins the finished parts as AVI. New streams take the positions of the old ones; everything else is copied. */

import { sumOf } from '../../../bytes/compact-array.ts'
import { ByteReader } from '../../../bytes/reader.ts'
import { ByteWriter } from '../../../bytes/writer.ts'
import { FLOOR_SNR_DB } from '../../../catalog/floors.ts'
import { samplesPerFrame } from '../../../containers/mpeg-audio/frame-cutter.ts'
import { type ChunkRun, type NewStream, planAvi } from '../../../containers/riff/write-avi.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../../model/codec.ts'
import { noGain } from '../../../model/error.ts'
import { lossOf, type PictureLoss, type SoundLoss } from '../../../model/loss.ts'
import type { FinishedPart } from '../../../model/segmented.ts'
import { copyTrailingData, trailingDataSteps } from '../../../model/trailing-data.ts'
import { copiedKinds } from '../copied.ts'
import type { PartFile, PicturesHead, SoundHead } from '../part-file.ts'
import { describeBelowFloors, isAboveFloors, lossOfParts, snrOf } from '../part-loss.ts'
import { MAX_TRACK_SHARE } from '../tuning.ts'
import type { AviJob, AviSound } from './job.ts'
import { describePictures, frameDelayOf, pictureFiles, soundFiles } from './parts.ts'
import { mp3Headers, streamStart } from './sounds.ts'

const FOURCC = Uint8Array.from('H264', (letter) => letter.charCodeAt(0))

export async function joinAvi(source: Source, job: AviJob, parts: readonly FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  const { file, pictures } = job
  let { copyReason: kept } = job
  const fresh = new Map<number, NewStream>()
  const steps: Message[] = []
  let shown: PictureLoss | undefined
  let sound: SoundLoss | undefined
  const films = await pictureFiles(job, parts)
  if (films && pictures) {
    const loss = lossOfParts(films, pictures.track.rate)
    if (!isAboveFloors(loss)) kept = { reason: 'below_floor', detail: describeBelowFloors(loss) }
    else if (bytesOf(films) < sumOf(pictures.track.samples.size) * MAX_TRACK_SHARE) {
      fresh.set(pictures.index, newPictures(films))
      shown = loss
      steps.push(describePictures(job, films))
    }
  }
  for (const track of job.sounds) {
    const files = await soundFiles<SoundHead>(track, parts)
    const snrDb = snrOf(files.map(({ head }) => head))
    if (files.length === 0 || snrDb < FLOOR_SNR_DB || bytesOf(files) >= sumOf(track.runs.size) * MAX_TRACK_SHARE) continue
    fresh.set(track.stream.index, newSound(track, files))
    sound = { snrDb: Math.min(snrDb, sound?.snrDb ?? snrDb) }
    steps.push(message('sound_to_mp3', { decoder: track.audio.decoder, quality: job.level.mp3 }))
  }
  const plan = planAvi(source, file, fresh)
  if (plan.total + source.size - file.end >= source.size) {
    if (kept?.reason) return { kind: 'unchanged', reason: kept.reason, detail: kept.detail }
    throw noGain()
  }
  await plan.write(sink, options)
  await copyTrailingData(source, file.end, sink)
  for (const step of [message('index_written_anew_dead_space_dropped'), ...trailingDataSteps(source, file.end)]) steps.push(step)
  if (kept?.reason) steps.push(message('pictures_kept', { why: kept.detail }))
  const left = file.streams.filter(({ index }) => !fresh.has(index)).map(({ kind }) => KINDS[kind])
  return { kind: 'compressed', ...lossOf(shown, sound), ...copiedKinds(left), steps }
}

const KINDS: { readonly [kind: string]: 'pictures' | 'sound' | undefined } = { vids: 'pictures', auds: 'sound' }

const bytesOf = (files: readonly PartFile<PicturesHead | SoundHead>[]) => files.reduce((sum, { sizes }) => sum + sumOf(sizes), 0)

const runsOf = (files: readonly PartFile<PicturesHead | SoundHead>[], keyed: boolean): ChunkRun[] =>
  files.map(({ source, sizes, keys }) => ({ from: source, offset: 0, sizes, ...(keyed ? { keys } : {}) }))

/** New picture stream: one frame for each chunk that was not empty, in the same order. */
function newPictures(files: readonly PartFile<PicturesHead>[]): NewStream {
  let given = 0
  return {
    runs: runsOf(files, true),
    kind: 'dc',
    dueChunks: () => ++given,
    headers(strh, old) {
      strh.set(FOURCC, 4)
      const start = new ByteReader(strh, true).u32(28)
      new ByteWriter(strh, true).at(28).u32(start + frameDelayOf(files)) // dwStart of the stream, later by the decoder's delay
      // Keeps only BITMAPINFOHEADER. The bytes after it belong to the old codec.
      const strf = old.slice(0, 40)
      const height = Math.abs(new ByteReader(strf, true).i32(8)) // uncompressed pictures may have a negative height
      new ByteWriter(strf, true).u32(40).at(8).u32(height).at(14).u16(24).bytes(FOURCC)
      return { strh, strf }
    },
  }
}

/** New sound stream: each MP3 frame is placed where the same samples were before. */
function newSound({ stream, audio, samples }: AviSound, files: readonly PartFile<SoundHead>[]): NewStream {
  const { hertz, channels, blockAlign } = audio
  const perFrame = samplesPerFrame(hertz)
  let passed = 0
  return {
    runs: runsOf(files, false),
    kind: 'wb',
    dueChunks(oldBytes) {
      passed += oldBytes / blockAlign
      return Math.ceil(passed / perFrame)
    },
    headers(strh) {
      const frames = files.reduce((sum, { head }) => sum + head.count, 0)
      const bitsPerSecond = (bytesOf(files) * 8 * hertz) / samples
      return mp3Headers(strh, { hertz, channels, bitsPerSecond, frames, startSeconds: streamStart(stream) })
    },
  }
}
