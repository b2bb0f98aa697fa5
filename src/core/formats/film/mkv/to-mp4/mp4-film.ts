/** A Matroska film as an MP4 file that is not stored: its index is in memory, and its media data is read from the Matroska file. */
import { minOf } from '../../../../bytes/min-max.ts'
import { lastStartUpTo } from '../../../../bytes/search.ts'
import type { Edit } from '../../../../containers/isobmff/track.ts'
import type { NewTrack, SourceRanges, TrackPiece } from '../../../../containers/isobmff/track-interleaving.ts'
import { layOutMovie } from '../../../../containers/isobmff/write.ts'
import type { Source } from '../../../../model/codec.ts'
import { rangeStream } from '../../../../model/source.ts'
import { type EmptyTrack, emptyMovie } from '../../sample-table.ts'
import { CHUNK_SECONDS } from '../../tuning.ts'
import type { FrameTable } from './frame-table.ts'
import type { MkvFilm } from './mkv-film.ts'
import { packetSource, sizesOf } from './packets.ts'
import { notInMp4 } from './refusals.ts'
import { FIRST_BYTES, soundEntry } from './sound-entry.ts'
import { pictureTimes, soundTimes, type Times, ticksOf } from './times.ts'
import type { MkvTrack } from './track.ts'
import { videoEntry } from './video-entry.ts'

/** Film that becomes MP4. Its frames stay where they are. */
export interface FilmAsMp4 extends Pick<MkvFilm, 'scale' | 'tracks' | 'tables' | 'notes' | 'extras'> {
  /** All frames of each track, one after another. `undefined`: the tables tell their places in the file. */
  readonly packets?: readonly Source[]
}

/** Track of MP4 before its place in the file is known. */
interface Prepared {
  readonly frame: EmptyTrack
  readonly track: Omit<NewTrack, 'edits'>
  readonly times: Times
}

/** @throws CodecError (unsupported_feature) for tracks that MP4 cannot hold */
export async function openAsMp4(source: Source, film: FilmAsMp4): Promise<Source> {
  const prepared: Prepared[] = []
  const audible = film.tracks.filter(({ sound }) => sound).length
  for (const [i, track] of film.tracks.entries()) {
    const packets = film.packets?.[i] ?? packetSource(source, film.tables[i]!, track.prefix)
    prepared.push(await prepare(packets, film, track, film.tables[i]!, audible))
  }
  const ticks = ticksOf(film.scale)
  const movieTimescale = Number.isInteger(ticks) && ticks >= 1000 && ticks <= 90_000 ? ticks : 1000
  const frames = prepared.map(({ frame, times }) => ({ ...frame, duration: times.shown + (times.start * times.timescale) / ticks }))
  const movie = await emptyMovie(withEnabled(frames), false, film.notes, { ...film.extras, timescale: movieTimescale })
  const fresh = new Map(prepared.map(({ track, times }, i) => [i, { ...track, edits: editsOf(times, ticks, movieTimescale) }]))
  const { head, media, total } = layOutMovie(source, movie, fresh, movie.ftyp)
  movie[Symbol.dispose]()
  return joined(source.name, head, media, total)
}

async function prepare(packets: Source, { scale }: FilmAsMp4, track: MkvTrack, table: FrameTable, audible: number): Promise<Prepared> {
  if (table.count === 0) throw notInMp4(track, 'mkv_why_empty')
  const first = await packets.read(0, Math.min(FIRST_BYTES, table.size[0]! + track.prefix.length))
  const sizes = sizesOf(table, track.prefix)
  const made = track.video ? pictures(track, table, first, scale) : sound(track, table, first, { scale, bytes: packets.size / table.count })
  const { times, description } = made
  const pieces = piecesOf(times, sizes, packets, (times.start * scale) / 1e9)
  const { timescale, durations, compositions } = times
  const sync = track.video ? syncOf(table) : undefined
  return {
    frame: { ...frameOf(track), timescale, duration: 0, ...(audible > 1 && track.sound ? { alternates: 1 } : {}) },
    track: { description, timescale, sizes, durations, compositions, sync, pieces },
    times,
  }
}

