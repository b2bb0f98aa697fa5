/** Pictures inside the entries of a drawing group ([MS-ODRAW] 2.2.12), as workbooks have them. */
import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { VerifiedFiles } from '../../embedded/verification-cache.ts'
import type { Options } from '../../model/codec.ts'
import { readBlip } from './blip.ts'
import { changeFbse, FBSE_BYTES, type Fbse, type FbseChange, readFbse } from './fbse.ts'
import { besideDocument, blipProblem, smallerBlip } from './recompress.ts'
import { type ArtRecord, allRecords, HEADER_BYTES, TYPE } from './record.ts'
import type { Tally } from './tally.ts'

interface Entry {
  readonly record: ArtRecord
  /** Containers around the entry. */
  readonly parents: readonly ArtRecord[]
  readonly fbse: Fbse
  /** Range of the picture's record. Empty: the entry has none. */
  readonly from: number
  readonly to: number
}

function entriesOf(group: Uint8Array): Entry[] {
  const reader = new ByteReader(group, true)
  const found: Entry[] = []
  for (const { record, parents } of allRecords(reader, 0, group.length)) {
    if (record.type !== TYPE.fbse || record.end - record.start < FBSE_BYTES) continue
    const fbse = readFbse(group, record.at)
    const from = Math.min(record.end, record.start + FBSE_BYTES + fbse.nameBytes)
    const hasBlip = from + HEADER_BYTES <= record.end && from + HEADER_BYTES + reader.u32(from + 4) === record.end
    found.push({ record, parents: [...parents], fbse, from, to: hasBlip ? record.end : from })
  }
  return found
}

/** Yields the records of pictures in file order. Empty: an entry without a picture. */
export function* blipsOf(group: Uint8Array): Generator<Uint8Array> {
  for (const { from, to } of entriesOf(group)) yield group.slice(from, to)
}

type Replacements = ReadonlyMap<number, { readonly bytes: Uint8Array; readonly change: FbseChange }>

/** Returns the group with other records of pictures, by the offset of the entry. */
function withPictures(group: Uint8Array, entries: readonly Entry[], replacements: Replacements): Uint8Array {
  const bytes = group.slice()
  const parts: Uint8Array[] = []
  const out = new ByteWriter(bytes, true)
  const shorter = new Map<number, number>()
  let at = 0
  for (const { record, parents, from, to } of entries) {
    const fresh = replacements.get(record.at)
    if (!fresh) continue
    for (const { at: outer } of [record, ...parents]) shorter.set(outer, (shorter.get(outer) ?? 0) + to - from - fresh.bytes.length)
    changeFbse(bytes, record.at, fresh.change)
    parts.push(bytes.subarray(at, from), fresh.bytes)
    at = to
  }
  const reader = new ByteReader(group, true)
  for (const [outer, less] of shorter) out.at(outer + 4).u32(reader.u32(outer + 4) - less)
  return concat([...parts, bytes.subarray(at)])
}

/**
 * Returns the group with smaller pictures. `undefined`: none became smaller.
 * @param heldBytes bytes of the document in memory, with the group
 */
export async function smallerGroup(group: Uint8Array, heldBytes: number, tally: Tally, options: Options): Promise<Uint8Array | undefined> {
  const entries = entriesOf(group)
  let held = heldBytes
  const replacements = new Map<number, { bytes: Uint8Array; change: FbseChange }>()
  for (const { record, fbse, from, to } of entries) {
    options.signal.throwIfAborted()
    if (from === to) continue
    const made = await smallerBlip(group.slice(from, to), undefined, besideDocument(options, held))
    tally.add(made)
    held += made?.record.length ?? 0
    if (made) replacements.set(record.at, { bytes: made.record, change: changeOf(fbse, made.record.length, made.before, made.fresh) })
    options.progress((0.9 * to) / group.length)
  }
  return replacements.size > 0 ? withPictures(group, entries, replacements) : undefined
}

const changeOf = ({ place }: Fbse, size: number, before: string, fresh: FbseChange['fresh']): FbseChange => ({
  size,
  place,
  fresh,
  hasNewKind: fresh !== undefined && before !== fresh.output,
})

/** Returns why `after` is no result of the group `before`; `undefined` if it is. */
export async function groupProblem(
  before: Uint8Array,
  after: Uint8Array,
  verified: VerifiedFiles | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [entries, fresh] = [entriesOf(before), entriesOf(after)]
  if (entries.length !== fresh.length) return `${entries.length} pictures became ${fresh.length}`
  const replacements = new Map<number, { bytes: Uint8Array; change: FbseChange }>()
  for (const [index, { record, fbse, from, to }] of entries.entries()) {
    signal.throwIfAborted()
    const other = fresh[index]!
    const [old, bytes] = [before.slice(from, to), after.slice(other.from, other.to)]
    if (equalBytes(old, bytes)) continue
    const problem = await blipProblem(old, bytes, verified)
    if (problem) return `picture ${index + 1}: ${problem}`
    const [was, now] = [readBlip(old), readBlip(bytes)]
    const output = now?.kind === 'jpg' || now?.kind === 'png' ? now.kind : undefined
    const identity = output && { uid: bytes.subarray(HEADER_BYTES, HEADER_BYTES + 16), output }
    replacements.set(record.at, { bytes, change: changeOf(fbse, bytes.length, was?.kind ?? '', identity) })
  }
  return equalBytes(withPictures(before, entries, replacements), after) ? undefined : 'the drawing group changed'
}
