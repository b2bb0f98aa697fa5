/** Resolution and comments of pictures, for PNG and JPEG, which can both store them. */
import type { AncillaryChunk } from '../../../../wasm/png/png.ts'
import { concat } from '../../bytes/concat.ts'
import { halfWords, latin1Bytes, words } from '../../containers/isobmff/box.ts'

/** Pixels per metre, or only the aspect ratio of a pixel. */
export interface Resolution {
  readonly x: number
  readonly y: number
  readonly unit: 'metre' | 'ratio'
}

/** Text comment. `keyword` is PNG's (W3C PNG, 11.3.3.2). */
export interface TextComment {
  readonly keyword: string
  readonly text: string
}

const INCH = 0.0254
const MOST_DENSITY = 65_535

/**
 * Density fields of a JFIF segment: unit, x and y (ITU-T T.871, 10.1). The unit is dots per centimetre if only these are whole numbers,
 * else dots per inch, rounded.
 */
export function jfifDensity(resolution: Resolution | undefined): Uint8Array {
  const { x, y, unit } = resolution ?? { x: 1, y: 1, unit: 'ratio' }
  if (unit === 'ratio') return densityFields(0, ratioWithin(x, y))
  const [inches, centimetres] = [
    [x * INCH, y * INCH],
    [x / 100, y / 100],
  ] as const
  return areWhole(centimetres) && !areWhole(inches) ? densityFields(2, centimetres) : densityFields(1, inches)
}

const areWhole = (values: readonly number[]) => values.every((value) => Math.abs(value - Math.round(value)) < 0.02)

/** Scales a ratio down to 16-bit numbers. */
function ratioWithin(x: number, y: number): readonly [number, number] {
  const scale = Math.max(1, Math.max(x, y) / MOST_DENSITY)
  return [x / scale, y / scale]
}

function densityFields(units: number, values: readonly [number, number]): Uint8Array {
  const [across = 1, down = 1] = values.map((value) => Math.min(MOST_DENSITY, Math.max(1, Math.round(value))))
  return concat([Uint8Array.of(units), halfWords(across, down)])
}

/** Resolution of a JFIF segment, from its content after the identifier. `undefined`: square pixels without a physical size. */
export function resolutionOfJfif(content: Uint8Array): Resolution | undefined {
  if (content.length < 7) return undefined
  const [units, x, y] = [content[2]!, content[3]! * 256 + content[4]!, content[5]! * 256 + content[6]!]
  if (x === 0 || y === 0 || units > 2) return undefined
  if (units === 0) return x === y ? undefined : { x, y, unit: 'ratio' }
  const perMetre = units === 1 ? 1 / INCH : 100
  return { x: Math.round(x * perMetre), y: Math.round(y * perMetre), unit: 'metre' }
}

/** Returns a pHYs chunk (W3C PNG, 11.3.4.3). */
export const physChunk = ({ x, y, unit }: Resolution): AncillaryChunk => ({
  type: 'pHYs',
  data: concat([words(x, y), Uint8Array.of(unit === 'metre' ? 1 : 0)]),
})

/** Returns a tEXt chunk, or an iTXt chunk in UTF-8 if the text is not Latin-1 (W3C PNG, 11.3.3.4). */
export function textChunk({ keyword, text: value }: TextComment): AncillaryChunk {
  const isLatin = [...value].every((letter) => letter.charCodeAt(0) < 256)
  if (isLatin) return { type: 'tEXt', data: latin1Bytes(`${keyword}\0${value}`) }
  return { type: 'iTXt', data: concat([latin1Bytes(`${keyword}\0\0\0\0\0`), new TextEncoder().encode(value)]) }
}

/** Text of a JPEG comment segment. Prefixed with the keyword, except for `Comment`. */
export const commentText = ({ keyword, text: value }: TextComment): string => (keyword === 'Comment' ? value : `${keyword}: ${value}`)
