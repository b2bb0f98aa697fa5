/** Measures the loss of a result against its original, from the two files alone. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import { message } from '../i18n/message.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import type { Options, Source } from '../model/codec.ts'
import { isCodecError, unsupported } from '../model/error.ts'
import { type Loss, lossOf, lossWithScore, NO_STILL_PICTURE, type PictureLoss, pixelLoss, worseLoss } from '../model/loss.ts'
import { memorySource } from '../model/source.ts'
import { identify } from '../pipeline/identify.ts'
import { isFilmResult } from './film-result.ts'
import type { EmbeddedPair } from './packages.ts'
import type { PicturePair } from './pictures.ts'

/** An original of a supported format and its result. */
export interface MeasuredPair {
  readonly original: Source
  readonly format: KnownFormat
  readonly result: Source
  readonly output: OutputId
}

export interface Measured {
  /** Measured loss. `undefined`: everything measured is identical. */
  readonly loss?: Loss
  /** Parts that could not be measured, each with the reason. */
  readonly unmeasured: readonly string[]
}

export async function measure(files: MeasuredPair, options: Options): Promise<Measured> {
  try {
    return await measureKind(files, options)
  } catch (error) {
    if (!isCodecError(error) && !isEngineError(error)) throw error
    return { unmeasured: [error.message] }
  }
}

async function measureKind(files: MeasuredPair, options: Options): Promise<Measured> {
  const { original, result, output } = files
  const { id } = files.format
  if (id === 'm4a' && !isFilmResult(id, output)) {
    const { soundNoise } = await withEngines(import('./sound.ts'))
    return soundLoss(await soundNoise(original, id, result, output, options))
  }
  switch (id) {
    case 'jpg':
    case 'png':
    case 'gif':
    case 'bmp':
    case 'webp':
    case 'avif':
    case 'heic':
      return measureStill({ original, format: id, result, output }, options)
    case 'svg': {
      const { drawingSimilarity } = await withEngines(import('./drawing.ts'))
      return pictureLoss(await drawingSimilarity(original, result), NO_STILL_PICTURE)
    }
    case 'wav':
    case 'mp3':
    case 'flac':
    case 'ogg':
    case 'opus':
    case 'aiff': {
      const { soundNoise } = await withEngines(import('./sound.ts'))
      return soundLoss(await soundNoise(original, id, result, output, options))
    }
    case 'mp4':
    case 'm4a':
    case 'mov':
    case 'avi':
    case 'mkv':
    case 'webm':
    case 'ts':
    case 'flv': {
      const { filmLoss } = await withEngines(import('./films.ts'))
      // The film codec compares the audio with the receipt itself.
      return { ...lossOf(await filmLoss(original, id, result, output, options)), unmeasured: [] }
    }
    case 'pdf': {
      const { pagePictures } = await withEngines(import('./pdf.ts'))
      const { loss, unmeasured } = await pagePictures(original, result, options)
      return { ...lossOf(loss), unmeasured: unmeasured > 0 ? [`${unmeasured} pictures of the pages`] : [] }
    }
    case 'docx':
    case 'xlsx':
    case 'pptx':
    case 'odt':
    case 'ods':
    case 'odp':
    case 'odg':
    case 'ofd':
    case 'epub':
    case 'kmz':
      return measureEmbedded((await withEngines(import('./packages.ts'))).packagePairs(original, result), options)
    case 'rtf':
      return measureEmbedded((await withEngines(import('./packages.ts'))).rtfPairs(original, result, options.signal), options)
    case 'ppt':
    case 'xls':
      return measureEmbedded((await withEngines(import('./packages.ts'))).office97Pairs(original, result, id, options), options)
    case 'eml':
      return measureEmbedded((await withEngines(import('./packages.ts'))).mailPairs(original, result), options)
    default:
      throw unsupported(message('figures_of', { id }))
  }
}

async function measureStill(pair: PicturePair, options: Options): Promise<Measured> {
  const { pictureSimilarity } = await withEngines(import('./pictures.ts'))
  const found = await pictureSimilarity(pair, options)
  if (isSame(found)) return { unmeasured: [] }
  const { pictureScore } = await withEngines(import('./scores.ts'))
  return pictureLoss(found, await pictureScore(pair, options))
}

const isSame = ({ psnrRgbDb }: Similarity) => psnrRgbDb === Number.POSITIVE_INFINITY

const pictureLoss = (found: Similarity, ssimulacra2: number | undefined): Measured =>
  isSame(found) ? { unmeasured: [] } : { ...lossOf(lossWithScore(pixelLoss(found), ssimulacra2)), unmeasured: [] }

const soundLoss = (snrDb: number): Measured =>
  snrDb === Number.POSITIVE_INFINITY ? { unmeasured: [] } : { ...lossOf(undefined, { snrDb }), unmeasured: [] }

/** Returns the worst loss of all pairs of embedded files. */
async function measureEmbedded(pairs: AsyncIterable<EmbeddedPair>, options: Options): Promise<Measured> {
  let pictures: PictureLoss | undefined
  const unmeasured: string[] = []
  for await (const { name, before, after } of pairs) {
    const [original, result] = [memorySource(before, name), memorySource(after, name)]
    const [format, other] = [await identify(original), await identify(result)]
    if (!format || !other) {
      unmeasured.push(`${name}: the file type is not supported`)
      continue
    }
    const found = await measure({ original, format, result, output: other.id }, { ...options, output: other.id })
    if (found.loss?.pictures) pictures = worseLoss(pictures, found.loss.pictures)
    for (const one of found.unmeasured.map((why) => `${name}: ${why}`)) unmeasured.push(one)
  }
  return { ...lossOf(pictures), unmeasured }
}
