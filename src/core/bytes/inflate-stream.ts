/** Decompresses Deflate streams that are too large for memory, with a limit on the output. */

import type { Transform } from 'node:stream'
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import type { Container } from '../../../wasm/libdeflate/libdeflate.ts'
import { pipeTransform } from './pipe-transform.ts'

const CREATE: { readonly [Kind in Container]: (options: { chunkSize: number }) => Transform } = {
  raw: createInflateRaw,
  zlib: createInflate,
  gzip: createGunzip,
}

/**
 * Yields the decompressed bytes chunk by chunk, in constant memory. For gzip, it reads all members. Bytes after the end are ignored.
 * @throws EngineError `damaged` if the data is invalid, truncated or fails its checksum; `too_large` after `maxBytes`
 */
export async function* inflateStream(
  container: Container,
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* withByteLimit(pipeTransform(CREATE[container]({ chunkSize: 65_536 }), input), maxBytes)
}

/**
 * Passes chunks on and converts errors of zlib to `EngineError`.
 * @throws EngineError `too_large` after `maxBytes`; `damaged` for errors of zlib
 */
export async function* withByteLimit(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0
  try {
    for await (const chunk of chunks) {
      total += chunk.length
      if (total > maxBytes)
        throw new EngineError('deflate', 'too_large', `the decompressed data is larger than the limit of ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw isZlibError(error) ? new EngineError('deflate', 'damaged', `the compressed data is damaged: ${error.message}`) : error
  }
}

/** True for errors of node:zlib, by their code: Z_DATA_ERROR, Z_BUF_ERROR, ERR__ERROR_FORMAT_PADDING_1 (brotli), ZSTD_error_… */
function isZlibError(error: unknown): error is Error {
  if (!(error instanceof Error) || isEngineError(error, 'deflate')) return false
  const code = 'code' in error ? String(error.code) : ''
  return /^(Z_|ERR_|ZSTD_)/.test(code) || /unexpected end of file/i.test(error.message)
}
