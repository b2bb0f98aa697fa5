/** Directory of a ZIP archive (PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.4), read for inventories. Codecs use another reader. */
import { concat } from '../bytes/concat.ts'
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { overBudget } from '../model/error.ts'
import { FileView } from './file-view.ts'

/** Entry of the central directory. */
export interface ZipMember {
  readonly name: string
  readonly isFolder: boolean
  readonly isEncrypted: boolean
  /** Compression method: 0 stored, 8 Deflate. Members with other methods are compared by their stored bytes. */
  readonly method: number
  readonly crc32: number
  readonly storedBytes: number
  readonly bytes: number
  /** File offset of the local header. */
  readonly headerOffset: number
  /** MS-DOS time and date, external and internal attributes, as one hexadecimal text. */
  readonly attributes: string
  /** Extra fields without those that only describe how the archive is written. */
  readonly extra: Uint8Array
  /** Empty: no comment. */
  readonly comment: string
}

export interface ZipDirectory {
  readonly view: FileView
  /** Members in the order of the directory. */
  readonly members: readonly ZipMember[]
  readonly comment: string
  /** Bytes before the first member. */
  readonly prefixBytes: number
  /** File offset behind the archive. */
  readonly end: number
}

const SIGNATURE = { central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator64: 0x07064b50 } as const
const END_BYTES = 22
const CENTRAL_BYTES = 46
const [LOCATOR64_BYTES, END64_BYTES] = [20, 56]
const MAX_COMMENT_BYTES = 0xffff
/** Field values that say: the number is in a zip64 record. */
const [IN_ZIP64_16, IN_ZIP64_32] = [0xffff, 0xffffffff]
const [FLAG_ENCRYPTED, ZIP64_FIELD] = [1, 0x0001]
/** Padding that lets a part grow in place, or that aligns its data: Microsoft, Android, USDZ, PyTorch. */
const PADDING_FIELDS: ReadonlySet<number> = new Set([0xa220, 0xd935, 0x1986, 0x4246])
const MAX_MEMBERS = 50_000

/**
 * Reads the central directory of an archive. `format`: name of the format in errors.
 * @throws CodecError `malformed` if there is no readable directory, `over_budget` if it has too many members
 */
export async function openZip(source: Source, format: string, signal: AbortSignal): Promise<ZipDirectory> {
  const view = new FileView(source, format, signal)
  const { endAt, comment } = await findEnd(view)
  const { count, directoryBytes, directoryOffset, directoryEnd } = await directoryPosition(view, endAt)
  if (count > MAX_MEMBERS) throw overBudget(message('archive_of_files', { count }))
  const start = directoryEnd - directoryBytes
  // Offsets count from the start of the archive, which is not the start of the file if a program was put in front of it.
  const base = start - directoryOffset
  if (base < 0 || !Number.isSafeInteger(start)) throw view.malformed(endAt)
  const members: ZipMember[] = []
  let at = start
  for (let index = 0; index < count; index++) {
    const { member, length } = await memberAt(view, at, base)
    members.push(member)
    at += length
  }
  if (at !== directoryEnd) throw view.malformed(at)
  const prefixBytes = members.reduce((least, { headerOffset }) => Math.min(least, headerOffset), start)
  return { view, members, comment: decodeText(comment), prefixBytes, end: endAt + END_BYTES + comment.length }
}

/** Finds the end record whose comment ends with the file, or else the last one that other bytes follow. */
async function findEnd(view: FileView): Promise<{ endAt: number; comment: Uint8Array }> {
  const tailAt = Math.max(0, view.size - END_BYTES - MAX_COMMENT_BYTES)
  const tail = (await view.bytes(tailAt, view.size - tailAt)).slice()
  const numbers = viewOf(tail)
  let best: number | undefined
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail[at] !== 0x50 || numbers.getUint32(at, true) !== SIGNATURE.end) continue
    const end = at + END_BYTES + numbers.getUint16(at + 20, true)
    if (end > tail.length) continue
    best ??= at
    if (end === tail.length) {
      best = at
      break
    }
  }
  if (best === undefined) throw view.malformed(tailAt)
  const from = best + END_BYTES
  return { endAt: tailAt + best, comment: tail.subarray(from, from + numbers.getUint16(best + 20, true)) }
}

