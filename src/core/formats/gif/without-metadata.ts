/** Removes comments and XMP from GIF files (GIF89a, 24 and 26). */

import { latin1Of } from '../../bytes/latin1.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { type Piece, sameIfUnchanged, splice } from '../../model/splice.ts'

const WINDOW_BYTES = 256 * 1024
const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [APPLICATION, COMMENT] = [0xff, 0xfe]
/** Application extensions that change the look: loop counts and the colour profile. */
const LOOK = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])
/** Comments about rights, which `safe` keeps. */
const LAW = /copyright|©|\(c\)|licen[cs]e/i

/** Returns the file without the extensions that `mode` removes, and without the bytes behind the trailer. */
export async function withoutGifMetadata(source: Source, mode: RemovingMode, { signal }: Options): Promise<Source> {
  const bytes = new Window(source, signal)
  const colourBytes = (flags: number) => (flags & 0x80 ? 3 * (2 << (flags & 7)) : 0)
  const pieces: Piece[] = []
  let at = 13 + colourBytes(await bytes.at(10))
  pieces.push({ from: 0, to: at })
  while (at < source.size) {
    const kind = await bytes.at(at)
    if (kind === TRAILER) return sameIfUnchanged(source, splice(source, [...pieces, { from: at, to: at + 1 }]))
    const from = at
    let isKept = true
    if (kind === EXTENSION) {
      isKept = await keepsExtension(bytes, at + 1, mode)
      at = await bytes.endOfBlocks(at + 2)
    } else if (kind === IMAGE) at = await bytes.endOfBlocks(at + 11 + colourBytes(await bytes.at(at + 9)))
    else throw malformed('gif', at, 'no_chunk_where_one_before_ends')
    if (isKept) pieces.push({ from, to: at })
  }
  return sameIfUnchanged(source, splice(source, pieces))
}

async function keepsExtension(bytes: Window, at: number, mode: RemovingMode): Promise<boolean> {
  const label = await bytes.at(at)
  if (label === APPLICATION) return LOOK.has(latin1Of(await bytes.range(at + 2, 11)))
  if (label !== COMMENT) return true
  return mode === 'safe' && LAW.test(latin1Of(await bytes.range(at + 2, await bytes.at(at + 1))))
}

/** Reads bytes of a file through one window of read-ahead. */
class Window {
  readonly #source: Source
  readonly #signal: AbortSignal
  #bytes: Uint8Array = new Uint8Array(0)
  #start = 0

  constructor(source: Source, signal: AbortSignal) {
    this.#source = source
    this.#signal = signal
  }

  async at(offset: number): Promise<number> {
    return (await this.range(offset, 1))[0] ?? 0
  }

  async range(offset: number, length: number): Promise<Uint8Array> {
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      this.#signal.throwIfAborted()
      this.#bytes = await this.#source.read(offset, WINDOW_BYTES)
      this.#start = offset
      if (this.#bytes.length < length) throw malformed('gif', offset, 'no_chunk_where_one_before_ends')
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length)
  }

  /** Offset behind the data sub-blocks that start at `at` (GIF89a, 15 and 16). */
  async endOfBlocks(at: number): Promise<number> {
    let end = at
    for (;;) {
      const length = await this.at(end)
      end += 1 + length
      if (length === 0) return end
    }
  }
}
