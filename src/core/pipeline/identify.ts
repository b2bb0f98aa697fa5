/**
 * Recognises the format of a file by its bytes. The name only breaks ties between similar formats (text formats, old and new Office
 * documents, netCDF in HDF5). It reads a few byte ranges, never the whole file.
 */

import { latin1Of } from '../bytes/latin1.ts'
import { ByteReader } from '../bytes/reader.ts'
import type { FormatId } from '../catalog/index.ts'
import { FORMATS } from '../catalog/index.ts'
import type { KnownFormat } from '../catalog/outputs.ts'
import { headAt } from '../containers/ebml/element.ts'
import { frontTagBytes } from '../containers/id3/front.ts'
import { id3Bytes } from '../containers/id3/id3.ts'
import { gridOf } from '../containers/mpeg-ts/packet.ts'
import { entryCount, ifdLayout, readField, readHeader } from '../containers/tiff/ifd.ts'
import { hasFlacBehindTags } from '../formats/flac/file.ts'
import { isAiffHead } from '../formats/wav/aiff/aiff-head.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'
import { identifyText, isNamedText } from './identify-text.ts'
import { identifyZip, isNamedArchive } from './identify-zip.ts'

/** Length of the head in bytes. Most formats are recognised by it. */
const HEAD_BYTES = 64 * 1024

/** True for a DICOM file without a preamble. The table that recognises it is loaded for files that nothing else recognises. */
const isBareDicom = async (head: Uint8Array) => (await import('../formats/dicom/bare.ts')).recogniseBareDicom(head)

export async function identify(source: Source): Promise<KnownFormat | undefined> {
  const head = await source.read(0, HEAD_BYTES)
  const id =
    byMagic(head) ??
    isobmff(head, source) ??
    riff(head) ??
    ogg(head) ??
    matroska(head) ??
    (isAiffHead(head) ? 'aiff' : undefined) ??
    (await tiff(head, source)) ??
    (startsWith(head, [0x50, 0x4b]) ? await identifyZip(source) : undefined) ??
    (await compoundFile(head, source)) ??
    (await gzip(head, source)) ??
    (await hdf5(head, source)) ??
    pdf(head, source.name) ??
    las(head) ??
    nifti(head) ??
    (gridOf(head) ? 'ts' : undefined) ??
    bmp(head, source.size) ??
    (await flacBehindTags(head, source)) ??
    ((await isOtherBehindTags(head, source)) ? undefined : mp3(head, source.size)) ??
    ((await isBareDicom(head)) ? 'dicom' : undefined) ??
    // An archive after other data, for example a self-extracting program.
    (isNamedArchive(source) ? await identifyZip(source) : undefined) ??
    ((await isOtherBinary(source)) ? undefined : identifyText(head, source))
  return id && FORMATS[id]
}

/** True if the bytes are of a type that is no text, even if they look like one: a transport stream, a picture of letters. */
const isOtherBinary = async (source: Source) =>
  (await import('./other-types.ts')).otherTypeOf(source).then((type) => type?.isBinary === true)

/** Bytes from the start that are enough to reject an unsupported file. */
export const RECOGNITION_BYTES = HEAD_BYTES + 8

/** True if an upload in progress may still be recognised as a format that needs no named output. `first`: the first `FIRST_BYTES` of the file, which is longer than that. */
export async function mayBeRecognised(first: Uint8Array, name: string): Promise<boolean> {
  const later = new Error('it depends on what follows')
  const source = {
    name,
    size: Number.MAX_SAFE_INTEGER,
    read: async (offset: number, length: number) => {
      if (offset + length > first.length) throw later
      return first.subarray(offset, offset + length)
    },
    stream: () => {
      throw later
    },
  }
  try {
    const found = await identify(source)
    return found !== undefined && !found.isOnRequest
  } catch (error) {
    if (error === later) return true
    throw error
  }
}

export function startsWith(bytes: Uint8Array, pattern: readonly number[], offset = 0): boolean {
  if (offset + pattern.length > bytes.length) return false
  return pattern.every((byte, index) => bytes[offset + index] === byte)
}

const ascii = (bytes: Uint8Array, offset: number, length: number) => latin1Of(bytes.subarray(offset, offset + length))
const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function byMagic(head: Uint8Array): FormatId | undefined {
  for (const format of Object.values<KnownFormat>(FORMATS)) {
    if (format.magic?.some(({ offset, bytes }) => startsWith(head, bytes, offset))) return format.id
  }
  return undefined
}

