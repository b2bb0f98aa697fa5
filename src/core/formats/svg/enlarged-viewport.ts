/**
 * Renders a drawing on a larger canvas. resvg fails if a group with opacity, clip, mask or filter is more than two canvas sizes outside of
 * the picture. Drawing programs allow such objects beside the page. On a larger canvas the relative distance is smaller.
 */
import { startTagsOf } from './markup.ts'

export interface EnlargedCanvas {
  /** Root element without content, at its original size. */
  readonly emptyRoot: string
  /** Returns the drawing on a canvas `wide` times as wide and `high` times as high. The original picture is in its upper left corner. */
  enlarge(wide: number, high: number): string
}

const LENGTH = /^\s*([\d.]+)\s*(?:px|pt|pc|mm|cm|in)?\s*$/
/** Matches lengths in percent of the canvas, which would grow with it. Offsets of gradient stops are no lengths. */
const SHARE = /(?<!\soffset)\s*=\s*["']\s*[-+]?[\d.]+%/

/** Prepares the enlarged canvas. `undefined`: content would move or change its size. */
export function enlargedCanvasOf(svg: string): EnlargedCanvas | undefined {
  const first = startTagsOf(svg).next()
  const tag = first.done ? undefined : first.value.tag
  if (tag === undefined || !tag.startsWith('<svg') || SHARE.test(svg)) return undefined
  const [width, height] = [attributeOf(tag, 'width'), attributeOf(tag, 'height')].map((value) => Number(LENGTH.exec(value ?? '')?.[1]))
  const box = attributeOf(tag, 'viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number)
  const sized = width! > 0 && height! > 0
  if (box) {
    const [, , wide, high] = box
    if (box.length !== 4 || !(wide! > 0 && high! > 0)) return undefined
    // If the canvas has another aspect ratio than the viewBox, the content is centred.
    if (sized ? Math.abs((width! * high!) / (height! * wide!) - 1) > 1e-6 : /\s(?:width|height)\s*=/.test(tag)) return undefined
  } else if (!sized) {
    return undefined
  }
  return {
    emptyRoot: tag.endsWith('/>') ? tag : `${tag.slice(0, -1)}/>`,
    enlarge(wide, high) {
      const larger = tag
        .replace(/(\swidth\s*=\s*["']\s*)([\d.]+)/, (_, before: string, length: string) => `${before}${Number(length) * wide}`)
        .replace(/(\sheight\s*=\s*["']\s*)([\d.]+)/, (_, before: string, length: string) => `${before}${Number(length) * high}`)
        .replace(
          /(\sviewBox\s*=\s*["'])[^"']*/,
          (_, before: string) => `${before}${box?.map((value, i) => value * [1, 1, wide, high][i]!).join(' ')}`,
        )
      return svg.replace(tag, () => larger)
    },
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)
  return found?.[1] ?? found?.[2]
}
