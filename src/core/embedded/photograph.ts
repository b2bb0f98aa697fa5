/** Distinguishes photographs of any size from drawings, screenshots and text, by comparing neighbouring pixels. */
import type { PictureFacts } from './image-header.ts'
import { rowsOf } from './rows.ts'

/** Width and height of a block in pixels. */
const BLOCK = 8
/**
 * Sample levels between the darkest and the brightest sample of a block. At or below it, the block is flat: sky, paper, a product's
 * background.
 */
const FLAT_LEVELS = 6
/** Share of pixels that equal their left neighbour. A block with edges and a larger share counts as drawn. */
const DRAWN_SHARE = 0.4
/** Largest share of drawn blocks, among blocks with edges, in a photograph. */
const MOST_DRAWN = 0.1
/** A photograph has at least this many colours for each pixel in blocks with edges, but `COLOURS` are always enough. */
const COLOURS_A_PIXEL = 0.1
const COLOURS = 500

export interface PictureKindFacts {
  readonly opaque: boolean
  readonly photograph: boolean
}

/** Reads a picture once. A photograph has many colours, and its neighbouring pixels differ outside flat areas. */
export async function examined(bytes: Uint8Array, facts: PictureFacts): Promise<PictureKindFacts> {
  const stride = facts.width * 4
  const strip = new Uint8Array(stride * BLOCK)
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

  /** Examines `BLOCK` rows of RGBA. */
  push(strip: Uint8Array): void {
    for (let x = 0; x + BLOCK <= this.#width; x += BLOCK) this.#block(strip, x)
  }

  get photograph(): boolean {
    const least = Math.min(COLOURS, this.#withEdges * BLOCK * BLOCK * COLOURS_A_PIXEL)
    return this.#withEdges > 0 && this.#drawn <= this.#withEdges * MOST_DRAWN && this.#colours.size >= least
  }

  #block(strip: Uint8Array, left: number): void {
    const stride = this.#width * 4
    let [darkest, brightest, equal] = [255, 0, 0]
    for (let y = 0; y < BLOCK; y++) {
      for (let at = y * stride + left * 4, x = 0; x < BLOCK; x++, at += 4) {
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
    if (equal > BLOCK * (BLOCK - 1) * DRAWN_SHARE) this.#drawn++
    if (this.#colours.size >= COLOURS) return
    for (let y = 0; y < BLOCK; y++) {
      for (let at = y * stride + left * 4, x = 0; x < BLOCK; x++, at += 4)
        this.#colours.add((strip[at]! << 16) | (strip[at + 1]! << 8) | strip[at + 2]!)
    }
  }
}

/** True if the pixel at `at` equals its left neighbour. */
const sameColour = (rgba: Uint8Array, at: number) =>
  rgba[at] === rgba[at - 4] && rgba[at + 1] === rgba[at - 3] && rgba[at + 2] === rgba[at - 2]
