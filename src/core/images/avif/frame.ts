/** Encodes pictures as one AV1 key frame. */

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
import { asRgb, asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isSteeredByScore, isUnacceptable } from '../search/perceptual-search.ts'
import { withMetadata } from './container.ts'
import { chromaOfForm } from './kept-form.ts'
import { AvifCodec, discardPixels, type FramePixels } from './libaom.ts'
import { avifStep, lowestAvifQuality, smallestSettings } from './perceptual-search.ts'
import { type AvifProbe, type AvifSettings, changedAs } from './scale.ts'
import { bandChannelsOf } from './tiles.ts'
import {
  DECODER_BYTES,
  ENCODER_BASE_BYTES,
  ENCODER_BYTES,
  FRAME_BASE_BYTES,
  FRAME_PROBES,
  FRAME_SPEED,
  FULL_PROBE_BYTES,
  PERCEPTUAL_METER_BYTES,
  PROBE_SPEED,
  QUALITY,
  SMALL_BLOCKS,
} from './tuning.ts'

/** How a picture becomes one key frame. */
export interface FramePlan {
  /** Largest memory of the encoder in bytes. */
  readonly encoderBytes: number
  /** Most rows that are probed with full chroma. */
  readonly fullRows: number
}

/** Computes how much memory the encoder may have. `undefined`: a frame of this size does not fit into an isolate. */
export function planFrame(raster: Raster, carried: PictureMetadata, { options }: EncodeRequest): FramePlan | undefined {
  const { width, height } = raster
  const pixels = width * height
  const chroma = chromaOfForm(carried.form) === 'full' ? 'full' : 'halved'
  const bytesFor = (format: keyof typeof ENCODER_BYTES) => ENCODER_BASE_BYTES + pixels * encoderBytesPerPixel(raster, format)
  const encoder = Math.max(bytesFor(chroma), Math.min(bytesFor('full'), FULL_PROBE_BYTES))
  const channels = bandChannelsOf(raster)
  const others = FRAME_BASE_BYTES + pixels * (channels + DECODER_BYTES[channels]) + PERCEPTUAL_METER_BYTES[channels] * width
  if (!fitsMemoryBudget(options, encoder + others, STANDARD_MEMORY_BYTES)) return undefined
  const fullRows = Math.floor((FULL_PROBE_BYTES - ENCODER_BASE_BYTES) / (width * ENCODER_BYTES.full))
  return { encoderBytes: Math.min(STANDARD_MEMORY_BYTES, options.memoryBudget) - others, fullRows }
}

/** Memory that the encoder takes at `FRAME_SPEED`, in bytes per pixel. */
const encoderBytesPerPixel = ({ width, height }: Pick<Raster, 'width' | 'height'>, chroma: keyof typeof ENCODER_BYTES): number =>
  ENCODER_BYTES[chroma] + (Math.min(width, height) < SMALL_BLOCKS.side ? SMALL_BLOCKS.bytes : 0)

export async function encodeFrame(
  raster: Raster,
  carried: PictureMetadata,
  request: EncodeRequest,
  { encoderBytes, fullRows }: FramePlan,
): Promise<EncodedPicture> {
  const picture = await framePixelsOf(raster)
  const isScored = isSteeredByScore(raster, request)
  using codec = await AvifCodec.open('search', {
    tuning: isScored ? 'imageQuality' : 'ssim',
    coding: carried.form?.coding,
    encoderBytes,
  })
  const job = { codec, picture, carried, fullRows, request }
  try {
    return await (isScored ? encodeToScore(job) : encodeToTarget(job))
  } finally {
    // If the encoder gives up, tiles need this memory.
    discardPixels(picture)
  }
}

interface FrameJob {
  readonly codec: AvifCodec
  readonly picture: FramePixels
  readonly carried: PictureMetadata
  readonly fullRows: number
  readonly request: EncodeRequest
}

async function framePixelsOf(raster: Raster): Promise<FramePixels> {
  const { width, height } = raster
  const channels = bandChannelsOf(raster)
  const pixels = new Uint8Array(width * height * channels)
  const rows = channels === 4 ? asRgba(raster) : raster.channels === 1 ? asRgb(raster) : raster
  let at = 0
  for await (const strip of rows.rows()) {
    pixels.set(strip, at)
    at += strip.length
  }
  return { pixels, width, height, channels }
}