function pictures(track: MkvTrack, table: FrameTable, first: Uint8Array, scale: number) {
  const times = pictureTimes(table, track.frameNanoseconds, scale, track)
  return { times, description: videoEntry(track, first, (table.count * times.timescale) / times.shown) }
}

function sound(
  track: MkvTrack,
  table: FrameTable,
  first: Uint8Array,
  { scale, bytes }: { readonly scale: number; readonly bytes: number },
) {
  const entry = soundEntry(track, first, bytes)
  return { times: soundTimes(table, entry, scale, track), description: entry.entry }
}

function frameOf({ video, isDefault, name, language, longLanguage }: MkvTrack): Omit<EmptyTrack, 'timescale' | 'duration'> {
  const shown = video ? Math.round((video.width * video.pixelShape[0]) / video.pixelShape[1]) : 0
  return {
    handler: video ? 'vide' : 'soun',
    width: Math.min(shown, 65_535),
    height: video?.height ?? 0,
    title: name || undefined,
    language,
    longLanguage,
    isEnabled: isDefault,
    turned: video?.turned ?? 0,
  }
}

/** Enables the first track of a kind if none is, because players show nothing of a kind whose tracks are all disabled. */
function withEnabled(tracks: readonly EmptyTrack[]): EmptyTrack[] {
  const isShown = (kind: EmptyTrack['handler']) => tracks.some(({ handler, isEnabled }) => handler === kind && isEnabled)
  const missing = (['vide', 'soun'] as const).filter((kind) => !isShown(kind)).map((kind) => tracks.find(({ handler }) => handler === kind))
  return tracks.map((track) => (missing.includes(track) ? { ...track, isEnabled: true } : track))
}

/** Indexes of frames at which decoding may begin. `undefined`: all. */
function syncOf({ key, count }: FrameTable): number[] | undefined {
  const sync: number[] = []
  for (let i = 0; i < count; i++) if (key[i]) sync.push(i)
  return sync.length === count ? undefined : sync
}

/** Pieces of about `CHUNK_SECONDS`. `start`: time of the track's first frame in seconds. */
function piecesOf({ durations, timescale }: Times, sizes: Uint32Array, from: Source, start: number): TrackPiece[] {
  const pieces: { time: number; size: number; samples: number; from: Source; offset: number }[] = []
  let [at, offset] = [0, 0]
  for (let i = 0; i < sizes.length; i++) {
    const time = start + at / timescale
    let piece = pieces.at(-1)
    if (!piece || time - piece.time >= CHUNK_SECONDS) pieces.push((piece = { time, size: 0, samples: 0, from, offset }))
    piece.size += sizes[i]!
    piece.samples++
    offset += sizes[i]!
    at += durations[i]!
  }
  return pieces
}

/** Edit list: waits until the track begins, and leaves out what is not played. `undefined`: the track plays as a whole from the start. */
function editsOf({ start, skipped, shown, timescale, durations }: Times, ticks: number, movieTimescale: number): Edit[] | undefined {
  const empty = Math.round((start * movieTimescale) / ticks)
  const all = durations.reduce((sum, value) => sum + value, 0)
  if (empty === 0 && skipped === 0 && shown === all) return undefined
  // Rounded up, because players drop a last picture that begins exactly where the edit ends.
  const media = { duration: Math.ceil((shown * movieTimescale) / timescale), mediaTime: skipped, rate: 0x10000 }
  return empty > 0 ? [{ duration: empty, mediaTime: -1, rate: 0x10000 }, media] : [media]
}

/** Source of the index and the media data behind it. */
function joined(name: string, head: Uint8Array, { sources, count, source, offset, size }: SourceRanges, total: number): Source {
  const starts = new Float64Array(count + 1)
  starts[0] = head.length
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i]! + size[i]!
  async function read(from: number, wanted: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, minOf([wanted, total - from])))
    const inHead = head.subarray(Math.min(from, head.length), from + out.length)
    out.set(inHead)
    for (let done = inHead.length, range = lastStartUpTo(starts, count, from + done); done < out.length; range++) {
      const inside = from + done - starts[range]!
      const length = Math.min(size[range]! - inside, out.length - done)
      out.set(await sources[source[range]!]!.read(offset[range]! + inside, length), done)
      done += length
    }
    return out
  }
  return { name, size: total, read, stream: () => rangeStream(total, read) }
}
