/** Inflates data with fflate. Codecs use another library, so that a mistake of one of them is found. */
import { Gunzip, Inflate, Unzlib } from 'fflate'

/** Name and version of the library, for receipts. A test compares the version with the installed package. */
export const INFLATE_LIBRARY = 'fflate 0.8.3'

export interface InflateOptions {
  readonly wrapper: 'raw' | 'zlib' | 'gzip'
  /** Most bytes of the output. More than that throws a `RangeError`. */
  readonly maxBytes: number
}

const STREAMS = { raw: Inflate, zlib: Unzlib, gzip: Gunzip } as const

/**
 * Yields inflated data chunk by chunk. It does not check the checksum at the end, so the caller must.
 * @throws Error if the data is damaged or ends too early, `RangeError` if it is longer than `maxBytes`
 */
export async function* inflated(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { wrapper, maxBytes }: InflateOptions,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  let [total, ended] = [0, false]
  const stream = new STREAMS[wrapper]((data, final) => {
    total += data.length
    if (data.length > 0) ready.push(data)
    ended ||= final
  })
  for await (const chunk of chunks) {
    // Small steps limit the output that one step creates: Deflate expands at most 1032 times.
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      stream.push(chunk.slice(at, at + STEP_BYTES), false)
      if (total > maxBytes) throw new RangeError(`the data inflates to more than ${maxBytes} bytes`)
      yield* ready.splice(0)
    }
  }
  stream.push(new Uint8Array(0), true)
  if (total > maxBytes) throw new RangeError(`the data inflates to more than ${maxBytes} bytes`)
  yield* ready.splice(0)
  if (!ended) throw new Error('the compressed data ends too early')
}

const STEP_BYTES = 8 * 1024

/** Returns all inflated data, for short streams such as a compressed colour profile. */
export async function inflateAll(bytes: Uint8Array, options: InflateOptions): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of inflated([bytes], options)) parts.push(part)
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
