/** Texts and resolution of a PNG, for formats that can store them. */
import { inflateZlib } from '../../bytes/inflate-stream.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import type { Resolution, TextComment } from '../../images/convert/descriptive-metadata.ts'
import type { PngChunk, PngFile } from './file.ts'
import { chunkOf } from './signalling.ts'

/** Most bytes of a text: what a JPEG comment segment can store. */
const MOST_BYTES = 65_000
const XMP = 'XML:com.adobe.xmp'

/** Resolution from pHYs (W3C PNG, 11.3.4.3). `undefined`: there is none, or it means square pixels without a size. */
export function resolutionOf(file: Pick<PngFile, 'items'>): Resolution | undefined {
  const data = chunkOf(file, 'pHYs')?.data
  if (data?.length !== 9) return undefined
  const reader = new ByteReader(data, false)
  const [x, y] = [reader.u32(0), reader.u32(4)]
  if (x === 0 || y === 0 || (data[8] === 0 && x === y)) return undefined
  return { x, y, unit: data[8] === 1 ? 'metre' : 'ratio' }
}

/** Texts of tEXt, zTXt and iTXt (W3C PNG, 11.3.3), without the XMP packet and without damaged or too large chunks. */
export function commentsOf({ items }: Pick<PngFile, 'items'>): { readonly comment: TextComment; readonly chunk: PngChunk }[] {
  return items.flatMap((item) => {
    const comment = 'type' in item ? commentOf(item) : undefined
    return comment && 'type' in item && comment.keyword !== XMP ? [{ comment, chunk: item }] : []
  })
}

function commentOf({ type, data }: PngChunk): TextComment | undefined {
  const end = data.indexOf(0)
  if (end < 1 || end > 79) return undefined
  const keyword = latin1Of(data.subarray(0, end))
  const text = type === 'iTXt' ? international(data, end + 1) : type === 'tEXt' ? latin1(data.subarray(end + 1)) : zipped(type, data, end)
  // A JPEG stores texts in UTF-8, in which Latin-1 takes up to two bytes a character.
  return !text || new TextEncoder().encode(text).length > MOST_BYTES ? undefined : { keyword, text }
}

const latin1 = (bytes: Uint8Array) => (bytes.length <= MOST_BYTES ? latin1Of(bytes) : undefined)

function zipped(type: string, data: Uint8Array, end: number): string | undefined {
  const bytes = type === 'zTXt' && data[end + 1] === 0 ? inflated(data.subarray(end + 2)) : undefined
  return bytes && latin1Of(bytes)
}

/** Text of an iTXt chunk: compression flag and method, language, translated keyword, text in UTF-8. */
function international(data: Uint8Array, at: number): string | undefined {
  const language = data.indexOf(0, at + 2)
  const keyword = language < 0 ? -1 : data.indexOf(0, language + 1)
  if (keyword < 0) return undefined
  const body = data.subarray(keyword + 1)
  const bytes = data[at] === 1 ? inflated(body) : body
  return bytes && bytes.length <= MOST_BYTES ? new TextDecoder().decode(bytes) : undefined
}

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateZlib(bytes, MOST_BYTES)
  } catch {
    return undefined // the receipt lists the chunk as dropped
  }
}
