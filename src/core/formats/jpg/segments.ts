/** Reads the marker segments before a JPEG's first scan (ITU-T T.81, Annex B). The engine reads the pixels. */

import type { FileRange } from '../../../../wasm/jpeg/jpeg.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { JPG } from '../../catalog/formats/jpg.ts'
import { message } from '../../i18n/message.ts'
import { orientationOf } from '../../images/raster/orientation.ts'
import { maxPixelsOf } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { isManifestStore, signedByCredentials } from '../../model/content-credentials.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'

/** APPn or COM segment, kept byte for byte. */
export interface Segment {
  /** Second byte of the marker: 0xE0–0xEF APPn, 0xFE COM. */
  readonly marker: number
  /** Offset of the marker's first byte (0xFF) in the file. */
  readonly offset: number
  /** Bytes of the whole segment: marker, length and content. */
  readonly bytes: Uint8Array
}

export interface JpegHeader {
  readonly width: number
  readonly height: number
  readonly components: number
  /** Number of coefficients of all components, with those of incomplete MCUs. */
  readonly coefficients: number
  readonly progressive: boolean
  /** True if the first scan has all components, so that a baseline file is decoded in one pass. */
  readonly interleaved: boolean
  readonly segments: readonly Segment[]
  /** Offset of the first SOS marker. */
  readonly scanOffset: number
}

/** Most bytes of segments before the first scan. Real files have a few megabytes: a MakerNote, a large ICC profile, extended XMP. */
const HEADER_BYTES_MAX = 24 * 1024 * 1024
/**
 * Most segments in a file. Each costs some hundred bytes of memory in addition; real files with many previews or profiles have some
 * hundred.
 */
const SEGMENTS_MAX = 20_000

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda

/** True for all SOF markers; also for unsupported frames: SOF3, 5 to 7 (lossless, hierarchical), 9 to 11, 13 to 15 (arithmetic coding). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Reads the header up to the first scan. @throws CodecError `over_budget`, also if the picture has more pixels than `options` allow */
export async function readHeader(source: Source, options: Pick<Options, 'memoryBudget'>): Promise<JpegHeader> {
  const mostPixels = maxPixelsOf(JPG.mostPixels, options)
  const start = await source.read(0, 2)
  if (start[0] !== 0xff || start[1] !== SOI) throw malformed('jpg', 0, 'no_start_of_image_marker')
  const segments: Segment[] = []
  let frame: Omit<JpegHeader, 'interleaved' | 'segments' | 'scanOffset'> | undefined
  let offset = 2
  let keptBytes = 0
  for (;;) {
    const head = await source.read(offset, 4)
    if (head.length < 4) throw malformed('jpg', offset, 'file_ends_before_first_scan')
    if (head[0] !== 0xff) throw malformed('jpg', offset, message('expected_marker_got', { found: String(head[0]) }))
    const marker = head[1] ?? 0
    if (marker === 0xff) {
      offset += 1 // skip a fill byte (T.81, B.1.1.2)
      continue
    }
    if (marker === EOI) throw malformed('jpg', offset, 'file_has_no_picture')
    if (marker === 0 || marker === SOI || (marker >= 0xd0 && marker <= 0xd7) || marker === 1) {
      throw malformed('jpg', offset, message('unexpected_marker', { marker: marker.toString(16) }))
    }
    const length = ((head[2] ?? 0) << 8) | (head[3] ?? 0)
    if (length < 2) throw malformed('jpg', offset, message('segment_of_bytes', { length }))
    const bytes = await source.read(offset, length + 2)
    if (bytes.length < length + 2) throw malformed('jpg', offset, 'file_ends_inside_segment')
    if (isFrame(marker)) {
      if (frame) throw malformed('jpg', offset, 'second_frame_header')
      frame = frameOf(marker, bytes, offset, mostPixels)
    } else if (marker === SOS) {
      if (!frame) throw malformed('jpg', offset, 'scan_without_frame_header')
      return { ...frame, interleaved: bytes[4] === frame.components, segments, scanOffset: offset }
    } else if (marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)) {
      keptBytes += bytes.length
      if (keptBytes > HEADER_BYTES_MAX) throw overBudget(message('more_than_bytes_of_metadata', { limit: HEADER_BYTES_MAX }))
      const segment: Segment = { marker, offset, bytes: bytes.slice() }
      if (holdsCredentials(segment)) throw signedByCredentials()
      segments.push(segment)
      if (segments.length > SEGMENTS_MAX) throw tooManySegments()
    }
    offset += length + 2
  }
}

const tooManySegments = () => overBudget(message('more_than_segments_of_metadata', { limit: SEGMENTS_MAX }))

