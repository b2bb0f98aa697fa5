/** Where a GIF ends in its file (GIF89a, 27): viewers pass over what stands behind its trailer. And what it holds beside pictures. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { distinct, type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { LARGE_BYTES } from '../../model/source.ts'

const WINDOW_BYTES = 256 * 1024
const HEADER_BYTES = 13
const DESCRIPTOR_BYTES = 9
const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const COMMENT = 0xfe
const APPLICATION = 0xff
const APPLICATION_NAME_BYTES = 11
const LOOPS: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

/** Bytes by their offset, mostly forward; past the end there are none. */
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
  /** Behind the trailer; the size of the file where there is none. */
  readonly end: number
  /** Of comments and application extensions (GIF89a, 24 and 26), in words; not those that say how often an animation runs. */
  readonly notes: readonly Message[]
  readonly frames: number
  /** Pixels of all frames together, each of its own size (GIF89a, 20), at most the canvas. */
  readonly framePixels: number
}

/** Pictures are not looked into: the engine does that. */
export async function surveyGif(source: Source): Promise<GifSurvey> {
  const bytes = new Bytes(source)
  const notes: Message[] = []
  const [canvasWidth, canvasHeight] = [await little(bytes, 6), await little(bytes, 8)]
  let [frames, framePixels] = [0, 0]
  let at = HEADER_BYTES + tableBytes((await bytes.at(10)) ?? 0)
  for (;;) {
    const kind = await bytes.at(at++)
    if (kind === undefined || kind === TRAILER) return { end: Math.min(at, source.size), notes: distinct(notes), frames, framePixels }
    if (kind === EXTENSION) {
      const note = await noteOf(bytes, at)
      if (note) notes.push(note)
      at = await behindBlocks(bytes, at + 1)
    }
    if (kind === IMAGE) {
      frames++
      framePixels += Math.min(canvasWidth, await little(bytes, at + 4)) * Math.min(canvasHeight, await little(bytes, at + 6))
      at = await behindBlocks(bytes, at + DESCRIPTOR_BYTES + tableBytes((await bytes.at(at + 8)) ?? 0) + 1)
    }
  }
}

const little = async (bytes: Bytes, at: number) => ((await bytes.at(at)) ?? 0) | (((await bytes.at(at + 1)) ?? 0) << 8)

/** In words, the extension whose label stands at `at`. */
async function noteOf(bytes: Bytes, at: number): Promise<Message | undefined> {
  const label = await bytes.at(at)
  if (label === COMMENT) return message('comment')
  if (label !== APPLICATION) return undefined
  let name = ''
  for (let i = 0; i < APPLICATION_NAME_BYTES; i++) name += String.fromCharCode((await bytes.at(at + 2 + i)) ?? 0)
  return LOOPS.has(name) ? undefined : message('extension_named', { name: JSON.stringify(name) })
}

/** Of a colour table, by the flags that announce it: 3 × 2^(n + 1). */
const tableBytes = (flags: number) => (flags & 0x80 ? 6 << (flags & 7) : 0)

/** Each block has its length before it; a length of 0 ends them. */
async function behindBlocks(bytes: Bytes, from: number): Promise<number> {
  for (let at = from; ; ) {
    const length = await bytes.at(at)
    if (length === undefined) return at
    if (length === 0) return at + 1
    at += 1 + length
  }
}
