/**
 * Inventory reader for LAS and LAZ (LAS 1.4 R15, sections 2.4 to 2.7; LAS 1.5; LASzip 3.4): header, records, dimensions, number of points.
 * The points themselves are no items: the codec compares them.
 */
import { latin1Of } from '../bytes/latin1.ts'
import { ByteReader } from '../bytes/reader.ts'
import type { Source } from '../model/codec.ts'
import { digestOf, digestOfStream } from './digest.ts'
import { FileView } from './file-view.ts'
import { InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addExtraDimensions, addHeaderFields, type LasHeader } from './las/header.ts'

const MIN_HEADER_BYTES = 227
const WAVEFORMS_AT = 227
const EXTENDED_RECORDS_AT = 235
const RECORD_HEADER_BYTES = 54
const EXTENDED_HEADER_BYTES = 60
/** Longest content of a record that is read at once. */
const MAX_SHORT_BYTES = 1 << 20
const DIMENSIONS_RECORD = 4
/** Records that describe how the points are packed: LASzip's, and the index of a cloud optimized point cloud. */
const PACKING: readonly string[] = ['laszip encoded', 'copc']
/** Offsets in LASzip's record: points of a chunk, and the number that says that chunks differ. */
const CHUNK_POINTS_AT = 12
const CHUNKS_DIFFER = 0xffff_ffff

export const LAS_READER: InventoryReader = { read }

async function read(source: Source, signal: AbortSignal) {
  const view = new FileView(source, 'las', signal)
  const to = new InventoryBuilder()
  const header = await readHeader(view, to)
  const las: LasFile = { view, to, header }
  const end = await readRecords(las)
  await addRange(las, 'between the records and the points', end, header.pointOffset)
  if (header.waveformsAt > 0 && header.minor === 3) await readRecord(las, header.waveformsAt, true)
  await readExtendedRecords(las)
  return to.build()
}

interface LasFile {
  readonly view: FileView
  readonly to: InventoryBuilder
  readonly header: LasHeader
}

async function readHeader(view: FileView, to: InventoryBuilder): Promise<LasHeader> {
  const start = await view.bytes(0, Math.min(MIN_HEADER_BYTES, view.size))
  if (start.length < MIN_HEADER_BYTES || latin1Of(start.subarray(0, 4)) !== 'LASF') throw view.malformed(0)
  const headerBytes = new ByteReader(start, true).u16(94)
  if (headerBytes < MIN_HEADER_BYTES || headerBytes > view.size) throw view.malformed(94)
  const reader = new ByteReader((await view.bytes(0, headerBytes)).slice(), true)
  const minor = reader.u8(25)
  const has = (end: number) => headerBytes >= end
  const points = minor >= 4 && has(255) ? reader.u64(247) : reader.u32(107)
  addHeaderFields(reader, minor, to)
  to.add('points', `point of format ${reader.u8(104) & 0x3f}`, points)
  return {
    ...{ minor, headerBytes, points, pointOffset: reader.u32(96), recordCount: reader.u32(100) },
    waveformsAt: minor >= 3 && has(235) ? reader.u64(WAVEFORMS_AT) : 0,
    extendedAt: minor >= 4 && has(247) ? reader.u64(EXTENDED_RECORDS_AT) : 0,
    extendedCount: minor >= 4 && has(247) ? reader.u32(EXTENDED_RECORDS_AT + 8) : 0,
  }
}

/** Reads the variable length records (VLRs) between header and points. Returns the offset after them. */
async function readRecords(las: LasFile): Promise<number> {
  const { view, header } = las
  if (header.pointOffset > view.size) throw view.malformed(96)
  let at = header.headerBytes
  for (let i = 0; i < header.recordCount; i++) {
    const end = await readRecord(las, at, false)
    if (end === undefined || end > header.pointOffset) throw view.malformed(at)
    at = end
  }
  return at
}

/** Reads the extended records (EVLRs) after the points, and the bytes after them. Codecs copy these bytes, whatever they are. */
async function readExtendedRecords(las: LasFile): Promise<void> {
  const { extendedAt, extendedCount } = las.header
  if (extendedAt === 0 || extendedCount === 0) return
  let at: number | undefined = extendedAt
  for (let i = 0; i < extendedCount && at !== undefined; i++) at = await readRecord(las, at, true)
  if (at !== undefined) await addRange(las, 'after the extended records', at, las.view.size)
}

/** Reads a record. Returns the offset after it; `undefined`: it reaches beyond the file. */
async function readRecord({ view, to, header }: LasFile, at: number, isExtended: boolean): Promise<number | undefined> {
  const headerBytes = isExtended ? EXTENDED_HEADER_BYTES : RECORD_HEADER_BYTES
  const head = (await view.bytesUpTo(at, headerBytes)).slice()
  if (head.length < headerBytes) return undefined
  const reader = new ByteReader(head, true)
  const [user, id] = [textOf(head.subarray(2, 18)), reader.u16(18)]
  const length = isExtended ? reader.u64(20) : reader.u16(20)
  const contentAt = at + headerBytes
  const there = Math.max(0, Math.min(length, view.size - contentAt))
  if (PACKING.includes(user)) {
    if (user === 'laszip encoded' && there >= 34) await checkChunkTable(view, header, (await view.bytes(contentAt, 34)).slice())
  } else {
    const digest = await digestOfStream(headAndContent(head, view.chunks(contentAt, there)))
    const description = textOf(head.subarray(headerBytes - 32))
    to.add('records', `${user} ${id} ${description} = ${there} bytes #${digest}`)
    if (user === 'LASF_Spec' && id === DIMENSIONS_RECORD && there <= MAX_SHORT_BYTES)
      addExtraDimensions(await view.bytes(contentAt, there), to)
  }
  return contentAt + length <= view.size ? contentAt + length : undefined
}

/** Checks that the chunk table of packed points lies in the file and has a chunk for each part of the points. */
async function checkChunkTable(view: FileView, { points, pointOffset }: LasHeader, content: Uint8Array): Promise<void> {
  const perChunk = new ByteReader(content, true).u32(CHUNK_POINTS_AT)
  const place = await view.bytesUpTo(pointOffset, 8)
  const tableAt = place.length < 8 ? 0 : new ByteReader(place, true).u64(0)
  // A writer that could not go back stores the offset at the end of the file, and −1 here.
  if (perChunk === CHUNKS_DIFFER || tableAt > Number.MAX_SAFE_INTEGER) return
  if (perChunk === 0 || tableAt < pointOffset + 8) throw view.malformed(pointOffset)
  const chunks = new ByteReader(await view.bytes(tableAt, 8), true).u32(4)
  if (chunks !== Math.ceil(points / perChunk)) throw view.malformed(tableAt)
}

async function* headAndContent(head: Uint8Array, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The length is part of the item, and a record header has no other number that may change.
  yield head
  yield* content
}

async function addRange({ view, to }: LasFile, name: string, at: number, end: number): Promise<void> {
  if (end <= at) return
  if (end - at <= MAX_SHORT_BYTES) {
    const bytes = await view.bytes(at, end - at)
    if (bytes.some((byte) => byte !== 0)) to.add('trailing_bytes', `${name} = ${bytes.length} bytes #${digestOf(bytes)}`)
  } else to.add('trailing_bytes', `${name} = ${end - at} bytes #${await digestOfStream(view.chunks(at, end - at))}`)
}

const textOf = (bytes: Uint8Array): string => latin1Of(bytes).split('\0')[0]!
