/** Colours and metadata of a picture as PNG chunks, so that a cropped picture keeps them. */
import { type AncillaryChunk, readPngInfo } from '../../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { physChunk, resolutionOfJfif, textChunk } from '../images/convert/descriptive-metadata.ts'
import { oneChunk } from './rows.ts'

/** PNG chunks about colours, pixel size and metadata. Chunks about the stored form are not copied. */
const KEPT: ReadonlySet<string> = new Set(['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'pHYs', 'eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'])
/** Chunks about the stored form, which a crop does not need. */
const FORM: ReadonlySet<string> = new Set(['bKGD', 'sBIT', 'hIST', 'sPLT', 'tRNS', 'iDOT'])

/** `undefined`: the PNG has a chunk that a crop cannot keep. */
export async function chunksOfPng(bytes: Uint8Array): Promise<AncillaryChunk[] | undefined> {
  const { chunks } = await readPngInfo(oneChunk(bytes))
  const isKnown = chunks.every(({ type }) => KEPT.has(type) || FORM.has(type))
  return isKnown ? chunks.filter(({ type }) => KEPT.has(type)) : undefined
}

const [SOS, APP0, APP1, APP2, APP14, COM] = [0xda, 0xe0, 0xe1, 0xe2, 0xee, 0xfe]
const [JFIF, EXIF, XMP, PROFILE] = ['JFIF\0', 'Exif\0\0', 'http://ns.adobe.com/xap/1.0/\0', 'ICC_PROFILE\0']
const XMP_KEYWORD = 'XML:com.adobe.xmp'

/**
 * Converts a JPEG's profile (ICC.1:2022, B.4: numbered APP2 segments), EXIF, XMP, resolution and comments to PNG chunks.
 * `undefined`: the JPEG has other metadata, for example IPTC or further pictures.
 */
export function chunksOfJpeg(bytes: Uint8Array): AncillaryChunk[] | undefined {
  const chunks: AncillaryChunk[] = []
  const parts: [number: number, data: Uint8Array][] = []
  for (const { marker, body } of segmentsOf(bytes)) {
    const starts = (mark: string) => latin1Of(body.subarray(0, mark.length)) === mark
    if (marker === APP2 && starts(PROFILE)) parts.push([body[PROFILE.length]!, body.subarray(PROFILE.length + 2)])
    else if (marker === APP0 && starts(JFIF)) {
      const resolution = resolutionOfJfif(body.subarray(JFIF.length))
      if (resolution) chunks.push(physChunk(resolution))
    } else if (marker === APP1 && starts(EXIF)) chunks.push({ type: 'eXIf', data: body.slice(EXIF.length) })
    else if (marker === APP1 && starts(XMP)) {
      const packet = body.subarray(XMP.length)
      chunks.push({ type: 'iTXt', data: concat([new TextEncoder().encode(`${XMP_KEYWORD}\0\0\0\0\0`), packet]) })
    } else if (marker === COM) chunks.push(textChunk({ keyword: 'Comment', text: textOf(body) }))
    else if (marker !== APP14 && (marker & 0xf0) === APP0) return undefined
  }
  if (parts.length === 0) return chunks
  const profile = concat(parts.sort(([a], [b]) => a - b).map(([, data]) => data))
  return [{ type: 'iCCP', data: concat([new TextEncoder().encode('ICC profile\0\0'), zlibCompress(profile)]) }, ...chunks]
}

/** Comments are UTF-8 in most files, otherwise Latin-1. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return latin1Of(bytes)
  }
}

/** Yields the segments in front of the image data (ITU-T T.81, B.1.1.4). */
function* segmentsOf(bytes: Uint8Array): Generator<{ marker: number; body: Uint8Array }> {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== SOS; ) {
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!
    yield { marker: bytes[at + 1]!, body: bytes.subarray(at + 4, at + 2 + length) }
    at += 2 + Math.max(2, length)
  }
}
