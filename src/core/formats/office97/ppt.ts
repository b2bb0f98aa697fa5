/** Pictures of a presentation: the stream `Pictures`, and their places in `PowerPoint Document` ([MS-PPT] 2.1). */
import { equalBytes } from '../../bytes/equal.ts'
import { ByteReader } from '../../bytes/reader.ts'
import type { CfbStream, CompoundFile } from '../../containers/cfb/read.ts'
import { streamDifference } from '../../containers/zip/compare.ts'
import { MAX_PICTURE_BYTES } from '../../embedded/tuning.ts'
import type { VerifiedFiles } from '../../embedded/verification-cache.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget, type MemoryBudget } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import { isBlipType, readBlip } from './blip.ts'
import { changeFbse, FBSE_BYTES, type Fbse, type FbseChange, NO_PLACE, readFbse } from './fbse.ts'
import { persistObjects } from './persist.ts'
import { blipProblem, smallerBlip } from './recompress.ts'
import { allRecords, HEADER_BYTES, recordAt, TYPE } from './record.ts'
import { type Shown, ShownSizes } from './shown.ts'
import type { Tally } from './tally.ts'
import { COPIES, MAX_DOCUMENT_BYTES, MAX_PICTURES } from './tuning.ts'

/** Offset of `offsetToCurrentEdit` in the stream `Current User` ([MS-PPT] 2.3.2). */
const CURRENT_EDIT = 16
const COPY_BYTES = 256 * 1024
/** Bytes of the largest record that may change. */
export const MAX_RECORD_BYTES = MAX_PICTURE_BYTES + 1024

/** Record of a picture in the stream. */
interface Place {
  readonly at: number
  readonly size: number
}

export interface Presentation {
  readonly document: Uint8Array
  readonly documentIndex: number
  readonly picturesIndex: number
  readonly pictures: CfbStream
  readonly places: readonly Place[]
  /** Offset behind the last record that is understood. */
  readonly end: number
  readonly entries: readonly Fbse[]
  /** Displayed size by the place of the record. */
  readonly shown: ReadonlyMap<number, Shown>
}

/** Opens the pictures of a presentation. `undefined`: it has none. @throws CodecError if their places are not understood */
export async function openPresentation(file: CompoundFile, options: MemoryBudget): Promise<Presentation | undefined> {
  const [documentIndex, picturesIndex] = [file.indexOf('PowerPoint Document'), file.indexOf('Pictures')]
  if (documentIndex === undefined || picturesIndex === undefined) return undefined
  const [stream, pictures] = [file.openEntry(documentIndex), file.openEntry(picturesIndex)]
  if (stream.size > MAX_DOCUMENT_BYTES || !fitsMemoryBudget(options, COPIES.ppt * stream.size))
    throw overBudget(message('office97_stream_too_large', { bytes: stream.size }))
  const document = await stream.read(0, stream.size)
  const { places, end } = await placesIn(pictures)
  const user = await file.open('Current User')?.read(0, CURRENT_EDIT + 4)
  if (user?.length !== CURRENT_EDIT + 4) throw unsupported('office97_pictures_not_understood')
  const { entries, shown } = surveyDocument(document, new ByteReader(user, true).u32(CURRENT_EDIT))
  const known = new Set(places.map(({ at }) => at))
  for (const { place, references, size } of entries)
    if (place !== NO_PLACE && references > 0 && size > 0 && place < end && !known.has(place))
      throw unsupported('office97_pictures_not_understood')
  return { document, documentIndex, picturesIndex, pictures, places, end, entries, shown }
}

async function placesIn(pictures: CfbStream): Promise<{ places: Place[]; end: number }> {
  const places: Place[] = []
  let at = 0
  while (at + HEADER_BYTES <= pictures.size && places.length < MAX_PICTURES) {
    const header = new ByteReader(await pictures.read(at, HEADER_BYTES), true)
    const size = HEADER_BYTES + header.u32(4)
    if (!isBlipType(header.u16(2)) || at + size > pictures.size) break
    places.push({ at, size })
    at += size
  }
  return { places, end: at }
}

function surveyDocument(document: Uint8Array, current: number): { entries: Fbse[]; shown: Map<number, Shown> } {
  const reader = new ByteReader(document, true)
  const entries: Fbse[] = []
  const tables = new Map<number, number[]>()
  const sizes = new ShownSizes()
  for (const { record, parents } of objectRecords(reader, current)) {
    if (record.type === TYPE.shape) sizes.addShape(reader, record)
    if (record.type !== TYPE.fbse || record.end - record.start < FBSE_BYTES) continue
    const entry = readFbse(document, record.at)
    entries.push(entry)
    const table = parents.at(-1)?.at ?? -1
    const places = tables.get(table)
    if (places) places.push(entry.place)
    else tables.set(table, [entry.place])
  }
  return { entries, shown: shownByPlace([...tables.values()], sizes) }
}

/**
 * Returns the displayed size of each place. Older versions of the presentation have tables of their own. If an index means another picture
 * there, all sizes are unknown.
 */
