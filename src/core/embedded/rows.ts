/** Decodes embedded pictures to rows. */
import { JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { pngRows } from '../../../wasm/png/png.ts'
import type { PictureHeader } from './image-header.ts'

/** Number of rows in one batch. */
export const BATCH_ROWS = 32

export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Yields the rows of a JPEG or PNG from top to bottom, several at a time. Rows are valid until the next batch is requested. */
export async function* rowsOf(bytes: Uint8Array, facts: PictureHeader, channels: 3 | 4): AsyncGenerator<Uint8Array> {
  if (facts.kind === 'png') {
    for await (const { rows } of pngRows(oneChunk(bytes), channels === 4 ? 'rgba8' : 'rgb8')) {
      yield rows
      discard(rows)
    }
    return
  }
  const jpeg = await JpegRows.open(bytes, { colour: channels === 4 ? 'rgba' : 'rgb' })
  yield* jpeg.strips(BATCH_ROWS)
}
