/** Quantises drawings with more than 256 colours to the palette that the level allows for a PNG with the same pixels. */
import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { parseHeader } from '../../../../../wasm/png/chunks.ts'
import { CHANNELS, type PictureHeader } from '../../../../../wasm/png/engine.ts'
import { concat } from '../../../bytes/concat.ts'
import type { QualityGoal } from '../../../catalog/score-goal.ts'
import { encodeSmallestPng } from '../../../images/png/encode-smallest.ts'
import { redeflated, rowBytesIfFew } from '../../../images/png/redeflate.ts'
import type { Options } from '../../../model/codec.ts'
import { isCodecError } from '../../../model/error.ts'
import type { PictureLoss } from '../../../model/loss.ts'
import type { Filter } from '../filters.ts'
import { latin1 } from '../objects.ts'
import { predictorParms } from '../recompress.ts'
import { MOST_PALETTE_PIXELS } from '../tuning.ts'
import { type ImageFacts, INDEXED_BASES, imageFilter } from './facts.ts'
import type { Rows } from './rows.ts'

const MIN_SIDE = 16

/** Storage format of samples with fewer than 8 bits, or with a palette. */
export interface PackedSamples {
  bits: number
  /** Palette in the colour space of the picture. `undefined`: the samples are grey. */
  table: Uint8Array | undefined
}

export interface QuantisedPicture {
  data: Uint8Array
  deflated: Filter[]
  packed: PackedSamples
  /** Scores compared with the original. `undefined`: lossless. */
  figures: { ssim: number; psnrDb: number } | undefined
}

/** Pixel budget of a document for palette searches. */
export class PaletteBudget {
  private left = MOST_PALETTE_PIXELS.ofDocument

  /** True if the kind and size of the picture allow a palette search. Its pixels are then subtracted from the budget. */
  spend(facts: ImageFacts): boolean {
    const { width, height, family, components, bitsPerComponent, decode, palette } = facts
    const pixels = width * height
    const isSamples = imageFilter(facts) === '' && !palette && !decode && bitsPerComponent === 8
    if (!isSamples || !INDEXED_BASES.has(family) || (components !== 1 && components !== 3)) return false
    if (Math.min(width, height) < MIN_SIDE || pixels > MOST_PALETTE_PIXELS.ofPicture || pixels > this.left) return false
    this.left -= pixels
    return true
  }
}

type Aim = Pick<Options, keyof QualityGoal | 'signal'> & { budget: number }

/** Encodes the smallest PNG that the level allows and converts it to a PDF image. `undefined`: it is not smaller than `budget` bytes. */
export async function quantiseToPalette(facts: ImageFacts, open: () => Promise<Rows>, aim: Aim): Promise<QuantisedPicture | undefined> {
  const { width, height } = facts
  const channels = facts.components === 1 ? 1 : 3
  const rows = async function* () {
    yield* (await open()).strips
  }
  const encoded = await encodeSmallestPng({ width, height, channels, rows }, [], aim.budget, aim).catch(declined)
  return encoded && fromPng(facts, encoded.pieces, encoded.loss, aim.signal)
}

async function fromPng(
  { components, width, height }: ImageFacts,
  encoded: readonly Uint8Array[],
  loss: PictureLoss | undefined,
  signal: AbortSignal,
): Promise<QuantisedPicture | undefined> {
  const form = parseHeader(encoded[0]!.subarray(16, 29), 16)
  const rowBytes = rowBytesIfFew(form)
  const pieces = (rowBytes !== undefined && (await redeflated(encoded, rowBytes, { signal }))) || encoded
  const table = tableOf(form, components, pieces)
  if (!table && CHANNELS[form.colourType] !== components) return undefined
  if (form.bitDepth === 1 && table && !isBlackAndWhite(table, components)) return undefined
  const data = concat(pieces.filter((piece) => typeOf(piece) === 'IDAT').map((piece) => piece.subarray(8, -4)))
  const shape = { predictor: 15, colors: CHANNELS[form.colourType], bitsPerComponent: form.bitDepth, columns: width }
  const figures = loss && { ssim: loss.ssim, psnrDb: loss.psnrDb }
  const deflated = [{ name: 'FlateDecode', parms: predictorParms(shape) }]
  return height === form.height ? { data, deflated, packed: { bits: form.bitDepth, table }, figures } : undefined
}

/**
 * True for a palette of black and white. Poppler's `pdfimages` reads one-bit samples as black and white whatever the palette contains, so
 * other colours need two bits.
 */
const isBlackAndWhite = (table: Uint8Array, components: number): boolean =>
  table.length === 2 * components && table.every((value, i) => value === (i < components ? 0 : 255))

const typeOf = (piece: Uint8Array) => latin1(piece.subarray(4, 8))

/**
 * Palette of the PDF image. Grey samples also get one if the colour space of the picture has three components, because the picture keeps
 * that space (ISO 32000-2, 8.6.6.3).
 */
function tableOf({ colourType, bitDepth }: PictureHeader, components: number, pieces: readonly Uint8Array[]): Uint8Array | undefined {
  if (colourType === 0 && components === 1) return undefined
  const entries = pieces.find((piece) => typeOf(piece) === 'PLTE')?.subarray(8, -4)
  if (colourType === 3 && entries) return components === 3 ? entries : entries.filter((_, i) => i % 3 === 0)
  if (colourType !== 0 || components !== 3 || bitDepth > 8) return undefined
  const highest = 2 ** bitDepth - 1
  return Uint8Array.from({ length: 3 * (highest + 1) }, (_, i) => (Math.floor(i / 3) * 255) / highest)
}

function declined(error: unknown): undefined {
  if (isCodecError(error, 'no_gain') || isCodecError(error, 'over_budget') || isEngineError(error, 'png')) return undefined
  throw error
}
