/**
 * Removes metadata from Matroska and WebM: tags, title, dates, file names, names of tracks, and for `strip` attached pictures. Void elements of
 * the same size take their place, so nothing moves. Chapters, fonts and other attached files stay.
 */
import { crc32 } from '../../../bytes/crc32.ts'
import { latin1Of } from '../../../bytes/latin1.ts'
import { keepsSoundTag, type RemovingMode } from '../../../catalog/metadata.ts'
import { unsignedAt, writeUnsigned } from '../../../containers/ebml/element.ts'
import {
  ATTACHED_FILE,
  ATTACHMENTS,
  CRC_32,
  FILE_MEDIA_TYPE,
  INFO,
  SEEK_HEAD,
  SEEK_POSITION,
  TAGS,
  TRACKS,
  VOID,
} from '../../../containers/ebml/matroska.ts'
import type { Options, Source } from '../../../model/codec.ts'
import { unsupported } from '../../../model/error.ts'
import { type Piece, splice } from '../../../model/splice.ts'
import { type Child, type Content, childrenOf, crcBytes, isParent, rootOf } from './content.ts'
import { type Element, type MatroskaFile, scan } from './scan.ts'

const [SEEK, TAG, SIMPLE_TAG, TAG_NAME, TRACK_ENTRY, TRACK_NAME] = [0x4dbb, 0x7373, 0x67c8, 0x45a3, 0xae, 0x536e]
/** Children of Info: title, date, and names of this file, of the one before and of the next (RFC 9559, section 5.1.2). */
const OF_INFO: readonly number[] = [0x7ba9, 0x4461, 0x7384, 0x3c83ab, 0x3e83bb]

/**
 * Returns the film without the metadata that `mode` removes.
 * @throws CodecError if the structure cannot be read, (unsupported_feature) for a picture among attached files of more than 8 MiB together
 */
export async function withoutMkvMetadata(source: Source, mode: RemovingMode, { signal }: Options): Promise<Source> {
  const file = await scan(source, signal)
  const changed = new Map<Element, Uint8Array>()
  /** Positions of elements that are gone. */
  const gone = new Set<number>()
  for (const element of file.elements) {
    const { id, at, content } = element
    if (id === ATTACHMENTS && !content && mode === 'strip') await refusePictures(file, element)
    if (!content) continue
    const edit = new Edit(content)
    const isEmpty = removeFrom(edit, id, mode)
    if (isEmpty) gone.add(at - file.start)
    if (edit.isChanged) changed.set(element, isEmpty ? voidOf(element.end - at) : edit.body())
  }
  if (changed.size === 0) return source
  removeSeeks(file, gone, changed)
  return splice(source, piecesOf(source, changed))
}

/** Puts new bytes in the place of bodies, or of whole elements that became Void. */
function piecesOf(source: Source, changed: ReadonlyMap<Element, Uint8Array>): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const [{ end }, bytes] of [...changed].sort(([a], [b]) => a.at - b.at)) {
    pieces.push({ from, to: end - bytes.length }, bytes)
    from = end
  }
  return [...pieces, { from, to: source.size }]
}

/** Removes metadata from an element. Returns true if nothing of it is left. */
function removeFrom(edit: Edit, id: number, mode: RemovingMode): boolean {
  const { root } = edit
  if (id === INFO) edit.remove(root, (child) => OF_INFO.includes(child.id))
  if (id === TRACKS) {
    for (const track of edit.children(root)) if (track.id === TRACK_ENTRY) edit.remove(track, (child) => child.id === TRACK_NAME)
  }
  if (id === TAGS) return removeTags(edit, mode)
  return id === ATTACHMENTS && mode === 'strip' && edit.remove(root, (child) => isPicture(edit, child)) && edit.isEmpty(root, ATTACHED_FILE)
}

function removeTags(edit: Edit, mode: RemovingMode): boolean {
  const keeps = (tag: Child) => {
    const name = edit.children(tag).find(({ id }) => id === TAG_NAME)
    return name !== undefined && keepsSoundTag(mode, edit.text(name))
  }
  const removeInside = (parent: Child) => {
    edit.remove(parent, (child) => child.id === SIMPLE_TAG && !keeps(child))
    for (const child of edit.children(parent)) if (child.id === SIMPLE_TAG) removeInside(child)
  }
  for (const tag of edit.children(edit.root)) if (tag.id === TAG) removeInside(tag)
  edit.remove(edit.root, (tag) => tag.id === TAG && edit.isEmpty(tag, SIMPLE_TAG))
  return edit.isEmpty(edit.root, TAG)
}

