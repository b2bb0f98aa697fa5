/** Resolution and comments of pictures, which PNG and JPEG both have a place for. */
import type { AncillaryChunk } from '../../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { halfWords, text, words } from '../../containers/isobmff/box.ts'

/** Pixels per metre, or the shape of a pixel alone. */
export interface Resolution {
  readonly x: number
  readonly y: number
  readonly unit: 'metre' | 'ratio'
}

/** A comment; PNG has a keyword for each (W3C PNG, 11.3.3.2). */
export interface Comment {
  readonly keyword: string
  readonly text: string
}

const INCH = 0.0254
const MOST_DENSITY = 65_535

/** Density of a JFIF segment: units, then x and y (ITU-T T.871, 10.1). Whole dots an inch are usual, else dots a centimetre. */
export function jfifDensity(resolution: Resolution | undefined): Uint8Array {
  const { x, y, unit } = resolution ?? { x: 1, y: 1, unit: 'ratio' }
  const inches = [x, y].map((count) => count * INCH)
  const areWhole = inches.every((dots) => Math.abs(dots - Math.round(dots)) < 0.02)
  const [units, values] = unit === 'ratio' ? [0, [x, y]] : areWhole ? [1, inches] : [2, [x / 100, y / 100]]
  const [across = 1, down = 1] = values.map((value) => Math.min(MOST_DENSITY, Math.max(1, Math.round(value))))
  return concat([Uint8Array.of(units), halfWords(across, down)])
}

/** The resolution of a JFIF segment's content behind its name; undefined: square pixels of no size. */
export function resolutionOfJfif(content: Uint8Array): Resolution | undefined {
  if (content.length < 7) return undefined
  const [units, x, y] = [content[2]!, content[3]! * 256 + content[4]!, content[5]! * 256 + content[6]!]
  if (x === 0 || y === 0 || units > 2) return undefined
  if (units === 0) return x === y ? undefined : { x, y, unit: 'ratio' }
  const perMetre = units === 1 ? 1 / INCH : 100
  return { x: Math.round(x * perMetre), y: Math.round(y * perMetre), unit: 'metre' }
}

/** pHYs (W3C PNG, 11.3.4.3). */
export const physChunk = ({ x, y, unit }: Resolution): AncillaryChunk => ({
  type: 'pHYs',
  data: concat([words(x, y), Uint8Array.of(unit === 'metre' ? 1 : 0)]),
})

/** iTXt, whose text is UTF-8 (11.3.3.4), or tEXt where Latin-1 holds it. */
export function textChunk({ keyword, text: value }: Comment): AncillaryChunk {
  const isLatin = [...value].every((letter) => letter.charCodeAt(0) < 256)
  if (isLatin) return { type: 'tEXt', data: text(`${keyword}\0${value}`) }
  return { type: 'iTXt', data: concat([text(`${keyword}\0\0\0\0\0`), new TextEncoder().encode(value)]) }
}

/** What a comment of a JPEG says; its own keyword is not repeated. */
export const commentText = ({ keyword, text: value }: Comment): string => (keyword === 'Comment' ? value : `${keyword}: ${value}`)
