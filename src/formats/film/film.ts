/** MP4 and QuickTime: cut, encode, join; or copy what is better kept into a file without dead space. */

import { discard } from '../../../wasm/memories/discard.ts'
import { sumOf } from '../../bytes/column.ts'
import { concat } from '../../bytes/concat.ts'
import { FLOOR_SNR_DB, type Options, type Outcome, type Sink, type Source } from '../../codec/codec.ts'
import { isCodecError, malformed, noGain, unsupported } from '../../codec/error.ts'
import { lossOf, type PictureLoss, type SoundLoss } from '../../codec/loss.ts'
import type { FinishedPart, Plan as JobPlan, PartPlan, PartReceipt, SegmentedCodec, SoFar } from '../../codec/segmented.ts'
import { copyTail, tailSteps } from '../../codec/tail.ts'
import { box, text, words } from '../../containers/isobmff/box.ts'
import type { Movie } from '../../containers/isobmff/movie.ts'
import { samplesBetween } from '../../containers/isobmff/tables.ts'
import type { Edit, Track } from '../../containers/isobmff/track.ts'
import { layOut, type NewTrack, type Piece, staysFragmented, trackBytes, writeMovie } from '../../containers/isobmff/write.ts'
import { leadOfPictures } from '../../containers/isobmff/write-fragment.ts'
import type { KnownFormat } from '../outputs.ts'
import { type Analysis, analyse, planOf, type SoundJob, type VideoJob } from './analyse.ts'
import { copiedOf } from './copied.ts'
import { aacEntry, avcEntry, hevcEntry } from './entries.ts'
import { MOV, MP4 } from './format.ts'
import { isHopeless, isOfPictures, runInSequence, WORTH_IT } from './in-sequence.ts'
import { encodeNatively } from './native/encode.ts'
import { keptPictures, type PartFile, PartWriter, type PicturesHead, readParts, type SoundHead } from './part-file.ts'
import { belowFloors, finishPart, isAboveFloors, lossOfParts, snrOf } from './part-loss.ts'
import { encodePart } from './pictures.ts'
import { type EncodedSound, encodeSound, leadOf, MAX_SOUND_DRIFT, runsOf } from './sound.ts'
import { verifyFilm } from './verify.ts'

const TRIFLE = 0.999

/** MP4 (ISO/IEC 14496-14) and its relatives by brand. */
export const mp4: SegmentedCodec = filmCodec(MP4)
/** QuickTime movies. */
export const mov: SegmentedCodec = filmCodec(MOV)

