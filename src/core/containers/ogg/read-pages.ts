import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { oggCrc } from './crc.ts'
import { CAPTURE_PATTERN, CRC_AT, MAX_PAGE_BYTES, type OggPage, PAGE_HEADER_BYTES } from './page.ts'

/** Bytes that are read at a time. */
const WINDOW_BYTES = 512 * 1024
/** Work between two pauses for other jobs: bytes, and the cost of a page in bytes. */
const WORK_PER_YIELD = 16 * 1024 * 1024
const PAGE_WORK = 512

/**
 * Yields all pages of a file in order. Lacing values and body of a page are valid until the next page is requested.
 * @throws CodecError (malformed) if something else than a page follows, a page is cut off, or its checksum is wrong
 */
export async function* pagesOf(source: Source, signal: AbortSignal): AsyncGenerator<OggPage, void> {
  const pause = new YieldBudget(WORK_PER_YIELD, signal)
  let window: Uint8Array = new Uint8Array(0)
  let [start, offset] = [0, 0]
  while (offset < source.size) {
    if (offset - start + MAX_PAGE_BYTES > window.length && start + window.length < source.size) {
      signal.throwIfAborted()
      window = await source.read(offset, WINDOW_BYTES)
      start = offset
    }
    const page = pageAt(window, offset - start, offset)
    const bytes = PAGE_HEADER_BYTES + page.lacing.length + page.body.length
    yield page
    offset += bytes
    await pause.after(bytes + PAGE_WORK)
  }
}

function pageAt(window: Uint8Array, at: number, offset: number): OggPage {
  const head = window.subarray(at, at + PAGE_HEADER_BYTES)
  if (latin1Of(head.subarray(0, 4)) !== CAPTURE_PATTERN) throw malformed('ogg', offset, 'ogg_no_page')
  if (head.length < PAGE_HEADER_BYTES) throw malformed('ogg', offset, 'ogg_page_cut_off')
  if (head[4] !== 0) throw malformed('ogg', offset, 'ogg_no_page')
  const bodyAt = at + PAGE_HEADER_BYTES + head[26]!
  const lacing = window.subarray(at + PAGE_HEADER_BYTES, bodyAt)
  let bodyBytes = 0
  for (const length of lacing) bodyBytes += length
  const body = window.subarray(bodyAt, bodyAt + bodyBytes)
  if (lacing.length < head[26]! || body.length < bodyBytes) throw malformed('ogg', offset, 'ogg_page_cut_off')
  const reader = new ByteReader(head, true)
  if (checksum(window.subarray(at, bodyAt + bodyBytes)) !== reader.u32(CRC_AT)) throw malformed('ogg', offset, 'ogg_checksum_wrong')
  return {
    offset,
    flags: head[5]!,
    granule: BigInt.asIntN(64, reader.bigU64(6)),
    serial: reader.u32(14),
    sequence: reader.u32(18),
    lacing,
    body,
  }
}

const NO_CRC = new Uint8Array(4)

/** Checksum of a page, whose own checksum field counts as zero. */
const checksum = (page: Uint8Array) => oggCrc(page.subarray(CRC_AT + NO_CRC.length), oggCrc(NO_CRC, oggCrc(page.subarray(0, CRC_AT))))
