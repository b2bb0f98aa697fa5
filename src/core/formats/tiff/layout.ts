/** Lays out and writes the new directories: fields with new values, one directory after the other, each followed by its values. */

import { ByteWriter } from '../../bytes/writer.ts'
import {
  fieldsWithTargets,
  LONG,
  LONG8,
  SHORT,
  TAG,
  type TiffDirectory,
  type TiffField,
  type TiffFile,
  UNDEFINED,
} from '../../containers/tiff/directory.ts'
import { ifdLayout } from '../../containers/tiff/ifd.ts'
import { COMPRESSION } from '../../containers/tiff/pixels.ts'
import type { Sink } from '../../model/codec.ts'
import { sharedTables } from './jpeg-chunks.ts'
import type { PicturePlan } from './plan.ts'
import { hasNewLayout } from './strip-layout.ts'

/** Value of a TIFF field in the result. */
type Value =
  /** Field value that is copied from the source. */
  | { readonly kind: 'kept'; readonly entry: TiffField }
  | { readonly kind: 'numbers'; readonly type: number; readonly numbers: Float64Array }
  | { readonly kind: 'children'; readonly entry: TiffField; readonly firsts: readonly NewDirectory[] }

interface Field {
  readonly tag: number
  readonly value: Value
}

export interface NewDirectory {
  fields: readonly Field[]
  next: NewDirectory | undefined
  offset: number
}

/** Offsets and byte counts of a picture's strips or tiles in the result. */
export interface ChunkPlacement {
  readonly offsets: Float64Array
  readonly lengths: Float64Array
}

/** What the writer needs for the new directories, by directory of the source. */
export interface DirectoryChanges {
  readonly plans: ReadonlyMap<TiffDirectory, PicturePlan>
  readonly placed: ReadonlyMap<TiffDirectory, ChunkPlacement>
  /** New offsets of the JPEG streams of tag 513. */
  readonly blobs: ReadonlyMap<TiffDirectory, Float64Array>
  /** True if strip and tile offsets may need 8 bytes. */
  readonly hasWideOffsets: boolean
  /** True if byte counts may be SHORT. Possible only if the counts are known before the directories are laid out. */
  readonly hasShortCounts: boolean
}

/**
 * Builds the new directories, one for each directory of the source, even if several links lead to it.
 * @returns the new first directory
 */
export function newDirectories(file: TiffFile, changes: DirectoryChanges): NewDirectory {
  const made = new Map(file.all.map((directory): [TiffDirectory, NewDirectory] => [directory, { fields: [], next: undefined, offset: 0 }]))
  for (const [directory, fresh] of made) {
    fresh.fields = fieldsOf(directory, changes, made)
    fresh.next = directory.next && made.get(directory.next)
  }
  return made.get(file.chain[0]!)!
}