/** Parses a frame header (ITU-T T.81, B.2.2). */
function frameOf(marker: number, bytes: Uint8Array, offset: number, mostPixels: number) {
  if (marker >= 0xc8) throw unsupported('arithmetic_coding')
  if (marker === 0xc3 || marker >= 0xc5) throw unsupported('lossless_or_hierarchical_jpeg')
  const precision = bytes[4] ?? 0
  if (precision !== 8) throw unsupported(message('bits_per_sample', { precision }))
  const height = ((bytes[5] ?? 0) << 8) | (bytes[6] ?? 0)
  const width = ((bytes[7] ?? 0) << 8) | (bytes[8] ?? 0)
  const components = bytes[9] ?? 0
  if (height === 0) throw unsupported('height_after_first_scan')
  if (width === 0 || components === 0 || bytes.length !== 10 + 3 * components) {
    throw malformed('jpg', offset, message('frame_with_components', { width, height, components }))
  }
  if (components > 4) throw unsupported(message('components_found', { components }))
  const identifiers = new Set(Array.from({ length: components }, (_, i) => bytes[10 + 3 * i]))
  if (identifiers.size < components) throw unsupported('components_of_same_name')
  if (width * height > mostPixels)
    throw overBudget(message('more_pixels_than_job_may', { width, height, megapixels: Math.floor(mostPixels / 1e6) }))
  return { width, height, components, coefficients: coefficientsOf(bytes, { width, height }), progressive: marker === 0xc2 }
}

/** Number of coefficients of a frame (ITU-T T.81, A.2.3). Invalid sampling factors, which engines refuse, count as 1. */
function coefficientsOf(bytes: Uint8Array, { width, height }: Pick<JpegHeader, 'width' | 'height'>): number {
  const factors = Array.from({ length: bytes[9] ?? 0 }, (_, i) => bytes[11 + 3 * i] ?? 0x11)
  const across = factors.map((factor) => Math.max(1, factor >> 4))
  const down = factors.map((factor) => Math.max(1, factor & 15))
  const mcus = Math.ceil(width / (8 * maxOf(across))) * Math.ceil(height / (8 * maxOf(down)))
  return factors.reduce((sum, _, i) => sum + mcus * 64 * (across[i] ?? 1) * (down[i] ?? 1), 0)
}

/** Markers of segments that affect colour or orientation. Readers ignore them between scans, but would use them before the picture. */
const AFFECTS_DISPLAY = [0xe0, 0xe1, 0xe2, 0xee]

/**
 * Reads the segments between the scans, whose positions the engine reports. The result has them before the picture, after the other
 * segments.
 */
export async function lateSegments(source: Source, places: readonly FileRange[]): Promise<Segment[]> {
  if (places.reduce((sum, place) => sum + place.length, 0) > HEADER_BYTES_MAX) throw overBudget('too_much_metadata_between_scans')
  if (places.length > SEGMENTS_MAX) throw tooManySegments()
  const segments: Segment[] = []
  for (const { offset, length } of places) {
    const bytes = (await source.read(offset, length)).slice()
    const marker = bytes[1] ?? 0
    if (bytes.length < length || bytes[0] !== 0xff) throw malformed('jpg', offset, 'segment_cannot_be_found_again')
    if (AFFECTS_DISPLAY.includes(marker)) throw unsupported('metadata_between_scans')
    segments.push({ marker, offset, bytes })
  }
  return segments
}

/** True if a segment starts with these ASCII characters after marker and length. */
export function isSegment(segment: Segment, marker: number, signature: string): boolean {
  if (segment.marker !== marker || segment.bytes.length < 4 + signature.length) return false
  for (let i = 0; i < signature.length; i++) if (segment.bytes[4 + i] !== signature.charCodeAt(i)) return false
  return true
}

/** EXIF orientation, 1 to 8. */
export function orientationOfJpeg({ segments }: JpegHeader): number {
  const exif = segments.find((segment) => isSegment(segment, 0xe1, 'Exif\0\0'))
  return orientationOf(exif?.bytes.subarray(4 + 6))
}

/**
 * Offset of the box in a JPEG XT segment (ISO/IEC 18477-3, B.1): after marker, length, `JP`, instance and sequence number. Here it is
 * JUMBF (ISO/IEC 19566-5, D.1).
 */
const BOX_AT = 4 + 8
const holdsCredentials = (segment: Segment) => isSegment(segment, 0xeb, 'JP') && isManifestStore(segment.bytes.subarray(BOX_AT))

/** Offset of the transform byte in Adobe's APP14 segment: marker and length, then 11 bytes of content. */
const TRANSFORM_AT = 4 + 11
const YCCK = 2

/** True if the Adobe segment declares four components as luma, chroma and black (YCCK). */
export function isYcck({ segments }: JpegHeader): boolean {
  const adobe = segments.find((segment) => isSegment(segment, 0xee, 'Adobe'))
  return adobe?.bytes[TRANSFORM_AT] === YCCK
}
