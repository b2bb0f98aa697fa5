/** Removes metadata fields from TIFF files, in place: fields leave their directory, and their values become zeros. */
import { ByteWriter } from '../../bytes/writer.ts'
import { EXIF_TAGS_KEPT, isStructuredDescription, type RemovingMode, TIFF_TAGS_REMOVED } from '../../catalog/metadata.ts'
import { reducedXmp } from '../../containers/metadata/xmp.ts'
import { readNumbers, TAG, type TiffDirectory, type TiffField, type TiffFile } from '../../containers/tiff/directory.ts'
import { ifdLayout } from '../../containers/tiff/ifd.ts'
import { readTiff } from '../../containers/tiff/read-directories.ts'
import type { Source } from '../../model/codec.ts'
import { signedByCredentials, TIFF_CREDENTIALS } from '../../model/content-credentials.ts'
import { piecesWith, splice } from '../../model/splice.ts'

const XMP = 700
/** Tags that describe the picture and not its look: also XMP, EXIF and GPS directories, and layers of Photoshop. */
const METADATA: ReadonlySet<number> = new Set([...TIFF_TAGS_REMOVED.keys(), XMP, 34665, 34853, 37724])
/** Longest XMP packet that is reduced, in bytes. A longer one is removed. */
const MAX_XMP_BYTES = 4 * 1024 * 1024
/** Marks camera raw files, whose decoders need maker and model. */
const DNG_VERSION = 50706

interface Range {
  readonly from: number
  readonly to: number
}

/** Changes of one directory. */
interface Changes {
  readonly removed: readonly TiffField[]
  /** XMP packet that replaces the value of its field, and is not longer. `undefined`: the field is removed or does not exist. */
  readonly xmp: { readonly field: TiffField; readonly packet: Uint8Array } | undefined
}

type ChangesByDirectory = ReadonlyMap<TiffDirectory, Changes>

/**
 * Returns the file without the fields that `mode` removes. Its size stays; the codec drops the zeros. `source` itself: it has none of
 * these fields, or it is a camera raw file.
 * @throws CodecError for damaged files
 */
export async function withoutTiffMetadata(source: Source, mode: RemovingMode): Promise<Source> {
  const file = await readTiff(source, 'tiff')
  const entries = file.all.flatMap((directory) => directory.entries)
  if (entries.some(({ tag }) => tag === TIFF_CREDENTIALS)) throw signedByCredentials()
  if (entries.some(({ tag }) => tag === DNG_VERSION)) return source
  const changes = new Map<TiffDirectory, Changes>()
  for (const directory of pictureDirectories(file)) {
    const xmp = await reducedPacket(file, directory, mode)
    const removed = (await removedFields(file, directory, mode)).filter((field) => field !== xmp?.field)
    if (removed.length > 0 || xmp) changes.set(directory, { removed, xmp })
  }
  if (changes.size === 0) return source
  return splice(source, piecesWith(source.size, await replacements(file, changes)))
}

/** Directories of pictures: all but those that only metadata tags lead to. */
function pictureDirectories(file: TiffFile): TiffDirectory[] {
  const ofMetadata = new Set(
    file.all.flatMap(({ children }) => [TAG.exifIfd, TAG.gpsIfd].flatMap((tag) => descendants(children.get(tag) ?? []))),
  )
  return file.all.filter((directory) => !ofMetadata.has(directory))
}

const descendants = (directories: readonly TiffDirectory[]): TiffDirectory[] =>
  directories.flatMap((directory) => [directory, ...[...directory.children.values()].flatMap(descendants)])

async function removedFields(file: TiffFile, directory: TiffDirectory, mode: RemovingMode): Promise<TiffField[]> {
  const fields: TiffField[] = []
  for (const field of directory.entries) {
    if (!METADATA.has(field.tag) || EXIF_TAGS_KEPT[mode].has(field.tag)) continue
    if (field.tag === TAG.imageDescription && field.at !== undefined) {
      const head = await file.source.read(field.at, Math.min(field.byteLength, 64))
      if (isStructuredDescription(new TextDecoder('latin1').decode(head))) continue
    }
    fields.push(field)
  }
  return fields
}

async function reducedPacket(file: TiffFile, directory: TiffDirectory, mode: RemovingMode): Promise<Changes['xmp']> {
  const field = directory.entries.find(({ tag }) => tag === XMP)
  if (!field || field.at === undefined || field.byteLength !== field.count || field.byteLength > MAX_XMP_BYTES) return undefined
  const reduced = reducedXmp(new TextDecoder().decode(await file.source.read(field.at, field.byteLength)), mode)
  const packet = reduced === undefined ? undefined : new TextEncoder().encode(reduced)
  // A value of at most 8 bytes is inside the entry, so a packet that short cannot stay at its offset.
  return packet && packet.length > 8 && packet.length <= field.byteLength ? { field, packet } : undefined
}

