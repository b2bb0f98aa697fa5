/** How close an optimized SVG is to the original: both are drawn, on black and on white. */

import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import { DRAWN_WIDTH } from '../../quality/levels.ts'
import { type Similarity, SimilarityMeter } from '../../quality/metrics.ts'
import { startTagsOf } from './markup.ts'
import { type Rendering, SvgRenderer } from './renderer.ts'

/** Drawn this wide, as a picture on a page; pictures of other shapes get the same number of pixels. */
const MAX_PIXELS = 1_500_000
const MIN_SIDE = 8

/** Instructions that drawing may take: a second or two, during which nobody else is served. The heaviest known needs half of it. */
const MOST_WORK_OF_A_DRAWING = 20e9
/** What all candidates together may take. */
const MOST_WORK_OF_CANDIDATES = 80e9

/** Draws the original once, candidates against it. */
export class SvgMeter {
  readonly #renderer = new SvgRenderer()
  readonly #zoom: number
  readonly #original: Rendering
  readonly #mostWork: number

  /** @throws EngineError when the original cannot be drawn, or would take too long */
  constructor(original: string) {
    const { width, height } = this.#renderer.size(bareRoot(original) ?? original, MOST_WORK_OF_A_DRAWING)
    if (!(width > 0 && height > 0)) throw new EngineError('resvg', 'damaged', 'the picture has no size')
    this.#zoom = Math.min(DRAWN_WIDTH / width, Math.sqrt(MAX_PIXELS / (width * height)))
    if (this.#zoom * Math.min(width, height) < MIN_SIDE)
      throw new EngineError('resvg', 'damaged', `a picture of ${width}×${height} is too slender to be measured`)
    this.#original = this.#renderer.render(original, this.#zoom, MOST_WORK_OF_A_DRAWING - this.#renderer.work)
    this.#mostWork = this.#renderer.work + MOST_WORK_OF_CANDIDATES
  }

  /** The worse of black and white; undefined when the candidate has another size or cannot be drawn. */
  measure(candidate: string): Similarity | undefined {
    try {
      const left = Math.min(MOST_WORK_OF_A_DRAWING, this.#mostWork - this.#renderer.work)
      return similarityOf(this.#original, this.#renderer.render(candidate, this.#zoom, left))
    } catch (error) {
      if (isEngineError(error, 'resvg')) return undefined
      throw error
    }
  }
}

/** The worse of black and white; undefined for another size. */
function similarityOf(original: Rendering, rendering: Rendering): Similarity | undefined {
  const { width, height, pixels } = original
  if (rendering.width !== width || rendering.height !== height) return undefined
  if (Buffer.compare(pixels, rendering.pixels) === 0) return EQUAL
  // Where nothing shines through, the background makes no difference.
  const backgrounds = isOpaque(pixels) && isOpaque(rendering.pixels) ? [0] : [0, 255]
  const figures = backgrounds.map((background) => {
    using meter = new SimilarityMeter(width, height, 3)
    const rows = 64
    for (let y = 0; y < height; y += rows) {
      const [from, to] = [y * width * 4, Math.min(height, y + rows) * width * 4]
      meter.push(over(pixels.subarray(from, to), background), over(rendering.pixels.subarray(from, to), background))
    }
    return meter.finish()
  })
  return {
    ssim: Math.min(...figures.map(({ ssim }) => ssim)),
    psnrDb: Math.min(...figures.map(({ psnrDb }) => psnrDb)),
    psnrRgbDb: Math.min(...figures.map(({ psnrRgbDb }) => psnrRgbDb)),
  }
}

const EQUAL: Similarity = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY }

/** The root element without its content, which has the same size as the whole; undefined where the content decides about it. */
function bareRoot(text: string): string | undefined {
  const first = startTagsOf(text).next()
  const root = first.done ? undefined : /^<svg\b(?:[^<>"'&]|"[^"<&]*"|'[^'<&]*')*?(?=\/?>$)/.exec(first.value.tag)?.[0]
  if (root === undefined) return undefined
  const has = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']\\s*[\\d.]`).test(root)
  const shares = /\s(?:width|height)\s*=\s*["'][^"']*%/.test(root)
  return has('viewBox') || (has('width') && has('height') && !shares) ? `${root}/>` : undefined
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let i = 3; i < rgba.length; i += 4) if (rgba[i] !== 255) return false
  return true
}

/** Premultiplied RGBA on a grey background, as RGB. */
function over(rgba: Uint8Array, background: number): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const rest = background === 0 ? 0 : 255 - rgba[from + 3]!
    rgb[to] = rgba[from]! + rest
    rgb[to + 1] = rgba[from + 1]! + rest
    rgb[to + 2] = rgba[from + 2]! + rest
  }
  return rgb
}
