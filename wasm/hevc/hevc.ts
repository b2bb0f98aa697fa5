import { startYuvEngine, type YuvEngine, YuvPicture } from '../yuv/yuv-picture.ts'
import wasmModule from './hevc.wasm'

interface Exports extends YuvEngine {
  open_picture(pointer: number, length: number, config: number, configLength: number, mostPixels: number): number
  padding(): number
}

/**
 * Decodes an HEVC still picture with FFmpeg's decoder. Memory: 1.6 bytes a pixel besides the planes for 8 bits a sample, 2.7 for 10.
 * @param coded access unit with length-prefixed NAL units @param config content of the `hvcC` box @param mostPixels most pixels of a frame
 * @throws EngineError
 */
export function decodeHevc(coded: Uint8Array, config: Uint8Array, mostPixels: number): YuvPicture {
  const exports = startYuvEngine<Exports>(wasmModule, 'hevc')
  return new YuvPicture(exports, 'hevc', () => {
    const put = (bytes: Uint8Array) => {
      const pointer = exports.host_alloc(bytes.length + exports.padding())
      const room = new Uint8Array(exports.memory.buffer, pointer, bytes.length + exports.padding())
      room.set(bytes)
      room.fill(0, bytes.length)
      return pointer
    }
    const pointer = put(coded)
    const code = exports.open_picture(pointer, coded.length, put(config), config.length, mostPixels)
    exports.host_free(pointer)
    return code
  })
}
