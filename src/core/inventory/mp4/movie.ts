/** Reads the index of a film (`moov`) and lists what it holds. */
import { atan2 } from '../../bytes/same-math.ts'
import type { FileView } from '../file-view.ts'
import type { Reading } from '../media/media-reader.ts'
import { be32, seconds } from '../media/numbers.ts'
import { type Box, bodyOf, boxesIn } from './boxes.ts'
import { colourItems, combined } from './colours.ts'
import { pictureFacts } from './entry.ts'
import { frameColours, readChapterList, readChapters, timecodeOf } from './samples.ts'
import { soundFacts } from './sound-entry.ts'
import { readMeta, readUserData } from './tags.ts'
import { editSeconds, type FragmentDefaults, fragmentDefaults, playedSeconds, type Times } from './times.ts'
import { createdIn, isWide, type Matrix, matrixAt, readTrack, type Track } from './track.ts'

export interface Movie {
  readonly timescale: number
  readonly matrix: Matrix
  readonly created: number
  readonly tracks: readonly Track[]
  /** Times by track id, to which fragments are added. */
  readonly times: ReadonlyMap<number, Times>
  readonly fragmentDefaults: FragmentDefaults
  readonly lists: readonly Box[]
}

const MAX_TRACKS = 1000
/**
 * Sample entries whose pictures have limited range unless they tell another one (H.264, E.2.1; H.265, E.3.1). Encoders leave such a flag
 * out, so a result lists what it means. An original lists what it tells.
 */
const LIMITED_UNLESS_TOLD = ['avc1', 'avc3', 'hvc1', 'hev1']

/** Reads the tracks of an index. @throws CodecError (malformed) if a box does not fit into its parent, or a track lacks a box */
export async function readMovie(view: FileView, moov: Box): Promise<Movie> {
  const tracks: Track[] = []
  const lists: Box[] = []
  let header: Uint8Array = new Uint8Array()
  let defaults: FragmentDefaults = new Map()
  for await (const box of boxesIn(view, moov, 'exact')) {
    if (box.type === 'mvhd') header = await bodyOf(view, box, 112)
    else if (box.type === 'trak') tracks.push(await readTrack(view, box))
    else if (box.type === 'mvex') defaults = await fragmentDefaults(view, box)
    else if (box.type === 'udta' || box.type === 'meta') lists.push(box)
    if (tracks.length > MAX_TRACKS) throw view.malformed(box.start)
  }
  const timescale = be32(header, isWide(header) ? 20 : 12) || 1000
  const matrix = matrixAt(header, isWide(header) ? 48 : 36)
  const times = new Map(tracks.map((track) => [track.id, track.times]))
  return { timescale, matrix, created: createdIn(header), tracks, times, fragmentDefaults: defaults, lists }
}

/** Sample entries of subtitles. Other texts, for example chapter titles, are data. */
const SUBTITLES = ['text', 'tx3g', 'c608', 'c708', 'wvtt', 'stpp', 'sbtt', 'mp4s']

/** Names of the tracks as FFmpeg numbers them: `video 0`, `audio 0`, `audio 1` … */
function namesOf(tracks: readonly Track[]): Map<Track, string> {
  const chapters = new Set(chapterIds(tracks))
  const counts = new Map<string, number>()
  return new Map(
    tracks.map((track) => {
      const { handler, entries, id } = track
      const isSubtitle = SUBTITLES.includes(entries[0]?.type ?? '') && !chapters.has(id)
      const kind = handler === 'vide' ? 'video' : handler === 'soun' ? 'audio' : isSubtitle ? 'subtitle' : 'data'
      const number = counts.get(kind) ?? 0
      counts.set(kind, number + 1)
      return [track, `${kind} ${number}`]
    }),
  )
}

const chapterIds = (tracks: readonly Track[]): number[] =>
  tracks.flatMap(({ references }) => references.flatMap(({ type, ids }) => (type === 'chap' ? ids : [])))

/** Adds all items of a film. */
export async function describeMovie(reading: Reading, movie: Movie): Promise<void> {
  const { items, view } = reading
  const { tracks } = movie
  const names = namesOf(tracks)
  addDate(reading, '', movie.created)
  for (const [track, name] of names) {
    await describeTrack(reading, movie, track, name)
    describeReferences(reading, track, name, names)
    const place = { view, items, prefix: `${name} ` }
    for (const box of track.udta) await readUserData(place, box)
    for (const box of track.meta) await readMeta(place, box)
  }
  const place = { view, items, prefix: '' }
  for (const box of movie.lists) await (box.type === 'meta' ? readMeta(place, box) : readUserData(place, box))
  await describeChapters(reading, movie)
}