const isPicture = (edit: Edit, file: Child) =>
  file.id === ATTACHED_FILE && edit.children(file).some((child) => child.id === FILE_MEDIA_TYPE && edit.text(child).startsWith('image/'))

/** @throws CodecError (unsupported_feature) if a picture is attached beside files that are too large to be read into memory */
async function refusePictures({ reader }: MatroskaFile, { bodyAt, end }: Element): Promise<void> {
  for (let at = bodyAt; at < end; ) {
    const file = await reader.head(at, end, true)
    at = file.bodyAt + (file.bodyBytes ?? 0)
    if (file.id !== ATTACHED_FILE) continue
    for (let inside = file.bodyAt; inside < at; ) {
      const child = await reader.head(inside, at, true)
      inside = child.bodyAt + (child.bodyBytes ?? 0)
      const isType = child.id === FILE_MEDIA_TYPE && inside - child.bodyAt < 256
      if (isType && latin1Of(await reader.bytes(child.bodyAt, inside - child.bodyAt)).startsWith('image/'))
        throw unsupported('mkv_pictures_among_large_files')
    }
  }
}

/** Removes the entries of SeekHead that lead to elements which are gone. A SeekHead without entries is gone, too. */
function removeSeeks({ elements, start }: MatroskaFile, gone: Set<number>, changed: Map<Element, Uint8Array>): void {
  for (let size = -1; gone.size > size; ) {
    size = gone.size
    for (const element of elements) {
      const { id, at, end, content } = element
      if (id !== SEEK_HEAD || !content || gone.has(at - start)) continue
      const edit = new Edit(content)
      edit.remove(
        edit.root,
        (seek) => seek.id === SEEK && gone.has(edit.number(edit.children(seek).find((one) => one.id === SEEK_POSITION))),
      )
      if (!edit.isChanged) continue
      if (edit.isEmpty(edit.root, SEEK)) gone.add(at - start)
      changed.set(element, gone.has(at - start) ? voidOf(end - at) : edit.body())
    }
  }
}

/** Bytes of one element, in which children become Void elements. */
class Edit {
  readonly #content: Content
  isChanged = false

  constructor({ bytes, offset }: Content) {
    this.#content = { bytes: bytes.slice(), offset }
  }

  get root(): Child {
    return rootOf(this.#content)
  }

  /** Children of an element, without Void. */
  children({ bodyAt, end }: Child): Child[] {
    return [...childrenOf(this.#content, bodyAt, end)].filter(({ id }) => id !== VOID)
  }

  text({ bodyAt, end }: Child): string {
    return latin1Of(this.#content.bytes.subarray(bodyAt, end)).replace(/\0+$/, '')
  }

  /** Unsigned number. −1: there is no such element. */
  number(child: Child | undefined): number {
    return child ? unsignedAt(this.#content.bytes, child.bodyAt, child.end - child.bodyAt) : -1
  }

  isEmpty(parent: Child, id: number): boolean {
    return !this.children(parent).some((child) => child.id === id)
  }

  /** Turns children into Void. Returns true if there was one. */
  remove(parent: Child, isRemoved: (child: Child) => boolean): boolean {
    let from = parent.bodyAt
    let isAny = false
    for (const child of [...childrenOf(this.#content, parent.bodyAt, parent.end)]) {
      if (child.id !== VOID && isRemoved(child)) {
        this.#content.bytes.set(voidOf(child.end - from), from)
        isAny = true
      }
      from = child.end
    }
    this.isChanged ||= isAny
    return isAny
  }

  /** Returns the new body with new checksums. */
  body(): Uint8Array {
    this.#writeChecksums(this.root, 1)
    return this.#content.bytes
  }

  #writeChecksums(parent: Child, depth: number): void {
    const { bytes } = this.#content
    let checksum: Child | undefined
    for (const child of childrenOf(this.#content, parent.bodyAt, parent.end)) {
      if (child.id === CRC_32) checksum = child
      else if (isParent(child.id, depth)) this.#writeChecksums(child, depth + 1)
    }
    if (checksum) bytes.set(crcBytes(crc32(bytes.subarray(checksum.end, parent.end))), checksum.bodyAt)
  }
}

/** Longest Void element whose size takes one byte: all ones would mean an unknown size. */
const SHORT_VOID_BYTES = 2 + 126
const LONG_SIZE_BYTES = 8

/** Returns a Void element with `length` bytes, at least two (RFC 8794, section 11.3.2). */
function voidOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const sizeBytes = length <= SHORT_VOID_BYTES ? 1 : LONG_SIZE_BYTES
  bytes[0] = VOID
  writeUnsigned(bytes, 1, sizeBytes, length - 1 - sizeBytes)
  bytes[1]! |= 1 << (8 - sizeBytes)
  return bytes
}
