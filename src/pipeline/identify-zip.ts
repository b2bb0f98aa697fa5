/** Which of the ZIP-based formats an archive is, by the names of its entries (APPNOTE.TXT 4.3.12, 4.3.16). */

import type { Source } from '../codec/codec.ts'
import type { FormatId } from '../formats/index.ts'
import { FORMATS } from '../formats/index.ts'
import { extension } from './extension.ts'

const BY_NAME = ['kmz', 'ofd', 'epub', 'docx', 'xlsx', 'pptx'] as const
const END_BYTES = 65_557 // end of central directory record with the longest comment
const DIRECTORY_LIMIT = 4 * 1024 * 1024

/** Whether the name says that the file is an archive of a known kind. */
export function isNamedArchive(source: Source): boolean {
  const named = extension(source.name)
  return BY_NAME.some((id) => (FORMATS[id].extensions as readonly string[]).includes(named))
}

export async function identifyZip(source: Source): Promise<FormatId | undefined> {
  const names = await entryNames(source)
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (has(/^\[content_types\]\.xml$/i)) {
    if (has(/^word\//i)) return 'docx'
    if (has(/^xl\//i)) return 'xlsx'
    if (has(/^ppt\//i)) return 'pptx'
  }
  if (has(/^ofd\.xml$/i)) return 'ofd'
  if (has(/^meta-inf\/container\.xml$/i) || (names[0] === 'mimetype' && has(/\.opf$/i))) return 'epub'
  if (has(/\.shp$/i) && has(/\.(shx|dbf)$/i)) return 'shapefile'
  if (has(/\.hdr$/i) && has(/\.img(\.gz)?$/i)) return 'nifti'
  if (has(/\.kml$/i)) return 'kmz'
  // An archive that could be anything is what its name says, if that is a kind of archive: a KMZ of icons has no KML.
  const named = extension(source.name)
  return names.length > 0 ? BY_NAME.find((id) => (FORMATS[id].extensions as readonly string[]).includes(named)) : undefined
}

/** Names from the central directory; from the local headers of the first bytes when the directory cannot be found. */
async function entryNames(source: Source): Promise<string[]> {
  const tailAt = Math.max(0, source.size - END_BYTES)
  const tail = await source.read(tailAt, END_BYTES)
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  for (let at = tail.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    let offset = view.getUint32(at + 16, true)
    let length = view.getUint32(at + 12, true)
    if (offset === 0xffffffff || length === 0xffffffff) {
      const zip64 = await zip64Directory(source, view, at)
      if (!zip64) break
      ;({ offset, length } = zip64)
    }
    const names = namesIn(await source.read(offset, Math.min(length, DIRECTORY_LIMIT)), 0x02014b50)
    if (names.length > 0) return names
    // A directory that lies elsewhere than it says (a prefix was put before the archive): it ends where the record begins.
    return namesIn(await source.read(Math.max(0, tailAt + at - length), Math.min(length, DIRECTORY_LIMIT)), 0x02014b50)
  }
  return namesIn(await source.read(0, 256 * 1024), 0x04034b50)
}

async function zip64Directory(source: Source, tail: DataView, endAt: number) {
  if (endAt < 20 || tail.getUint32(endAt - 20, true) !== 0x07064b50) return undefined
  const record = await source.read(Number(tail.getBigUint64(endAt - 12, true)), 56)
  if (record.length < 56) return undefined
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  return { length: Number(view.getBigUint64(40, true)), offset: Number(view.getBigUint64(48, true)) }
}

function namesIn(bytes: Uint8Array, signature: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directory = signature === 0x02014b50
  const [nameLengthAt, headerBytes] = directory ? [28, 46] : [26, 30]
  const names: string[] = []
  const decoder = new TextDecoder()
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    if (view.getUint32(at, true) !== signature) {
      if (directory) break
      at++
      continue
    }
    const nameLength = view.getUint16(at + nameLengthAt, true)
    names.push(decoder.decode(bytes.subarray(at + headerBytes, at + headerBytes + nameLength)))
    const extraLength = view.getUint16(at + nameLengthAt + 2, true)
    at += headerBytes + nameLength + extraLength + (directory ? view.getUint16(at + 32, true) : 0)
  }
  return names
}
