/**
 * Verifies recompressed images. Both images are decoded and compared at a small size, so wrong colours, shapes or missing parts are
 * detected.
 */

import { discard } from '../../../../../wasm/memories/discard.ts'
import { sha256Hex } from '../../../bytes/digest.ts'
import { log } from '../../../bytes/same-math.ts'
import { compareSamples } from '../../../images/compare/compare.ts'
import { PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { COMPARED_SIDE_PIXELS, LEAST_VERIFIED_PSNR_DB } from '../tuning.ts'
import type { StreamVerifier } from '../verify.ts'
import { decodeBilevelStrips, isBilevel } from './bilevel.ts'
import { canDecodeExactRows, decodeBilevelRows, decodeExactRows } from './exact-rows.ts'
import { type ImageFacts, imageFacts, imageFilter } from './facts.ts'
import { type Mask, MaskRows, openMask } from './mask.ts'
import { withOpacity } from './opacity.ts'
import { type DctScale, hasExactRows, hasRows, openRows, type Rows } from './rows.ts'
import { RowScaler, scaledPixels } from './scale.ts'

/** Returns the verification of images. `isLossless`: the receipt declares the result lossless, so every pixel must be equal. */
export function imageVerifier(a: Reader, b: Reader, isLossless = false): StreamVerifier {
  return async ({ original, result }) => {
    const before = await imageFacts(a, original, await a.filters(original))
    const after = await imageFacts(b, result, await b.filters(result))
    if (!before || !after) return 'the image is not readable'
    if (after.width > before.width || after.height > before.height)
      return `image grew from ${before.width}×${before.height} to ${after.width}×${after.height}`
    const proportion = (before.width * after.height) / (before.height * after.width)
    if (Math.abs(log(proportion)) > 0.1 + 1 / Math.min(after.width, after.height)) return 'the aspect ratio of the image changed'
    if (isBilevel(before)) return sameBilevel({ reader: a, stream: original }, { reader: b, stream: result }, before, imageFilter(after))
    if (isLossless && isRepacked(before, after))
      return sameColours({ reader: a, stream: original }, { reader: b, stream: result }, before, after)
    if (!(hasRows(before) || hasExactRows(before)) || !(hasRows(after) || canDecodeExactRows(after)))
      return 'an image of an unsupported kind changed'
    // The mask of the original is applied to both images. The mask of the result has a verification of its own.
    const mask = () => openMask(a, original.dict).catch(ignoreUnreadableMask)
    return compare(await reduceImage(a, original, before, mask), await reduceImage(b, result, after, mask))
  }
}

/** True if the result has fewer bits per pixel than the original samples. */
const isRepacked = (before: ImageFacts, after: ImageFacts) =>
  hasExactRows(before) &&
  imageFilter(before) === '' &&
  after.bitsPerComponent * after.components < before.bitsPerComponent * before.components

/** Compares two images pixel by pixel. Returns a description of the difference; `undefined`: all colours are equal. */
async function sameColours(original: Stored, result: Stored, before: ImageFacts, after: ImageFacts): Promise<string | undefined> {
  if (before.width !== after.width || before.height !== after.height) return 'the size of an image with a palette changed'
  const pair = [
    await decodeExactRows(original.reader, original.stream, before),
    await decodeExactRows(result.reader, result.stream, after),
  ] as const
  if (pair[0].channels !== pair[1].channels) return `the number of image components changed from ${pair[0].channels} to ${pair[1].channels}`
  const digests = await Promise.all(pair.map(({ strips }) => sha256Hex(strips)))
  return digests[0] === digests[1] ? undefined : 'the colours of an image with a palette changed'
}

interface ReducedImage {
  width: number
  height: number
  channels: number
  /** Pixels at the size of the comparison. Under a mask RGBA, with colours weighted by opacity. */
  pixels: Uint8Array
  masked: boolean
}

async function reduceImage(
  reader: Reader,
  stream: Stream,
  facts: ImageFacts,
  maskOf: () => Promise<Mask | undefined>,
): Promise<ReducedImage> {
  const dctScale = Math.min(8, Math.max(1, Math.ceil((8 * COMPARED_SIDE_PIXELS) / Math.min(facts.width, facts.height)))) as DctScale
  const rows = hasRows(facts) ? await openRows(reader, stream, facts, dctScale) : await decodeExactRows(reader, stream, facts)
  const side = (length: number) => Math.max(1, Math.min(length, COMPARED_SIDE_PIXELS))
  const size = { width: side(rows.width), height: side(rows.height) }
  const mask = rows.channels === 4 ? undefined : await maskOf()
  const shape = mask ? { ...rows, channels: 4 } : rows
  const strips = mask ? rowsWithOpacity(rows, new MaskRows(mask, rows.width, rows.height)) : rows.strips
  const pixels = await scaledPixels(new RowScaler(shape, size, 'area', mask !== undefined), strips)
  return { ...size, channels: shape.channels, pixels, masked: mask !== undefined }
}

/** If a mask cannot be read, Whittle did not change any hidden colours, so the comparison ignores the mask. */
function ignoreUnreadableMask(error: unknown): undefined {
  if (!(error instanceof PdfSyntax)) throw error
}

async function* rowsWithOpacity(rows: Rows, mask: MaskRows): AsyncGenerator<Uint8Array> {
  for await (const strip of rows.strips)
    yield withOpacity(strip, rows.channels, await mask.next(strip.length / (rows.width * rows.channels)))
}

async function compare(before: ReducedImage, after: ReducedImage): Promise<string | undefined> {
  if (before.channels !== after.channels) return `the number of image components changed from ${before.channels} to ${after.channels}`
  const width = Math.min(before.width, after.width)
  const height = Math.min(before.height, after.height)
  const [x, y] = await Promise.all(
    [before, after].map((s) => scaledPixels(new RowScaler(s, { width, height }, 'area', s.masked), [s.pixels])),
  )
  if (before.masked) applyMask(x!, y!)
  // All channels have equal weight: they are compared as grey pixels side by side.
  const { similarity } = compareSamples(x!, y!, { width: width * before.channels, height, channels: 1 }, ['similarity'])
  for (const pixels of [x!, y!, before.pixels, after.pixels]) discard(pixels)
  const { psnrDb } = similarity
  return psnrDb >= LEAST_VERIFIED_PSNR_DB ? undefined : `image differs: PSNR ${psnrDb.toFixed(1)} dB, minimum ${LEAST_VERIFIED_PSNR_DB} dB`
}

/**
 * Multiplies the colours of both images by the mask opacity and gives both the same mask. The mask itself has a verification of its own.
 */
function applyMask(before: Uint8Array, after: Uint8Array): void {
  for (let at = 0; at < before.length; at += 4) {
    const opacity = before[at + 3]! / 255
    for (const pixels of [before, after]) for (let c = 0; c < 3; c++) pixels[at + c] = Math.round(pixels[at + c]! * opacity)
    after[at + 3] = before[at + 3]!
  }
}

interface Stored {
  reader: Reader
  stream: Stream
}

async function sameBilevel(original: Stored, result: Stored, facts: ImageFacts, filter: string): Promise<string | undefined> {
  if (filter !== 'CCITTFaxDecode' && filter !== 'JBIG2Decode') return 'a bilevel image has an unsupported filter'
  const rowBytes = (facts.width + 7) >> 3
  const lines = await decodeBilevelRows(result.reader, result.stream, facts, filter)
  const flow = await decodeBilevelStrips(original.reader, original.stream, facts)
  // Padding bits in the last byte of a row are ignored.
  const filler = 0xff >> (facts.width & 7 ? facts.width & 7 : 8)
  let index = 0
  let line: Uint8Array | undefined
  for await (const piece of flow) {
    for (const byte of piece) {
      const column = index % rowBytes
      if (column === 0) {
        if (index === rowBytes * facts.height) return undefined
        line = lines.next().value ?? undefined
        if (!line) return 'bilevel image has too few rows'
      }
      const same = column === rowBytes - 1 ? (byte | filler) === (line![column]! | filler) : byte === line![column]
      if (!same) return 'bilevel image changed'
      index++
    }
  }
  if (index < rowBytes * facts.height) throw new PdfSyntax('bilevel_image_ends_early')
  return undefined
}