/** Chapter titles of a text track, or Nero's list if the film has no such track. */
async function describeChapters(reading: Reading, { tracks, lists }: Movie): Promise<void> {
  const [id] = chapterIds(tracks)
  const texts = tracks.find((track) => track.id === id && track.handler !== 'vide')
  if (texts) return readChapters(reading, texts)
  for (const udta of lists)
    if (udta.type === 'udta')
      for await (const box of boxesIn(reading.view, udta, 'listed')) if (box.type === 'chpl') return readChapterList(reading, box)
}

/** Adds the time of creation in seconds since 1904 (ISO/IEC 14496-12, 8.2.2). 0: not stored. */
function addDate({ items }: Reading, prefix: string, created: number): void {
  if (created !== 0) items.add('tags', `${prefix}creation_time = ${created} s since 1904`)
}

async function describeTrack(reading: Reading, movie: Movie, track: Track, name: string): Promise<void> {
  const { items, view } = reading
  const kind = name.replace(/ \d+$/, '')
  const [entry] = track.entries
  const type = entry?.type ?? ''
  if (kind === 'video') items.add('video_tracks', name)
  else if (kind === 'audio') items.add('audio_tracks', name)
  else items.add(kind === 'subtitle' ? 'subtitle_tracks' : 'other_tracks', `${name} ${type} = ${track.times.samples} samples`)
  if (track.language) items.add('languages', `${name} = ${track.language}`)
  if (track.longLanguage) items.add('languages', `${name} in full = ${track.longLanguage}`)
  if (track.isEnabled) items.add('dispositions', `${name} default`)
  addDate(reading, `${name} `, track.created)
  describeTimes(reading, movie, track, name)
  if (kind === 'video' && entry) {
    describeRotation(reading, movie, track, name)
    const { colours, pixelShape, hdrBits, sideData } = await pictureFacts(view, entry, await frameColours(reading, track))
    const isLimited = reading.isResult && LIMITED_UNLESS_TOLD.includes(type)
    for (const item of colourItems(combined(colours, isLimited ? { fullRange: false } : {}))) items.add('colour', `${name} ${item}`)
    for (const item of sideData) items.add('side_data', `${name} ${item}`)
    if (hdrBits) items.add('bit_depth', `${name} = ${hdrBits}`)
    const [width, height] = pixelShape ?? [1, 1]
    if (width !== height && width && height) items.add('rotation', `${name} pixel shape = ${reduced(width, height)}`)
  } else if (kind === 'audio' && entry) {
    const { channels, speakers } = await soundFacts(view, entry)
    items.add('sound_format', `${name} = ${channels} channels`)
    if (speakers) items.add('sound_format', `${name} speakers = ${speakers}`)
  } else if (type === 'tmcd') {
    const timecode = await timecodeOf(reading, track)
    if (timecode) items.add('timecode', `${name} = ${timecode}`)
  }
}

function reduced(width: number, height: number): string {
  let [a, b] = [width, height]
  while (b > 0) [a, b] = [b, a % b]
  return `${width / a}:${height / a}`
}

function describeTimes({ items }: Reading, movie: Movie, { times, timescale, edits }: Track, name: string): void {
  const shown = { times, timescale, edits, movieTimescale: movie.timescale }
  const played = playedSeconds(shown)
  if (played !== undefined && !name.startsWith('data')) items.add('durations', `${name} = ${seconds(played)} s`)
  const texts = editSeconds(shown)
    .map((edit) => `${edit.isEmpty ? 'empty' : 'play'} ${seconds(edit.seconds)}`)
    .filter((text) => text !== 'empty 0.0')
  if (texts.length > 1) items.add('edit_lists', `${name} = ${texts.join(' ')}`)
}

/** Rotation of the pictures in degrees, counted as FFmpeg counts it, from the matrices of track and film. */
function describeRotation({ items }: Reading, { matrix: outer }: Movie, { matrix: own }: Track, name: string): void {
  const product = (row: number, column: number) => own[row * 2]! * outer[column]! + own[row * 2 + 1]! * outer[2 + column]!
  const [a, b, c, d] = [product(0, 0), product(0, 1), product(1, 0), product(1, 1)]
  const degrees = Math.round((-atan2(b, a) * 180) / Math.PI) || 0
  const mirrored = a * d - b * c < 0
  if (degrees !== 0 || mirrored) items.add('rotation', `${name} turned = ${degrees}${mirrored ? ' mirrored' : ''}`)
}

function describeReferences({ items }: Reading, { references }: Track, name: string, names: ReadonlyMap<Track, string>): void {
  const targets = new Map([...names].map(([{ id }, target]) => [id, target]))
  for (const { type, ids } of references)
    items.add('track_references', `${name} ${type} = ${ids.map((id) => targets.get(id) ?? 'none').join(', ')}`)
}
