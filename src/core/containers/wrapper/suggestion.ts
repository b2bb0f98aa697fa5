/** Suggests `zst` for a file that cannot become smaller as itself. */
import { zstdStream } from '../../bytes/zstd.ts'
import type { Source, Suggestion } from '../../model/codec.ts'

/** Bytes from the start by which the size is estimated. */
const SAMPLE_BYTES = 4 * 1024 * 1024
/** zstd level of the estimate, which is the fastest. The result is smaller. */
const LEVEL = 1
const CHUNK_BYTES = 256 * 1024

/** Returns the size that the file has at most in `zst`, estimated by its start. `undefined`: an empty file. */
export async function suggestedZst(source: Source, signal: AbortSignal): Promise<Suggestion | undefined> {
  const sample = Math.min(source.size, SAMPLE_BYTES)
  if (sample === 0) return undefined
  async function* chunks() {
    for (let at = 0; at < sample; at += CHUNK_BYTES) {
      signal.throwIfAborted()
      yield await source.read(at, Math.min(CHUNK_BYTES, sample - at))
    }
  }
  let bytes = 0
  for await (const chunk of zstdStream(chunks(), sample, 'as deep as its level', LEVEL)) bytes += chunk.length
  return { output: 'zst', estimatedBytes: Math.ceil((bytes / sample) * source.size) }
}
