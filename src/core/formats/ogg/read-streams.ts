/** Reads the logical streams of an Ogg file (RFC 3533): header packets, and pages with the position at the end of each packet. */
import { concat } from '../../bytes/concat.ts'
import { CONTINUES, FIRST, LAST, NO_GRANULE, type OggPage } from '../../containers/ogg/page.ts'
import { pagesOf } from '../../containers/ogg/read-pages.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { LogicalStream, type PacketPiece } from './logical-stream.ts'
import { MAX_HEADER_BYTES, MAX_HEADER_PACKETS, MAX_STREAMS } from './tuning.ts'

/** What follows in a file. Header packets of sound come together; all pages of other streams are `data`. */
export type OggEvent =
  | { readonly kind: 'first'; readonly stream: LogicalStream; readonly page: OggPage }
  | {
      readonly kind: 'headers'
      readonly stream: LogicalStream
      /** All header packets but the first. */
      readonly packets: readonly Uint8Array[]
      readonly pages: number
      /** True if the stream ends behind them. */
      readonly isLast: boolean
    }
  | {
      readonly kind: 'data'
      readonly stream: LogicalStream
      readonly page: OggPage
      readonly pieces: readonly PacketPiece[]
      /** True if the position of the page is that of the previous page and the samples of its packets. */
      readonly isRegular: boolean
    }

/** Header packets of one stream that are not complete. */
interface Headers {
  readonly stream: LogicalStream
  readonly packets: Uint8Array[]
  /** Parts of the packet that continues on the next page. */
  parts: Uint8Array[]
  bytes: number
  pages: number
}

/**
 * Yields the content of all streams in the order of the file.
 * @throws CodecError (malformed) if pages are damaged or missing, (unsupported_feature) for structures that repacking would change
 */
export async function* eventsOf(source: Source, signal: AbortSignal): AsyncGenerator<OggEvent, void> {
  const streams = new Map<number, LogicalStream>()
  let headers: Headers | undefined
  // Chained files begin again with first pages.
  let isBehindFirstPages = false
  for await (const page of pagesOf(source, signal)) {
    if (page.flags & FIRST) {
      if (isBehindFirstPages) streams.clear()
      isBehindFirstPages = false
      const stream = opened(page, streams)
      yield stream.sound ? { kind: 'first', stream, page } : dataOf(stream, page)
      continue
    }
    isBehindFirstPages = true
    const stream = streams.get(page.serial)
    if (!stream || stream.hasEnded) throw malformed('ogg', page.offset, 'ogg_page_of_no_stream')
    stream.follow(page)
    if (headers && headers.stream !== stream) throw unsupported('ogg_headers_interleaved')
    if (!stream.isInHeaders) {
      yield dataOf(stream, page)
      continue
    }
    headers ??= { stream, packets: [], parts: [], bytes: 0, pages: 0 }
    addHeaders(headers, page)
    if (stream.isInHeaders) continue
    yield { kind: 'headers', stream, packets: headers.packets, pages: headers.pages, isLast: stream.hasEnded }
    headers = undefined
  }
  if (headers) throw malformed('ogg', source.size, 'ogg_ends_in_headers')
}

function opened(page: OggPage, streams: Map<number, LogicalStream>): LogicalStream {
  if (streams.has(page.serial)) throw malformed('ogg', page.offset, 'ogg_serial_twice')
  if (streams.size >= MAX_STREAMS) throw unsupported(message('ogg_too_many_streams', { most: MAX_STREAMS }))
  const stream = new LogicalStream(page)
  streams.set(page.serial, stream)
  return stream
}

const dataOf = (stream: LogicalStream, page: OggPage): OggEvent => ({ kind: 'data', stream, page, ...stream.data(page) })

/** Adds the header packets of a page. Sound begins on a page of its own. */
function addHeaders(headers: Headers, { lacing, body, flags, granule, offset }: OggPage): void {
  const { stream, packets } = headers
  headers.pages++
  headers.bytes += body.length
  if (headers.bytes > MAX_HEADER_BYTES || packets.length > MAX_HEADER_PACKETS)
    throw overBudget(message('ogg_headers_too_large', { mebibytes: MAX_HEADER_BYTES / 2 ** 20 }))
  if (granule !== 0n && granule !== NO_GRANULE) throw unsupported('ogg_headers_with_position')
  let [from, at] = [0, 0]
  for (const [index, length] of lacing.entries()) {
    at += length
    if (length === CONTINUES && index < lacing.length - 1) continue
    headers.parts.push(body.slice(from, at))
    from = at
    if (length === CONTINUES) continue
    if (!stream.isInHeaders) throw unsupported('ogg_sound_on_header_page')
    const packet = concat(headers.parts)
    headers.parts = []
    packets.push(packet)
    stream.header(packet)
  }
  if (!stream.isInHeaders && headers.parts.length > 0) throw unsupported('ogg_sound_on_header_page')
  if (flags & LAST && stream.isInHeaders) throw malformed('ogg', offset, 'ogg_ends_in_headers')
}
