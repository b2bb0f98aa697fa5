/** Transfers ancillary chunks to the form of the result. */

import type { Layout, PictureHeader } from '../../../../wasm/png/engine.ts'
import { BEFORE_PALETTE } from '../../../../wasm/png/png.ts'
import { maxOf } from '../../bytes/min-max.ts'
import type { PngChunk, PngFile } from './file.ts'
import { GAIN_MAP_CHUNKS } from './signalling.ts'

/**
 * Returns the content of a source chunk for the result. `undefined`: the chunk no longer applies. That is the histogram of a changed
 * palette, a background colour that the result cannot express, or an unknown chunk marked unsafe to copy (W3C PNG, 5.4).
 */
export function transferredChunk({ type, data }: PngChunk, from: PictureHeader, to: Layout): Uint8Array | undefined {
  switch (type) {
    case 'bKGD':
      return background(data, from, to)
    case 'sBIT':
      return significantBits(data, from, to)
    case 'hIST':
      return samePalette(from, to) ? data : undefined
    default:
      return KNOWN.has(type) || type.charCodeAt(3) & 32 ? data : undefined
  }
}

/** Size in bytes of signature, IHDR, IEND and the ancillary chunks. */
export function ancillaryBytes(file: PngFile): number {
  return 8 + 25 + 12 + 12 + file.items.reduce((sum, item) => sum + ('type' in item ? item.data.length + 12 : 0), 0)
}

/** Chunks that are marked unsafe to copy, but do not depend on the form of the image data. */
const KNOWN = new Set([
  'cHRM',
  'cICP',
  'gAMA',
  'iCCP',
  'mDCV',
  'cLLI',
  'mDCv',
  'cLLi',
  ...GAIN_MAP_CHUNKS,
  'sRGB',
  'acTL',
  'fcTL',
  'sPLT',
  'tIME',
  'oFFs',
  'pCAL',
  'sCAL',
  'sTER',
  'eXIf',
  'pHYs',
])

/** Chunks that describe the stored form of the image data and have no meaning in another form. */
export const FORM_CHUNKS: ReadonlySet<string> = new Set(['sBIT', 'hIST', 'sPLT', 'iDOT'])

/** True if a chunk must precede PLTE; otherwise it follows PLTE and precedes IDAT. */
export const goesBeforePalette = (type: string) => BEFORE_PALETTE.has(type)

function samePalette(from: PictureHeader, to: Layout): boolean {
  const [a, b] = [from.palette, to.palette]
  return a !== undefined && b !== undefined && a.length === b.length && a.every((v, i) => v === b[i])
}

/** Background colour as three samples of `depth` bits (W3C PNG, 11.3.4.1). */
function readBackground(data: Uint8Array, from: PictureHeader): { rgb: number[]; depth: number } | undefined {
  const at = (i: number) => ((data[i] ?? 0) << 8) | (data[i + 1] ?? 0)
  if (from.colourType === 3) {
    const index = data[0] ?? 0
    const colour = from.palette?.subarray(index * 3, index * 3 + 3)
    return data.length === 1 && colour?.length === 3 ? { rgb: [...colour], depth: 8 } : undefined
  }
  if (from.colourType & 2) return data.length === 6 ? { rgb: [at(0), at(2), at(4)], depth: from.bitDepth } : undefined
  return data.length === 2 ? { rgb: [at(0), at(0), at(0)], depth: from.bitDepth } : undefined
}

function background(data: Uint8Array, from: PictureHeader, to: Layout): Uint8Array | undefined {
  const found = readBackground(data, from)
  if (!found) return undefined
  const [r = 0, g = 0, b = 0] = found.rgb
  if (to.colourType === 3) {
    const index = nearest(
      to.palette ?? new Uint8Array(),
      found.rgb.map((v) => (v * 255) / (2 ** found.depth - 1)),
    )
    return Uint8Array.of(index)
  }
  const scaled = [r, g, b].map((v) => (v * (2 ** to.bitDepth - 1)) / (2 ** found.depth - 1))
  if (scaled.some((v) => !Number.isInteger(v))) return undefined
  const bytes = scaled.flatMap((v) => [v >> 8, v & 255])
  if (to.colourType & 2) return Uint8Array.from(bytes)
  return r === g && g === b ? Uint8Array.from(bytes.slice(0, 2)) : undefined
}

function nearest(palette: Uint8Array, rgb: readonly number[]): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i * 3 < palette.length; i++) {
    const distance = rgb.reduce((sum, v, c) => sum + ((palette[i * 3 + c] ?? 0) - v) ** 2, 0)
    if (distance < least) {
      least = distance
      best = i
    }
  }
  return best
}

/** sBIT chunk for the result (W3C PNG, 11.3.2.6): one byte for each channel of the colour type. */
function significantBits(data: Uint8Array, from: PictureHeader, to: Layout): Uint8Array | undefined {
  const colour = (from.colourType & 2) !== 0
  const hasAlpha = (from.colourType & 4) !== 0
  const expected = (colour ? 3 : 1) + (hasAlpha ? 1 : 0)
  if (data.length !== expected) return undefined
  const depth = to.colourType === 3 ? 8 : to.bitDepth
  const clip = (v: number) => Math.max(1, Math.min(depth, v))
  const colours = colour ? [...data.subarray(0, 3)] : [data[0] ?? depth, data[0] ?? depth, data[0] ?? depth]
  const out = to.colourType & 2 ? colours.map(clip) : [clip(maxOf(colours))]
  if (to.colourType & 4) out.push(clip(hasAlpha ? (data[expected - 1] ?? depth) : depth))
  return Uint8Array.from(out)
}
