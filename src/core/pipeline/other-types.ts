/** Recognises file types that Whittle has no compressor for, so that refusals can name them and binary files are not taken for text. */
import { latin1Of } from '../bytes/latin1.ts'
import { SIGNATURES, type Signature } from '../catalog/signatures.ts'
import { frontTagBytes } from '../containers/id3/front.ts'
import { id3Bytes } from '../containers/id3/id3.ts'
import { gridOf } from '../containers/mpeg-ts/packet.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'

export interface OtherType {
  /** Name of the type for people, with its usual abbreviation. */
  readonly title: string
  /** Usual file extension, lower-case and without the dot. */
  readonly extension: string
  /** True if no text file begins like this. */
  readonly isBinary: boolean
}

/** Bytes from the start that `otherType` looks at. */
export const OTHER_TYPE_BYTES = 64 * 1024

/** Returns the type of a file by its first bytes. `name` only breaks ties between types with the same bytes. `undefined`: unknown. */
export function otherType(head: Uint8Array, name = ''): OtherType | undefined {
  const tagBytes = id3Bytes(head, 0)
  const tagged = tagBytes > 0 ? untagged(head.subarray(tagBytes), name) : undefined
  return tagged ? { ...tagged, isBinary: true } : untagged(head, name)
}

function untagged(head: Uint8Array, name: string): OtherType | undefined {
  return transportStream(head) ?? netpbm(head) ?? isoMedia(head) ?? opened(head, name) ?? adts(head) ?? bySignature(head, name)
}

/** Returns the type of a file, or of what is behind its ID3v2 tags. `undefined`: unknown. */
export async function otherTypeOf(source: Source): Promise<OtherType | undefined> {
  const tagBytes = await frontTagBytes(source)
  const found = otherType(await source.read(tagBytes, OTHER_TYPE_BYTES), source.name)
  return found && tagBytes > 0 ? { ...found, isBinary: true } : found
}

const binary = (title: string, extension: string): OtherType => ({ title, extension, isBinary: true })

/** MPEG transport stream (ISO/IEC 13818-1, 2.4.3.2): packets of 188 bytes, or of 192 with a time stamp in front. */
const transportStream = (head: Uint8Array): OtherType | undefined =>
  gridOf(head) ? binary('MPEG transport stream (TS, M2TS)', 'ts') : undefined