async function replacements(file: TiffFile, changes: ChangesByDirectory) {
  const directories = [...changes].map(([directory, change]) => rewrittenDirectory(file, directory, change))
  const packets = [...changes.values()].flatMap(({ xmp }) => {
    if (!xmp) return []
    const by = new Uint8Array(xmp.field.byteLength)
    by.set(xmp.packet)
    return [{ from: xmp.field.at!, to: xmp.field.at! + by.length, by }]
  })
  const gone = [...changes].flatMap(([directory, { removed }]) =>
    removed.flatMap((field) => [
      ...rangeOf(field),
      ...descendants(directory.children.get(field.tag) ?? []).flatMap((child) => [
        directoryRange(file, child),
        ...child.entries.flatMap(rangeOf),
      ]),
    ]),
  )
  const kept = await keptRanges(file, changes)
  const zeros = withoutOverlaps(gone, kept).map(({ from, to }) => ({ from, to, by: new Uint8Array(to - from) }))
  return [...directories, ...packets, ...zeros].sort((a, b) => a.from - b.from)
}

const rangeOf = ({ at, byteLength }: TiffField): Range[] => (at === undefined ? [] : [{ from: at, to: at + byteLength }])

function directoryRange(file: TiffFile, { offset, entries }: TiffDirectory): Range {
  const { countBytes, entryBytes, offsetBytes } = ifdLayout(file)
  return { from: offset, to: Math.min(file.source.size, offset + countBytes + entries.length * entryBytes + offsetBytes) }
}

/** Directory with fewer fields, padded with zeros to its old size. */
function rewrittenDirectory(file: TiffFile, directory: TiffDirectory, { removed, xmp }: Changes): Range & { readonly by: Uint8Array } {
  const { from, to } = directoryRange(file, directory)
  const kept = directory.entries
    .filter((field) => !removed.includes(field))
    .map((field) => (field === xmp?.field ? { ...field, count: xmp.packet.length } : field))
  return { from, to, by: directoryBytes(file, directory, kept, to - from) }
}

function directoryBytes(file: TiffFile, { next }: TiffDirectory, kept: readonly TiffField[], size: number): Uint8Array {
  const { countBytes, entryBytes } = ifdLayout(file)
  const bytes = new Uint8Array(size)
  const writer = new ByteWriter(bytes, file.littleEndian)
  if (file.big) writer.u64(kept.length)
  else writer.u16(kept.length)
  for (const [index, { tag, type, count, inline }] of kept.entries()) {
    const at = countBytes + index * entryBytes
    writer.at(at).u16(tag).u16(type)
    if (file.big) writer.u64(count)
    else writer.u32(count)
    bytes.set(inline, at + (file.big ? 12 : 8))
  }
  writer.at(countBytes + kept.length * entryBytes)
  if (file.big) writer.u64(next?.offset ?? 0)
  else writer.u32(next?.offset ?? 0)
  return bytes
}

/** Ranges that must not become zeros: header, directories, values of kept fields, and picture data. */
async function keptRanges(file: TiffFile, changes: ChangesByDirectory): Promise<Range[]> {
  const ranges: Range[] = [{ from: 0, to: file.headerBytes }]
  const isGone = new Set(
    [...changes].flatMap(([{ children }, { removed }]) => removed.flatMap(({ tag }) => descendants(children.get(tag) ?? []))),
  )
  for (const directory of file.all) {
    if (isGone.has(directory)) continue
    ranges.push(directoryRange(file, directory))
    for (const field of directory.entries)
      if (!changes.get(directory)?.removed.includes(field)) for (const range of rangeOf(field)) ranges.push(range)
    for (const [offsets, counts] of [
      [TAG.stripOffsets, TAG.stripByteCounts],
      [TAG.tileOffsets, TAG.tileByteCounts],
    ] as const) {
      const [starts, lengths] = [await numbersOf(file, directory, offsets), await numbersOf(file, directory, counts)]
      starts.forEach((from, i) => {
        ranges.push({ from, to: from + (lengths[i] ?? 0) })
      })
    }
  }
  return ranges
}

async function numbersOf(file: TiffFile, directory: TiffDirectory, tag: number): Promise<Float64Array> {
  const field = directory.entries.find((entry) => entry.tag === tag)
  return field ? await readNumbers(file, field) : new Float64Array(0)
}

/** Returns the ranges of `gone`, merged, without those that touch a range of `kept`. */
function withoutOverlaps(gone: readonly Range[], kept: readonly Range[]): Range[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of [...gone].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  const sorted = [...kept].filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from)
  let [index, reach] = [0, 0]
  return merged.filter(({ from, to }) => {
    while (index < sorted.length && sorted[index]!.from < to) reach = Math.max(reach, sorted[index++]!.to)
    return reach <= from
  })
}
