/** A file for an engine that copies what it is given. */
import { discard } from '../../bytes/discard.ts'
import type { Source } from '../../codec/codec.ts'

/** Files from this size leave more garbage than a collector notices in time. */
const DISCARDED_BYTES = 8 * 1024 * 1024

/** In chunks; each is gone when the next is asked for. */
export async function* pushed(source: Source): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.stream()) {
    yield chunk
    if (source.size > DISCARDED_BYTES) discard(chunk)
  }
}
