/** Decompresses Deflate by zlib, whose streams may be larger than memory or end early. For whole streams in memory, see `deflate.ts`. */
import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import type { Container } from '../../../wasm/libdeflate/libdeflate.ts'
import { Inflater } from '../../../wasm/zlib/zlib.ts'
import { concat } from './concat.ts'
import { runStream, tooLarge, withByteLimit } from './run-stream.ts'

/** Input and output between two yields to the event loop: about 0.1 seconds. */
const BYTES_PER_PAUSE = 8 * 1024 * 1024

export interface InflateOptions {
  /** True: a stream that ends early gives the bytes before its end, as PDF readers do. Default: false. */
  readonly mayBeCut?: boolean
}

/**
 * Yields the decompressed bytes chunk by chunk, in constant memory. For gzip, it reads all members. Bytes after the end are ignored, but
 * bytes after a gzip member must be another member or begin with a zero.
 * @throws EngineError `damaged` if the data is invalid or fails its checksum; `truncated`; `too_large` after `maxBytes`
 */
export async function* inflateStream(
  container: Container,
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { mayBeCut = false }: InflateOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* withByteLimit(
      runStream(() => new Inflater().open(container), input, BYTES_PER_PAUSE),
      maxBytes,
    )
  } catch (error) {
    if (!mayBeCut || !isCut(error)) throw error
  }
}

/**
 * Decompresses one zlib stream in memory. Bytes after its end are ignored.
 * @throws EngineError `damaged` if the data is invalid or fails its checksum; `truncated`; `too_large` after `maxBytes`
 */
export function inflateZlib(bytes: Uint8Array, maxBytes: number, { mayBeCut = false }: InflateOptions = {}): Uint8Array {
  const engine = (idleInflater ?? new Inflater()).open('zlib')
  idleInflater = undefined
  const chunks: Uint8Array[] = []
  let total = 0
  try {
    for (const chunk of engine.push(bytes)) {
      total += chunk.length
      if (total > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    if (!engine.ended && !mayBeCut) throw new EngineError('deflate', 'truncated', 'the compressed data ends early')
  } finally {
    idleInflater = engine
  }
  return concat(chunks)
}

/** Engine that is reused, because documents have thousands of small streams. Memory: 1 MiB. */
let idleInflater: Inflater | undefined

const isCut = (error: unknown) => isEngineError(error, 'deflate') && error.failure === 'truncated'
