/** Bytes of a TIFF that no directory names: between what is named, and behind it. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { type Column, GrowingColumn } from '../../bytes/compact-array.ts'
import { type Directory, LONG, LONG8, readNumbers, TAG, type TiffFile } from '../../containers/tiff/directory.ts'
import { ifdLayout } from '../../containers/tiff/ifd.ts'
import type { Pixels } from '../../containers/tiff/pixels.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { blobsOf } from './blobs.ts'
import { ghostOf } from './cog-metadata.ts'

export interface Unnamed {
  /** Bytes between named ones that are not kept; filling with zeros is not counted. */
  readonly between: number
  /** Where the last named byte ends. */
  readonly end: number
  /** Bytes from `end` on, and whether they are all zero. */
  readonly tail: { readonly bytes: number; readonly isFilling: boolean }
}

/** Shorter gaps align what follows, or hold the lengths that GDAL puts around tiles. */
const ALIGNMENT_BYTES = 16
/** A longer tail that is no filling may be what private fields count on. */
const MOST_TAIL_BYTES = 1024
const STEP_BYTES = 64 * 1024
const MOST_GAPS = 1000

/** @throws CodecError (malformed, unsupported_feature) where bytes that no directory names seem to be content, which would be moved or lost */
export async function unnamedOf(file: TiffFile, pictures: readonly Pixels[]): Promise<Unnamed> {
  const named = await namedRanges(file, pictures)
  const gaps: Range[] = []
  let [between, end] = [0, 0]
  named.inOrder()
  for (let i = 0; i < named.count; i++) {
    const { from, to } = named.at(i)
    if (from - end > ALIGNMENT_BYTES && !(await isZero(file.source, end, from))) {
      between += from - end
      addGap(gaps, end, from)
    }
    end = Math.max(end, to)
  }
  named.free()
  end = Math.min(end, file.source.size)
  const bytes = file.source.size - end
  const isFilling = await isZero(file.source, end, file.source.size)
  if (bytes > MOST_TAIL_BYTES && !isFilling) throw unsupported(message('bytes_behind_last_directory', { bytes }))
  // Most likely the pictures of a directory that was cut off: a tool that repairs the file would find them.
  if (file.nowhere.length > 0 && between > MOST_TAIL_BYTES)
    throw malformed(file.format, end, message('missing_directory', { link: String(file.nowhere[0]) }))
  if (!isFilling) addGap(gaps, end, file.source.size)
  await refuseOffsets(file, gaps)
  return { between, end, tail: { bytes, isFilling } }
}

/** Of a file in very many pieces the last gap stands for all that follow. */
function addGap(gaps: Range[], from: number, to: number): void {
  const last = gaps.at(-1)
  if (last && gaps.length >= MOST_GAPS) gaps[gaps.length - 1] = { from: last.from, to }
  else gaps.push({ from, to })
}

