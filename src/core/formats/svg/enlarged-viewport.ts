/**
 * The same drawing on a larger canvas. resvg gives up where a group with an opacity, a clip, a mask or a filter lies more than two canvases
 * outside of the picture, as what lies beside the page in a drawing program may: on a larger canvas it lies closer.
 */
import { startTagsOf } from './markup.ts'

export interface Wide {
  /** The root element alone, of the size that it had. */
  readonly bare: string
  /** So many times as wide and as high, what was there in the upper left corner. */
  times(wide: number, high: number): string
}

const LENGTH = /^\s*([\d.]+)\s*(?:px|pt|pc|mm|cm|in)?\s*$/
/** Shares of the canvas would grow with it. Places of gradients' colours are none. */
const SHARE = /(?<!\soffset)\s*=\s*["']\s*[-+]?[\d.]+%/

/** undefined: what is drawn would move, or be of another size. */
export function wideOf(svg: string): Wide | undefined {
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
    // In another shape it stands in the middle.
    if (sized ? Math.abs((width! * high!) / (height! * wide!) - 1) > 1e-6 : /\s(?:width|height)\s*=/.test(tag)) return undefined
  } else if (!sized) {
    return undefined
  }
  return {
    bare: tag.endsWith('/>') ? tag : `${tag.slice(0, -1)}/>`,
    times(wide, high) {
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
