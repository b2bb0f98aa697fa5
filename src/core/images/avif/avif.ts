/** Encodes pictures as AVIF: small ones as one AV1 key frame, larger ones as a grid of tiles. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { COLOUR_ALLOWANCE_DB, type ColourFigures, FLOORS, reaches } from '../../catalog/target.ts'
import type { Message } from '../../i18n/message.ts'
import { highestThatFits, lowestThatHolds } from '../../metrics/search.ts'
import { fitsMemoryBudget, STANDARD_MEMORY_BYTES } from '../../model/budget.ts'
import { TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { orientationOf, uprightRaster, withUprightOrientation } from '../raster/orientation.ts'
import { type PictureMetadata, type Raster, wholeRgba } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isSteeredByScore, isUnacceptable } from '../search/perceptual-search.ts'
import { withMetadata } from './container.ts'
import { encodeGrid } from './grid.ts'
import { chromaOfForm } from './kept-form.ts'
import { AvifCodec, comparePixels, discardPixels, type RgbaPixels } from './libaom.ts'
import { avifStep, lowestAvifQuality, smallestSettings } from './perceptual-search.ts'
import type { AvifProbe, AvifSettings } from './scale.ts'
import { BYTES_PER_PIXEL, FRAME_BASE_BYTES, FRAME_PROBES, FRAME_SPEED, PROBE_SPEED, QUALITY } from './tuning.ts'

/** Encodes `stored` as AVIF. Pixels are rotated upright first, because AVIF readers ignore the EXIF orientation. */
export async function encodeAvif(stored: Raster, original: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const raster = uprightRaster(stored, orientationOf(original.exif))
  const carried = { ...original, exif: original.exif && withUprightOrientation(original.exif) }
  const { width, height } = raster
  if (request.lossless) throw unsupported('exact_avif')
  if (Math.min(width, height) < 11) throw unsupported('too_small_to_be_measured')
  if (!fitsMemoryBudget(request.options, width * height * BYTES_PER_PIXEL + FRAME_BASE_BYTES, STANDARD_MEMORY_BYTES))
    return encodeGrid(raster, carried, request)
  const picture: RgbaPixels = { pixels: await wholeRgba(raster), width, height }
  const isScored = isSteeredByScore(raster, request)
  using codec = await AvifCodec.open('search', isScored ? 'imageQuality' : 'ssim', carried.form?.coding)
  const chroma = chromaOfForm(carried.form) ?? 'halved'
  if (isScored) return await encodeToScore(codec, picture, carried, request)
  const empty = codec.encode(EMPTY, 50, FRAME_SPEED, chroma)
  const overhead = withMetadata(empty, carried).length - empty.length
  const lastEncoding = new Map<number, { bytes: Uint8Array; figures: ColourFigures }>()
  const probe = async (quality: number) => {
    await yieldToEventLoop(request.options.signal)
    const bytes = codec.encode(picture, quality, FRAME_SPEED, chroma)
    const best = { bytes, figures: measure(codec, picture, bytes) }
    lastEncoding.clear() // keep only the last encoding in memory
    lastEncoding.set(quality, best)
    return best
  }
  const quality = request.targetSize === undefined ? await toTarget(probe, request) : await toSize(probe, request.targetSize - overhead)
  const { bytes, figures } = lastEncoding.get(quality) ?? (await probe(quality))
  discardPixels(picture)
  return encodedOf(withMetadata(bytes, carried), figures, avifStep({ quality, chroma }))
}

function encodedOf(file: Uint8Array, figures: ColourFigures, step: Message): EncodedPicture {
  if (figures.colourPsnrDb < FLOORS.psnrDb - COLOUR_ALLOWANCE_DB) throw unsupported('colours_avif_does_not_keep')
  return { chunks: [file], loss: pixelLoss(figures), step }
}

/** Encodes one key frame at the lowest settings that reach the perceptual score of the level. */
async function encodeToScore(
  codec: AvifCodec,
  picture: RgbaPixels,
  carried: PictureMetadata,
  { options }: EncodeRequest,
): Promise<EncodedPicture> {
  const target = perceptualTarget(options, picture)
  // The search may return any of its probes, and their files are small beside the picture.
  const files = new Map<string, Uint8Array>()
  const encode = async ({ quality, chroma }: AvifSettings) => {
    const name = `${chroma} ${quality}`
    const known = files.get(name)
    if (known) return known
    await yieldToEventLoop(options.signal)
    const file = codec.encode(picture, quality, FRAME_SPEED, chroma)
    files.set(name, file)
    return file
  }
  const fast = async ({ quality, chroma }: AvifSettings) => {
    await yieldToEventLoop(options.signal)
    const file = codec.encode(picture, quality, PROBE_SPEED, chroma)
    const found = probePicture(codec, picture, file)
    discard(file)
    return found
  }
  const final = async (settings: AvifSettings) => probePicture(codec, picture, await encode(settings))
  const [first, chroma] = [target.usualQuality.avif, chromaOfForm(carried.form)]
  const best = await (chroma
    ? lowestAvifQuality(final, target, { quality: first, chroma }, { limit: FRAME_PROBES })
    : smallestSettings({ final, fast }, target, first, FRAME_PROBES))
  if (isUnacceptable(best)) throw unsupported('colours_avif_does_not_keep')
  const bytes = await encode(best)
  discardPixels(picture)
  return { ...encodedOf(withMetadata(bytes, carried), best.figures, avifStep(best)), score: best.perceptual.score }
}

const EMPTY: RgbaPixels = { pixels: new Uint8ClampedArray(16 * 16 * 4), width: 16, height: 16 }

function probePicture(codec: AvifCodec, picture: RgbaPixels, file: Uint8Array): AvifProbe {
  const decoded = decodedOf(codec, file)
  const { similarity, perceptual } = comparePixels(picture, decoded, ['similarity', 'perceptual'])
  discardPixels(decoded)
  return { bytes: file.length, figures: colourFiguresOf(similarity), perceptual: perceptual }
}

type ProbeQuality = (quality: number) => Promise<{ bytes: Uint8Array; figures: ColourFigures }>

const toTarget = (probe: ProbeQuality, { target }: EncodeRequest) =>
  lowestThatHolds(QUALITY.lowest, QUALITY.highest, async (quality) => reaches((await probe(quality)).figures, target))

async function toSize(probe: ProbeQuality, limit: number): Promise<number> {
  const quality = await highestThatFits(5, 99, async (value) => (await probe(value)).bytes.length <= limit)
  if (quality !== undefined && reaches((await probe(quality)).figures, FLOORS)) return quality
  const least = await lowestThatHolds(5, 99, async (value) => reaches((await probe(value)).figures, FLOORS))
  throw new TargetUnreachable((await probe(least)).bytes.length)
}

function measure(codec: AvifCodec, picture: RgbaPixels, file: Uint8Array): ColourFigures {
  const decoded = decodedOf(codec, file)
  const figures = colourFiguresOf(comparePixels(picture, decoded, ['similarity']).similarity)
  discardPixels(decoded)
  return figures
}

function decodedOf(codec: AvifCodec, file: Uint8Array): RgbaPixels {
  const decoded = codec.decode(file)
  if (!decoded) throw new Error('the result of the AVIF encoder cannot be decoded')
  return decoded
}
