/** Distinguishes photographs of any size from drawings, screenshots and text, by comparing neighbouring pixels. */
import type { PictureHeader } from './image-header.ts'
import { rowsOf } from './rows.ts'
import { BLOCK_PIXELS, DRAWN_SHARE, ENOUGH_COLOURS, FLAT_LEVELS, MAX_DRAWN_SHARE, MIN_COLOURS_PER_PIXEL } from './tuning.ts'

export interface PhotographTest {
  readonly opaque: boolean
  readonly photograph: boolean
}

/** Reads a picture once. A photograph has many colours, and its neighbouring pixels differ outside flat areas. */
export async function testForPhotograph(bytes: Uint8Array, facts: PictureHeader): Promise<PhotographTest> {
  const stride = facts.width * 4
  const strip = new Uint8Array(stride * BLOCK_PIXELS)
  const blocks = new Blocks(facts.width)
  let filled = 0
  for await (const rows of rowsOf(bytes, facts, 4)) {
    if (facts.mayBeTransparent && !isOpaque(rows)) return { opaque: false, photograph: false }
    for (let at = 0; at < rows.length; ) {
      const taken = rows.subarray(at, at + strip.length - filled)
      strip.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < strip.length) continue
      blocks.push(strip)
      filled = 0
    }
  }
  return { opaque: true, photograph: blocks.photograph }
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false
  return true
}

class Blocks {
  readonly #width: number
  readonly #colours = new Set<number>()
  #withEdges = 0
  #drawn = 0

  constructor(width: number) {
    this.#width = width
  }

  /** Examines `BLOCK_PIXELS` rows of RGBA. */
  push(strip: Uint8Array): void {
    for (let x = 0; x + BLOCK_PIXELS <= this.#width; x += BLOCK_PIXELS) this.#block(strip, x)
  }

  get photograph(): boolean {
    const least = Math.min(ENOUGH_COLOURS, this.#withEdges * BLOCK_PIXELS * BLOCK_PIXELS * MIN_COLOURS_PER_PIXEL)
    return this.#withEdges > 0 && this.#drawn <= this.#withEdges * MAX_DRAWN_SHARE && this.#colours.size >= least
  }

  #block(strip: Uint8Array, left: number): void {
    const stride = this.#width * 4
    let [darkest, brightest, equal] = [255, 0, 0]
    for (let y = 0; y < BLOCK_PIXELS; y++) {
      for (let at = y * stride + left * 4, x = 0; x < BLOCK_PIXELS; x++, at += 4) {
        for (let channel = 0; channel < 3; channel++) {
          const sample = strip[at + channel]!
          if (sample < darkest) darkest = sample
          if (sample > brightest) brightest = sample
        }
        if (x > 0 && sameColour(strip, at)) equal++
      }
    }
    if (brightest - darkest <= FLAT_LEVELS) return
    this.#withEdges++
    if (equal > BLOCK_PIXELS * (BLOCK_PIXELS - 1) * DRAWN_SHARE) this.#drawn++
    if (this.#colours.size >= ENOUGH_COLOURS) return
    for (let y = 0; y < BLOCK_PIXELS; y++) {
      for (let at = y * stride + left * 4, x = 0; x < BLOCK_PIXELS; x++, at += 4)
        this.#colours.add((strip[at]! << 16) | (strip[at + 1]! << 8) | strip[at + 2]!)
    }
  }
}

/** True if the pixel at `at` equals its left neighbour. */
const sameColour = (rgba: Uint8Array, at: number) =>
  rgba[at] === rgba[at - 4] && rgba[at + 1] === rgba[at - 3] && rgba[at + 2] === rgba[at - 2]
