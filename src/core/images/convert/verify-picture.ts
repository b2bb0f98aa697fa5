/** Verifies pictures that were converted to another format or size (convert.ts). */

import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { decodePng, pngRows, readPngInfo } from '../../../../wasm/png/png.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { NO_STILL_PICTURE } from '../../model/loss.ts'
import { readAll } from '../../model/source.ts'
import { stripEqualTrailingData } from '../../model/trailing-data.ts'
import { figuresOfHdrAvif, type HdrPicture } from '../avif/hdr.ts'
import { similarityOfRows } from '../compare/compare.ts'
import { shownOrientationOf } from '../raster/orientation.ts'
import { onWhite, type Raster } from '../raster/raster.ts'
import { fitToSize, fitToSize16, optionsForStored } from '../search/fit-to-size.ts'
import { claimDifference, isExact } from './claims.ts'
import type { ConvertiblePicture } from './convert.ts'
import { verdictOfOutput } from './output-codecs.ts'
import { differenceFromUpload } from './reference.ts'
import { scoreOfResult } from './result-score.ts'
import type { MadeFile, OutputVerdict } from './verify-output.ts'

interface ConvertedFiles {
  readonly original: Source
  readonly result: Source
  readonly outcome: Outcome
  readonly evidence?: unknown
}

/** Decodes the result and compares it with the source picture at the result's size. The bytes after the picture must be unchanged. */
export async function verifyPicture(
  picture: ConvertiblePicture,
  { original, result, outcome, evidence }: ConvertedFiles,
  asked: Options,
): Promise<Verdict> {
  const options = optionsForStored(asked, shownOrientationOf(picture.carried.exif))
  const withoutTails = await stripEqualTrailingData(original, picture.end, result)
  if ('difference' in withoutTails) return { equal: false, difference: withoutTails.difference }
  if (picture.hdr) {
    const { deep } = fitToSize16(picture.hdr.deep, options)
    return await verifyHdr({ ...picture.hdr, deep }, withoutTails.result, outcome)
  }
  const { difference, score } = await pictureVerdict(picture, { result: withoutTails.result, outcome, evidence }, options)
  if (difference !== undefined) return { equal: false, difference }
  return { equal: true, ...(await scoreOfResult(picture, withoutTails.result, outcome, options, score)) }
}

/** Decodes an HDR result at its own bit depth and compares it. */
async function verifyHdr(hdr: HdrPicture, result: Source, outcome: Outcome): Promise<Verdict> {
  const found = await figuresOfHdrAvif(hdr, await readAll(result))
  if (typeof found === 'string') return { equal: false, difference: found }
  const difference = claimDifference(outcome, found)
  return difference === undefined ? { equal: true, ssimulacra2: found.score ?? NO_STILL_PICTURE } : { equal: false, difference }
}

async function pictureVerdict(picture: ConvertiblePicture, made: MadeFile, options: Options): Promise<OutputVerdict> {
  const { result, outcome } = made
  const { output } = options
  const { raster } = fitToSize(picture.raster, options)
  const verdict =
    output === 'png' || output === 'jpg'
      ? { difference: await (picture.keepsBits ? differenceOfDeepPng(raster, result) : differenceOfRows(raster, result, outcome, output)) }
      : await verdictOfOutput(output, raster, picture.carried, made)
  return { ...verdict, difference: verdict.difference ?? (await differenceFromUpload(picture, result, outcome, options)) }
}

/** Decodes both pictures row by row and compares them. Claimed figures must not be better than the measured ones. */
async function differenceOfRows(raster: Raster, result: Source, outcome: Outcome, output: 'png' | 'jpg'): Promise<string | undefined> {
  const flat = output === 'jpg' ? onWhite(raster) : raster
  const { width, height, channels } = flat
  const { rows, size } = await rowsOf(result, output, channels)
  if (size.width !== width || size.height !== height)
    return `the result has ${size.width}×${size.height} pixels, expected ${width}×${height}`
  const found = await similarityOfRows(flat, rows)
  if (!found) return 'the result has fewer rows than the upload'
  if (isExact(outcome)) return found.psnrRgbDb === Number.POSITIVE_INFINITY ? undefined : 'samples differ'
  return claimDifference(outcome, found)
}

/** Checks size and bits of a PNG with 16 bits a sample, whose samples `differenceFromUpload` compares. */
async function differenceOfDeepPng({ width, height }: Raster, result: Source): Promise<string | undefined> {
  const { header } = await readPngInfo(result.stream())
  if (header.width === width && header.height === height && header.bitDepth === 16) return undefined
  return `the result has ${header.width}×${header.height} pixels of ${header.bitDepth} bits, expected ${width}×${height} of 16`
}

async function rowsOf(result: Source, output: 'png' | 'jpg', channels: Raster['channels']) {
  if (output === 'jpg') {
    const jpeg = await JpegRows.open(result.stream(), { colour: channels === 1 ? 'gray' : 'rgb' })
    return { rows: jpeg.strips(64), size: { width: jpeg.width, height: jpeg.height } }
  }
  let size = { width: 0, height: 0 }
  await decodePng(
    result.stream(),
    'native',
    () => undefined,
    ({ header }) => {
      size = header
    },
  )
  async function* strips() {
    const form = channels === 1 ? 'gray8' : channels === 3 ? 'rgb8' : 'rgba8'
    for await (const { rows } of pngRows(result.stream(), form)) {
      yield channels === 2 ? grayAlpha(rows) : rows
      discard(rows)
    }
  }
  return { rows: strips(), size }
}

function grayAlpha(rgba: Uint8Array): Uint8Array {
  const out = new Uint8Array(rgba.length / 2)
  for (let i = 0; i < out.length; i += 2) {
    out[i] = rgba[2 * i] ?? 0
    out[i + 1] = rgba[2 * i + 3] ?? 0
  }
  return out
}
