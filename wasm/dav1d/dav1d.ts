import { startYuvEngine, type YuvEngine, YuvPicture } from '../yuv/yuv-picture.ts'
import wasmModule from './dav1d.wasm'

interface Exports extends YuvEngine {
  open_picture(pointer: number, length: number, mostPixels: number, operatingPoint: number): number
}

/** Limits and choices of the decoder. */
export interface Av1Request {
  /** Most pixels of a frame. A larger one is not decoded. */
  readonly mostPixels: number
  /** Operating point of a layered picture (AV1, 7.18.4). Its best layer is decoded. */
  readonly operatingPoint: number
}

/**
 * Decodes an AV1 picture with dav1d. Film grain is applied. Memory: about 0.7 bytes a pixel besides the planes.
 * @param obus sequence header and frame, as an AVIF item stores them
 * @throws EngineError
 */
export function decodeAv1(obus: Uint8Array, { mostPixels, operatingPoint }: Av1Request): YuvPicture {
  const exports = startYuvEngine<Exports>(wasmModule, 'dav1d')
  return new YuvPicture(exports, 'dav1d', () => {
    const pointer = exports.host_alloc(obus.length)
    new Uint8Array(exports.memory.buffer, pointer, obus.length).set(obus)
    const code = exports.open_picture(pointer, obus.length, mostPixels, operatingPoint)
    exports.host_free(pointer)
    return code
  })
}