function shownByPlace(tables: readonly (readonly number[])[], sizes: ShownSizes): Map<number, Shown> {
  const shown = new Map<number, Shown>()
  const longest = tables.reduce<readonly number[]>((most, table) => (table.length > most.length ? table : most), [])
  if (tables.some((table) => table.some((place, index) => place !== longest[index]))) return shown
  const unknown = new Set<number>()
  for (const [index, place] of longest.entries()) {
    const size = sizes.of(index + 1)
    const before = shown.get(place)
    if (!size) unknown.add(place)
    else
      shown.set(place, {
        widthInches: Math.max(size.widthInches, before?.widthInches ?? 0),
        heightInches: Math.max(size.heightInches, before?.heightInches ?? 0),
      })
  }
  for (const place of unknown) shown.delete(place)
  return shown
}

/** Yields the records of all objects, each once. */
function* objectRecords(reader: ByteReader, current: number): ReturnType<typeof allRecords> {
  let end = 0
  for (const at of persistObjects(reader, current)) {
    const object = at >= end ? recordAt(reader, at, reader.length) : undefined
    if (!object) continue
    yield* allRecords(reader, at, object.end)
    end = object.end
  }
}

type Changes = Map<number, FbseChange>

/** Yields the stream of pictures with smaller records, and notes the new places in `changes`. */
export async function* smallerPictures(
  presentation: Presentation,
  changes: Changes,
  tally: Tally,
  options: Options,
): AsyncGenerator<Uint8Array> {
  const { pictures, places, end, shown, entries } = presentation
  const named = new Set(entries.map(({ place }) => place))
  let to = 0
  for (const { at, size } of places) {
    options.signal.throwIfAborted()
    const record = size > MAX_RECORD_BYTES ? undefined : await pictures.read(at, size)
    const made = record && named.has(at) ? await smallerBlip(record, shown.get(at), options) : undefined
    if (record && named.has(at)) tally.add(made)
    const written = made?.record ?? record
    const hasNewKind = made?.fresh !== undefined && made.before !== made.fresh.output
    changes.set(at, { size: made?.record.length, place: to, fresh: made?.fresh, hasNewKind })
    to += written?.length ?? size
    if (written) yield written
    else yield* piecesOf(pictures, at, at + size)
    options.progress((0.9 * (at + size)) / pictures.size)
  }
  yield* piecesOf(pictures, end, pictures.size)
}

async function* piecesOf(stream: CfbStream, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += COPY_BYTES) yield await stream.read(at, Math.min(COPY_BYTES, to - at))
}

/** Returns the document with new places. `moved`: bytes by which the stream of pictures became shorter. */
export function changedDocument(
  { document, entries, end }: Presentation,
  changes: ReadonlyMap<number, FbseChange>,
  moved: number,
): Uint8Array {
  const bytes = document.slice()
  for (const { at, place } of entries) {
    const change = changes.get(place)
    if (change) changeFbse(bytes, at, change)
    else if (place !== NO_PLACE && place >= end)
      changeFbse(bytes, at, { size: undefined, place: place - moved, fresh: undefined, hasNewKind: false })
  }
  return bytes
}

/** Returns the first difference of pictures and their places. `undefined`: the result is correct. */
export async function presentationDifference(
  before: Presentation,
  after: Presentation,
  verified: VerifiedFiles | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (before.places.length !== after.places.length) return `${before.places.length} pictures became ${after.places.length}`
  const changes: Changes = new Map()
  for (const [index, { at, size }] of before.places.entries()) {
    signal.throwIfAborted()
    const place = after.places[index]!
    if (await areEqual(before.pictures, { at, size }, after.pictures, place)) {
      changes.set(at, { size: undefined, place: place.at, fresh: undefined, hasNewKind: false })
      continue
    }
    if (size > MAX_RECORD_BYTES || place.size > size) return `picture ${index + 1}: a record that may not change`
    const [old, record] = [await before.pictures.read(at, size), await after.pictures.read(place.at, place.size)]
    const problem = await blipProblem(old, record, verified)
    if (problem) return `picture ${index + 1}: ${problem}`
    changes.set(at, { size: place.size, place: place.at, ...freshOf(old, record) })
  }
  const moved = before.end - after.end
  const tails = [before, after].map(({ end, pictures }) => ({ at: end, size: pictures.size - end })) as [Place, Place]
  if (!(await areEqual(before.pictures, tails[0], after.pictures, tails[1]))) return 'the end of the pictures changed'
  return equalBytes(changedDocument(before, changes, moved), after.document) ? undefined : 'the document names other places of pictures'
}

async function areEqual(first: CfbStream, a: Place, second: CfbStream, b: Place): Promise<boolean> {
  if (a.size !== b.size) return false
  return (await streamDifference(piecesOf(first, a.at, a.at + a.size), piecesOf(second, b.at, b.at + b.size))) === undefined
}

/** Identifier and kind of a changed picture, as its record says. */
function freshOf(before: Uint8Array, after: Uint8Array): Pick<FbseChange, 'fresh' | 'hasNewKind'> {
  const [old, fresh] = [readBlip(before), readBlip(after)]
  if (!old || (fresh?.kind !== 'jpg' && fresh?.kind !== 'png')) return { fresh: undefined, hasNewKind: false }
  return { fresh: { uid: after.subarray(HEADER_BYTES, HEADER_BYTES + 16), output: fresh.kind }, hasNewKind: old.kind !== fresh.kind }
}
