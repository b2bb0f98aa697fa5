/** Verifies converted pictures: decodes the results and compares them with the source rows. */

import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { equalBytes } from '../../bytes/equal.ts'
import type { Outcome, Source } from '../../model/codec.ts'
import { readAll } from '../../model/source.ts'
import { similarityOfGrid } from '../avif/grid.ts'
import { missingForm } from '../avif/kept-form.ts'
import { AvifCodec, discardPixels } from '../avif/libaom.ts'
import { comparePictures } from '../compare/compare.ts'
import { orientationOf, uprightRaster } from '../raster/orientation.ts'
import { asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import { canBeScored } from '../search/perceptual-search.ts'
import { ScoredFile } from '../search/scored-file.ts'
import { webpChunks } from '../webp/container.ts'
import { isExact, lossDifference } from './claims.ts'
import { decodedRows } from './decoders.ts'

/** Verdict on a result that was decoded and compared with the picture that was encoded. */
export interface OutputVerdict {
  /** Difference from the picture and its metadata. `undefined`: none. */
  readonly difference?: string | undefined
  /** SSIMULACRA 2 score compared with that picture. `undefined`: not measured. */
  readonly score?: number | undefined
}

/** Result of an encoder. `evidence`: what `compress` gave to save repeated work. */
export interface MadeFile {
  readonly result: Source
  readonly outcome: Outcome
  readonly evidence?: unknown
}

/** Decodes a WebP result and compares it with `raster` and the metadata in `carried`. */
export async function verdictOfWebp(
  raster: Raster,
  carried: PictureMetadata,
  { result, outcome, evidence }: MadeFile,
): Promise<OutputVerdict> {
  const file = await readAll(result)
  const difference = lostFromWebp(file, carried)
  if (difference !== undefined) return { difference }
  if (isExact(outcome)) {
    const { decodeWebp } = await withEngines(import('../../../../wasm/webp/webp.ts'))
    const pixels = decodeWebp(file, raster.width, raster.height)
    return { difference: pixels ? await exactDifference(raster, pixels) : 'the result cannot be decoded at this size' }
  }
  const known = evidence instanceof ScoredFile ? await evidence.scoreOf(result) : undefined
  const measures = known === undefined ? measuresOf(raster) : (['similarity'] as const)
  const found = await comparePictures(asRgba(raster), decodedRows('webp', result, raster), measures)
  if (!found) return { difference: 'the result cannot be decoded at this size' }
  return { difference: lossDifference(outcome, found.similarity), score: known ?? found.score }
}

/** The score is measured in the same pass, if the picture can be scored. */
const measuresOf = (raster: Raster): readonly ('similarity' | 'score')[] => (canBeScored(raster) ? ['similarity', 'score'] : ['similarity'])

/** Returns what the result lost of the metadata. `undefined`: nothing. */
function lostFromWebp(file: Uint8Array, carried: PictureMetadata): string | undefined {
  const chunks = webpChunks(file)
  for (const [name, bytes] of [
    ['ICCP', carried.icc],
    ['EXIF', carried.exif],
    ['XMP ', carried.xmp],
  ] as const) {
    const kept = chunks.find((chunk) => chunk.name === name)?.data
    if (bytes && !sameBytes(bytes, kept)) return `${name.trim()} was lost`
  }
  for (const { id, data } of carried.riffChunks ?? [])
    if (!chunks.some((chunk) => chunk.name === id && sameBytes(data, chunk.data))) return `the chunk ${JSON.stringify(id)} was lost`
  return undefined
}

/** Compares pixels exactly. Colours of transparent pixels count too, because the encoder keeps them. */
async function exactDifference(raster: Raster, rgba: Uint8Array): Promise<string | undefined> {
  const { channels } = raster
  let at = 0
  for await (const strip of raster.rows()) {
    for (let i = 0; i < strip.length; i += channels, at += 4) {
      for (let c = 0; c < 3; c++) if (strip[channels < 3 ? i : i + c] !== rgba[at + c]) return `pixel ${at / 4} differs`
      if ((channels === 2 || channels === 4 ? strip[i + channels - 1] : 255) !== rgba[at + 3]) return `alpha of pixel ${at / 4} differs`
    }
  }
  return at === rgba.length ? undefined : 'the result has fewer rows than the upload'
}

/** Decodes an AVIF result and compares it. The picture is rotated upright first, as its pixels are stored. */
export async function verdictOfAvif(stored: Raster, carried: PictureMetadata, { result, outcome }: MadeFile): Promise<OutputVerdict> {
  const raster = uprightRaster(stored, orientationOf(carried.exif))
  const file = await readAll(result)
  const grid = await similarityOfGrid(raster, carried, file)
  if (typeof grid === 'string') return { difference: grid }
  if (grid) return { difference: lossDifference(outcome, grid) }
  const missing = missingForm(file, carried)
  if (missing) return { difference: `${missing} was lost` }
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(file)
  if (!decoded) return { difference: 'the result cannot be decoded' }
  if (raster.width !== decoded.width || raster.height !== decoded.height)
    return { difference: `the result has ${decoded.width}×${decoded.height} pixels, expected ${raster.width}×${raster.height}` }
  const { pixels } = decoded
  const found = await comparePictures(asRgba(raster), [new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)], measuresOf(raster))
  discardPixels(decoded)
  if (!found) return { difference: 'the result has fewer rows than the upload' }
  return { difference: lossDifference(outcome, found.similarity), score: found.score }
}

/** Describes how a lossless PNG result differs from a grey or RGB raster and its metadata. `undefined`: no difference. */
export async function differenceOfPng(raster: Raster, carried: PictureMetadata, result: Source): Promise<string | undefined> {
  const { pngRows, readPngInfo } = await withEngines(import('../../../../wasm/png/png.ts'))
  const { header, chunks } = await readPngInfo(result.stream())
  if (header.width !== raster.width || header.height !== raster.height)
    return `the result has ${header.width}×${header.height} pixels, expected ${raster.width}×${raster.height}`
  const has = (type: string) => chunks.some((chunk) => chunk.type === type)
  if (carried.exif && !has('eXIf')) return 'EXIF was lost'
  if (carried.icc && !has('iCCP')) return 'the ICC profile was lost'
  if (carried.xmp && !has('iTXt')) return 'XMP was lost'
  const before = raster.rows()[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  for await (const { rows } of pngRows(result.stream(), raster.channels === 1 ? 'gray8' : 'rgb8')) {
    for (let at = 0; at < rows.length; ) {
      if (rest.length === 0) {
        const next = await before.next()
        if (next.done) return 'the result has more rows than the upload'
        rest = next.value
      }
      const length = Math.min(rest.length, rows.length - at)
      if (!sameBytes(rest.subarray(0, length), rows.subarray(at, at + length))) return 'pixels differ'
      rest = rest.subarray(length)
      at += length
    }
    discard(rows)
  }
  return rest.length === 0 && (await before.next()).done ? undefined : 'the result has fewer rows than the upload'
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && equalBytes(a, b)
}
