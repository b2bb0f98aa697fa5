/** Pictures inside documents as rows. */
import { JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { pngRows } from '../../../wasm/png/png.ts'
import type { PictureFacts } from './image-header.ts'

/** Rows at a time. */
export const BATCH_ROWS = 32

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Rows of a JPEG or PNG, top to bottom, some at a time; they hold until the next are asked for. */
export async function* rowsOf(bytes: Uint8Array, facts: PictureFacts, channels: 3 | 4): AsyncGenerator<Uint8Array> {
  if (facts.kind === 'png') {
    for await (const { rows } of pngRows(once(bytes), channels === 4 ? 'rgba8' : 'rgb8')) {
      yield rows
      discard(rows)
    }
    return
  }
  const jpeg = await JpegRows.open(bytes, { colour: channels === 4 ? 'rgba' : 'rgb' })
  yield* jpeg.strips(BATCH_ROWS)
}
