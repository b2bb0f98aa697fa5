/** Deflate streams too large for memory, decompressed in pieces, with a bound on what may come out. */

import type { Transform } from 'node:stream'
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import type { Container } from '../../../wasm/libdeflate/libdeflate.ts'
import { through } from './pipe-transform.ts'

const CREATE: { readonly [Kind in Container]: (options: { chunkSize: number }) => Transform } = {
  raw: createInflateRaw,
  zlib: createInflate,
  gzip: createGunzip,
}

/**
 * The decompressed bytes, chunk by chunk, in constant memory. gzip: all members, one after the other. What follows the
 * end of the stream is ignored.
 * @throws EngineError `damaged` when the data is invalid, truncated or fails its checksum; `too_large` beyond `maxBytes`
 */
export async function* inflateStream(
  container: Container,
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* bounded(through(CREATE[container]({ chunkSize: 65_536 }), input), maxBytes)
}

/** Passes chunks on until more than `maxBytes` have come; zlib's own errors become `EngineError`. */
export async function* bounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0
  try {
    for await (const chunk of chunks) {
      total += chunk.length
      if (total > maxBytes) throw new EngineError('deflate', 'too_large', `more than ${maxBytes} bytes come out of the compressed data`)
      yield chunk
    }
  } catch (error) {
    throw isZlibError(error) ? new EngineError('deflate', 'damaged', `the compressed data is damaged: ${error.message}`) : error
  }
}

/** node:zlib names its errors by code: Z_DATA_ERROR, Z_BUF_ERROR, ERR__ERROR_FORMAT_PADDING_1 (brotli), ZSTD_error_… */
function isZlibError(error: unknown): error is Error {
  if (!(error instanceof Error) || isEngineError(error, 'deflate')) return false
  const code = 'code' in error ? String(error.code) : ''
  return /^(Z_|ERR_|ZSTD_)/.test(code) || /unexpected end of file/i.test(error.message)
}
