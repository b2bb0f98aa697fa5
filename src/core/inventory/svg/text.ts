/** Reads the text of an SVG or SVGZ file piece by piece. */
import { crc32 } from '../../bytes/crc32.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { isCodecError, overBudget } from '../../model/error.ts'
import { FileView } from '../file-view.ts'
import { inflated } from '../inflate.ts'

/** Most bytes of a drawing after decompression. Longer drawings are `over_budget`. */
const MAX_BYTES = 24 * 1024 * 1024
/** Bytes in which the XML declaration is searched. */
const HEAD_BYTES = 256
const GZIP_TRAILER_BYTES = 8

/**
 * Yields the text of a drawing.
 * @throws CodecError if it is longer than `MAX_BYTES`, the gzip data is damaged, or its encoding is not known
 */
export async function* textOf(source: Source, signal: AbortSignal): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const bytes of bytesOf(new FileView(source, 'svg', signal), signal)) {
    decoder ??= decoderFor(bytes)
    yield decoder.decode(bytes, { stream: true })
  }
  const rest = decoder?.decode() ?? ''
  if (rest !== '') yield rest
}

async function* bytesOf(view: FileView, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const [first, second] = await view.bytesUpTo(0, 2)
  if (first === 0x1f && second === 0x8b) return yield* gunzipped(view, signal)
  if (view.size > MAX_BYTES) throw tooLong(view.size)
  yield* view.chunks(0, view.size)
}

/** Yields the content of a gzip file (RFC 1952) and compares it with its checksum and length. */
async function* gunzipped(view: FileView, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let [crc, length] = [0, 0]
  try {
    for await (const bytes of inflated(view.chunks(0, view.size), { wrapper: 'gzip', maxBytes: MAX_BYTES })) {
      crc = crc32(bytes, crc)
      length += bytes.length
      yield bytes
    }
  } catch (error) {
    if (isCodecError(error) || signal.aborted) throw error
    throw error instanceof RangeError ? tooLong(MAX_BYTES + 1) : view.malformed(0)
  }
  const trailer = await view.bytes(view.size - GZIP_TRAILER_BYTES, GZIP_TRAILER_BYTES)
  const ends = new DataView(trailer.buffer, trailer.byteOffset, GZIP_TRAILER_BYTES)
  if (ends.getUint32(0, true) !== crc || ends.getUint32(4, true) !== length) throw view.malformed(view.size - GZIP_TRAILER_BYTES)
}

const tooLong = (bytes: number) => overBudget(message('svg_too_large_to_hold', { fileSize: bytes, limit: MAX_BYTES }))

/** Selects the encoding by byte order mark, then by the XML declaration; UTF-8 otherwise (XML 1.0, appendix F). */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES))
  if (head.startsWith('\xff\xfe')) return new TextDecoder('utf-16le')
  if (head.startsWith('\xfe\xff')) return new TextDecoder('utf-16be')
  const declared = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]
  try {
    return new TextDecoder(declared ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}