/** Encodes to SSIM and PSNR of luma, or to a size. */
async function encodeToTarget({ codec, picture, carried, request }: FrameJob): Promise<EncodedPicture> {
  const chroma = chromaOfForm(carried.form) ?? 'halved'
  const empty = codec.encode(EMPTY, 50, FRAME_SPEED, chroma)
  const overhead = withMetadata(empty, carried).length - empty.length
  const lastEncoding = new Map<number, { bytes: Uint8Array; figures: ColourFigures }>()
  const probe = async (quality: number) => {
    await yieldToEventLoop(request.options.signal)
    const bytes = codec.encode(picture, quality, FRAME_SPEED, chroma)
    const best = { bytes, figures: colourFiguresOf(codec.compare(picture, bytes, ['similarity']).similarity) }
    lastEncoding.clear() // keep only the last encoding in memory
    lastEncoding.set(quality, best)
    return best
  }
  const quality = request.targetSize === undefined ? await toTarget(probe, request) : await toSize(probe, request.targetSize - overhead)
  const { bytes, figures } = lastEncoding.get(quality) ?? (await probe(quality))
  return encodedOf(withMetadata(bytes, carried), figures, avifStep({ quality, chroma }))
}

function encodedOf(file: Uint8Array, figures: ColourFigures, step: Message): EncodedPicture {
  if (figures.colourPsnrDb < FLOORS.psnrDb - COLOUR_ALLOWANCE_DB) throw unsupported('colours_avif_does_not_keep')
  return { chunks: [file], loss: pixelLoss(figures), step }
}

/** Encodes one key frame at the lowest settings that reach the perceptual score of the level. */
async function encodeToScore(job: FrameJob): Promise<EncodedPicture> {
  const { codec, picture, carried } = job
  const { options } = job.request
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
  const fast = fastProbes(job)
  const final = async (settings: AvifSettings) => probePicture(codec, picture, await encode(settings))
  const [first, chroma] = [target.usualQuality.avif, chromaOfForm(carried.form)]
  const best = await (chroma
    ? lowestAvifQuality(final, target, { quality: first, chroma }, { limit: FRAME_PROBES })
    : smallestSettings({ final, fast }, target, first, FRAME_PROBES))
  if (isUnacceptable(best)) throw unsupported('colours_avif_does_not_keep')
  const bytes = await encode(best)
  return { ...encodedOf(withMetadata(bytes, carried), best.figures, avifStep(best)), score: best.perceptual.score }
}

/** Fast probes. Full chroma of a large picture is probed on the middle rows and compared with halved chroma there. */
function fastProbes({ codec, picture, fullRows, request: { options } }: FrameJob): (settings: AvifSettings) => Promise<AvifProbe> {
  const probe = async (of: FramePixels, { quality, chroma }: AvifSettings) => {
    await yieldToEventLoop(options.signal)
    const file = codec.encode(of, quality, PROBE_SPEED, chroma)
    const found = probePicture(codec, of, file)
    discard(file)
    return found
  }
  const halvedProbes = new Map<number, AvifProbe>()
  return async (settings) => {
    const { quality, chroma } = settings
    if (chroma === 'full' && fullRows < picture.height) {
      const rows = middleRows(picture, fullRows)
      const halved = { quality, chroma: 'halved' } as const
      const whole = halvedProbes.get(quality) ?? (await probe(picture, halved))
      return changedAs(whole, await probe(rows, halved), await probe(rows, settings))
    }
    const found = await probe(picture, settings)
    if (chroma === 'halved') halvedProbes.set(quality, found)
    return found
  }
}

function middleRows({ pixels, width, height, channels }: FramePixels, count: number): FramePixels {
  const start = Math.floor((height - count) / 2) * width * channels
  return { pixels: pixels.subarray(start, start + count * width * channels), width, height: count, channels }
}

const EMPTY: FramePixels = { pixels: new Uint8Array(16 * 16 * 3), width: 16, height: 16, channels: 3 }

function probePicture(codec: AvifCodec, picture: FramePixels, file: Uint8Array): AvifProbe {
  const { similarity, perceptual } = codec.compare(picture, file, ['similarity', 'perceptual'])
  return { bytes: file.length, figures: colourFiguresOf(similarity), perceptual }
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