function filmCodec(format: KnownFormat): SegmentedCodec {
  return {
    format,
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
  return planOf(source, analysis.cpuSeconds, partsOf(analysis))
}

/** Parts of the pictures, then one for each sound track that is encoded. */
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

async function compressPart(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: SoFar): Promise<PartReceipt> {
  const analysis = await analyse(source, options, true)
  using _ = analysis.movie
  const { video } = analysis
  if (video && isOfPictures(part) && isHopeless(soFar, sumOf(video.pictures.samples.size))) return await keptPictures(sink)
  return await runPart(source, alone(analysis, part), part, sink, options)
}

/** What a part of pictures needs, and nothing of the tables of the whole film, which would be megabytes beside the engine. */
function alone(analysis: Analysis, { index, facts }: PartPlan): Analysis {
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

/** One part by an analysis at hand. */
export async function runPart(source: Source, analysis: Analysis, part: PartPlan, sink: Sink, options: Options): Promise<PartReceipt> {
  const { video, sounds, level } = analysis
  const writer = new PartWriter(sink)
  if (part.facts['kind'] === 'sound') {
    const job = sounds.find(({ track }) => track.index === part.facts['track'])
    if (!job) throw malformed('mp4', 0, 'the part does not belong to this film')
    const runs = runsOf(job.track, job.stream)
    const sound = { source, stream: job.stream, runs, options }
    const made = encodeSound(sound, writer, job.bitsPerSecond, leadOf(job.stream, runs))
    const { head, memoryBytes } = await made.then((done) => inTime(done, job.track)).catch(keptSound)
    return { bytes: await writer.finish(head), facts: { snrDb: snrOf([head]), memoryBytes } }
  }
  const cut = video?.cuts[part.index]
  if (!video || !cut || cut.start !== part.facts['start']) throw malformed('mp4', 0, 'the part does not belong to this film')
  const { native, pictures, cuts } = video
  const mustPay = cuts.length === 1 ? sumOf(pictures.samples.size) : undefined
  const job = { source, track: pictures, cut, part: writer, options, mustPay }
  const encoded = native ? encodeNatively({ ...job, native }, level) : encodePart(job, level)
  const done = await encoded.catch((error: unknown) => {
    if (isCodecError(error, 'no_gain')) return undefined
    throw error
  })
  if (!done) {
    await writer.restart()
    return await keptPictures(sink)
  }
  const { bytes, facts } = await finishPart(writer, done)
  return { bytes, replaces: sumOf(video.pictures.samples.size.subarray(cut.from, cut.to)), facts }
}

/** @throws CodecError (unsupported_feature) for sound that lasts otherwise than its times say: coded anew it would come at other moments */
function inTime(made: EncodedSound, { duration, timescale }: Track): EncodedSound {
  const { samples, hertz } = made.head
  // The encoder's run-up and its last packet take the other half.
  if (Math.abs(samples / hertz - duration / timescale) < MAX_SOUND_DRIFT / 2) return made
  throw unsupported('sound that lasts otherwise than its times say')
}

/** Packets that are not what the track says stay as they are: a part that tells of none. */
function keptSound(error: unknown): EncodedSound {
  if (!isCodecError(error, 'unsupported_feature')) throw error
  const head = { kind: 'sound', config: [], count: 0, hertz: 0, channels: 0, delay: 0, samples: 0, signal: 0, noise: 0 } as const
  return { head: { ...head, config: [] }, memoryBytes: 0 }
}

/** Plan, parts and join in sequence; stops encoding pictures as soon as they do not get smaller. */
async function compressWhole(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const analysis = await analyse(source, options)
  const run = (plan: PartPlan, into: Sink, inner: Options) => runPart(source, analysis, plan, into, inner)
  const parts = await runInSequence(partsOf(analysis), { run, mustPay: true }, options)
  return joinParts(source, analysis, parts, sink, options)
}

async function join(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  return joinParts(source, await analyse(source, options), parts, sink, options)
}

/** Joins finished parts by an analysis at hand, whose tables are freed as soon as everything has its place. */
export async function joinParts(source: Source, analysis: Analysis, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome> {
  const { movie, video, sounds } = analysis
  let { kept } = analysis
  const quickTime = options.output === 'mov'
  const fresh = new Map<number, NewTrack>()
  const steps: string[] = []
  let pictures: PictureLoss | undefined
  let sound: SoundLoss | undefined
  const pictureParts = parts.filter(({ plan }) => isOfPictures(plan))
  if (video && pictureParts.length === video.cuts.length && pictureParts.every(({ receipt }) => receipt.facts['frames'] !== 0)) {
    const files = await readParts<PicturesHead>(pictureParts)
    const loss = lossOfParts(files, video.pictures.rate)
    const track = newVideo(movie, video, files)
    if (!isAboveFloors(loss)) kept = { reason: 'below_floor', detail: belowFloors(loss) }
    else if (track.pieces.reduce((sum, { size }) => sum + size, 0) < trackBytes(video.track) * WORTH_IT) {
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
    if (track.pieces.reduce((sum, { size }) => sum + size, 0) >= trackBytes(job.track) * WORTH_IT) continue
    fresh.set(job.track.index, track)
    sound = { snrDb: Math.min(snrDb, sound?.snrDb ?? snrDb) }
    steps.push(`sound: ${job.stream.decoder} → AAC ${Math.round(job.bitsPerSecond / 1000)} kbit/s`)
  }
  const layout = staysFragmented(movie) ? 'one fragment, dead space dropped' : 'index first, dead space dropped'
  // What is new has tables of its own now.
  for (const track of movie.tracks) track.forget()
  checkContainer(movie, fresh, quickTime)
  const plan = layOut(source, movie, fresh, fileType(movie, quickTime))
  // Where the pictures had to stay, a few bytes of dead space are no result: the reason is.
  const total = plan.total + source.size - movie.end
  if (kept && total >= source.size * TRIFLE) return { kind: 'unchanged', ...kept }
  if (total >= source.size) throw noGain()
  movie[Symbol.dispose]()
  await writeMovie(source, plan, sink, options)
  await copyTail(source, movie.end, sink)
  for (const step of [layout, ...tailSteps(source, movie.end)]) steps.push(step)
  if (kept && !pictures) steps.push(`pictures kept: ${kept.detail}`)
  const left = movie.tracks.filter(({ index }) => !fresh.has(index)).map(({ handler }) => KINDS[handler])
  return { kind: 'compressed', ...lossOf(pictures, sound), ...copiedOf(left), steps }
}

const KINDS: { readonly [handler: string]: 'pictures' | 'sound' | undefined } = { vide: 'pictures', soun: 'sound' }

function describeVideo({ pictures, cuts, native }: VideoJob, files: readonly PartFile<PicturesHead>[], options: Options): string {
  const crfs = [...new Set(files.map(({ head }) => head.crf))].sort((a, b) => b - a)
  const parts = cuts.length > 1 ? ` in ${cuts.length} parts` : ''
  const to = native?.encoder === 'x265' ? `HEVC of ${native.bits} bits` : 'H.264'
  const by = native ? ` by ${options.native?.name}${native.dolbyVision ? ', without the second layer of Dolby Vision' : ''}` : ''
  return `pictures: ${pictures.stream.decoder} → ${to} crf ${crfs.join('/')}${parts}${by}`
}

/** About this long are the runs in which tracks take turns. */
export const CHUNK_SECONDS = 0.75

/** The finished parts as one track; their tables are freed. */
export function newVideo(
  movie: Movie,
  { track, pictures, native }: Pick<VideoJob, 'track' | 'pictures' | 'native'>,
  files: readonly PartFile<PicturesHead>[],
): NewTrack {
  const { pts, sizes, sync } = joinedTables(files)
  const shown = pts.slice().sort()
  const { samples, timescale } = pictures
  const lastDuration = Math.max(1, samples.dts[samples.count]! - samples.dts[samples.count - 1]!)
  const inFragments = staysFragmented(movie)
  const { start, durations, compositions, delay } = inFragments
    ? decodingTimesWithLead(pts, shown, leadOfPictures(samples), lastDuration)
    : decodingTimes(pts, shown, lastDuration)
  const base = shown[0]!
  const total = shown.at(-1)! - base + lastDuration
  const pieces = picturePieces(files, sizes, shown, timescale)
  discard(pts)
  discard(shown)
  const { width, height } = pictures.stream
  return {
    description: (native?.encoder === 'x265' ? hevcEntry : avcEntry)(
      files.map(({ head }) => Uint8Array.from(head.headers)),
      width,
      height,
      movie.moov,
      track.descriptions[0],
    ),
    timescale,
    start,
    sizes,
    durations,
    compositions: compositions.some((value) => value !== 0) ? compositions : undefined,
    sync: sync.length === sizes.length ? undefined : sync,
    edits: inFragments ? track.edits : newEdits(movie, { track, pictures }, { base, total, delay }),
    pieces,
  }
}

/** Display times, sizes and key frames of all parts, whose own tables are freed. */
function joinedTables(files: readonly PartFile<PicturesHead>[]) {
  const frames = files.reduce((sum, { head }) => sum + head.count, 0)
  const pts = new Float64Array(frames)
  const sizes = new Uint32Array(frames)
  const sync: number[] = []
  let frame = 0
  for (const file of files) {
    pts.set(file.pts, frame)
    sizes.set(file.sizes, frame)
    for (let i = 0; i < file.keys.length; i++, frame++) if (file.keys[i]) sync.push(frame)
    for (const table of [file.pts, file.sizes, file.keys]) discard(table)
  }
  return { pts, sizes, sync }
}

/**
 * Decoding times are the display times in order, from zero; composition offsets make up the rest. A reordered stream is shown
 * later by the largest lead, `delay`, which the edit list takes back.
 */
function decodingTimes(pts: Float64Array, shown: Float64Array, lastDuration: number) {
  const frames = pts.length
  const base = shown[0]!
  const durations = new Float64Array(frames)
  const compositions = new Int32Array(frames)
  let delay = 0
  for (let i = 0; i < frames; i++) {
    durations[i] = i + 1 < frames ? shown[i + 1]! - shown[i]! : lastDuration
    compositions[i] = pts[i]! - (shown[i]! - base)
    delay = Math.max(delay, -compositions[i]!)
  }
  for (let i = 0; i < frames; i++) compositions[i]! += delay
  return { start: 0, durations, compositions, delay }
}

/**
 * For fragments: decoding times that leave every display time as it is and let pictures be shown before they are decoded by at
 * most `lead`, and by as much once, as players that count from the largest lead did with the old ones.
 */
export function decodingTimesWithLead(pts: Float64Array, shown: Float64Array, lead: number, lastDuration: number) {
  const frames = pts.length
  const largest = pts.reduce((most, time, i) => Math.max(most, shown[i]! - time), 0)
  const dts = new Float64Array(frames)
  let latest = Number.POSITIVE_INFINITY
  for (let i = frames - 1; i >= 0; i--) {
    latest = Math.min(latest - 1, pts[i]! + lead)
    dts[i] = Math.min(shown[i]! + Math.max(0, lead - largest), latest)
  }
  if (!(dts[0]! >= 0)) throw unsupported('pictures that would be decoded before the film begins')
  return {
    start: dts[0]!,
    durations: dts.map((time, i) => (i + 1 < frames ? dts[i + 1]! - time : lastDuration)),
    compositions: Int32Array.from(pts, (time, i) => time - dts[i]!),
    delay: 0,
  }
}

/** The old edits, later by `delay`, or one that is needed now. */
function newEdits(
  movie: Movie,
  { track, pictures }: Pick<VideoJob, 'track' | 'pictures'>,
  { base, total, delay }: { readonly base: number; readonly total: number; readonly delay: number },
): readonly Edit[] | undefined {
  const toMovie = (time: number) => (time * movie.timescale) / pictures.timescale
  if (track.edits) {
    return track.edits.map((edit) => ({
      ...edit,
      duration: edit.duration === 0 && movie.fragmented ? Math.round(toMovie(total)) : edit.duration,
      mediaTime: edit.mediaTime < 0 ? -1 : edit.mediaTime + delay,
    }))
  }
  if (delay === 0) return undefined
  // Rounded up: players leave out a last picture that begins where the edit ends, and it may last a tick of the track's.
  return [{ duration: Math.ceil(toMovie(base + total)), mediaTime: delay, rate: 0x10000 }]
}

function picturePieces(files: readonly PartFile<PicturesHead>[], sizes: Uint32Array, shown: Float64Array, timescale: number): Piece[] {
  const pieces: Piece[] = []
  let frame = 0
  for (const { head, source } of files) {
    let offset = 0
    let piece: { time: number; size: number; samples: number; from: Source; offset: number } | undefined
    for (const end = frame + head.count; frame < end; frame++) {
      const size = sizes[frame]!
      const time = shown[frame]! / timescale
      if (!piece || time - piece.time >= CHUNK_SECONDS) pieces.push((piece = { time, size: 0, samples: 0, from: source, offset }))
      piece.size += size
      piece.samples++
      offset += size
    }
  }
  return pieces
}

/** A finished part of sound as a track. */
export function newSound(
  movie: Movie,
  { track, bitsPerSecond }: Pick<SoundJob, 'track' | 'bitsPerSecond'>,
  { head, sizes, source }: PartFile<SoundHead>,
  quickTime: boolean,
): NewTrack {
  const { hertz, channels, delay, samples } = head
  const inSamples = (time: number) => Math.round((time * hertz) / track.timescale)
  const edits: Edit[] = track.edits?.length
    ? track.edits.map((edit) => ({
        ...edit,
        // In fragmented files an edit of no duration lasts to the end.
        duration: edit.duration || Math.round(((samples - inSamples(Math.max(0, edit.mediaTime))) * movie.timescale) / hertz),
        mediaTime: edit.mediaTime < 0 ? -1 : inSamples(edit.mediaTime) + delay,
      }))
    : [{ duration: Math.round((samples * movie.timescale) / hertz), mediaTime: delay, rate: 0x10000 }]
  const pieces: Piece[] = []
  const perPiece = Math.max(1, Math.round((CHUNK_SECONDS * hertz) / 1024))
  let offset = 0
  for (let i = 0; i < sizes.length; i += perPiece) {
    const part = sizes.subarray(i, i + perPiece)
    const size = part.reduce((sum, value) => sum + value, 0)
    pieces.push({ time: (i * 1024) / hertz, size, samples: part.length, from: source, offset })
    offset += size
  }
  return {
    description: aacEntry(Uint8Array.from(head.config), channels, hertz, bitsPerSecond, quickTime),
    timescale: hertz,
    sizes,
    durations: new Float64Array(sizes.length).fill(1024),
    compositions: undefined,
    sync: undefined,
    edits,
    pieces,
  }
}

/** What MP4 cannot hold although QuickTime can. */
function checkContainer(movie: Movie, fresh: ReadonlyMap<number, NewTrack>, quickTime: boolean): void {
  if (quickTime || movie.brand !== 'qt  ') return
  const known = ['avc1', 'avc3', 'hvc1', 'hev1', 'mp4v', 'mp4a', 'ac-3', 'ec-3', 'alac', 'vp09', 'tx3g', 'text', 'tmcd', 'mebx', 'c608']
  for (const { index, descriptions } of movie.tracks) {
    if (fresh.has(index)) continue
    for (const { type } of descriptions) if (!known.includes(type)) throw unsupported(`MP4 has no tracks of type '${type}'`)
  }
}

/** The file type box of the output: the old one where it fits. */
function fileType(movie: Movie, quickTime: boolean): Uint8Array | undefined {
  const was = movie.brand === 'qt  '
  if (quickTime) return was ? movie.ftyp : concat([box('ftyp', text('qt  '), words(0x200), text('qt  '))])
  return was ? box('ftyp', text('isom'), words(0x200), text('isomiso2avc1mp41')) : movie.ftyp
}
