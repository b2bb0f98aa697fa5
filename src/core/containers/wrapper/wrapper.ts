/**
 * Compressed wrappers (`.zst`, `.br`, `.gz`) for formats without a compressed form of their own. Any codec may offer them as outputs.
 * Byte-exact, any file size. Memory: at most 60 MB for zst, 90 MB for br, 25 MB for gz.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { brotliStream, unbrotliStream } from '../../bytes/brotli.ts'
import { type GzipMethod, gunzipStream, gzipStream } from '../../bytes/gzip.ts'
import { chooseSearchDepth, unzstdStream, zstdStream } from '../../bytes/zstd.ts'
import { DEFAULT_EFFORT, type Effort } from '../../catalog/effort.ts'
import type { KnownFormat, OutputId } from '../../catalog/outputs.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { brotliQualityOf, gzipMethodOf, zstdLevelOf } from './levels.ts'

type Chunks = AsyncIterable<Uint8Array>

interface Wrapper {
  compress(input: Chunks, source: Source, effort: Effort): Chunks | Promise<Chunks>
  decompress(input: Chunks, maxBytes: number): Chunks
  step(sourceBytes: number, effort: Effort): Message
}

const WRAPPERS = {
  zst: {
    async compress(input, source, effort) {
      const search = effort === 'best' ? 'as deep as its level' : await chooseSearchDepth(source)
      return zstdStream(input, source.size, search, zstdLevelOf(source.size, effort))
    },
    decompress: unzstdStream,
    step: (size, effort) => message('zstd_level', { level: zstdLevelOf(size, effort) }),
  },
  br: {
    compress: (input, { size }, effort) => brotliStream(input, size, brotliQualityOf(size, effort)),
    decompress: unbrotliStream,
    step: (size, effort) => message('brotli_quality', { quality: brotliQualityOf(size, effort) }),
  },
  gz: {
    compress: (input, { size }, effort) => gzipStream(input, size, gzipMethodOf(size, effort)),
    decompress: gunzipStream,
    step: (size, effort) => message('gzip_of', { how: gzipMethodName(gzipMethodOf(size, effort)) }),
  },
} as const satisfies { readonly [id: string]: Wrapper }

export type WrapperId = keyof typeof WRAPPERS

export const isWrapper = (output: OutputId): output is WrapperId => output in WRAPPERS

/** Describes a Deflate method, for the receipt. */
export const gzipMethodName = (method: GzipMethod): Message =>
  method === 'optimal' ? message('by_optimal_parsing') : message('by_libdeflate_level', { level: method })

/** Compresses the whole source as `options.output`. */
export async function compressWrapped(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const wrapper: Wrapper = wrapperOf(options.output)
  const { effort = DEFAULT_EFFORT } = options
  for await (const chunk of await wrapper.compress(withProgress(source, options, 0, 0.8), source, effort)) await sink.write(chunk)
  return { kind: 'compressed', steps: [wrapper.step(source.size, effort)] }
}

/** Decodes the result and compares every byte with the original. Both are streamed. */
export async function verifyWrapped(original: Source, result: Source, options: Options): Promise<Verdict> {
  const wrapper: Wrapper = wrapperOf(options.output)
  const decoded = new Reader(wrapper.decompress(result.stream(), original.size))
  let offset = 0
  try {
    for await (const expected of withProgress(original, options, 0.8, 0.2)) {
      const got = await decoded.read(expected.length)
      const at = firstDifference(expected, got)
      if (at >= 0) return { equal: false, difference: `byte ${offset + at} differs` }
      offset += expected.length
    }
    if ((await decoded.read(1)).length > 0) return { equal: false, difference: `more than ${original.size} bytes decoded` }
  } catch (error) {
    if (isEngineError(error, 'deflate')) return { equal: false, difference: error.message }
    throw error
  } finally {
    await decoded.close()
  }
  return { equal: true }
}

/** Codec of a format whose only outputs are wrappers. */
export function wrapperCodec(format: KnownFormat): Codec {
  return {
    format,
    compress: (source, sink, options) => compressWrapped(source, sink, options),
    verify: (original, result, _outcome, options) => verifyWrapped(original, result, options),
  }
}

function wrapperOf(output: OutputId): Wrapper {
  if (isWrapper(output)) return WRAPPERS[output]
  throw unsupported(message('not_wrapper_format', { output }))
}

/** Yields the source's chunks and reports progress from `start` to `start + share`. Stops if the job is aborted. */
async function* withProgress(source: Source, options: Options, start: number, share: number): AsyncGenerator<Uint8Array, void, undefined> {
  let done = 0
  for await (const chunk of source.stream()) {
    options.signal.throwIfAborted()
    yield chunk
    done += chunk.length
    options.progress(start + (share * done) / source.size)
  }
}

/** Reader that returns exact numbers of bytes from a stream of chunks of any size. */
class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest = new Uint8Array()

  constructor(chunks: Chunks) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns `length` bytes, or fewer at the end. */
  async read(length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next()
        if (next.done) break
        this.#rest = next.value as Uint8Array<ArrayBuffer>
      }
      const part = this.#rest.subarray(0, length - filled)
      bytes.set(part, filled)
      filled += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
    return bytes.subarray(0, filled)
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i
  return a.length === b.length ? -1 : length
}