async function directoryPosition(view: FileView, endAt: number) {
  const end = viewOf(await view.bytes(endAt, END_BYTES))
  const narrow = {
    count: end.getUint16(10, true),
    directoryBytes: end.getUint32(12, true),
    directoryOffset: end.getUint32(16, true),
    directoryEnd: endAt,
  }
  const isWide = narrow.count === IN_ZIP64_16 || narrow.directoryBytes === IN_ZIP64_32 || narrow.directoryOffset === IN_ZIP64_32
  if (!isWide || endAt < LOCATOR64_BYTES) return narrow
  const locator = viewOf(await view.bytes(endAt - LOCATOR64_BYTES, LOCATOR64_BYTES))
  if (locator.getUint32(0, true) !== SIGNATURE.locator64) return narrow
  const recordAt = wideNumber(locator, 8)
  const record = viewOf(await view.bytes(recordAt, END64_BYTES))
  if (record.getUint32(0, true) !== SIGNATURE.end64) throw view.malformed(recordAt)
  return {
    count: wideNumber(record, 32),
    directoryBytes: wideNumber(record, 40),
    directoryOffset: wideNumber(record, 48),
    directoryEnd: recordAt,
  }
}

async function memberAt(view: FileView, at: number, base: number): Promise<{ member: ZipMember; length: number }> {
  const fixed = viewOf((await view.bytes(at, CENTRAL_BYTES)).slice())
  if (fixed.getUint32(0, true) !== SIGNATURE.central) throw view.malformed(at)
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => fixed.getUint16(field, true)) as [number, number, number]
  const length = CENTRAL_BYTES + nameBytes + extraBytes + commentBytes
  const variable = (await view.bytes(at + CENTRAL_BYTES, length - CENTRAL_BYTES)).slice()
  const name = decodeText(variable.subarray(0, nameBytes))
  const extra = variable.subarray(nameBytes, nameBytes + extraBytes)
  // APPNOTE.TXT 4.5.3: the zip64 field holds the numbers that do not fit, in the order size, compressed size, offset.
  const wide = zip64Numbers(extra)
  const [bytes, storedBytes, offset] = [24, 20, 42].map((field) => {
    const value = fixed.getUint32(field, true)
    return value === IN_ZIP64_32 ? (wide.shift() ?? value) : value
  }) as [number, number, number]
  const member = {
    name,
    isFolder: name.endsWith('/'),
    isEncrypted: (fixed.getUint16(8, true) & FLAG_ENCRYPTED) !== 0,
    method: fixed.getUint16(10, true),
    crc32: fixed.getUint32(16, true),
    storedBytes,
    bytes,
    headerOffset: offset + base,
    attributes: [fixed.getUint32(12, true), fixed.getUint32(38, true), fixed.getUint16(36, true)]
      .map((value) => value.toString(16))
      .join(' '),
    extra: describedFields(extra),
    comment: decodeText(variable.subarray(nameBytes + extraBytes)),
  }
  return { member, length }
}

/** Yields the extra fields of a header (APPNOTE.TXT 4.5.1). Bytes that are no complete field have the id -1. */
function* fieldsOf(extra: Uint8Array): Generator<{ id: number; whole: Uint8Array }> {
  const numbers = viewOf(extra)
  let at = 0
  while (at + 4 <= extra.length && at + 4 + numbers.getUint16(at + 2, true) <= extra.length) {
    const length = 4 + numbers.getUint16(at + 2, true)
    yield { id: numbers.getUint16(at, true), whole: extra.subarray(at, at + length) }
    at += length
  }
  if (at < extra.length) yield { id: -1, whole: extra.subarray(at) }
}

function zip64Numbers(extra: Uint8Array): number[] {
  for (const { id, whole } of fieldsOf(extra)) {
    if (id !== ZIP64_FIELD) continue
    const numbers = viewOf(whole)
    return Array.from({ length: Math.floor((whole.length - 4) / 8) }, (_, index) => wideNumber(numbers, 4 + 8 * index))
  }
  return []
}

/** Returns the extra fields that say something about the member, such as times and owners. */
export function describedFields(extra: Uint8Array): Uint8Array {
  // Old versions of zipalign pad with zeros that are no field.
  const isPadding = (id: number, whole: Uint8Array) => PADDING_FIELDS.has(id) || (id <= 0 && whole.every((byte) => byte === 0))
  const kept = [...fieldsOf(extra)].filter(({ id, whole }) => id !== ZIP64_FIELD && !isPadding(id, whole))
  return concat(kept.map(({ whole }) => whole))
}

/** Decodes UTF-8. Other bytes are read as GB 18030, which Chinese archivers write. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new TextDecoder('gb18030').decode(bytes)
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads a number of 64 bits. Numbers above 2^53 lose digits, so ranges that use them are refused later. */
const wideNumber = (view: DataView, at: number): number => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32
