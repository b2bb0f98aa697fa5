/** Extracts the metadata of a JPEG from its segments, for files of another format. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { distinct, type Message, type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { resolutionOfJfif } from '../../images/convert/descriptive-metadata.ts'
import type { PictureMetadata } from '../../images/raster/raster.ts'
import { unsupported } from '../../model/error.ts'
import { isSegment, type JpegHeader, type Segment } from './segments.ts'

const XMP = 'http://ns.adobe.com/xap/1.0/\0'

const contentOf = (segment: Segment, signatureBytes: number) => segment.bytes.subarray(4 + signatureBytes)

/** Rejects the conversion because `what` would be lost. @throws CodecError `unsupported_feature` */
export function rejectConversion(what: MessageOrCode): never {
  throw unsupported(message('would_be_lost_in_another_format', { what: toMessage(what) }))
}

/** Metadata for another format. @throws CodecError `unsupported_feature` for metadata that no other format can store */
export function metadataOf(header: JpegHeader): PictureMetadata {
  const { segments } = header
  if (segments.some((segment) => isSegment(segment, 0xe2, 'MPF\0'))) rejectConversion('further_pictures')
  if (segments.some((segment) => isSegment(segment, 0xed, 'Photoshop 3.0\0'))) rejectConversion('iptc_block')
  if (segments.some((segment) => isSegment(segment, 0xe1, 'http://ns.adobe.com/xmp/extension/\0'))) rejectConversion('extended_xmp')
  // With two XMP packets, some readers use the first and others the last.
  if (segments.filter((segment) => isSegment(segment, 0xe1, XMP)).length > 1) rejectConversion('second_xmp_packet')
  const icc = iccOf(segments)
  if (icc && header.components === 4) rejectConversion('cmyk_profile')
  const exif = segments.find((segment) => isSegment(segment, 0xe1, 'Exif\0\0'))
  const xmp = segments.find((segment) => isSegment(segment, 0xe1, XMP))
  const jfif = segments.find((segment) => isSegment(segment, 0xe0, 'JFIF\0'))
  return {
    icc,
    exif: exif && contentOf(exif, 6),
    xmp: xmp && contentOf(xmp, XMP.length),
    resolution: jfif && resolutionOfJfif(contentOf(jfif, 5)),
    comments: segments.filter(isComment).map((segment) => ({ keyword: 'Comment', text: textOf(contentOf(segment, 0)) })),
  }
}

/** Profile and EXIF of the picture alone. @throws CodecError `unsupported_feature` for a profile for CMYK */
export function metadataForRendition({ segments, components }: JpegHeader): PictureMetadata {
  const icc = iccOf(segments)
  if (icc && components === 4) rejectConversion('cmyk_profile')
  const exif = segments.find((segment) => isSegment(segment, 0xe1, 'Exif\0\0'))
  return { icc, exif: exif && contentOf(exif, 6) }
}

const isComment = ({ marker }: Segment) => marker === 0xfe

/** Decodes a comment, whose encoding JPEG does not specify: UTF-8 if it is valid, otherwise Latin-1. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return latin1Of(bytes)
  }
}

/** Segments whose content is converted, or that have no meaning outside of JPEG. */
const CARRIED = [
  [0xe0, 'JFIF\0'],
  [0xe1, 'Exif\0\0'],
  [0xe1, XMP],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
] as const

/** Names of the metadata that a conversion drops, for the receipt. */
export function droppedMetadata(segments: readonly Segment[], { exif, resolution }: PictureMetadata, output: string): readonly Message[] {
  const dropped = segments.filter(
    (segment) => !(output === 'png' && isComment(segment)) && !CARRIED.some(([marker, signature]) => isSegment(segment, marker, signature)),
  )
  const names = dropped.map(({ marker }) => (marker === 0xfe ? message('comment') : message('app_segment', { number: marker & 15 })))
  // If EXIF is kept, the resolution is not lost: EXIF has its own.
  if (output !== 'png' && resolution && !exif) names.push(message('resolution'))
  return distinct(names)
}

/** Joins the numbered parts of the ICC profile (ICC.1, B.4). */
function iccOf(segments: readonly Segment[]): Uint8Array | undefined {
  const parts = segments.filter((segment) => isSegment(segment, 0xe2, 'ICC_PROFILE\0') && segment.bytes.length > 18)
  if (parts.length === 0) return undefined
  parts.sort((a, b) => (a.bytes[16] ?? 0) - (b.bytes[16] ?? 0))
  return concat(parts.map((part) => contentOf(part, 14)))
}
