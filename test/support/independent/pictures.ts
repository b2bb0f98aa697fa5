/** Decodes pictures with independent decoders of jSquash: mozjpeg, Rust's png, libwebp and libavif. */
import decodeAvif, { init as initAvif } from '@jsquash/avif/decode.js'
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js'
import optimise, { init as initOxipng } from '@jsquash/oxipng/optimise.js'
import decodePng, { init as initPng } from '@jsquash/png/decode.js'
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js'
import { wasmModule } from './wasm.ts'

/** Picture as RGBA with 16 bits per sample. Samples of 8 bits are multiplied by 257. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly rgba: Uint16Array
}

interface EightBits {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

// Browser class that the decoders' glue code needs and Node lacks.
globalThis.ImageData ??= class {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
} as unknown as typeof ImageData

/** Returns a function that initialises a module at its first call only. */
const once = (begin: () => Promise<unknown>) => {
  let begun: Promise<unknown> | undefined
  return () => (begun ??= begin())
}
const begin = {
  jpg: once(() => initJpeg(wasmModule('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'))),
  png: once(() => initPng(wasmModule('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'))),
  oxipng: once(() => initOxipng(wasmModule('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm'))),
  webp: once(() => initWebp(wasmModule('@jsquash/webp/codec/dec/webp_dec.wasm'))),
  avif: once(() => initAvif(wasmModule('@jsquash/avif/codec/dec/avif_dec.wasm'))),
}

/** Copies the bytes into a new buffer, which these decoders require. */
const bufferOf = (bytes: Uint8Array) => new Uint8Array(bytes).buffer

const widened = ({ width, height, data }: EightBits): Picture => ({ width, height, rgba: Uint16Array.from(data, (sample) => sample * 257) })

const READERS = {
  async jpg(bytes: Uint8Array): Promise<Picture> {
    await begin.jpg()
    return widened(await decodeJpeg(bufferOf(bytes), { preserveOrientation: false }))
  },
  async png(bytes: Uint8Array): Promise<Picture> {
    await begin.png()
    const { width, height, data } = await decodePng(bufferOf(bytes), { bitDepth: 16 })
    // The pixels are copied, because they are in the decoder's memory, which the next picture overwrites.
    return { width, height, rgba: data.slice() }
  },
  async webp(bytes: Uint8Array): Promise<Picture> {
    await begin.webp()
    return widened(await decodeWebp(bufferOf(bytes)))
  },
  async avif(bytes: Uint8Array): Promise<Picture> {
    await begin.avif()
    const picture = await decodeAvif(bufferOf(bytes))
    if (!picture) throw new Error('libavif cannot decode it')
    return widened(picture as EightBits)
  },
}

export type Readable = keyof typeof READERS
export const isReadable = (format: string): format is Readable => Object.hasOwn(READERS, format)

/**
 * Decodes a picture.
 * @throws Error if the decoder rejects the file
 */
export const readPicture = (format: Readable, bytes: Uint8Array): Promise<Picture> => READERS[format](bytes)

/**
 * Recompresses a PNG losslessly with OxiPNG at its fastest level.
 * @throws Error if OxiPNG rejects the file
 */
export async function recompressPng(bytes: Uint8Array): Promise<Uint8Array> {
  await begin.oxipng()
  return new Uint8Array(await optimise(bufferOf(bytes), { level: 0, interlace: false, optimiseAlpha: false }))
}
