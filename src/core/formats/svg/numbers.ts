/** Rounds or shortens numbers in attributes. */
import { decimalsOf, eachElement, type SvgElement } from './decimals.ts'
import type { PluginFunction } from './guarded.ts'
import { shortNumber } from './path.ts'
import { LEAST_DECIMALS, MOST_DECIMALS } from './tuning.ts'

const NUMBER = /^([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)(px|pt|pc|mm|cm|m|in|ft|em|ex|%)?$/
const PIXELS: { readonly [unit: string]: number | undefined } = { cm: 96 / 2.54, mm: 96 / 25.4, in: 96, pt: 4 / 3, pc: 16 }

/** Replaces svgo's cleanupNumericValues, which rounds opacities and links in the same form as coordinates. */
export function roundAttributes(decimals: number, isMeasured: (node: SvgElement) => boolean): PluginFunction {
  return (root) => {
    eachElement(root, decimals, (node, _, ownDecimals) => {
      for (const [attribute, text] of Object.entries(node.attributes)) {
        if (!NUMERIC.test(attribute)) continue
        if (!isMeasured(node)) {
          node.attributes[attribute] = shortQuantity(text)
          continue
        }
        if (attribute === 'viewBox') node.attributes[attribute] = roundBox(text, Math.max(ownDecimals, LEAST_DECIMALS))
        const [, number, unit = ''] = NUMBER.exec(text) ?? []
        if (number === undefined) continue
        const rounded = roundNumber({ element: node.name, attribute }, { value: Number(number), unit }, ownDecimals)
        if (rounded !== undefined) node.attributes[attribute] = rounded
      }
    })
    return null
  }
}

/** Attributes whose values are quantities. Other attributes, such as links, names and times, contain no numbers to round. */
const NUMERIC =
  /^(?:viewBox|x|y|z|[xy][12]|c[xy]|d[xy]|f[xy]|fr|r|r[xy]|width|height|(?:fill-|stroke-|stop-|flood-)?opacity|stroke-(?:width|dashoffset|miterlimit)|font-size|letter-spacing|word-spacing|offset|stdDeviation|baseFrequency|radius|k[1-4]|slope|intercept|amplitude|exponent|values|scale|seed|surfaceScale|specularConstant|specularExponent|diffuseConstant|azimuth|elevation|pointsAt[XYZ]|limitingConeAngle|bias|divisor|refX|refY|markerWidth|markerHeight|startOffset|textLength|pathLength)$/

/** Writes the same quantity in fewer characters. */
function shortQuantity(text: string): string {
  const [, number, unit] = /^([-+]?(?:\d+\.?\d*|\.\d+))(px|pt|pc|mm|cm|in|ft|em|ex|%)?$/.exec(text) ?? []
  if (number === undefined) return text
  const short = shortNumber(number) + (unit ?? '')
  return short.length < text.length ? short : text
}

function roundNumber(
  place: { element: string; attribute: string },
  { value, unit }: { value: number; unit: string },
  decimals: number,
): string | undefined {
  const keptDecimals = decimalsOf(place, { value, unit }, decimals)
  if (keptDecimals === undefined) return undefined
  const short = shortest(value.toFixed(keptDecimals)) + (unit === 'px' ? '' : unit)
  const factor = PIXELS[unit]
  if (factor === undefined) return short
  const inPixels = shortest((value * factor).toFixed(decimalsOf(place, { value: value * factor, unit: '' }, decimals) ?? MOST_DECIMALS))
  return inPixels.length < short.length ? inPixels : short
}

const shortest = (number: string): string => String(Number(number)).replace(/^(-?)0\./, '$1.')

const roundBox = (box: string, decimals: number): string =>
  box
    .trim()
    .split(/[\s,]+/)
    .map((word) => (Number.isNaN(Number(word)) ? word : String(Number(Number(word).toFixed(decimals)))))
    .join(' ')
