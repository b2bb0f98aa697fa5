/** Pictures of lossless formats in another form or size: one door for the codecs, and its verification. */

import { JpegRows } from '../../wasm/jpeg/jpeg.ts'
import { discard } from '../../wasm/memories/discard.ts'
import type { AncillaryChunk } from '../../wasm/png/png.ts'
import { decodePng, pngRows } from '../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../codec/codec.ts'
import { unsupported } from '../codec/error.ts'
import { type LumaFigures, lossOf, ofPixels } from '../codec/loss.ts'
import { pictureTarget } from '../quality/levels.ts'
import { encodeAvif } from './avif.ts'
import type { Encoded, EncodeRequest } from './encoded.ts'
import { encodeJpeg } from './jpeg.ts'
import { encodeBestPng } from './png-best.ts'
import { type Carried, onWhite, type Raster, stripRows, withoutIdleAlpha } from './raster.ts'
import { fittedSize, resized } from './resize.ts'
import { encodeAsSeen } from './seen.ts'
import { similarityOfRows } from './similarity.ts'
import { differenceOf } from './verify.ts'
import { encodeWebp } from './webp.ts'

/** A still picture on its way to another form. */
export interface Convertible {
  readonly raster: Raster
  readonly carried: Carried
  /** 8 bits of a sample are all there is; otherwise nothing exact can be promised. */
  readonly exact: boolean
  /** What rounding to 8 bits costs, measured; without it a bound stands. */
  readonly rounding?: () => Promise<LumaFigures>
  /** Further chunks for a PNG result. */
  readonly chunks?: readonly AncillaryChunk[]
}

const ENCODERS: Partial<Record<string, (raster: Raster, carried: Carried, request: EncodeRequest) => Promise<Encoded>>> = {
  jpg: encodeJpeg,
  webp: encodeWebp,
  avif: encodeAvif,
}

/** Writes `picture` as `options.output`, downsampled where `options.fitWithin` says so. */
export async function convertPicture(picture: Convertible, sizeLimit: number, sink: Sink, options: Options): Promise<Outcome> {
  if (options.lossless && !picture.exact) throw unsupported('more than eight bits of a colour, exactly')
  const { raster, steps } = fitted(picture.raster, options)
  const { targetSize, lossless, output } = options
  if (output === 'png') {
    const best = await encodeBestPng(raster, chunksOf(picture), Math.min(sizeLimit, targetSize ?? sizeLimit), options)
    for (const piece of best.pieces) await sink.write(piece)
    return await outcomeOf(best, [...steps, best.step], picture, raster === picture.raster)
  }
  const encode = ENCODERS[output]
  if (!encode) throw unsupported(`a picture as ${output}`)
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: picture.exact, options, sizeLimit }
  const encoded = await encodeAsSeen(output, encode, await withoutIdleAlpha(raster), picture.carried, request)
  for (const chunk of encoded.chunks) await sink.write(chunk)
  return await outcomeOf(encoded, [...steps, encoded.step], picture, raster === picture.raster)
}

/** Downsampling and rounding to eight bits are no longer exact, even where the container is: figures are of what was kept. */
async function outcomeOf(
  { loss }: Pick<Encoded, 'loss'>,
  steps: string[],
  { exact, rounding }: Convertible,
  wholeSize: boolean,
): Promise<Outcome> {
  if (loss || (exact && wholeSize)) return { kind: 'compressed', ...lossOf(loss), steps }
  if (exact) return { kind: 'compressed', ...lossOf(AS_REDUCED), steps }
  return { kind: 'compressed', ...lossOf(ofPixels((await rounding?.()) ?? ROUNDED)), steps: [...steps, '16 → 8 bits'] }
}

/** Of a reduced picture, kept sample by sample: figures are of the upload at the result's size, to which verification holds it. */
const AS_REDUCED = ofPixels({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY })
/** No sample is further off than half a step of eight bits: at least this much is left, even of a window that was almost black. */
const ROUNDED = { ssim: 0.95, psnrDb: 54.15 }

function fitted(raster: Raster, options: Options): { raster: Raster; steps: string[] } {
  const size = options.fitWithin && !options.lossless ? fittedSize(raster.width, raster.height, options.fitWithin) : undefined
  if (!size) return { raster, steps: [] }
  const steps = [`downsampled from ${raster.width}×${raster.height} to ${size.width}×${size.height}`]
  const alpha = raster.channels === 2 || raster.channels === 4
  if (!alpha) return { raster: kept(resized(raster, size.width, size.height)), steps }
  return { raster: kept(scaled(resized(scaled(raster, premultiply), size.width, size.height), unpremultiply)), steps }
}

