/** Reads one track of a film (`trak`). */
import type { FileView } from '../file-view.ts'
import { be16, be32, be64, beI32, nameAt } from '../media/numbers.ts'
import { type Box, bodyOf, boxesIn, childrenByType } from './boxes.ts'
import { languageOf } from './languages.ts'
import { type Edit, editsOf, type Times, timesOf } from './times.ts'

/** Rotation and scale of a matrix (ISO/IEC 14496-12, 6.2.2): a, b, c, d as 16.16 fixed point. */
export type Matrix = readonly [number, number, number, number]

export interface Track {
  readonly id: number
  readonly handler: string
  readonly isEnabled: boolean
  readonly matrix: Matrix
  readonly language: string | undefined
  /** Languages with country (`elng`). `undefined`: none. */
  readonly longLanguage: string | undefined
  /** Seconds since 1904 at which the track was created; 0: not stored. */
  readonly created: number
  readonly timescale: number
  readonly edits: readonly Edit[]
  readonly times: Times
  readonly stbl: ReadonlyMap<string, Box>
  readonly entries: readonly Box[]
  /** Referenced tracks by type of the reference, one entry a box (`tref`). */
  readonly references: readonly { readonly type: string; readonly ids: readonly number[] }[]
  readonly udta: readonly Box[]
  readonly meta: readonly Box[]
}

const MAX_ENTRIES = 64

/** True if the times of a header (`mvhd`, `tkhd`, `mdhd`) have 64 bits. */
export const isWide = (header: Uint8Array): boolean => header[0] === 1
/** Seconds since 1904 at which the film or track was created. */
export const createdIn = (header: Uint8Array): number => (isWide(header) ? be64(header, 4) : be32(header, 4))

export const matrixAt = (header: Uint8Array, at: number): Matrix =>
  [beI32(header, at), beI32(header, at + 4), beI32(header, at + 12), beI32(header, at + 16)] as const

const LIST_BOXES = ['udta', 'meta', 'tapt', 'load']

export async function readTrack(view: FileView, trak: Box): Promise<Track> {
  const children = await childrenByType(view, trak, 'exact')
  const lists: Box[] = []
  for await (const box of boxesIn(view, trak, 'exact')) if (LIST_BOXES.includes(box.type)) lists.push(box)
  const [tkhd, mdia] = [children.get('tkhd'), children.get('mdia')]
  if (!tkhd || !mdia) throw view.malformed(trak.start)
  const header = await bodyOf(view, tkhd, 96)
  const media = await childrenByType(view, mdia, 'exact')
  const minf = media.get('minf')
  const tables = minf && (await childrenByType(view, minf, 'exact')).get('stbl')
  const [mdhd, hdlr] = [media.get('mdhd'), media.get('hdlr')]
  if (!mdhd || !hdlr || !tables) throw view.malformed(mdia.start)
  const times = await bodyOf(view, mdhd, 36)
  const stbl = await childrenByType(view, tables, 'exact')
  const edts = children.get('edts')
  const timeAt = isWide(times) ? 20 : 12
  const elng = media.get('elng')
  return {
    id: be32(header, isWide(header) ? 20 : 12),
    handler: nameAt(await view.bytesUpTo(hdlr.body, 12), 8),
    isEnabled: (be32(header, 0) & 1) !== 0,
    matrix: matrixAt(header, isWide(header) ? 52 : 40),
    language: languageOf(be16(times, isWide(times) ? 32 : 20)),
    longLanguage: elng && nameAt(await bodyOf(view, elng, 64), 4, 60).replace(/\0.*/s, ''),
    created: createdIn(times),
    timescale: be32(times, timeAt) || 1,
    edits: edts ? await editsOf(view, (await childrenByType(view, edts, 'exact')).get('elst')) : [],
    times: await timesOf(view, stbl),
    stbl,
    entries: await sampleEntries(view, stbl.get('stsd')),
    references: await referencesOf(view, children.get('tref')),
    udta: lists.filter(({ type }) => type === 'udta'),
    meta: lists.filter(({ type }) => type === 'meta'),
  }
}

async function sampleEntries(view: FileView, stsd: Box | undefined): Promise<Box[]> {
  const entries: Box[] = []
  if (!stsd) return entries
  for await (const box of boxesIn(view, { body: Math.min(stsd.end, stsd.body + 8), end: stsd.end }, 'exact')) {
    if (entries.length < MAX_ENTRIES) entries.push(box)
  }
  return entries
}

async function referencesOf(view: FileView, tref: Box | undefined): Promise<{ type: string; ids: number[] }[]> {
  const found: { type: string; ids: number[] }[] = []
  if (!tref) return found
  for await (const box of boxesIn(view, tref, 'listed')) {
    const body = await bodyOf(view, box, 1024)
    found.push({ type: box.type, ids: Array.from({ length: Math.floor(body.length / 4) }, (_, i) => be32(body, 4 * i)) })
  }
  return found
}
