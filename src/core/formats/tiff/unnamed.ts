/** Finds bytes of a TIFF file that no directory refers to, between referenced ranges and after the last one. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { type CompactArray, GrowingCompactArray } from '../../bytes/compact-array.ts'
import { LONG, LONG8, readNumbers, TAG, type TiffDirectory, type TiffFile } from '../../containers/tiff/directory.ts'
import { ifdLayout } from '../../containers/tiff/ifd.ts'
import type { PixelStorage } from '../../containers/tiff/pixels.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { jpegStreamsOf } from './blobs.ts'
import { cogMetadataOf } from './cog-metadata.ts'
import { ALIGNMENT_BYTES, MAX_FIELD_OFFSETS, MAX_GAPS, MAX_PRIVATE_NUMBERS, MAX_TAIL_BYTES, ZERO_SCAN_BYTES } from './tuning.ts'

export interface UnreferencedBytes {
  /** Unreferenced bytes between referenced ranges, which are dropped. Zero bytes do not count. */
  readonly between: number
  /** Offset after the last byte that a directory refers to. */
  readonly end: number
  /** Number of bytes from `end` on, and whether all of them are zero. */
  readonly tail: { readonly bytes: number; readonly isFilling: boolean }
}

/** Finds unreferenced bytes. @throws CodecError (malformed, unsupported_feature) if they seem to be content that would be moved or lost */
export async function unreferencedBytesOf(file: TiffFile, pictures: readonly PixelStorage[]): Promise<UnreferencedBytes> {
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
  if (bytes > MAX_TAIL_BYTES && !isFilling) throw unsupported(message('bytes_behind_last_directory', { bytes }))
  // The bytes are probably pictures of a truncated directory, which a repair tool could recover.
  if (file.brokenLinks.length > 0 && between > MAX_TAIL_BYTES)
    throw malformed(file.format, end, message('missing_directory', { link: String(file.brokenLinks[0]) }))
  if (!isFilling) addGap(gaps, end, file.source.size)
  await refuseOffsets(file, gaps)
  return { between, end, tail: { bytes, isFilling } }
}

/** In a file with very many gaps, the last entry covers all remaining ones. */
function addGap(gaps: Range[], from: number, to: number): void {
  const last = gaps.at(-1)
  if (last && gaps.length >= MAX_GAPS) gaps[gaps.length - 1] = { from: last.from, to }
  else gaps.push({ from, to })
}

/** Describes the dropped bytes for the receipt. */
export function unreferencedBytesSteps({ between, tail }: UnreferencedBytes): Message[] {
  return [
    ...(between > 0 ? [message('unnamed_bytes_removed', { bytes: between })] : []),
    ...(tail.isFilling && tail.bytes > ALIGNMENT_BYTES ? [message('zero_bytes_removed', { bytes: tail.bytes })] : []),
  ]
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Referenced ranges: header, directories, values, JPEG streams, strips and tiles, and space declared free. */
async function namedRanges(file: TiffFile, pictures: readonly PixelStorage[]): Promise<Ranges> {
  const ghost = await cogMetadataOf(file)
  const named = new Ranges()
  named.add(0, file.headerBytes + (ghost?.bytes.length ?? 0))
  const { countBytes, entryBytes, offsetBytes } = ifdLayout(file)
  for (const directory of file.all) {
    named.add(directory.offset, countBytes + directory.entries.length * entryBytes + offsetBytes)
    for (const entry of directory.entries) if (entry.at !== undefined) named.add(entry.at, entry.byteLength)
    for (const { offset, length } of await jpegStreamsOf(file, directory)) named.add(offset, length)
    for (const { from, to } of await freeRanges(file, directory)) named.add(from, to - from)
  }
  // GDAL repeats the last four bytes of each tile after it.
  const behind = ghost?.hasRepeatedTail ? 4 : 0
  for (const { offsets, lengths } of pictures) {
    for (let i = 0; i < offsets.length; i++) named.add(offsets[i]!, lengths[i]! && lengths[i]! + behind)
  }
  return named
}

/** Ranges in typed arrays, because a picture has up to millions of tiles. Adjacent ranges are merged. */
class Ranges {
  readonly #starts = new GrowingCompactArray()
  readonly #ends = new GrowingCompactArray()
  #last: Range | undefined
  #from: CompactArray = new Uint32Array()
  #to: CompactArray = new Uint32Array()
  #order: Uint32Array | undefined

  add(from: number, bytes: number): void {
    if (!(bytes > 0)) return
    const last = this.#last
    const joins = last !== undefined && from >= last.from && from - last.to <= ALIGNMENT_BYTES
    if (last && !joins) this.#push(last)
    this.#last = joins ? { from: last.from, to: Math.max(last.to, from + bytes) } : { from, to: from + bytes }
  }

  /** Sorts the byte ranges. No range can be added afterwards. */
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

async function freeRanges(file: TiffFile, { entries }: TiffDirectory): Promise<Range[]> {
  const [offsets, counts] = [TAG.freeOffsets, TAG.freeByteCounts].map((tag) => entries.find((entry) => entry.tag === tag))
  if (!offsets || !counts) return []
  const lengths = await readNumbers(file, counts)
  return [...(await readNumbers(file, offsets))].map((from, i) => ({ from, to: from + (lengths[i] ?? 0) }))
}

async function isZero(source: Source, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to; at += ZERO_SCAN_BYTES) {
    const bytes = await source.read(at, Math.min(ZERO_SCAN_BYTES, to - at))
    if (bytes.some((byte) => byte !== 0)) return false
  }
  return true
}

/** Lowest private tag. Lower tags are registered or Exif, and hold no offsets except those that the parser follows. */
const FIRST_PRIVATE = 32768
const KNOWN_NUMBERS: readonly number[] = [TAG.exifIfd, TAG.gpsIfd, TAG.interoperabilityIfd, 34850, 34864, 40960, 40961, 40962, 40963]

/** @throws CodecError (unsupported_feature) if a private field holds a number inside a gap, because it probably is an offset */
async function refuseOffsets(file: TiffFile, gaps: readonly Range[]): Promise<void> {
  if (gaps.length === 0) return
  let numbers = 0
  for (const { entries } of file.all) {
    for (const entry of entries) {
      if (entry.tag < FIRST_PRIVATE || KNOWN_NUMBERS.includes(entry.tag) || entry.count > MAX_FIELD_OFFSETS) continue
      if (entry.type !== LONG && entry.type !== LONG8) continue
      numbers += entry.count
      if (numbers > MAX_PRIVATE_NUMBERS) throw unsupported('many_private_fields_and_unnamed_bytes')
      if ((await readNumbers(file, entry)).some((number) => isInside(gaps, number))) {
        throw unsupported(message('tag_leads_to_bytes_no_directory_names', { tag: entry.tag }))
      }
    }
  }
}

/** True if `place` is inside a gap. @param gaps sorted by offset */
function isInside(gaps: readonly Range[], place: number): boolean {
  let [low, high] = [0, gaps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (gaps[middle]!.to <= place) low = middle + 1
    else high = middle
  }
  return low < gaps.length && gaps[low]!.from <= place
}