/** Recognises ISO base media (ISO/IEC 14496-12, 4.3) and QuickTime files, which may begin with any top-level atom. */
function isobmff(head: Uint8Array, { name, size: fileBytes }: Source): FormatId | undefined {
  if (head.length < 12) return undefined
  const type = ascii(head, 4, 4)
  const size = view(head).getUint32(0)
  if (type === 'ftyp' && size >= 8) {
    const brand = ascii(head, 8, 4)
    if (brand === 'qt  ') return 'mov'
    const brands = heifBrands(head, size)
    if (brands.some((one) => AVIF_BRANDS.has(one))) return 'avif'
    // Files with general brands of HEIF usually have HEVC pictures. The codec names other ones.
    if (brands.length > 0) return 'heic'
    if (/^(crx |jxl |jp2 |jpx )$/.test(brand)) return undefined
    // Other brands do not tell whether a file has pictures, so the name decides.
    const isSound = /^(M4A |M4B |M4P )$/.test(brand) || (FORMATS.m4a.extensions as readonly string[]).includes(extension(name))
    return isSound ? 'm4a' : 'mp4'
  }
  // A padding atom lies inside the file; otherwise the four letters begin a text ("free …").
  if (['free', 'skip', 'wide', 'pnot'].includes(type)) return size >= 8 && size <= fileBytes ? 'mov' : undefined
  return ['moov', 'mdat'].includes(type) && (size === 1 || size >= 8) ? 'mov' : undefined
}

/** Brands of AVIF pictures and sequences (AVIF 1.1, 6). */
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis'])

/** Major brands of HEIF: pictures, sequences, and the codings of ISO/IEC 23008-12, annexes B to L. */
const HEIF_MAJORS = /^(avi[fs]|hei[cxms]|hev[cx]|mif[123]|msf1|miaf|jpeg|jpgs|avc[is]|j2k[is]|vvi[cs])$/

/** Brands of an `ftyp` box whose major brand is one of HEIF (ISO/IEC 23008-12, 10; ISO/IEC 23000-22, 7). Empty: another file. */
function heifBrands(head: Uint8Array, size: number): string[] {
  const major = ascii(head, 8, 4)
  if (!HEIF_MAJORS.test(major)) return []
  const brands = [major]
  for (let at = 16; at + 4 <= Math.min(size, head.length, MAX_BRAND_BYTES); at += 4) brands.push(ascii(head, at, 4))
  return brands
}

/** Bytes of an `ftyp` box that are looked at. */
const MAX_BRAND_BYTES = 1024

/** Recognises WebP (RFC 9649, 2.4), and WAV and AVI in RIFF and its 64-bit variants (EBU Tech 3306). */
function riff(head: Uint8Array): FormatId | undefined {
  const container = ascii(head, 0, 4)
  if (!['RIFF', 'RIFX', 'RF64', 'BW64'].includes(container)) return undefined
  const form = ascii(head, 8, 4)
  if (form === 'WEBP' && container === 'RIFF') return 'webp'
  return form === 'WAVE' ? 'wav' : form === 'AVI ' ? 'avi' : undefined
}

/** Recognises Ogg (RFC 3533, section 6) by its first page, and Opus by the first packet (RFC 7845, section 5.1). */
function ogg(head: Uint8Array): FormatId | undefined {
  if (ascii(head, 0, 4) !== 'OggS' || head[4] !== 0 || head.length < 28) return undefined
  return ascii(head, 27 + head[26]!, 8) === 'OpusHead' ? 'opus' : 'ogg'
}

/** Recognises Matroska and WebM by the document type in the EBML header (RFC 8794, section 11.2), also if other elements are damaged. */
function matroska(head: Uint8Array): FormatId | undefined {
  const header = startsWith(head, [0x1a, 0x45, 0xdf, 0xa3]) ? headAt(head, 0) : undefined
  const end = Math.min(head.length, header?.bodyBytes === undefined ? 0 : header.bodyAt + header.bodyBytes)
  for (let at = header?.bodyAt ?? 0; at < end; ) {
    const child = headAt(head, at)
    if (child?.bodyBytes === undefined) return /matroska/.test(ascii(head, at, end - at)) ? 'mkv' : undefined
    const type = child.id === DOC_TYPE ? ascii(head, child.bodyAt, child.bodyBytes).replace(/\0+$/, '') : ''
    if (type !== '') return type === 'webm' ? 'webm' : type === 'matroska' ? 'mkv' : undefined
    at = child.bodyAt + child.bodyBytes
  }
  return undefined
}

