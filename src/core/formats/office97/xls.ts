/** Pictures of a workbook: the records `MsoDrawingGroup` of its globals ([MS-XLS] 2.4.171), and the offsets that change with them. */
import { concat } from '../../bytes/concat.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { CompoundFile } from '../../containers/cfb/read.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget, type MemoryBudget } from '../../model/budget.ts'
import { overBudget, unsupported } from '../../model/error.ts'
import { COPIES, MAX_DOCUMENT_BYTES } from './tuning.ts'

const RECORD = { boundSheet: 0x85, continue: 0x3c, drawingGroup: 0xeb, eof: 0x0a, extSst: 0xff, index: 0x20b, start: 0x809 } as const
const HEADER_BYTES = 4
/** Version of the only workbooks with drawings that are understood (Excel 97 to 2003). */
const BIFF8 = 0x600
/** Most bytes of a record's data ([MS-XLS] 2.1.4). */
const MAX_DATA_BYTES = 8224

/** A place in the stream that holds an offset into the stream. */
interface Pointer {
  readonly at: number
  readonly value: number
}

export interface Workbook {
  readonly index: number
  readonly bytes: Uint8Array
  /** Range of the records of the drawing group. */
  readonly from: number
  readonly to: number
  /** Types and sizes of these records. */
  readonly chunks: readonly { readonly type: number; readonly length: number }[]
  /** Data of these records. */
  readonly group: Uint8Array
  readonly pointers: readonly Pointer[]
}

/** Opens the drawing group of a workbook. `undefined`: it has no pictures. @throws CodecError if its records are not understood */
export async function openWorkbook(file: CompoundFile, options: MemoryBudget): Promise<Workbook | undefined> {
  const index = file.indexOf('Workbook')
  if (index === undefined) return undefined
  const stream = file.openEntry(index)
  if (stream.size > MAX_DOCUMENT_BYTES || !fitsMemoryBudget(options, COPIES.xls * stream.size))
    throw overBudget(message('office97_stream_too_large', { bytes: stream.size }))
  const bytes = await stream.read(0, stream.size)
  const reader = new ByteReader(bytes, true)
  if (bytes.length < 8 || reader.u16(0) !== RECORD.start || reader.u16(4) !== BIFF8) return undefined
  return readWorkbook(index, bytes, reader)
}

function readWorkbook(index: number, bytes: Uint8Array, reader: ByteReader): Workbook | undefined {
  const chunks: { type: number; length: number }[] = []
  const parts: Uint8Array[] = []
  const pointers: Pointer[] = []
  let [from, to, isGlobal] = [-1, -1, true]
  for (const { at, type, length } of biffRecords(reader)) {
    const data = at + HEADER_BYTES
    const next = data + length
    const continues = at === to && (type === RECORD.drawingGroup || type === RECORD.continue)
    if (continues || (type === RECORD.drawingGroup && isGlobal && from < 0)) {
      if (from < 0) from = at
      to = next
      chunks.push({ type, length })
      parts.push(bytes.subarray(data, next))
      // Two groups in one workbook are not defined.
    } else if (type === RECORD.drawingGroup) throw unsupported('office97_pictures_not_understood')
    else if (type === RECORD.eof) isGlobal = false
    else for (const one of pointersIn(reader, type, data, next)) pointers.push(one)
  }
  if (from < 0) return undefined
  for (const { value } of pointers) if (value > from && value < to) throw unsupported('office97_pictures_not_understood')
  return { index, bytes, from, to, chunks, group: concat(parts), pointers }
}

function* biffRecords(reader: ByteReader): Generator<{ at: number; type: number; length: number }> {
  for (let at = 0; at + HEADER_BYTES <= reader.length; ) {
    const length = reader.u16(at + 2)
    if (at + HEADER_BYTES + length > reader.length) return
    yield { at, type: reader.u16(at), length }
    at += HEADER_BYTES + length
  }
}

/** Offsets in a record: of a sheet ([MS-XLS] 2.4.28), of rows (2.4.144), of texts (2.4.107). */
function* pointersIn(reader: ByteReader, type: number, from: number, to: number): Generator<Pointer> {
  const [first, step] =
    type === RECORD.boundSheet ? [0, Number.POSITIVE_INFINITY] : type === RECORD.index ? [12, 4] : type === RECORD.extSst ? [2, 8] : [-1, 0]
  if (first < 0) return
  for (let at = from + first; at + 4 <= to; at += step) yield { at, value: reader.u32(at) }
}

/** Returns the stream with another drawing group and with the offsets behind it corrected. */
export function withGroup({ bytes, from, to, chunks, pointers }: Workbook, group: Uint8Array): Uint8Array {
  const records: Uint8Array[] = []
  for (let at = 0, index = 0; at < group.length; index++) {
    const data = group.subarray(at, at + MAX_DATA_BYTES)
    // Further records have the types that the program chose.
    const type = chunks[Math.min(index, chunks.length - 1)]!.type
    const header = new ByteWriter(new Uint8Array(HEADER_BYTES), true).u16(type).u16(data.length).finish()
    records.push(header, data)
    at += data.length
  }
  const result = concat([bytes.subarray(0, from), ...records, bytes.subarray(to)])
  const moved = bytes.length - result.length
  const out = new ByteWriter(result, true)
  for (const { at, value } of pointers) if (value >= to && value < bytes.length) out.at(at >= to ? at - moved : at).u32(value - moved)
  return result
}

/** True if each sheet begins where the workbook says. */
export function sheetsBegin({ bytes }: Pick<Workbook, 'bytes'>): boolean {
  const reader = new ByteReader(bytes, true)
  for (const { at, type, length } of biffRecords(reader)) {
    if (type === RECORD.eof) break
    if (type !== RECORD.boundSheet || length < 4) continue
    const sheet = reader.u32(at + HEADER_BYTES)
    if (sheet + 4 > bytes.length || reader.u16(sheet) !== RECORD.start) return false
  }
  return true
}
