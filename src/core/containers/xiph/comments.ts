/** Comments of Vorbis, Opus, Speex and FLAC (Vorbis I, section 5): vendor, count, then `NAME=value` each, with lengths of four bytes. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'

export interface Comments {
  readonly vendor: Uint8Array
  readonly entries: readonly Uint8Array[]
  /** Bytes behind the comments. */
  readonly rest: Uint8Array
}

/** Most comments of a stream. */
const MAX_COMMENTS = 100_000

/** Reads comments from `at`. @returns `undefined` if a length is wrong */
export function parseComments(bytes: Uint8Array, at: number): Comments | undefined {
  const reader = new ByteReader(bytes, true)
  let end = at
  const next = (): Uint8Array | undefined => {
    if (end + 4 > bytes.length) return undefined
    const from = end + 4
    end = from + reader.u32(end)
    return end <= bytes.length ? bytes.subarray(from, end) : undefined
  }
  const vendor = next()
  if (!vendor || end + 4 > bytes.length) return undefined
  const count = reader.u32(end)
  end += 4
  if (count > MAX_COMMENTS) return undefined
  const entries: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    const entry = next()
    if (!entry) return undefined
    entries.push(entry)
  }
  return { vendor, entries, rest: bytes.subarray(end) }
}

/** Name of a comment, lower-case. Empty: it has none. */
export const commentKey = (entry: Uint8Array): string => {
  const end = entry.indexOf(0x3d)
  return end < 0 ? '' : latin1Of(entry.subarray(0, end)).toLowerCase()
}

/** Value of a comment as Latin-1. */
export const commentValue = (entry: Uint8Array): string => latin1Of(entry.subarray(entry.indexOf(0x3d) + 1))

/** Value of a comment as text (UTF-8). */
export const commentText = (entry: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(entry.subarray(entry.indexOf(0x3d) + 1))

const withLength = (bytes: Uint8Array) => [new ByteWriter(new Uint8Array(4), true).u32(bytes.length).finish(), bytes]

export function commentBytes({ vendor, entries, rest }: Comments): Uint8Array {
  const count = new ByteWriter(new Uint8Array(4), true).u32(entries.length).finish()
  return concat([...withLength(vendor), count, ...entries.flatMap(withLength), rest])
}