/** What the result lacks, in words. */
export function unnamedSteps({ between, tail }: Unnamed): Message[] {
  return [
    ...(between > 0 ? [message('unnamed_bytes_removed', { bytes: between })] : []),
    ...(tail.isFilling && tail.bytes > ALIGNMENT_BYTES ? [message('zero_bytes_removed', { bytes: tail.bytes })] : []),
  ]
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Header, directories, values, JPEG streams, strips and tiles, space that is declared free. */
async function namedRanges(file: TiffFile, pictures: readonly Pixels[]): Promise<Ranges> {
  const ghost = await ghostOf(file)
  const named = new Ranges()
  named.add(0, file.headerBytes + (ghost?.bytes.length ?? 0))
  const { countBytes, entryBytes, offsetBytes } = ifdLayout(file)
  for (const directory of file.all) {
    named.add(directory.offset, countBytes + directory.entries.length * entryBytes + offsetBytes)
    for (const entry of directory.entries) if (entry.at !== undefined) named.add(entry.at, entry.byteLength)
    for (const { offset, length } of await blobsOf(file, directory)) named.add(offset, length)
    for (const { from, to } of await freeRanges(file, directory)) named.add(from, to - from)
  }
  // Behind each tile GDAL repeats its last four bytes.
  const behind = ghost?.trailer ? 4 : 0
  for (const { offsets, lengths } of pictures) {
    for (let i = 0; i < offsets.length; i++) named.add(offsets[i]!, lengths[i]! && lengths[i]! + behind)
  }
  return named
}

/** Ranges as columns: a picture has up to millions of tiles. Those that lie in a row are one. */
class Ranges {
  readonly #starts = new GrowingColumn()
  readonly #ends = new GrowingColumn()
  #last: Range | undefined
  #from: Column = new Uint32Array()
  #to: Column = new Uint32Array()
  #order: Uint32Array | undefined

  add(from: number, bytes: number): void {
    if (!(bytes > 0)) return
    const last = this.#last
    const joins = last !== undefined && from >= last.from && from - last.to <= ALIGNMENT_BYTES
    if (last && !joins) this.#push(last)
    this.#last = joins ? { from: last.from, to: Math.max(last.to, from + bytes) } : { from, to: from + bytes }
  }

  /** Sorts what was added, which ends the adding. */
  inOrder(): void {
    if (this.#last) this.#push(this.#last)
    this.#from = this.#starts.finish()
    this.#to = this.#ends.finish()
    const starts = this.#from
    this.#order = Uint32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]!)
  }

  get count(): number {
    return this.#from.length
  }

  at(place: number): Range {
    const i = this.#order?.[place] ?? place
    return { from: this.#from[i]!, to: this.#to[i]! }
  }

  free(): void {
    for (const column of [this.#from, this.#to]) discard(column)
  }

  #push({ from, to }: Range): void {
    this.#starts.push(from)
    this.#ends.push(to)
  }
}

async function freeRanges(file: TiffFile, { entries }: Directory): Promise<Range[]> {
  const [offsets, counts] = [TAG.freeOffsets, TAG.freeByteCounts].map((tag) => entries.find((entry) => entry.tag === tag))
  if (!offsets || !counts) return []
  const lengths = await readNumbers(file, counts)
  return [...(await readNumbers(file, offsets))].map((from, i) => ({ from, to: from + (lengths[i] ?? 0) }))
}

async function isZero(source: Source, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to; at += STEP_BYTES) {
    const bytes = await source.read(at, Math.min(STEP_BYTES, to - at))
    if (bytes.some((byte) => byte !== 0)) return false
  }
  return true
}

/** Fields below are registered, or Exif's, and hold no offsets but those that are followed. */
const FIRST_PRIVATE = 32768
const KNOWN_NUMBERS: readonly number[] = [TAG.exifIfd, TAG.gpsIfd, TAG.interoperabilityIfd, 34850, 34864, 40960, 40961, 40962, 40963]
/** More values are a table of something else. */
const MOST_OFFSETS = 4096

/** Numbers of private fields that are compared with the gaps. */
const MOST_NUMBERS = 1_000_000

/** A private field with a number that lies in bytes no directory names: most likely it leads there. */
async function refuseOffsets(file: TiffFile, gaps: readonly Range[]): Promise<void> {
  if (gaps.length === 0) return
  let numbers = 0
  for (const { entries } of file.all) {
    for (const entry of entries) {
      if (entry.tag < FIRST_PRIVATE || KNOWN_NUMBERS.includes(entry.tag) || entry.count > MOST_OFFSETS) continue
      if (entry.type !== LONG && entry.type !== LONG8) continue
      numbers += entry.count
      if (numbers > MOST_NUMBERS) throw unsupported('many_private_fields_and_unnamed_bytes')
      if ((await readNumbers(file, entry)).some((number) => isInside(gaps, number))) {
        throw unsupported(message('tag_leads_to_bytes_no_directory_names', { tag: entry.tag }))
      }
    }
  }
}

/** @param gaps in order */
function isInside(gaps: readonly Range[], place: number): boolean {
  let [low, high] = [0, gaps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (gaps[middle]!.to <= place) low = middle + 1
    else high = middle
  }
  return low < gaps.length && gaps[low]!.from <= place
}
