import type { EntryFacts } from './records.ts'

/** One file or folder of an archive. */
export interface ZipEntry extends EntryFacts {
  /** The name decoded, for looking at; `rawName` is what is written. */
  readonly name: string
  readonly localOffset: number
  readonly isDirectory: boolean
  /** Its bytes are under a password, or by a method we do not read: it is copied as it stands. */
  readonly opaque: boolean
  /** Where the next file or the directory begins; this one ends before. */
  readonly limit: number
}
