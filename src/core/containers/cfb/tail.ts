/** Data behind the last sector of a compound file, which readers skip. */
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import type { CompoundFile } from './read.ts'

const COPY_BYTES = 256 * 1024

async function* pieces(source: Source, from: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < source.size; ) {
    const piece = await source.read(at, Math.min(COPY_BYTES, source.size - at))
    if (piece.length === 0) throw malformed('cfb', at, 'file_ends_inside_stream')
    at += piece.length
    yield piece
  }
}

/** Yields the data behind the last sector. It is empty if all its bytes are zero, because those only fill the file. */
export async function* tailOf(file: CompoundFile, source: Source): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces(source, file.end)) {
    if (!piece.some((byte) => byte !== 0)) continue
    yield* pieces(source, file.end)
    return
  }
}
