/**
 * Streaming parser of multipart/form-data (RFC 7578; RFC 2046, 5.1) with a buffer of fixed size.
 * The body of each part is read or skipped before the next part. Chunks are views into the buffer, valid until the next read.
 */

import { indexOfBytes, startsWithBytes } from '../../core/bytes/search.ts'
import { type ApiMessageOrCode, apiMessage, toApiMessage } from '../i18n/message.ts'
import { ApiError } from '../tasks/api-error.ts'
import { type ChunkReader, chunkReaderOf } from '../tasks/body-stream.ts'
import { type Disposition, malformed, parseDisposition } from './multipart-disposition.ts'

export interface Part extends Disposition {
  readonly body: AsyncIterable<Uint8Array>
}

const READ_BYTES = 256 * 1024
const WINDOW_BYTES = 2 * READ_BYTES
const MAX_PREAMBLE_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024
/** Maximum number of spaces and tabs between a boundary and its line end (allowed by RFC 2046). */
const MAX_PADDING_BYTES = 64

const encode = (text: string) => new TextEncoder().encode(text)
const CRLF = encode('\r\n')
const BLANK_LINE = encode('\r\n\r\n')
const DASH = 0x2d

/** Returns the boundary of a Content-Type header: 1 to 70 characters (RFC 2046, 5.1.1). */
export function boundaryOf(contentType: string | undefined): string {
  if (!contentType || !/^\s*multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ApiError(
      'malformed_request',
      apiMessage('multipart_needed', { got: contentType ? `'${contentType.slice(0, 80)}'` : apiMessage('no_content_type') }),
    )
  }
  const match = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2] ?? ''
  if (boundary.length < 1 || boundary.length > 70) {
    throw new ApiError('malformed_request', 'boundary_needed')
  }
  return boundary
}

/** Buffer of at most `WINDOW_BYTES` over the unread rest of a request body. */
export class BodyWindow {
  readonly #pull: () => Promise<Uint8Array | undefined>
  readonly #close: () => Promise<void>
  readonly #bytes = new Uint8Array(WINDOW_BYTES)
  #start = 0
  #end = 0
  /** Bytes that were read from the stream but do not fit into the buffer yet. */
  #rest: Uint8Array = new Uint8Array(0)
  #broken = false
  /** Bytes read from the request so far. */
  received = 0

  /** @param watch wraps the reader of the body. Default: no wrapper */
  constructor(body: ReadableStream<Uint8Array>, watch = (reader: ChunkReader) => reader) {
    const { pull, close } = watch(chunkReaderOf(body, READ_BYTES))
    this.#pull = pull
    this.#close = close
  }

  get view(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  skip(count: number): void {
    this.#start += count
  }

  /** Appends more bytes to the buffer. False: the body has ended, or the buffer is full. */
  async fill(): Promise<boolean> {
    if (this.#start > 0) {
      this.#bytes.copyWithin(0, this.#start, this.#end)
      this.#end -= this.#start
      this.#start = 0
    }
    if (this.#rest.length === 0) this.#rest = (await this.#next()) ?? new Uint8Array(0)
    const taken = Math.min(this.#rest.length, WINDOW_BYTES - this.#end)
    this.#bytes.set(this.#rest.subarray(0, taken), this.#end)
    this.#rest = this.#rest.subarray(taken)
    this.#end += taken
    return taken > 0
  }

  /**
   * Appends more bytes.
   * @throws ApiError if the body has ended
   */
  async need(where: ApiMessageOrCode): Promise<void> {
    if (!(await this.fill())) throw malformed(apiMessage('body_ends', { where: toApiMessage(where) }))
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const chunk = await this.#pull()
      this.received += chunk?.length ?? 0
      return chunk
    } catch (error) {
      this.#broken = true
      throw error instanceof ApiError ? error : malformed('it_breaks_off')
    }
  }

  /**
   * Reads and discards the rest of the body, up to `limit` bytes, so that the client can receive the answer.
   * A longer rest is cut off.
   */
  async drain(limit: number): Promise<void> {
    this.#start = this.#end = 0
    this.#rest = new Uint8Array(0)
    try {
      for (let left = limit; left > 0 && !this.#broken; ) {
        const chunk = await this.#pull()
        if (!chunk) return
        left -= chunk.length
      }
      await this.#close()
    } catch {
      // The client disconnected, so the error has no recipient.
    }
  }
}

export async function* parseMultipart(window: BodyWindow, boundary: string): AsyncGenerator<Part> {
  const delimiter = encode(`\r\n--${boundary}`)
  await skipPreamble(window, delimiter)
  while (!(await atClosing(window))) {
    const disposition = parseDisposition(await readHeaders(window))
    const body = partBody(window, delimiter)
    yield { ...disposition, body }
    // Skips bytes of the previous part that its reader did not read.
    for await (const _ of body);
  }
}

/** Moves the buffer behind the first boundary, which may be at the start of the body. */
async function skipPreamble(window: BodyWindow, delimiter: Uint8Array): Promise<void> {
  const atStart = delimiter.subarray(CRLF.length)
  for (;;) {
    const { view } = window
    if (startsWithBytes(view, atStart)) return window.skip(atStart.length)
    const at = indexOfBytes(view, delimiter)
    if (at >= 0) return window.skip(at + delimiter.length)
    if (view.length > MAX_PREAMBLE_BYTES) throw malformed('boundary_does_not_come')
    await window.need('before_first_boundary')
  }
}

/** Reads what follows a boundary: `--` ends the body, a line end begins a part. True: another part follows. */
async function atClosing(window: BodyWindow): Promise<boolean> {
  for (let padding = 0; ; ) {
    const { view } = window
    if (padding === 0 && view[0] === DASH && view[1] === DASH) return true
    while (padding < view.length && (view[padding] === 0x20 || view[padding] === 0x09)) padding++
    if (padding > MAX_PADDING_BYTES) throw malformed('no_line_end_after_boundary')
    if (view.length >= padding + 2) {
      if (view[padding] !== 0x0d || view[padding + 1] !== 0x0a) throw malformed('no_line_end_after_boundary')
      window.skip(padding)
      return false
    }
    await window.need('inside_boundary')
  }
}

/** Reads the header lines of a part. The search includes the line end of the boundary, so that a part without headers is found. */
async function readHeaders(window: BodyWindow): Promise<Uint8Array> {
  for (;;) {
    const { view } = window
    const at = indexOfBytes(view.subarray(0, MAX_HEADER_BYTES), BLANK_LINE)
    if (at >= 0) {
      const headers = view.slice(Math.min(CRLF.length, at), at)
      window.skip(at + BLANK_LINE.length)
      return headers
    }
    if (view.length >= MAX_HEADER_BYTES) throw malformed(apiMessage('part_headers_too_long', { limit: MAX_HEADER_BYTES }))
    await window.need('inside_headers_of_part')
  }
}

/** Wraps a generator so that a second iteration continues where the first one stopped. */
function partBody(window: BodyWindow, delimiter: Uint8Array): AsyncIterable<Uint8Array> {
  let ended = false
  // Calls `next` directly, because leaving a `for await` loop early would close the generator.
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      for (;;) {
        if (ended) return { done: true, value: undefined }
        const { view } = window
        const at = indexOfBytes(view, delimiter)
        ended = at >= 0
        const length = ended ? at : Math.max(0, view.length - (delimiter.length - 1))
        window.skip(ended ? at + delimiter.length : length)
        if (length > 0) return { done: false, value: view.subarray(0, length) }
        if (!ended) await window.need('inside_part')
      }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
