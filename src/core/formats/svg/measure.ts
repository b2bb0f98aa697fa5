/** Measures the similarity of an optimised SVG to the original. Both are rendered at two sizes and compared on black and on white. */

import { EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import { DRAWN_WIDTH, type DrawingTarget, MAGNIFIED_WIDTH } from '../../catalog/levels.ts'
import { reaches } from '../../catalog/target.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { startTagsOf } from './markup.ts'
import { copyOf, type Rendering, SvgRenderer } from './renderer.ts'
import { measureMagnifiedScores, measureScores, measureSimilarity, type PerceptualScores } from './similarity.ts'
import {
  INSTRUCTIONS_PER_SECOND,
  MAX_CANDIDATE_INSTRUCTIONS,
  MAX_DRAWN_PIXELS,
  MAX_MAGNIFIED_CHARACTERS,
  MAX_MAGNIFIED_INSTRUCTIONS,
  MAX_MAGNIFIED_PIXELS,
  MAX_RENDERING_INSTRUCTIONS,
} from './tuning.ts'

const MIN_SIDE = 8

/** Maximum CPU seconds for rendering one drawing. */
export const MAX_RENDERING_SECONDS = MAX_RENDERING_INSTRUCTIONS / INSTRUCTIONS_PER_SECOND

/**
 * Score surplus that makes the magnified comparison unnecessary, and scores that always do. Of 254 drawings with the surplus and of 65 with
 * these scores, none missed the target when magnified. Equal renderings have no scores: one of 139 missed the target of `high`.
 */
const SURPLUS = { score: 18, worstTile: 40 }
const CLEAR = { score: 96, worstTile: 91 }

/** Result of a comparison of a candidate with the original. */
export interface Judgement {
  readonly similarity: Similarity
  /** Scores at the normal size. `undefined`: SSIM or PSNR miss the target, so they were not measured. */
  readonly scores?: PerceptualScores
  /** True if the candidate reaches the target. */
  readonly fits: boolean
}

interface Original {
  readonly zoom: number
  readonly rendering: Rendering
}

/** Renders the original once per size and compares candidates with it. */
export class SvgMeter {
  readonly #renderer = new SvgRenderer()
  readonly #text: string
  readonly #original: Original
  readonly #magnification: number
  readonly #mostWork: number
  /** Original at the magnified size. `null`: it would take too much memory or time. `undefined`: not rendered yet. */
  #magnified: Rendering | null | undefined

  /**
   * Renders the original.
   * @throws EngineError if it cannot be rendered, takes too long, or shows nothing
   */
  constructor(original: string) {
    const { width, height } = this.#renderer.size(bareRoot(original) ?? original, MAX_RENDERING_INSTRUCTIONS)
    if (!(width > 0 && height > 0)) throw new EngineError('resvg', 'damaged', 'the drawing has no width or height')
    const zoomTo = (wide: number, pixels: number) => Math.min(wide / width, Math.sqrt(pixels / (width * height)))
    const zoom = zoomTo(DRAWN_WIDTH, MAX_DRAWN_PIXELS)
    if (zoom * Math.min(width, height) < MIN_SIDE)
      throw new EngineError('resvg', 'damaged', `a drawing of ${width}×${height} is too narrow to be measured`)
    const before = this.#renderer.executedInstructions
    this.#text = original
    this.#original = { zoom, rendering: copyOf(this.#renderer.render(original, zoom, MAX_RENDERING_INSTRUCTIONS - before)) }
    // A blank rendering occurs if the file has only symbols, or only text, because no fonts are available. Two blank renderings are always
    // equal, so they prove nothing.
    if (isBlank(this.#original.rendering))
      throw new EngineError('resvg', 'damaged', 'the renderer shows nothing of it (only symbols, or text without fonts)')
    this.#magnification = zoomTo(MAGNIFIED_WIDTH, MAX_MAGNIFIED_PIXELS) / zoom
    const expected = (this.#renderer.executedInstructions - before) * this.#magnification ** 2
    if (expected > MAX_MAGNIFIED_INSTRUCTIONS || original.length > MAX_MAGNIFIED_CHARACTERS) this.#magnified = null
    this.#mostWork = this.#renderer.executedInstructions + MAX_CANDIDATE_INSTRUCTIONS
  }

  /** CPU seconds of all renderings so far, estimated from the number of executed instructions. */
  get seconds(): number {
    return this.#renderer.executedInstructions / INSTRUCTIONS_PER_SECOND
  }

  /** Renders a candidate and measures its similarity. `undefined`: it has another size or cannot be rendered. */
  measure(candidate: string): Similarity | undefined {
    const rendering = this.#draw(candidate, this.#original.zoom)
    return rendering && measureSimilarity(this.#original.rendering, rendering)
  }

  /**
   * Renders a candidate, and finds out whether it reaches the target. If the result may differ when magnified, the magnified drawing is
   * rendered as well. `undefined`: it has another size or cannot be rendered.
   * @param pause called before each rendering
   */
  async judge(candidate: string, target: DrawingTarget, pause: () => Promise<void>): Promise<Judgement | undefined> {
    await pause()
    const rendering = this.#draw(candidate, this.#original.zoom)
    await pause()
    const similarity = rendering && measureSimilarity(this.#original.rendering, rendering)
    if (!similarity) return undefined
    if (!reaches(similarity, target)) return { similarity, fits: false }
    const scores = measureScores(this.#original.rendering, rendering)
    if (!reachesScores(scores, target)) return { similarity, scores, fits: false }
    return { similarity, scores, fits: isClear(scores, target) || (await this.#reachesMagnified(candidate, target, pause)) }
  }

  async #reachesMagnified(candidate: string, target: DrawingTarget, pause: () => Promise<void>): Promise<boolean> {
    if (this.#magnified === null) return true
    await pause()
    // The engine still has the tree of the candidate, so it comes before the original.
    const drawn = this.#draw(candidate, this.#original.zoom * this.#magnification)
    const rendering = this.#magnified === undefined ? drawn && copyOf(drawn) : drawn
    await pause()
    const original = this.#magnifiedOriginal()
    if (!original) return true
    await pause()
    const scores = rendering && measureMagnifiedScores(original, rendering)
    return scores !== undefined && reachesScores({ ...scores, colourCast: 0 }, { ...target.magnified, cast: 0 })
  }

  #magnifiedOriginal(): Rendering | null {
    if (this.#magnified !== undefined) return this.#magnified
    const drawn = this.#draw(this.#text, this.#original.zoom * this.#magnification)
    this.#magnified = drawn ? copyOf(drawn) : null
    return this.#magnified
  }

  /** Renders a drawing. `undefined`: it cannot be rendered. */
  #draw(text: string, zoom: number): Rendering | undefined {
    try {
      return this.#renderer.render(text, zoom, Math.min(MAX_RENDERING_INSTRUCTIONS, this.#mostWork - this.#renderer.executedInstructions))
    } catch (error) {
      if (isEngineError(error, 'resvg')) return undefined
      throw error
    }
  }
}

function isBlank({ pixels }: Rendering): boolean {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 0) return false
  return true
}

/** True if the perceptual scores reach the target. Small drawings have no scores and always pass. */
const reachesScores = (
  { score = 100, worstTile = 100, colourCast: cast }: PerceptualScores,
  target: Omit<DrawingTarget, 'ssim' | 'psnrDb' | 'magnified'>,
): boolean => score >= target.score && worstTile >= target.worstTile && cast <= target.cast

/** True if the scores at the normal size leave no doubt about the magnified drawing. */
const isClear = (scores: PerceptualScores, { score, worstTile }: DrawingTarget): boolean =>
  reachesScores(scores, {
    score: Math.min(CLEAR.score, score + SURPLUS.score),
    worstTile: Math.min(CLEAR.worstTile, worstTile + SURPLUS.worstTile),
    cast: Number.POSITIVE_INFINITY,
  })

/** Root element without its content, with the size of the whole drawing. `undefined`: the size depends on the content. */
function bareRoot(text: string): string | undefined {
  const first = startTagsOf(text).next()
  const root = first.done ? undefined : /^<svg\b(?:[^<>"'&]|"[^"<&]*"|'[^'<&]*')*?(?=\/?>$)/.exec(first.value.tag)?.[0]
  if (root === undefined) return undefined
  const hasNumber = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']\\s*[\\d.]`).test(root)
  const usesPercent = /\s(?:width|height)\s*=\s*["'][^"']*%/.test(root)
  return hasNumber('viewBox') || (hasNumber('width') && hasNumber('height') && !usesPercent) ? `${root}/>` : undefined
}
