/**
 * Pictures as AVIF, by libaom as @jsquash/avif packs it. It takes 33 bytes a pixel at the speeds of its real-time coder and
 * 150 at the slower ones, so pictures above two or three megapixels are over budget.
 */
import decodeFactory from '@jsquash/avif/codec/dec/avif_dec.js'
import decodeModule from '@jsquash/avif/codec/dec/avif_dec.wasm'
import encodeFactory from '@jsquash/avif/codec/enc/avif_enc.js'
import encodeModule from '@jsquash/avif/codec/enc/avif_enc.wasm'
import { FLOOR_PSNR_DB, FLOOR_SSIM, OverBudget, TargetUnreachable, UnsupportedFeature } from '../codec/codec.ts'
import { type Likeness, LikenessMeter } from '../quality/metrics.ts'
import { withMetadata } from './avif-container.ts'
import { type Encoded, type Figures, highest, lowest, pause, reaches, type Wish } from './encoded.ts'
import { orientationOf, turned, upright } from './orientation.ts'
import { type Carried, type Raster, wholeRgba } from './raster.ts'

/** Encoder, decoder and both pictures, bytes per pixel: measured at 0.8 and 1.8 megapixels. */
const SLOW = { speed: 6, bytesPerPixel: 175 }
const FAST = { speed: 8, bytesPerPixel: 58 }
const BASE_BYTES = 30 * 1024 * 1024
const QUALITY = { lowest: 25, highest: 95 }

const SETTINGS = {
  qualityAlpha: -1,
  denoiseLevel: 0,
  tileColsLog2: 0,
  tileRowsLog2: 0,
  subsample: 1,
  chromaDeltaQ: false,
  sharpness: 0,
  tune: 0,
  enableSharpYUV: false,
  bitDepth: 8,
  lossless: false,
} as const

interface Pixels {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

/** Emscripten's factory, told to use a module that is already compiled. */
const loading = (module: WebAssembly.Module) => ({
  noInitialRun: true,
  instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
    const instance = new WebAssembly.Instance(module, imports)
    receive(instance)
    return instance.exports
  },
})

export async function encodeAvif(raster: Raster, carried: Carried, wish: Wish): Promise<Encoded> {
  const { width, height } = raster
  if (wish.lossless) throw new UnsupportedFeature('exact AVIF')
  if (Math.min(width, height) < 11) throw new UnsupportedFeature('too small to be measured')
  const fits = ({ bytesPerPixel }: typeof SLOW) => width * height * bytesPerPixel + BASE_BYTES <= wish.options.memoryBudget
  const pace = fits(SLOW) ? SLOW : FAST
  if (!fits(pace)) throw new OverBudget(`${width}×${height} pixels are too many for AVIF`)
  // Readers turn pictures by irot and imir, not by EXIF: the pixels are turned instead.
  const picture = turned(await wholeRgba(raster), width, height, orientationOf(carried.exif))
  const metadata = { ...carried, exif: carried.exif && upright(carried.exif) }
  const codecs = { encoder: await encodeFactory(loading(encodeModule)), decoder: await decodeFactory(loading(decodeModule)) }
  const empty = encode(codecs, EMPTY, 50, FAST.speed)
  const overhead = withMetadata(empty, metadata).length - empty.length
  const seen = new Map<number, { bytes: Uint8Array; figures: Figures }>()
  const look = async (quality: number) => {
    await pause(wish.options)
    const bytes = encode(codecs, picture, quality, pace.speed)
    const found = { bytes, figures: measure(codecs, picture, bytes) }
    seen.clear() // one at a time
    seen.set(quality, found)
    return found
  }
  const quality = wish.targetSize === undefined ? await toTarget(look, wish) : await toSize(look, wish.targetSize - overhead)
  const { bytes, figures } = seen.get(quality) ?? (await look(quality))
  const step = `AVIF at quality ${quality}`
  return { chunks: [withMetadata(bytes, metadata)], fidelity: 'perceptual', ssim: figures.ssim, psnrDb: figures.psnrDb, step }
}

const NO_SLACK = { ssim: 0, psnrDb: 0 }
const FLOORS = { ssim: FLOOR_SSIM, psnrDb: FLOOR_PSNR_DB }
const EMPTY: Pixels = { pixels: new Uint8ClampedArray(16 * 16 * 4), width: 16, height: 16 }

type Look = (quality: number) => Promise<{ bytes: Uint8Array; figures: Figures }>

const toTarget = (look: Look, { target }: Wish) =>
  lowest(QUALITY.lowest, QUALITY.highest, async (quality) => reaches((await look(quality)).figures, target, NO_SLACK))

async function toSize(look: Look, limit: number): Promise<number> {
  const quality = await highest(5, 99, async (value) => (await look(value)).bytes.length <= limit)
  if (quality !== undefined && reaches((await look(quality)).figures, FLOORS, NO_SLACK)) return quality
  const least = await lowest(5, 99, async (value) => reaches((await look(value)).figures, FLOORS, NO_SLACK))
  throw new TargetUnreachable((await look(least)).bytes.length)
}

type Encoder = Awaited<ReturnType<typeof encodeFactory>>
type Decoder = Awaited<ReturnType<typeof decodeFactory>>

/** One pair a job: instances keep their memory until the collector comes, so several would add up. */
interface Codecs {
  readonly encoder: Encoder
  readonly decoder: Decoder
}

function encode({ encoder }: Codecs, { pixels, width, height }: Pixels, quality: number, speed: number): Uint8Array {
  const bytes = encoder.encode(new Uint8Array(pixels.buffer), width, height, { ...SETTINGS, quality, speed })
  if (!bytes) throw new OverBudget('AVIF: the encoder gave up')
  return new Uint8Array(bytes)
}

function decode(decoder: Decoder, file: Uint8Array): Pixels | undefined {
  const decoded = decoder.decode(file.slice().buffer, 8)
  return decoded ? { pixels: new Uint8ClampedArray(decoded.data), width: decoded.width, height: decoded.height } : undefined
}

/** RGBA of an AVIF file, and its size; undefined when it cannot be decoded. */
export async function decodeAvif(file: Uint8Array): Promise<Pixels | undefined> {
  return decode(await decodeFactory(loading(decodeModule)), file)
}

function measure({ decoder }: Codecs, picture: Pixels, file: Uint8Array): Figures {
  const decoded = decode(decoder, file)
  if (!decoded) throw new Error('what the AVIF encoder made cannot be decoded')
  return figuresOf(likeness(picture, decoded))
}

/** How alike two pictures of one size are. */
export function likeness(a: Pixels, b: Pixels): Likeness {
  const meter = new LikenessMeter(a.width, a.height, 4)
  meter.push(bytesOf(a), bytesOf(b))
  return meter.finish()
}

const bytesOf = ({ pixels }: Pixels) => new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)

const figuresOf = ({ ssim, psnrDb, psnrRgbDb }: Likeness): Figures => ({
  ssim,
  psnrDb: Math.min(99, psnrDb),
  colourPsnrDb: Math.min(99, psnrRgbDb),
})
