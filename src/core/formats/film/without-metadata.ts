/** Removes metadata from MP4 and QuickTime films: user data, tags, dates, and tracks that record places. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { type Box, box, boxes, boxOf, rebuild, typeAt } from '../../containers/isobmff/box.ts'
import { readTopLevelBoxes } from '../../containers/isobmff/top-level.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { isCredentialsBox, signedByCredentials } from '../../model/content-credentials.ts'
import { overBudget } from '../../model/error.ts'
import { type Piece, splice } from '../../model/splice.ts'

/** Share of the memory budget that the index may have, because its old and new form are in memory together. */
const INDEX_SHARE = 1 / 4
/** Items of user data that players need: chapters, loudness, track selection, hints, closed captions. */
const LOOK = new Set(['chpl', 'ludt', 'tsel', 'hnti', 'hinf', 'kind', 'AllF', 'SelO', 'WLOC', 'LOOP', 'clip'])
/** Items about rights. */
const LAW = new Set(['cprt', '©cpy', 'perf', 'auth', '©aut', '©ART'])
/** Freeform tags that players need: gapless playback and loudness. */
const FREEFORM_LOOK = /iTunSMPB|replaygain|iTunNORM/i
/** Sample entries of tracks that record places, movements or camera data. */
const PRIVATE_TRACKS = new Set(['gpmd', 'camm', 'mebx', 'fdsc', 'rtmd', 'urim'])

/**
 * Returns the film without the metadata that `mode` removes. Media data does not move: the freed space of the index becomes a `free` box.
 * @throws CodecError for damaged films, and `over_budget` if the index is too large
 */
export async function withoutFilmMetadata(source: Source, mode: RemovingMode, { memoryBudget }: Options): Promise<Source> {
  const pieces: Piece[] = []
  let isChanged = false
  for (const { type, offset, size } of await readTopLevelBoxes(source)) {
    if (type === 'uuid' && isCredentialsBox(await source.read(offset, 32))) throw signedByCredentials()
    if (type === 'moov') {
      if (size > memoryBudget * INDEX_SHARE) throw overBudget(message('index_of_bytes', { size }))
      const index = await source.read(offset, size)
      const reduced = reducedIndex(index, mode)
      isChanged ||= indexOfBytes(index, reduced[0]!) !== 0
      for (const piece of reduced) pieces.push(piece)
    } else if (type === 'uuid' || type === 'meta' || type === 'udta') {
      pieces.push(freeBox(size))
      isChanged = true
    } else pieces.push({ from: offset, to: offset + size })
  }
  return isChanged ? splice(source, pieces) : source
}

/** Empty box of `size` bytes. */
function freeBox(size: number): Uint8Array {
  return box('free', new Uint8Array(size - 8))
}

function reducedIndex(index: Uint8Array, mode: RemovingMode): Uint8Array[] {
  const whole = { body: 8, end: index.length }
  const reduced = boxOf(
    'moov',
    rebuild(index, whole, (child) => reducedChild(index, child, mode)),
  )
  const freed = index.length - reduced.length
  return freed === 0 ? [reduced] : [reduced, freeBox(freed)]
}

/** New form of a child of `moov`, `trak` or `mdia`. `undefined`: it stays. `null`: it is removed. */
function reducedChild(index: Uint8Array, child: Box, mode: RemovingMode): Uint8Array | null | undefined {
  const { type } = child
  if (type === 'udta' || type === 'meta') return reducedUserData(index, child, mode)
  if (type === 'mvhd' || type === 'tkhd' || type === 'mdhd') return withoutDates(index.slice(child.start, child.end))
  if (type === 'trak' && isPrivateTrack(index, child)) return null
  if (type !== 'trak' && type !== 'mdia') return undefined
  return boxOf(
    type,
    rebuild(index, child, (inner) => reducedChild(index, inner, mode)),
  )
}

/** Sets creation and modification time of a header box to 0, which means unknown (ISO/IEC 14496-12, 8.2.2). */
function withoutDates(header: Uint8Array): Uint8Array {
  const bytes = header[8] === 1 ? 16 : 8
  return header.fill(0, 12, Math.min(header.length, 12 + bytes))
}

function isPrivateTrack(index: Uint8Array, track: Box): boolean {
  const path = ['mdia', 'minf', 'stbl', 'stsd']
  let range: Box | undefined = track
  for (const type of path) range = range && [...boxes(index, range.body, range.end)].find((child) => child.type === type)
  return range !== undefined && range.end - range.body >= 16 && PRIVATE_TRACKS.has(typeAt(index, range.body + 12))
}

/** User data with the items that `mode` keeps. `null`: none is left. */
function reducedUserData(index: Uint8Array, data: Box, mode: RemovingMode): Uint8Array | null {
  if (data.type === 'meta') return reducedMeta(index, data, mode)
  const items = rebuild(index, data, (item) => {
    if (item.type === 'meta') return reducedMeta(index, item, mode)
    return keepsItem(item.type, mode) ? undefined : null
  })
  return items.length > 0 ? boxOf('udta', items) : null
}

const keepsItem = (type: string, mode: RemovingMode) => LOOK.has(type) || (mode === 'safe' && LAW.has(type))

/** Tag box with the items of its `ilst` that `mode` keeps. QuickTime writes it without version and flags (4 bytes). `null`: none is left. */
function reducedMeta(index: Uint8Array, meta: Box, mode: RemovingMode): Uint8Array | null {
  const isFull = meta.end - meta.body >= 12 && typeAt(index, meta.body + 8) === 'hdlr'
  const body = meta.body + (isFull ? 4 : 0)
  let kept = 0
  const children = rebuild(index, { body, end: meta.end }, (child) => {
    if (child.type === 'hdlr' || child.type === 'keys') return undefined
    if (child.type !== 'ilst') return null
    const items = rebuild(index, child, (item) => (keepsTag(index, item, mode) ? undefined : null))
    kept = items.length
    return kept > 0 ? boxOf('ilst', items) : null
  })
  if (kept === 0) return null
  return boxOf('meta', [index.subarray(meta.body, body), concat(children)])
}

function keepsTag(index: Uint8Array, item: Box, mode: RemovingMode): boolean {
  if (keepsItem(item.type, mode) || (mode === 'safe' && item.type === 'covr')) return true
  return item.type === '----' && FREEFORM_LOOK.test(latin1Of(index.subarray(item.body, Math.min(item.end, item.body + 256))))
}
