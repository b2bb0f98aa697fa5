/**
 * Surveys the blocks of a GIF: where it ends (GIF89a, 27), its frames, and where its extensions are. Viewers ignore the bytes after the
 * trailer.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Source } from '../../model/codec.ts'
import { LARGE_BYTES } from '../../model/source.ts'
import { APPLICATION, COMMENT, type GifExtension } from './metadata.ts'
import { WINDOW_BYTES } from './tuning.ts'

const HEADER_BYTES = 13
const DESCRIPTOR_BYTES = 9
const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
/** Most comments and application extensions that a conversion keeps. */
const MOST_EXTENSIONS = 1000

/** Reads single bytes by offset through a window, fastest in forward order. `undefined`: after the end. */
class Bytes {
  readonly #source: Source
  #window: Uint8Array = new Uint8Array()
  #at = 0

  constructor(source: Source) {
    this.#source = source
  }

  async at(offset: number): Promise<number | undefined> {
    const known = this.#window[offset - this.#at]
    if (known !== undefined || offset >= this.#source.size) return known
    if (this.#source.size > LARGE_BYTES) discard(this.#window)
    this.#window = await this.#source.read(offset, WINDOW_BYTES)
    this.#at = offset
    return this.#window[0]
  }
}

export interface GifSurvey {
  /** Offset of the first byte after the trailer; the size of the file if there is no trailer. */
  readonly end: number
  /** Comments and application extensions (GIF89a, 24 and 26). */
  readonly extensions: readonly GifExtension[]
  readonly frames: number
  /** Sum of the pixels of all frames, each at its own size (GIF89a, 20), limited to the canvas. */
  readonly framePixels: number
}

/** Walks the blocks of a GIF without decoding its pictures. */
export async function surveyGif(source: Source): Promise<GifSurvey> {
  const bytes = new Bytes(source)
  const extensions: GifExtension[] = []
  const [canvasWidth, canvasHeight] = [await u16At(bytes, 6), await u16At(bytes, 8)]
  let [frames, framePixels] = [0, 0]
  let at = HEADER_BYTES + tableBytes((await bytes.at(10)) ?? 0)
  for (;;) {
    const kind = await bytes.at(at++)
    if (kind === undefined || kind === TRAILER) return { end: Math.min(at, source.size), extensions, frames, framePixels }
    if (kind === EXTENSION) {
      const [label = 0, start] = [await bytes.at(at), at + 1]
      at = await afterBlocks(bytes, start)
      const isKept = (label === COMMENT || label === APPLICATION) && extensions.length < MOST_EXTENSIONS
      if (isKept) extensions.push({ label, at: start, end: at })
    }
    if (kind === IMAGE) {
      frames++
      framePixels += Math.min(canvasWidth, await u16At(bytes, at + 4)) * Math.min(canvasHeight, await u16At(bytes, at + 6))
      at = await afterBlocks(bytes, at + DESCRIPTOR_BYTES + tableBytes((await bytes.at(at + 8)) ?? 0) + 1)
    }
  }
}

const u16At = async (bytes: Bytes, at: number) => ((await bytes.at(at)) ?? 0) | (((await bytes.at(at + 1)) ?? 0) << 8)

/** Bytes of a colour table, from the flags of its descriptor: 3 × 2^(n + 1). */
const tableBytes = (flags: number) => (flags & 0x80 ? 6 << (flags & 7) : 0)

/** Offset of the first byte after a chain of sub-blocks. Each block starts with its length; length 0 ends the chain. */
async function afterBlocks(bytes: Bytes, from: number): Promise<number> {
  for (let at = from; ; ) {
    const length = await bytes.at(at)
    if (length === undefined) return at
    if (length === 0) return at + 1
    at += 1 + length
  }
}
