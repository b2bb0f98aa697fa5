/** Builds the tracks of the new movie from finished parts: sample tables, times and edit lists. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Movie } from '../../containers/isobmff/movie.ts'
import { aacEntry } from '../../containers/isobmff/sound-entry.ts'
import type { Edit } from '../../containers/isobmff/track.ts'
import type { NewTrack, TrackPiece } from '../../containers/isobmff/track-interleaving.ts'
import { mustStayFragmented } from '../../containers/isobmff/write.ts'
import { maxCompositionLead } from '../../containers/isobmff/write-fragment.ts'
import type { Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import type { SoundJob, VideoJob } from './analyse.ts'
import { avcEntry, hevcEntry } from './entries.ts'
import type { PartFile, PicturesHead, SoundHead } from './part-file.ts'
import { CHUNK_SECONDS } from './tuning.ts'

/** Joins the picture parts into one track. Frees the parts' tables. */
export function newVideo(
  movie: Movie,
  { track, pictures, native }: Pick<VideoJob, 'track' | 'pictures' | 'native'>,
  files: readonly PartFile<PicturesHead>[],
): NewTrack {
  const { pts, sizes, sync } = joinedTables(files)
  const shown = pts.slice().sort()
  const { samples, timescale } = pictures
  const lastDuration = Math.max(1, samples.dts[samples.count]! - samples.dts[samples.count - 1]!)
  const inFragments = mustStayFragmented(movie)
  const { start, durations, compositions, delay } = inFragments
    ? decodingTimesWithLead(pts, shown, maxCompositionLead(samples), lastDuration)
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

/** Joins the display times, sizes and key frames of all parts. Frees the parts' own tables. */
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
 * Uses the sorted display times, from zero, as decoding times. Composition offsets hold the difference. Reordering needs a delay of the
 * largest lead, `delay`, which the edit list removes.
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
 * Decoding times for fragments, where edit lists are ignored: display times stay as they were. A picture is shown at most `lead` before it
 * is decoded, as in the old film.
 * @throws CodecError (unsupported_feature) if the first decoding time would be negative
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
  if (!(dts[0]! >= 0)) throw unsupported('pictures_would_be_decoded_before_film_begins')
  return {
    start: dts[0]!,
    durations: dts.map((time, i) => (i + 1 < frames ? dts[i + 1]! - time : lastDuration)),
    compositions: Int32Array.from(pts, (time, i) => time - dts[i]!),
    delay: 0,
  }
}

/** Returns the old edit list shifted by `delay`, or a new one if `delay` is not 0. `undefined`: no edit list. */
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
  // Rounded up, because players drop a last picture that begins exactly where the edit ends.
  return [{ duration: Math.ceil(toMovie(base + total)), mediaTime: delay, rate: 0x10000 }]
}

function picturePieces(files: readonly PartFile<PicturesHead>[], sizes: Uint32Array, shown: Float64Array, timescale: number): TrackPiece[] {
  const pieces: TrackPiece[] = []
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

/** Builds the new sound track from its finished part. */
export function newSound(
  movie: Movie,
  { track, bitsPerSecond }: Pick<SoundJob, 'track' | 'bitsPerSecond'>,
  { head, sizes, source }: PartFile<SoundHead>,
  quickTime: boolean,
): NewTrack {
  const { hertz, channels, delay, samples } = head
  const toSamples = (time: number) => Math.round((time * hertz) / track.timescale)
  const edits: Edit[] = track.edits?.length
    ? track.edits.map((edit) => ({
        ...edit,
        // In a fragmented file, an edit with duration 0 lasts to the end of the track.
        duration: edit.duration || Math.round(((samples - toSamples(Math.max(0, edit.mediaTime))) * movie.timescale) / hertz),
        mediaTime: edit.mediaTime < 0 ? -1 : toSamples(edit.mediaTime) + delay,
      }))
    : [{ duration: Math.round((samples * movie.timescale) / hertz), mediaTime: delay, rate: 0x10000 }]
  const pieces: TrackPiece[] = []
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