const DOC_TYPE = 0x4282

/** Recognises TIFF (6.0, section 2) and BigTIFF. A GeoTIFF has tag 33550, 33922, 34264 or 34735 in its first IFD. */
async function tiff(head: Uint8Array, source: Source): Promise<FormatId | undefined> {
  const header = readHeader(head)
  if (!header || (header.version !== 42 && !header.big)) return undefined
  const { countBytes, entryBytes } = ifdLayout(header)
  const start = await source.read(header.firstAt, countBytes)
  if (start.length < countBytes) return 'tiff'
  const count = Math.min(4096, entryCount(new ByteReader(start, header.littleEndian), header))
  const table = new ByteReader(await source.read(header.firstAt + countBytes, count * entryBytes), header.littleEndian)
  for (let at = 0; at + entryBytes <= table.length; at += entryBytes) {
    if ([33550, 33922, 34264, 34735].includes(readField(table, header, at).tag)) return 'geotiff'
  }
  return 'tiff'
}

/**
 * Recognises a compound file [MS-CFB]. Its streams say whether it is a binary Office document. Otherwise, its name says whether it is an
 * encrypted OOXML document.
 */
async function compoundFile(head: Uint8Array, source: Source): Promise<FormatId | undefined> {
  if (!startsWith(head, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])) return undefined
  const id = await (await import('./identify-compound.ts')).identifyCompound(source)
  const name = extension(source.name)
  return id ?? (['docx', 'xlsx', 'pptx'] as const).find((each) => (FORMATS[each].extensions as readonly string[]).includes(name))
}

/** Recognises a gzip stream (RFC 1952), also of an unknown method, and what it contains if that is a NIfTI volume or an SVG drawing. */
async function gzip(head: Uint8Array, source: Source): Promise<FormatId | undefined> {
  if (!startsWith(head, [0x1f, 0x8b])) return undefined
  const inner = await inflateHead(source, 512)
  if (nifti(inner)) return 'nifti'
  return inner.length > 0 && identifyText(inner, { ...source, name: 'x.svg' }) === 'svg' ? 'svg' : 'gz'
}

/** Returns up to `length` decoded bytes of a gzip stream: those before its end or its first error. */
async function inflateHead(source: Source, length: number): Promise<Uint8Array> {
  const out = new Uint8Array(length)
  let filled = 0
  const compressed = await source.read(0, HEAD_BYTES)
  const reader = new Blob([compressed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    while (filled < length) {
      const { done, value } = await reader.read()
      if (done) break
      const part = value.subarray(0, length - filled)
      out.set(part, filled)
      filled += part.length
    }
  } catch {
    // The head ends inside the stream, or the stream is damaged. The bytes decoded so far are enough.
  }
  await reader.cancel().catch(() => undefined)
  return out.subarray(0, filled)
}

const HDF5_SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]

/** Recognises HDF5 (file format specification III.A). The superblock may follow a user block of 512, 1024, 2048, … bytes. */
async function hdf5(head: Uint8Array, source: Source): Promise<FormatId | undefined> {
  let at = 0
  for (; at < Math.min(source.size, 1 << 26); at = at === 0 ? 512 : at * 2) {
    if (at > HEAD_BYTES && extension(source.name) !== 'h5') return undefined
    const found = at + 8 <= head.length ? head.subarray(at) : await source.read(at, 8)
    if (startsWith(found, HDF5_SIGNATURE)) break
  }
  if (at >= source.size || at >= 1 << 26) return undefined
  const name = extension(source.name)
  if (name === 'nc' || name === 'nc4') return 'netcdf'
  if ((FORMATS.hdf5.extensions as readonly string[]).includes(name)) return 'hdf5'
  const text = ascii64(head)
  return text.includes('_NCProperties') || text.includes('_Netcdf4Dimid') ? 'netcdf' : 'hdf5'
}

const ascii64 = (head: Uint8Array) => new TextDecoder('latin1').decode(head)

