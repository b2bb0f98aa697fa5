/** Headers of OfficeArt and PowerPoint records ([MS-ODRAW] 2.2.1, [MS-PPT] 2.3.1). */
import type { ByteReader } from '../../bytes/reader.ts'
import { unsupported } from '../../model/error.ts'
import { MAX_DEPTH, MAX_RECORDS } from './tuning.ts'

export const HEADER_BYTES = 8
/** Version of a record that holds records. */
const CONTAINER = 0xf

export interface ArtRecord {
  /** Offset of the header. */
  readonly at: number
  readonly version: number
  readonly instance: number
  readonly type: number
  /** Offset of the data. */
  readonly start: number
  /** Offset behind the data. */
  readonly end: number
}

/** Reads a header. `undefined`: the record does not lie before `limit`. */
export function recordAt(reader: ByteReader, at: number, limit: number): ArtRecord | undefined {
  if (at + HEADER_BYTES > limit) return undefined
  const [head, start] = [reader.u16(at), at + HEADER_BYTES]
  const end = start + reader.u32(at + 4)
  return end > limit ? undefined : { at, version: head & 15, instance: head >> 4, type: reader.u16(at + 2), start, end }
}

/** Yields the records of a range one behind the other. It ends where no record lies. */
export function* recordsIn(reader: ByteReader, from: number, to: number): Generator<ArtRecord> {
  for (let record = recordAt(reader, from, to); record; record = recordAt(reader, record.end, to)) yield record
}

/**
 * Yields all records of a range, outer ones first, with the containers around each.
 * @throws CodecError `unsupported_feature` if there are too many, or too many levels
 */
export function* allRecords(reader: ByteReader, from: number, to: number): Generator<{ record: ArtRecord; parents: readonly ArtRecord[] }> {
  const parents: ArtRecord[] = []
  let count = 0
  let at = from
  for (;;) {
    const limit = parents.at(-1)?.end ?? to
    const record = recordAt(reader, at, limit)
    if (!record) {
      const parent = parents.pop()
      if (!parent) return
      at = parent.end
      continue
    }
    if (++count > MAX_RECORDS) throw unsupported('office97_too_many_records')
    yield { record, parents }
    if (record.version !== CONTAINER) at = record.end
    else {
      if (parents.length >= MAX_DEPTH) throw unsupported('office97_too_many_records')
      parents.push(record)
      at = record.start
    }
  }
}

export const TYPE = {
  bstore: 0xf001,
  shape: 0xf004,
  fbse: 0xf007,
  properties: 0xf00b,
  childAnchor: 0xf00f,
  clientAnchor: 0xf010,
  secondProperties: 0xf121,
  thirdProperties: 0xf122,
} as const
