/** Reads the directories of a TIFF: the main chain and the directories that pointer tags lead to. */

import { ByteReader } from '../../bytes/reader.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { type CodecError, malformed, overBudget } from '../../model/error.ts'
import {
  isPointer,
  METADATA_POINTER_TAGS,
  readNumbers,
  TAG,
  type TiffDirectory,
  type TiffField,
  type TiffFile,
  TYPE_BYTES,
} from './directory.ts'
import { entryCount, ifdLayout, readField, readHeader, type TiffHeader } from './ifd.ts'
import { ReadAhead } from './read-ahead.ts'
import { MAX_DEPTH, MAX_DIRECTORIES, MAX_ENTRIES, MAX_NAMED_LINKS } from './tuning.ts'

export async function readTiff(file: Source, format: string): Promise<TiffFile> {
  const source = new ReadAhead(file)
  const bytes = await source.read(0, 16)
  const header = readHeader(bytes)
  if (!header) throw malformed(format, 0, 'no_header')
  const { littleEndian, big, version } = header
  if (version !== 42 && !big) throw malformed(format, 2, message('version_instead_of_42_or_43', { version }))
  // BigTIFF: the version is followed by the offset size 8 and a zero.
  if (big && (bytes.length < 16 || new ByteReader(bytes, littleEndian).u16(4) !== 8)) throw malformed(format, 4, 'no_8_byte_offsets')
  const reader = new DirectoryReader(source, header, format)
  const first = await reader.chain(header.firstAt, 0, 'next directory')
  if (!first) throw malformed(format, big ? 8 : 4, 'no_image_file_directory')
  const chain: TiffDirectory[] = []
  for (let at: TiffDirectory | undefined = first; at; at = at.next) chain.push(at)
  const { all, nowhere } = reader
  return { source, littleEndian, big, headerBytes: big ? 16 : 8, chain, all, brokenLinks: nowhere, format }
}

/** A directory whose `next` is not read yet. */
type Unfinished = TiffDirectory & { next: TiffDirectory | undefined }

class DirectoryReader {
  readonly #source: Source
  readonly #header: TiffHeader
  readonly #format: string
  /** Every directory whose reading has started, by offset. */
  readonly #known = new Map<number, Unfinished>()
  /** Offsets of the directories that lead to the current one. A link back to one of them is a loop. */
  readonly #open = new Set<number>()
  /** Offsets of directories whose link to a next directory was ignored. */
  readonly #withoutNext = new Set<number>()
  readonly nowhere: string[] = []

  constructor(source: Source, header: TiffHeader, format: string) {
    this.#source = source
    this.#header = header
    this.#format = format
  }

