/** Items that pictures of all formats share, in a form that compares between formats. */
import type { InventoryBuilder } from './inventory.ts'

const INCH_METRES = 0.0254
/** Largest density of a JPEG. */
const MOST_DPI = 65_535

/** Adds a resolution in pixels per metre, as dots per inch. Zero means that the file has none. */
export function addResolution(builder: InventoryBuilder, x: number, y: number): void {
  if (x > 0 && y > 0) builder.add('resolution', `resolution = ${dpiOf(x)} × ${dpiOf(y)} dpi`)
}

/** Adds the shape of pixels that are not square. Larger counts mean narrower pixels. */
export function addPixelShape(builder: InventoryBuilder, x: number, y: number): void {
  if (x > 0 && y > 0 && x !== y) builder.add('resolution', `pixel shape = ${Number((x / y).toPrecision(4))}`)
}

/** Whole dots per inch, because JPEG stores whole numbers. */
const dpiOf = (perMetre: number) => Math.min(MOST_DPI, Math.max(1, Math.round(perMetre * INCH_METRES)))

/** Longest text in bytes that a conversion to JPEG stores as a comment. */
const MOST_COMMENT_BYTES = 65_000

/** Adds a comment of any format. `keyword`: that of a PNG text; default: `Comment`, which other formats do not store. */
export function addComment(builder: InventoryBuilder, text: string, keyword = 'Comment'): void {
  const named = keyword === 'Comment' ? '' : `${keyword}: `
  const shown = text.replace(/\0+$/, '')
  if (shown.trim() === '') builder.add('comments', `empty comment = ${named}`)
  else builder.add('comments', `${isLong(shown) ? 'long comment' : 'comment'} = ${named}${shown}`)
}

/** True for texts that no JPEG segment stores. */
const isLong = (text: string) => new TextEncoder().encode(text).length > MOST_COMMENT_BYTES

export const addProfile = (builder: InventoryBuilder, profile: Uint8Array): void => builder.addBytes('icc_profile', 'profile', profile)

/** Transfer functions of HDR (ITU-T H.273, table 3): PQ and HLG. */
export const isHdrTransfer = (transfer: number): boolean => transfer === 16 || transfer === 18

/** Adds code points (ITU-T H.273). The matrix is left out, because it says how an encoder stores colours. */
export const addCodePoints = (builder: InventoryBuilder, primaries: number, transfer: number, isFullRange: boolean): void =>
  builder.add('colour_signalling', `code points = ${primaries}/${transfer} ${isFullRange ? 'full' : 'narrow'} range`)

/** Adds the number of times that an animation plays; 0: without end. */
export const addLoop = (builder: InventoryBuilder, plays: number): void => builder.add('loop', `plays = ${plays}`)

/** Adds a frame and its delay in milliseconds. `number` counts from 0. */
export function addFrame(builder: InventoryBuilder, number: number, milliseconds: number): void {
  builder.add('frames', 'frame')
  builder.add('delays', `${number} = ${Number(milliseconds.toFixed(2))} ms`)
}
