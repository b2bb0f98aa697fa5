import type { EntryMetadata } from './records.ts'

/** A file or folder of an archive. */
export interface ZipEntry extends EntryMetadata {
  /** Decoded name, for comparisons and messages. `rawName` is what is written. */
  readonly name: string
  readonly localOffset: number
  readonly isDirectory: boolean
  /** True if the content is encrypted or uses an unknown compression method. Such an entry is copied unchanged. */
  readonly opaque: boolean
  /** File offset of the next file or of the directory. The entry must end before it. */
  readonly limit: number
}
