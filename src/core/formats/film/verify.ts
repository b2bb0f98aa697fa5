/** Verifies a finished film: its structure, the bytes of copied tracks, and the decoded pictures and sound of new tracks. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import { countTrackHeaders } from '../../containers/isobmff/structure.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { trackBytes } from '../../containers/isobmff/write.ts'
import { LARGE_WINDOW_BYTES, ReadWindow } from '../../containers/packet-window.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { compareBoxes, same } from './compare-boxes.ts'
import type { ComparedTrack } from './compare-pictures.ts'
import { comparedSoundShare, compareSound, indexSoundTrack } from './compare-sound.ts'
import { compareVideo, mediaStartOf, type TrackComparison } from './compare-video.ts'
import { MAX_SOUND_DRIFT } from './tuning.ts'

/** Bytes of a copied track that are compared at a time. */
const COMPARED_BYTES = 512 * 1024
export async function verifyFilm(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  try {
    using before = await readMovie(original)
    using after = await readMovie(result)
    const boxes =
      (await compareTrackCount(original, before, after)) ??
      compareBoxes(before, after) ??
      (await trailingDataDifference(original, before.end, result, after.end))
    if (boxes) return { equal: false, difference: boxes }
    const { difference, share } = await compareTracks([original, before], [result, after], outcome, options)
    return difference ? { equal: false, difference } : { equal: true, share }
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature') || isEngineError(error, 'ffmpeg')) {
      return { equal: false, difference: error.message }
    }
    throw error
  }
}

/**
 * Compares the number of tracks. Counts those of the upload directly in the bytes of its index, because `before` uses the parser that made
 * the result. A compressed index is inflated first.
 */
async function compareTrackCount(original: Source, before: Movie, after: Movie): Promise<string | undefined> {
  const at = before.top.find(({ type }) => type === 'moov')
  const stored = at ? countTrackHeaders(await original.read(at.offset, at.size)) : 0
  const named = stored || countTrackHeaders(before.moov)
  return named === after.tracks.length ? undefined : `${named} tracks became ${after.tracks.length}`
}

type Film = readonly [source: Source, movie: Movie]

/** Compares all tracks. The result's `share` is the smallest of any track. */
async function compareTracks(
  [original, before]: Film,
  [result, after]: Film,
  outcome: Outcome,
  options: Options,
): Promise<TrackComparison> {
  let least = 1
  for (const [index, track] of before.tracks.entries()) {
    const old: ComparedTrack = { source: original, moov: before.moov, track }
    const made: ComparedTrack = { source: result, moov: after.moov, track: after.tracks[index]! }
    const { difference, share } = await compareTrack(old, made, outcome, options)
    for (const side of [old, made]) side.track.freeTables()
    if (difference) return { difference: `track ${track.id}: ${difference}`, share: 0 }
    least = Math.min(least, share)
  }
  return { share: least }
}

async function compareTrack(old: ComparedTrack, made: ComparedTrack, outcome: Outcome, options: Options): Promise<TrackComparison> {
  const [a, b] = [old.track, made.track]
  if (a.handler !== b.handler || a.id !== b.id) return { difference: `type or id changed to '${b.handler}' ${b.id}`, share: 0 }
  const [x, y] = [a.descriptions[0], b.descriptions[0]]
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const copied = x && y && same(old.moov.subarray(x.start, x.end), made.moov.subarray(y.start, y.end))
  // Equal descriptions do not prove a copy: a film that Whittle encoded before has the same description.
  if (exact || !x || (copied && !isNew(a, b, outcome))) {
    const samples = a.sampleCount === b.sampleCount ? undefined : `${a.sampleCount} samples became ${b.sampleCount}`
    return { difference: samples ?? (await compareBytes(old, made, options)), share: 1 }
  }
  if (a.handler === 'vide') return await compareVideo(old, made, outcome, options)
  if (a.handler !== 'soun') return { share: 1 }
  return { difference: await compareNewSound(old, made, outcome, options), share: comparedSoundShare(secondsOf(a)) }
}

/** True if a track may have been encoded again: the receipt has figures for its kind, and its size differs. */
function isNew(a: Track, b: Track, outcome: Outcome): boolean {
  if (outcome.kind !== 'compressed' || !outcome.loss || trackBytes(a) === trackBytes(b)) return false
  return a.handler === 'vide' ? outcome.loss.pictures !== undefined : a.handler === 'soun' && outcome.loss.sound !== undefined
}

async function compareNewSound(old: ComparedTrack, made: ComparedTrack, outcome: Outcome, options: Options): Promise<string | undefined> {
  const [a, b] = [old.track, made.track]
  const [was, is] = [a, b].map(secondsOf) as [number, number]
  if (!(Math.abs(is - was) < MAX_SOUND_DRIFT)) return `${was.toFixed(3)} s of sound became ${is.toFixed(3)} s`
  const edits = compareEdits(a, b)
  if (edits) return edits
  const [x, y] = [indexSoundTrack(old.source, old.moov, a), indexSoundTrack(made.source, made.moov, b)]
  if (!x || !y) return 'the sound cannot be decoded'
  const shift = mediaStartOf(b) - Math.round((mediaStartOf(a) * y.stream.hertz) / a.timescale)
  const claimed = outcome.kind === 'compressed' ? (outcome.loss?.sound?.snrDb ?? 0) : 0
  return compareSound(x, y, shift, claimed, options)
}

/** Compares edit lists. New sound may have one extra edit, which skips the encoder delay. */
function compareEdits(a: Track, b: Track): string | undefined {
  if (!a.edits?.length) return b.edits?.length === 1 ? undefined : 'the edit list changed'
  const sameEdits =
    a.edits.length === b.edits?.length &&
    a.edits.every(({ duration, mediaTime }, i) => {
      const edit = b.edits![i]!
      return (duration || edit.duration) === edit.duration && mediaTime < 0 === edit.mediaTime < 0
    })
  return sameEdits ? undefined : 'the edit list changed'
}

const secondsOf = ({ duration, timescale }: Track) => duration / timescale

/** Compares the media bytes of two copied tracks, chunk by chunk. */
async function compareBytes(old: ComparedTrack, made: ComparedTrack, options: Options): Promise<string | undefined> {
  const [a, b] = [old.track, made.track]
  if (a.chunks.count !== b.chunks.count) return `${a.chunks.count} chunks became ${b.chunks.count}`
  using left = new ReadWindow(old.source, LARGE_WINDOW_BYTES)
  using right = new ReadWindow(made.source, LARGE_WINDOW_BYTES)
  for (let i = 0; i < a.chunks.count; i++) {
    options.signal.throwIfAborted()
    const size = a.chunks.size[i]!
    if (size !== b.chunks.size[i]) return `the chunk at byte ${a.chunks.offset[i]} has another size`
    for (let at = 0; at < size; at += COMPARED_BYTES) {
      const count = Math.min(COMPARED_BYTES, size - at)
      const [x, y] = [await left.read(a.chunks.offset[i]! + at, count), await right.read(b.chunks.offset[i]! + at, count)]
      if (!same(x, y)) return `bytes differ at ${a.chunks.offset[i]! + at}`
    }
  }
  return undefined
}