  get all(): readonly TiffDirectory[] {
    return [...this.#known.values()]
  }

  /**
   * Reads a chain of directories.
   * @param at file offset of the first directory
   * @param link description of the link to the chain, for messages
   * @param follow false to read only the first directory. Default: true
   * @returns the first directory; `undefined` if there is none
   */
  async chain(at: number, depth: number, link: string, follow = true): Promise<TiffDirectory | undefined> {
    let first: TiffDirectory | undefined
    let last: Unfinished | undefined
    const opened: number[] = []
    for (let next = at; next !== 0; ) {
      if (this.#open.has(next)) throw this.#malformed(next, 'directory_was_read_before_loop')
      if (follow && this.#withoutNext.has(next)) throw this.#malformed(next, 'directory_of_metadata_in_chain_of_others')
      const known = this.#known.get(next)
      const found = known ? undefined : await this.#directory(next, depth)
      const directory = known ?? found?.directory
      if (!directory) {
        // Some writers end the chain with a random offset. Readers show the pictures before it.
        if (depth === 0 && !first) throw this.#malformed(next, 'no_directory')
        if (this.nowhere.length < MAX_NAMED_LINKS) this.nowhere.push(`${last ? 'next directory' : link} at byte ${next}`)
        break
      }
      first ??= directory
      if (last) last.next = directory
      if (!follow && found && found.next !== 0) this.#withoutNext.add(next)
      // The directories after one that several chains share have been read with it.
      if (known || !found || !follow) break
      this.#open.add(next)
      opened.push(next)
      last = found.directory
      next = found.next
    }
    for (const offset of opened) this.#open.delete(offset)
    return first
  }

  /** @returns `undefined` if no directory starts at `at`: outside the file, no entries, or more than `MAX_ENTRIES` entries */
  async #directory(at: number, depth: number): Promise<{ directory: Unfinished; next: number } | undefined> {
    const { countBytes, entryBytes, offsetBytes } = ifdLayout(this.#header)
    // One read is enough for a directory of up to 64 entries.
    let head = at < this.#source.size ? await this.#source.read(at, countBytes + 64 * entryBytes + offsetBytes) : new Uint8Array()
    if (head.length < countBytes) return undefined
    const count = entryCount(this.#reader(head), this.#header)
    if (count === 0 || count > MAX_ENTRIES) return undefined
    const length = countBytes + count * entryBytes + offsetBytes
    if (head.length < length) head = await this.#source.read(at, length)
    if (head.length < length - offsetBytes) throw this.#malformed(at, 'directory_cut_off')
    if (this.#known.size >= MAX_DIRECTORIES) throw overBudget(message('more_than_directories', { limit: MAX_DIRECTORIES }))
    const reader = this.#reader(head)
    const entries: TiffField[] = []
    const children = new Map<number, readonly TiffDirectory[]>()
    const directory: Unfinished = { offset: at, entries, children, next: undefined }
    this.#known.set(at, directory)
    this.#open.add(at)
    const tags = new Set<number>()
    for (let i = 0; i < count; i++) {
      const entry = this.#entry(reader, at, countBytes + i * entryBytes)
      // If a tag occurs twice, some readers use the first field and some the last.
      if (tags.size === tags.add(entry.tag).size) throw this.#malformed(at, message('tag_stands_there_twice', { tag: entry.tag }))
      entries.push(entry)
      if (isPointer(entry)) children.set(entry.tag, await this.#children(entry, depth))
    }
    this.#open.delete(at)
    // Some writers omit the last link. A file that ends here has no further directory.
    return { directory, next: head.length < length ? 0 : this.#offset(reader, length - offsetBytes) }
  }

  #entry(reader: ByteReader, directoryAt: number, at: number): TiffField {
    const { tag, type, count, valueAt } = readField(reader, this.#header, at)
    const { offsetBytes } = ifdLayout(this.#header)
    const byteLength = (TYPE_BYTES[type] ?? 0) * count
    const inline = reader.bytes.slice(valueAt, valueAt + offsetBytes)
    if (byteLength <= offsetBytes) return { tag, type, count, byteLength, at: undefined, inline }
    const offset = this.#offset(reader, valueAt)
    if (offset + byteLength > this.#source.size) throw this.#malformed(directoryAt + at, message('value_of_tag_lies_outside_file', { tag }))
    return { tag, type, count, byteLength, at: offset, inline }
  }

  async #children(entry: TiffField, depth: number): Promise<TiffDirectory[]> {
    if (depth >= MAX_DEPTH) throw overBudget(message('directories_nested_deeper', { limit: MAX_DEPTH }))
    const { littleEndian } = this.#header
    const offsets = await readNumbers({ source: this.#source, littleEndian, format: this.#format }, entry, MAX_DIRECTORIES)
    const found: TiffDirectory[] = []
    // Only SubIFDs may be chains. An Exif directory is always single.
    for (const offset of offsets) {
      const first = await this.chain(offset, depth + 1, `tag ${entry.tag}`, entry.tag === TAG.subIfds)
      if (first) found.push(first)
    }
    if (found.length === offsets.length) return found
    // Links that lead nowhere may belong to lost pictures, so only metadata tags with one link may be dropped.
    if (!METADATA_POINTER_TAGS.includes(entry.tag) || offsets.length > 1)
      throw this.#malformed(entry.at ?? 0, message('tag_leads_to_no_directory', { tag: entry.tag }))
    return []
  }

  #reader(bytes: Uint8Array): ByteReader {
    return new ByteReader(bytes, this.#header.littleEndian)
  }

  #offset(reader: ByteReader, at: number): number {
    return this.#header.big ? reader.u64(at) : reader.u32(at)
  }

  #malformed(at: number, what: MessageOrCode): CodecError {
    return malformed(this.#format, at, what)
  }
}
