/** Removes metadata chunks from PNG files. */
import { concat } from '../../bytes/concat.ts'
import { crc32 } from '../../bytes/crc32.ts'
import { zlibDecompress } from '../../bytes/deflate.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { reducedExif } from '../../containers/metadata/exif.ts'
import { reducedXmp } from '../../containers/metadata/xmp.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { type Piece, sameIfUnchanged, splice } from '../../model/splice.ts'
import { GAIN_MAP_CHUNKS } from './signalling.ts'

/** Ancillary chunks that change the look. Critical chunks always stay. */
const LOOK = new Set([
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'mDCv', 'cLLi', 'sBIT', 'bKGD', 'hIST', 'sPLT', 'pHYs', 'oFFs'],
  ...['pCAL', 'sCAL', 'sTER', 'acTL', 'fcTL', 'fdAT', 'iDOT'],
  ...GAIN_MAP_CHUNKS,
])
const TEXT = new Set(['tEXt', 'zTXt', 'iTXt'])
const XMP_KEYWORD = 'XML:com.adobe.xmp'
/** Keywords about rights and authors (W3C PNG, 11.3.3.1). */
const LAW_KEYWORDS = new Set(['Copyright', 'Author', 'Disclaimer'])
const MAX_CHUNKS = 1_000_000
/** Longest text or EXIF chunk that is reduced. A longer one is removed. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024

/**
 * Returns the file without the chunks that `mode` removes, and without the bytes behind the last chunk.
 * @throws CodecError (malformed) if a chunk leaves the file
 */
export async function withoutPngMetadata(source: Source, mode: RemovingMode, { signal }: Options): Promise<Source> {
  const pieces: Piece[] = [{ from: 0, to: 8 }]
  let at = 8
  for (let count = 0; at + 12 <= source.size; count++) {
    if (count > MAX_CHUNKS) throw overBudget('too_many_chunks')
    signal.throwIfAborted()
    const head = await source.read(at, 8)
    const [length, type] = [new ByteReader(head, false).u32(0), latin1Of(head.subarray(4, 8))]
    const next = at + 12 + length
    if (next > source.size) throw malformed('png', at, message('chunk_of_bytes_runs_over_end', { id: type, size: length }))
    for (const piece of await keptPieces(source, { type, at, length }, mode)) pieces.push(piece)
    at = next
    if (type === 'IEND') break
  }
  return sameIfUnchanged(source, splice(source, pieces))
}

interface Chunk {
  readonly type: string
  readonly at: number
  readonly length: number
}

async function keptPieces(source: Source, { type, at, length }: Chunk, mode: RemovingMode): Promise<Piece[]> {
  const isCritical = (type.charCodeAt(0) & 32) === 0
  if (isCritical || LOOK.has(type)) return [{ from: at, to: at + 12 + length }]
  if (length > MAX_TEXT_BYTES) return []
  if (type === 'eXIf') return written('eXIf', reducedExif(await source.read(at + 8, length), mode))
  if (!TEXT.has(type)) return []
  const body = await source.read(at + 8, length)
  const keyword = latin1Of(body.subarray(0, Math.min(80, Math.max(0, body.indexOf(0)))))
  if (keyword === XMP_KEYWORD && type === 'iTXt') return written('iTXt', xmpBody(body, mode))
  return mode === 'safe' && LAW_KEYWORDS.has(keyword) ? [{ from: at, to: at + 12 + length }] : []
}

/** Body of an XMP text chunk with the properties that `mode` keeps, uncompressed (W3C PNG, 11.3.3.4). */
function xmpBody(body: Uint8Array, mode: RemovingMode): Uint8Array | undefined {
  const keywordEnd = body.indexOf(0)
  const compressed = body[keywordEnd + 1] === 1
  const languageEnd = body.indexOf(0, keywordEnd + 3)
  const textAt = languageEnd < 0 ? -1 : body.indexOf(0, languageEnd + 1) + 1
  if (textAt <= 0) return undefined
  const packet = reducedXmp(new TextDecoder().decode(compressed ? inflated(body.subarray(textAt)) : body.subarray(textAt)), mode)
  return packet === undefined ? undefined : new TextEncoder().encode(`${XMP_KEYWORD}\0\0\0\0\0${packet}`)
}

function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return zlibDecompress(bytes, MAX_TEXT_BYTES)
  } catch {
    return new Uint8Array(0)
  }
}

function written(type: string, body: Uint8Array | undefined): Uint8Array[] {
  if (!body || body.length === 0) return []
  const head = new ByteWriter(new Uint8Array(8), false).u32(body.length).ascii(type).finish()
  const sum = crc32(body, crc32(head.subarray(4)))
  return [concat([head, body, new ByteWriter(new Uint8Array(4), false).u32(sum).finish()])]
}