/** Reduced pictures up to this stay in memory, so that a search does not decode and reduce the large one for each of its steps. */
const KEPT_BYTES = 4 * 1024 * 1024

function kept(raster: Raster): Raster {
  const { width, height, channels } = raster
  const bytes = width * height * channels
  if (bytes > KEPT_BYTES) return raster
  let whole: Uint8Array | undefined
  return {
    ...raster,
    async *rows() {
      const step = stripRows(width, channels) * width * channels
      for (let at = 0; whole && at < bytes; at += step) yield whole.slice(at, at + step)
      if (whole) return
      const copy = new Uint8Array(bytes)
      let at = 0
      for await (const strip of raster.rows()) {
        copy.set(strip, at)
        at += strip.length
        yield strip
      }
      if (at === bytes) whole = copy
    },
  }
}

/** Each row of strips through `change`. */
function scaled(raster: Raster, change: (colour: number, alpha: number) => number): Raster {
  const { channels } = raster
  return {
    ...raster,
    async *rows() {
      for await (const strip of raster.rows()) {
        const out = new Uint8Array(strip.length)
        for (let i = 0; i < strip.length; i += channels) {
          const alpha = strip[i + channels - 1] ?? 255
          for (let c = 0; c < channels - 1; c++) out[i + c] = change(strip[i + c] ?? 0, alpha)
          out[i + channels - 1] = alpha
        }
        yield out
      }
    },
  }
}
const premultiply = (colour: number, alpha: number) => Math.round((colour * alpha) / 255)
const unpremultiply = (colour: number, alpha: number) => (alpha === 0 ? 0 : Math.min(255, Math.round((colour * 255) / alpha)))

/** iCCP, eXIf and iTXt (W3C PNG, 11.3.2.3, 11.3.4.4, 11.3.3.4) of what is carried, unless the source has its own. */
function chunksOf({ carried, chunks = [] }: Convertible): AncillaryChunk[] {
  const text = (value: string) => new TextEncoder().encode(value)
  const out = [...chunks]
  const add = (type: string, data: Uint8Array) => {
    if (!out.some((chunk) => chunk.type === type)) out.push({ type, data })
  }
  if (carried.icc) add('iCCP', concat([text('ICC profile\0\0'), zlibCompress(carried.icc)]))
  if (carried.exif) add('eXIf', carried.exif)
  if (carried.xmp && !chunks.some(({ type }) => type === 'iTXt')) add('iTXt', concat([text('XML:com.adobe.xmp\0\0\0\0\0'), carried.xmp]))
  return out
}

/** Decodes the result and compares it with the picture as it was to be encoded. */
export async function verifyPicture(picture: Convertible, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const { raster } = fitted(picture.raster, options)
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const difference =
    options.output === 'png' || options.output === 'jpg'
      ? await differenceOfRows(raster, result, outcome, options.output)
      : await differenceOf(options.output, raster, picture.carried, result, exact)
  return difference === undefined ? { equal: true } : { equal: false, difference }
}

/** Of figures against what is found. */
const SLACK = { ssim: 0.002, psnrDb: 0.1 }

/** Both decoded side by side; figures may not be better than what is found. */
async function differenceOfRows(raster: Raster, result: Source, outcome: Outcome, output: 'png' | 'jpg'): Promise<string | undefined> {
  const flat = output === 'jpg' ? onWhite(raster) : raster
  const { width, height, channels } = flat
  const { rows, size } = await rowsOf(result, output, channels)
  if (size.width !== width || size.height !== height) return `the result is ${size.width}×${size.height}`
  const found = await similarityOfRows(flat, rows)
  if (!found) return 'rows are missing'
  if (outcome.kind !== 'compressed') return undefined
  if (!outcome.loss) return found.psnrRgbDb === Number.POSITIVE_INFINITY ? undefined : 'samples differ'
  if (!outcome.loss.pictures) return 'a loss without figures'
  const { ssim, psnrDb } = outcome.loss.pictures
  return ssim > found.ssim + SLACK.ssim || psnrDb > found.psnrDb + SLACK.psnrDb
    ? `claimed ${ssim} and ${psnrDb} dB, found ${found.ssim} and ${found.psnrDb} dB`
    : undefined
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
