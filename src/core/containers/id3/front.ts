import type { Source } from '../../model/codec.ts'
import { id3Bytes } from './id3.ts'

const MAX_FRONT_TAGS = 4

/** Length of the ID3v2 tags at the start of a file. */
export async function frontTagBytes(source: Source): Promise<number> {
  let at = 0
  for (let tags = 0; tags < MAX_FRONT_TAGS; tags++) {
    const bytes = id3Bytes(await source.read(at, 10), 0)
    if (bytes === 0) break
    at += bytes
  }
  return at
}