function fieldsOf(directory: TiffDirectory, changes: DirectoryChanges, made: ReadonlyMap<TiffDirectory, NewDirectory>): Field[] {
  const plan = changes.plans.get(directory)
  const placed = changes.placed.get(directory)
  const blob = changes.blobs.get(directory)
  const replaced = new Map<number, Value | undefined>([
    [TAG.freeOffsets, undefined],
    [TAG.freeByteCounts, undefined],
  ])
  const set = (tag: number, type: number, numbers: Float64Array) => replaced.set(tag, { kind: 'numbers', type, numbers })
  if (blob) set(TAG.jpegInterchangeFormat, LONG, blob)
  if (plan && placed) {
    const has = (tag: number) => directory.entries.some((entry) => entry.tag === tag)
    const short = changes.hasShortCounts && placed.lengths.every((length) => length <= 0xffff)
    const becomesTiles = plan.kind === 'recode' && plan.cut.tiled && !plan.pixels.tiled
    if (becomesTiles) for (const tag of [TAG.stripOffsets, TAG.stripByteCounts, TAG.rowsPerStrip]) replaced.set(tag, undefined)
    set(becomesTiles || has(TAG.tileOffsets) ? TAG.tileOffsets : TAG.stripOffsets, changes.hasWideOffsets ? LONG8 : LONG, placed.offsets)
    set(becomesTiles || has(TAG.tileByteCounts) ? TAG.tileByteCounts : TAG.stripByteCounts, short ? SHORT : LONG, placed.lengths)
    const tables = plan.kind === 'optimise' ? sharedTables(plan.pixels) : undefined
    if (tables) set(TAG.jpegTables, UNDEFINED, Float64Array.from(tables))
    if (plan.kind === 'recode') {
      set(TAG.compression, SHORT, Float64Array.of(plan.coding === 'group4' ? COMPRESSION.faxGroup4 : COMPRESSION.adobeDeflate))
      replaced.set(TAG.t4Options, undefined)
      replaced.set(TAG.jpegTables, undefined)
      if (plan.predictor === 1 || plan.coding === 'group4') replaced.set(TAG.predictor, undefined)
      else set(TAG.predictor, SHORT, Float64Array.of(plan.predictor))
      if (plan.pixels.mirrored) replaced.set(TAG.fillOrder, undefined)
      if (hasNewLayout(plan.pixels, plan.cut)) {
        const { tiled, chunkWidth, chunkHeight } = plan.cut
        if (tiled) set(TAG.tileWidth, SHORT, Float64Array.of(chunkWidth))
        set(tiled ? TAG.tileLength : TAG.rowsPerStrip, chunkHeight > 0xffff ? LONG : SHORT, Float64Array.of(chunkHeight))
      }
    }
  }
  const fields: Field[] = []
  const done = new Set<number>()
  for (const entry of fieldsWithTargets(directory)) {
    if (replaced.has(entry.tag)) {
      const value = replaced.get(entry.tag)
      if (value && !done.has(entry.tag)) fields.push({ tag: entry.tag, value })
      done.add(entry.tag)
      continue
    }
    const children = directory.children.get(entry.tag)
    if (children) fields.push({ tag: entry.tag, value: { kind: 'children', entry, firsts: children.map((child) => made.get(child)!) } })
    else fields.push({ tag: entry.tag, value: { kind: 'kept', entry } })
  }
  for (const [tag, value] of replaced) {
    if (!value || done.has(tag)) continue
    const at = fields.findIndex((field) => field.tag > tag)
    fields.splice(at < 0 ? fields.length : at, 0, { tag, value })
  }
  return fields
}

const NUMBER_BYTES: { readonly [type: number]: number } = { [UNDEFINED]: 1, [SHORT]: 2, [LONG]: 4, [LONG8]: 8 }

/** Region of the result that holds all directories and their values. Lays them out, writes them, and rewrites numbers that change later. */
export class DirectoryRegion {
  readonly #file: TiffFile
  readonly #root: NewDirectory
  readonly #placed = new Set<NewDirectory>()
  /** Directories and values in file order. Values that several entries of the source share are written once. */
  readonly #parts: { readonly at: number; readonly length: number; readonly directory?: NewDirectory; readonly value?: Value }[] = []
  readonly #places = new Map<Value, number>()
  readonly #shared = new Map<string, number>()
  readonly end: number

  constructor(file: TiffFile, root: NewDirectory, start: number) {
    this.#file = file
    this.#root = root
    this.end = this.#place(root, start)
  }

  get first(): number {
    return this.#root.offset
  }

  /** Lays out a chain of directories from `first` on, up to a directory that is already laid out. */
  #place(first: NewDirectory, start: number): number {
    let at = start
    for (let directory: NewDirectory | undefined = first; directory && !this.#placed.has(directory); directory = directory.next) {
      this.#placed.add(directory)
      at = this.#aligned(at)
      directory.offset = at
      const length = this.#directoryBytes(directory)
      this.#parts.push({ at, length, directory })
      at += length
      for (const { value } of directory.fields) {
        const bytes = this.#valueBytes(value)
        if (bytes <= this.#offsetBytes) continue
        const key = value.kind === 'kept' ? `${value.entry.at}:${bytes}` : undefined
        const known = key === undefined ? undefined : this.#shared.get(key)
        if (known !== undefined) {
          this.#places.set(value, known)
          continue
        }
        at = this.#aligned(at)
        this.#places.set(value, at)
        if (key !== undefined) this.#shared.set(key, at)
        this.#parts.push({ at, length: bytes, value })
        at += bytes
      }
      for (const { value } of directory.fields) {
        if (value.kind === 'children') for (const child of value.firsts) at = this.#place(child, at)
      }
    }
    return at
  }

