/** Joins the finished parts and the copied tracks into the new film. */

import { concat } from '../../bytes/concat.ts'
import { FLOOR_SNR_DB } from '../../catalog/floors.ts'
import { box, latin1Bytes, words } from '../../containers/isobmff/box.ts'
import type { Movie } from '../../containers/isobmff/movie.ts'
import type { NewTrack } from '../../containers/isobmff/track-interleaving.ts'
import { layOutMovie, mustStayFragmented, trackBytes, writeMovie } from '../../containers/isobmff/write.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { noGain, unsupported } from '../../model/error.ts'
import { lossOf, type PictureLoss, type SoundLoss } from '../../model/loss.ts'
import type { FinishedPart } from '../../model/segmented.ts'
import { copyTrailingData, trailingDataSteps } from '../../model/trailing-data.ts'
import type { Analysis, VideoJob } from './analyse.ts'
import { copiedKinds } from './copied.ts'
import { newSound, newVideo } from './new-tracks.ts'
import { type PartFile, type PicturesHead, readParts, type SoundHead } from './part-file.ts'
import { describeBelowFloors, isAboveFloors, lossOfParts, snrOf } from './part-loss.ts'
import { isPicturePart } from './single-message.ts'
import { MAX_RESULT_SHARE, MAX_TRACK_SHARE } from './tuning.ts'

/** Joins finished parts of a film whose analysis is known. Frees the analysis's tables once the output layout is fixed. */
export async function joinParts(source: Source, analysis: Analysis, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  const { movie, video, sounds } = analysis
  let { copyReason: kept } = analysis
  const quickTime = options.output === 'mov'
  const fresh = new Map<number, NewTrack>()
  const steps: Message[] = []
  let pictures: PictureLoss | undefined
  let sound: SoundLoss | undefined
  const pictureParts = parts.filter(({ plan }) => isPicturePart(plan))
  if (video && pictureParts.length === video.cuts.length && pictureParts.every(({ receipt }) => receipt.facts['frames'] !== 0)) {
    const files = await readParts<PicturesHead>(pictureParts)
    const loss = lossOfParts(files, video.pictures.rate)
    const track = newVideo(movie, video, files)
    if (!isAboveFloors(loss)) kept = { reason: 'below_floor', detail: describeBelowFloors(loss) }
    else if (track.pieces.reduce((sum, { size }) => sum + size, 0) < trackBytes(video.track) * MAX_TRACK_SHARE) {
      fresh.set(video.track.index, track)
      pictures = loss
      steps.push(describeVideo(video, files, options))
    }
  }
  for (const job of sounds) {
    const made = parts.filter(({ plan }) => plan.facts['kind'] === 'sound' && plan.facts['track'] === job.track.index)
    const [file] = await readParts<SoundHead>(made)
    if (!file?.head.count) continue
    const snrDb = snrOf([file.head])
    if (snrDb < FLOOR_SNR_DB) continue
    const track = newSound(movie, job, file, quickTime)
    if (track.pieces.reduce((sum, { size }) => sum + size, 0) >= trackBytes(job.track) * MAX_TRACK_SHARE) continue
    fresh.set(job.track.index, track)
    sound = { snrDb: Math.min(snrDb, sound?.snrDb ?? snrDb) }
    steps.push(message('sound_to_aac', { decoder: job.stream.decoder, kilobits: Math.round(job.bitsPerSecond / 1000) }))
  }
  const layout = mustStayFragmented(movie) ? message('one_fragment_dead_space_dropped') : message('index_first_dead_space_dropped')
  // New tracks have their own tables, so the tables of the old tracks are freed.
  for (const track of movie.tracks) track.freeTables()
  checkContainer(movie, fresh, quickTime)
  const plan = layOutMovie(source, movie, fresh, fileType(movie, quickTime))
  // If the pictures are copied, dropping a few unused bytes is not worth a result. The receipt then gives the reason why they are copied.
  const total = plan.total + source.size - movie.end
  if (kept && total >= source.size * MAX_RESULT_SHARE) return { kind: 'unchanged', ...kept }
  if (total >= source.size) throw noGain()
  movie[Symbol.dispose]()
  await writeMovie(source, plan, sink, options)
  await copyTrailingData(source, movie.end, sink)
  for (const step of [layout, ...trailingDataSteps(source, movie.end)]) steps.push(step)
  if (kept && !pictures) steps.push(message('pictures_kept', { why: kept.detail }))
  const left = movie.tracks.filter(({ index }) => !fresh.has(index)).map(({ handler }) => KINDS[handler])
  return { kind: 'compressed', ...lossOf(pictures, sound), ...copiedKinds(left), steps }
}

const KINDS: { readonly [handler: string]: 'pictures' | 'sound' | undefined } = { vide: 'pictures', soun: 'sound' }

function describeVideo({ pictures, cuts, native }: VideoJob, files: readonly PartFile<PicturesHead>[], options: Options): Message {
  const crfs = [...new Set(files.map(({ head }) => head.crf))].sort((a, b) => b - a)
  const to = native?.encoder === 'x265' ? message('hevc_of_bits', { bits: native.bits }) : 'H.264'
  let what = message('pictures_coded', { decoder: pictures.stream.decoder, to, crf: crfs.join('/') })
  if (cuts.length > 1) what = message('in_parts', { what, parts: cuts.length })
  if (native) what = message('by_program', { what, name: String(options.native?.name) })
  return native?.dolbyVision ? message('without_dolby_vision_layer', { what }) : what
}

/** @throws CodecError (unsupported_feature) for track types that QuickTime can hold but MP4 cannot */
function checkContainer(movie: Movie, fresh: ReadonlyMap<number, NewTrack>, quickTime: boolean): void {
  if (quickTime || movie.brand !== 'qt  ') return
  const known = ['avc1', 'avc3', 'hvc1', 'hev1', 'mp4v', 'mp4a', 'ac-3', 'ec-3', 'alac', 'vp09', 'tx3g', 'text', 'tmcd', 'mebx', 'c608']
  for (const { index, descriptions } of movie.tracks) {
    if (fresh.has(index)) continue
    for (const { type } of descriptions) if (!known.includes(type)) throw unsupported(message('mp4_has_no_tracks_of_type', { type }))
  }
}

/** `ftyp` box of the output: the old box if the container stays the same. */
function fileType(movie: Movie, quickTime: boolean): Uint8Array | undefined {
  const was = movie.brand === 'qt  '
  if (quickTime) return was ? movie.ftyp : concat([box('ftyp', latin1Bytes('qt  '), words(0x200), latin1Bytes('qt  '))])
  return was ? box('ftyp', latin1Bytes('isom'), words(0x200), latin1Bytes('isomiso2avc1mp41')) : movie.ftyp
}