/** Binary Netpbm pictures: PBM, PGM, PPM, PAM and PFM. Their samples may be printable characters. */
function netpbm(head: Uint8Array): OtherType | undefined {
  const text = latin1Of(head.subarray(0, 512))
  if (/^P[456]\s(?:\s*#[^\n]*\n)*\s*\d+\s(?:\s*#[^\n]*\n)*\s*\d+\s/.test(text)) return binary('Netpbm picture (PPM, PGM, PBM)', 'ppm')
  if (/^P7\n(?:#[^\n]*\n)*(?:WIDTH|HEIGHT|DEPTH) \d/.test(text)) return binary('Portable Arbitrary Map (PAM)', 'pam')
  return /^P[Ff]\n\d+ \d+\n-?\d/.test(text) ? binary('Portable Float Map (PFM)', 'pfm') : undefined
}

/** Types of ISO base media files by brand (ISO/IEC 14496-12, 4.3). Other brands are films. */
const BRANDS: readonly (readonly [brand: RegExp, title: string, extension: string])[] = [
  [/^avi[fs]$/, 'AVIF picture', 'avif'],
  [/^(?:heic|heix|heim|heis|hevc|hevx)$/, 'HEIC picture', 'heic'],
  [/^(?:mif1|msf1|miaf)$/, 'HEIF picture', 'heif'],
  [/^crx $/, 'Canon raw picture (CR3)', 'cr3'],
  [/^jxl $/, 'JPEG XL picture (JXL)', 'jxl'],
  [/^jp[2xm] $/, 'JPEG 2000 picture (JP2)', 'jp2'],
]

function isoMedia(head: Uint8Array): OtherType | undefined {
  const box = latin1Of(head.subarray(4, 8))
  // Segments of a stream have no `ftyp` of their own. A box of less than 16 MiB has a zero in front, which no text has.
  if (/^(?:styp|sidx|moof)$/.test(box)) return head[0] === 0 ? binary('MPEG-4 media segment (M4S)', 'm4s') : undefined
  if (box !== 'ftyp') return undefined
  const brand = latin1Of(head.subarray(8, 12))
  const found = BRANDS.find(([pattern]) => pattern.test(brand))
  return found && binary(found[1], found[2])
}

/** Types of packages that begin with the entry `mimetype`, by media type (OpenDocument 1.3 part 2, 3.3; EPUB OCF). */
const PACKAGES: readonly (readonly [type: string, title: string, extension: string])[] = [
  ['application/vnd.oasis.opendocument.text', 'OpenDocument text (ODT)', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'OpenDocument spreadsheet (ODS)', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'OpenDocument presentation (ODP)', 'odp'],
  ['application/vnd.oasis.opendocument', 'OpenDocument file', 'odf'],
  ['application/x-krita', 'Krita picture (KRA)', 'kra'],
  ['image/openraster', 'OpenRaster picture (ORA)', 'ora'],
]
/** Types of ZIP archives by file extension. */
const ARCHIVES: { readonly [extension: string]: string | undefined } = {
  jar: 'Java archive (JAR)',
  apk: 'Android app (APK)',
  aab: 'Android app bundle (AAB)',
  ipa: 'iOS app (IPA)',
  xpi: 'Firefox extension (XPI)',
  whl: 'Python wheel (WHL)',
  nupkg: 'NuGet package',
  vsix: 'Visual Studio extension (VSIX)',
  cbz: 'Comic book (CBZ)',
  sketch: 'Sketch document',
  '3mf': '3D manufacturing model (3MF)',
  usdz: 'Universal scene (USDZ)',
  pages: 'Pages document',
  numbers: 'Numbers spreadsheet',
  key: 'Keynote presentation',
  odt: 'OpenDocument text (ODT)',
  ods: 'OpenDocument spreadsheet (ODS)',
  odp: 'OpenDocument presentation (ODP)',
}
/** Types of compound files ([MS-CFB]) by file extension. */
const COMPOUND: { readonly [extension: string]: string | undefined } = {
  doc: 'Word document before 2007 (DOC)',
  dot: 'Word template before 2007 (DOT)',
  xls: 'Excel workbook before 2007 (XLS)',
  ppt: 'PowerPoint presentation before 2007 (PPT)',
  msg: 'Outlook message (MSG)',
  vsd: 'Visio drawing (VSD)',
  pub: 'Publisher document (PUB)',
  msi: 'Windows installer (MSI)',
  mpp: 'Project plan (MPP)',
  max: '3ds Max scene',
}

const startsWith = (head: Uint8Array, bytes: string) => latin1Of(head.subarray(0, bytes.length)) === bytes

/** Types inside general containers: ZIP, compound files, Matroska and RIFF. */
function opened(head: Uint8Array, name: string): OtherType | undefined {
  const named = extension(name)
  if (startsWith(head, 'PK\x03\x04')) return archive(head, named)
  const compound = startsWith(head, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') ? COMPOUND[named] : undefined
  if (compound) return binary(compound, named)
  if (startsWith(head, '\x1a\x45\xdf\xa3')) {
    const text = latin1Of(head.subarray(0, 64))
    if (text.includes('webm')) return binary('WebM film', 'webm')
    return text.includes('matroska') ? binary('Matroska film (MKV)', 'mkv') : undefined
  }
  return startsWith(head, 'RIFF') && latin1Of(head.subarray(8, 12)) === 'ACON' ? binary('Animated cursor (ANI)', 'ani') : undefined
}

function archive(head: Uint8Array, named: string): OtherType {
  const first = latin1Of(head.subarray(30, 160))
  const packed = first.startsWith('mimetype') ? PACKAGES.find(([type]) => first.slice(8).includes(type)) : undefined
  if (packed) return binary(packed[1], packed[2])
  const title = Object.hasOwn(ARCHIVES, named) ? ARCHIVES[named] : undefined
  return title ? binary(title, named) : binary('ZIP archive', 'zip')
}

/** AAC in ADTS frames (ISO/IEC 13818-7, 6.2): three frames in a row. */
function adts(head: Uint8Array): OtherType | undefined {
  let at = 0
  for (let frames = 0; frames < 3; frames++) {
    if (at + 7 > head.length || head[at] !== 0xff || (head[at + 1]! & 0xf6) !== 0xf0) return undefined
    const bytes = ((head[at + 3]! & 3) << 11) | (head[at + 4]! << 3) | (head[at + 5]! >> 5)
    if (bytes < 7) return undefined
    at += bytes
  }
  return binary('AAC sound (ADTS)', 'aac')
}

/** Signatures shorter than this, and of printable characters only, may also begin a text. */
const CERTAIN_BYTES = 8

function bySignature(head: Uint8Array, name: string): OtherType | undefined {
  let best: Signature | undefined
  for (const signature of SIGNATURES) {
    const { offset, bytes } = signature
    if (best && (bytes.length < best.bytes.length || (bytes.length === best.bytes.length && signature.extension !== extension(name))))
      continue
    if (latin1Of(head.subarray(offset, offset + bytes.length)) === bytes) best = signature
  }
  if (!best) return undefined
  const isPrintable = /^[\x20-\x7e\n\r\t]*$/.test(best.bytes)
  return { title: best.title, extension: best.extension, isBinary: !isPrintable || best.bytes.length >= CERTAIN_BYTES }
}