  /** Writes the region. The sink must be at the region's start. */
  async write(sink: Sink): Promise<void> {
    for (const part of this.#parts) {
      if (part.at > sink.written) await sink.write(new Uint8Array(part.at - sink.written))
      if (part.directory) await sink.write(this.#directory(part.directory))
      else if (part.value?.kind === 'kept') await this.#copy(sink, part.value.entry)
      else await sink.write(this.#encode(part.value!))
    }
  }

  /** Writes all directories and numbers again. They must be in the part of the result that can still be patched. */
  patch(sink: Sink): void {
    for (const part of this.#parts) {
      if (part.directory) sink.patch(part.at, this.#directory(part.directory))
      else if (part.value!.kind !== 'kept') sink.patch(part.at, this.#encode(part.value!))
    }
  }

  async #copy(sink: Sink, entry: TiffField): Promise<void> {
    const step = 1024 * 1024
    for (let done = 0; done < entry.byteLength; done += step) {
      await sink.write((await this.#file.source.read(entry.at! + done, Math.min(step, entry.byteLength - done))).slice())
    }
  }

  #directory(directory: NewDirectory): Uint8Array {
    const { countBytes, entryBytes } = ifdLayout(this.#file)
    const out = new ByteWriter(new Uint8Array(this.#directoryBytes(directory)), this.#file.littleEndian)
    const wide = (value: number) => (this.#file.big ? out.u64(value) : out.u32(value))
    if (this.#file.big) out.u64(directory.fields.length)
    else out.u16(directory.fields.length)
    directory.fields.forEach(({ tag, value }, i) => {
      const { type, count } = typeOf(value)
      out
        .at(countBytes + i * entryBytes)
        .u16(tag)
        .u16(type)
      wide(count)
      const place = this.#places.get(value)
      if (place !== undefined) wide(place)
      else out.bytes(value.kind === 'kept' ? value.entry.inline : this.#encode(value))
    })
    out.at(countBytes + directory.fields.length * entryBytes)
    return wide(directory.next?.offset ?? 0).finish()
  }

  #encode(value: Value): Uint8Array {
    if (value.kind === 'kept') return value.entry.inline
    const { type, numbers } = value.kind === 'numbers' ? value : childOffsets(value.entry, value.firsts)
    const size = NUMBER_BYTES[type] ?? (type === 18 ? 8 : 4)
    const out = new ByteWriter(new Uint8Array(numbers.length * size), this.#file.littleEndian)
    for (const number of numbers) {
      if (size === 1) out.u8(number)
      else if (size === 2) out.u16(number)
      else if (size === 4) out.u32(number)
      else out.u64(number)
    }
    return out.finish()
  }

  #valueBytes(value: Value): number {
    if (value.kind === 'numbers') return value.numbers.length * NUMBER_BYTES[value.type]!
    return value.entry.byteLength
  }

  get #offsetBytes(): number {
    return ifdLayout(this.#file).offsetBytes
  }

  #directoryBytes(directory: NewDirectory): number {
    const { countBytes, entryBytes, offsetBytes } = ifdLayout(this.#file)
    return countBytes + directory.fields.length * entryBytes + offsetBytes
  }

  /** Rounds an offset up: TIFF 6.0 aligns values and directories to 2 bytes, BigTIFF to 8. */
  #aligned(at: number): number {
    const to = this.#file.big ? 8 : 2
    return Math.ceil(at / to) * to
  }
}

function typeOf(value: Value): { type: number; count: number } {
  if (value.kind === 'numbers') return { type: value.type, count: value.numbers.length }
  return { type: value.entry.type, count: value.entry.count }
}

function childOffsets(entry: TiffField, firsts: readonly NewDirectory[]): { type: number; numbers: Float64Array } {
  return { type: entry.type, numbers: Float64Array.from(firsts, ({ offset }) => offset) }
}
