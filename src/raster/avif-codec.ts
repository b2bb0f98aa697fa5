/** libaom as @jsquash/avif packs it: pixels to an AVIF file and back. */
import decodeFactory from '@jsquash/avif/codec/dec/avif_dec.js'
import decodeModule from '@jsquash/avif/codec/dec/avif_dec.wasm'
import encodeFactory from '@jsquash/avif/codec/enc/avif_enc.js'
import encodeModule from '@jsquash/avif/codec/enc/avif_enc.wasm'
import { OverBudget } from '../codec/codec.ts'
import { type Likeness, LikenessMeter } from '../quality/metrics.ts'
import type { Figures } from './encoded.ts'

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

/** RGBA. */
export interface Pixels {
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

/** One pair a job: instances keep their memory until the collector comes, so several would add up. */
export class AvifCodec {
  readonly #encoder: Awaited<ReturnType<typeof encodeFactory>> | undefined
  readonly #decoder: Awaited<ReturnType<typeof decodeFactory>>

  private constructor(encoder: Awaited<ReturnType<typeof encodeFactory>> | undefined, decoder: Awaited<ReturnType<typeof decodeFactory>>) {
    this.#encoder = encoder
    this.#decoder = decoder
  }

  static async open(what: 'both' | 'decoder' = 'both'): Promise<AvifCodec> {
    const encoder = what === 'both' ? await encodeFactory(loading(encodeModule)) : undefined
    return new AvifCodec(encoder, await decodeFactory(loading(decodeModule)))
  }

  encode({ pixels, width, height }: Pixels, quality: number, speed: number): Uint8Array {
    const bytes = this.#encoder?.encode(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length), width, height, {
      ...SETTINGS,
      quality,
      speed,
    })
    if (!bytes) throw new OverBudget('AVIF: the encoder gave up')
    return new Uint8Array(bytes)
  }

  /** undefined when the file cannot be decoded. */
  decode(file: Uint8Array): Pixels | undefined {
    const decoded = this.#decoder.decode(file.slice().buffer, 8)
    return decoded ? { pixels: new Uint8ClampedArray(decoded.data), width: decoded.width, height: decoded.height } : undefined
  }
}

/** How alike two pictures of one size are. */
export function likeness(a: Pixels, b: Pixels): Likeness {
  const bytesOf = ({ pixels }: Pixels) => new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
  using meter = new LikenessMeter(a.width, a.height, 4)
  meter.push(bytesOf(a), bytesOf(b))
  return meter.finish()
}

export const figuresOf = ({ ssim, psnrDb, psnrRgbDb }: Likeness): Figures => ({
  ssim,
  psnrDb: Math.min(99, psnrDb),
  colourPsnrDb: Math.min(99, psnrRgbDb),
})