/** Recognises PDF (ISO 32000-2, 7.5.2): the header is in the first 1024 bytes. If other bytes precede it, a text file name wins. */
function pdf(head: Uint8Array, name: string): FormatId | undefined {
  const at = ascii64(head.subarray(0, 1024)).indexOf('%PDF-')
  return at === 0 || (at > 0 && !isNamedText(name)) ? 'pdf' : undefined
}

/** Recognises LAS (1.4 R15, 2.4) by "LASF". Bits 6–7 of the point format mark LASzip. */
function las(head: Uint8Array): FormatId | undefined {
  if (!startsWith(head, [0x4c, 0x41, 0x53, 0x46]) || head.length < 105) return undefined
  return (head[104]! & 0xc0) !== 0 ? 'laz' : 'las'
}

/** Recognises NIfTI-1 (header of 348 bytes) and NIfTI-2 (540 bytes) by header size and magic, in either byte order. */
export function nifti(head: Uint8Array): FormatId | undefined {
  if (head.length < 348) return undefined
  const size = [view(head).getInt32(0, true), view(head).getInt32(0, false)]
  if (size.includes(348) && /^n(\+1|i1)$/.test(ascii(head, 344, 3))) return 'nifti'
  if (size.includes(540) && /^n(\+2|i2)$/.test(ascii(head, 4, 3))) return 'nifti'
  return undefined
}

/** Recognises BMP: "BM", a known header size, and a pixel offset inside the file. */
function bmp(head: Uint8Array, size: number): FormatId | undefined {
  if (!startsWith(head, [0x42, 0x4d]) || head.length < 26) return undefined
  const infoBytes = view(head).getUint32(14, true)
  const pixels = view(head).getUint32(10, true)
  return [12, 16, 40, 52, 56, 64, 108, 124].includes(infoBytes) && pixels <= size ? 'bmp' : undefined
}

/** Recognises a FLAC stream behind ID3v2 tags, which some programs write in front of it. */
async function flacBehindTags(head: Uint8Array, source: Source): Promise<FormatId | undefined> {
  return id3Bytes(head, 0) > 0 && (await hasFlacBehindTags(source)) ? 'flac' : undefined
}

/** True if a file that starts with ID3v2 tags has something else than MPEG frames behind them: AAC of HLS, Monkey's Audio. */
async function isOtherBehindTags(head: Uint8Array, source: Source): Promise<boolean> {
  if (id3Bytes(head, 0) === 0) return false
  const behind = await source.read(await frontTagBytes(source), HEAD_BYTES)
  if (behind.length === 0 || frameBytes(behind, 0) > 0) return false
  return (await import('./other-types.ts')).otherType(behind, source.name) !== undefined
}

/** Recognises MP3: ID3v2, or three consecutive MPEG layer III frames (ISO/IEC 11172-3, 2.4.1.3). A short file may have one or two. */
function mp3(head: Uint8Array, size: number): FormatId | undefined {
  // ID3v2 (2.4.0, 3.1) has a small version number and a size of 7-bit bytes. This excludes a text that begins with "ID3 tags".
  if (startsWith(head, [0x49, 0x44, 0x33]) && head.length >= 10 && head[3]! < 0x20 && (head[6]! | head[7]! | head[8]! | head[9]!) < 128)
    return 'mp3'
  const limit = Math.min(head.length - 4, 4096)
  for (let at = 0; at < limit; at++) {
    const first = frameBytes(head, at)
    if (!first) continue
    const second = frameBytes(head, at + first)
    if (second && frameBytes(head, at + first + second)) return 'mp3'
    const end = at + first + second
    if (at === 0 && (end === size || /^(TAG|APETAGEX|LYRICSBEGIN)/.test(ascii(head, end, 11)))) return 'mp3'
  }
  return undefined
}

const KBITS_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBITS_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
function frameBytes(head: Uint8Array, at: number): number {
  if (at + 4 > head.length || head[at] !== 0xff || (head[at + 1]! & 0xe6) !== 0xe2) return 0
  const version = (head[at + 1]! >> 3) & 3
  const rate = [44100, 48000, 32000][(head[at + 2]! >> 2) & 3]
  const kbits = (version === 3 ? KBITS_V1 : KBITS_V2)[head[at + 2]! >> 4]
  if (version === 1 || !rate || !kbits) return 0
  const hertz = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4
  return Math.floor(((version === 3 ? 144000 : 72000) * kbits) / hertz) + ((head[at + 2]! >> 1) & 1)
}
