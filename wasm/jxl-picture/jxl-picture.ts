import { type EngineInput, type JxlEngine, withJxlEngine } from '../jxl/engine.ts'
import type { JobMemory } from '../memories/memories.ts'
import wasmModule from './jxl-picture.wasm'

interface Exports extends JxlEngine {
  metadata(kind: number, pointer: number, bytes: number): void
  encode(pixels: number, width: number, height: number, channels: number, sampleBytes: number, distance: number, effort: number): void
}

export interface JxlPicture {
  readonly width: number
  readonly height: number
  /** Grey or RGB, with alpha (not premultiplied) if even. */
  readonly channels: 1 | 2 | 3 | 4
  /** Bytes of a sample; 2: little-endian. `undefined`: 1. */
  readonly sampleBytes?: 1 | 2
  /** ICC profile of the samples, of grey if `channels` is below 3, otherwise of RGB. `undefined`: sRGB. */
  readonly icc?: Uint8Array | undefined
  /** EXIF from its TIFF header on. `undefined`: none. */
  readonly exif?: Uint8Array | undefined
  /** XMP packet. `undefined`: none. */
  readonly xmp?: Uint8Array | undefined
}

export interface JxlSettings {
  /** Butteraugli distance in thousandths, 10 to 25,000. 0: without loss. */
  readonly distance: number
  /** libjxl's effort, 3 to 7. */
  readonly effort: number
}

/** Offset of the TIFF header in an Exif box (ISO/IEC 18181-2): 0. */
const EXIF_OFFSET_BYTES = 4

/**
 * Encodes a picture as JPEG XL in the container of ISO/IEC 18181-2.
 * @param rows all rows from the top, in pieces of any size
 * @throws EngineError `unsupported` for a profile that libjxl does not understand, `memory`, or `truncated` if rows are missing
 */
export async function encodeJxlPicture(
  picture: JxlPicture,
  rows: AsyncIterable<Uint8Array>,
  { distance, effort }: JxlSettings,
  memory: JobMemory,
): Promise<Uint8Array[]> {
  const { width, height, channels, sampleBytes = 1, icc, exif, xmp } = picture
  const input: EngineInput = { chunks: rows, size: width * height * channels * sampleBytes }
  const pieces: Uint8Array[] = []
  const write = (piece: Uint8Array) => pieces.push(piece.slice())
  await withJxlEngine<Exports>({ module: wasmModule, memory, write }, input, (engine, pixels) => {
    for (const [kind, data] of [icc, exif && exifBox(exif), xmp].entries()) {
      if (!data) continue
      const pointer = engine.host_alloc(data.length)
      new Uint8Array(engine.memory.buffer, pointer, data.length).set(data)
      engine.metadata(kind, pointer, data.length)
    }
    engine.encode(pixels, width, height, channels, sampleBytes, distance, effort)
  })
  return pieces
}

function exifBox(exif: Uint8Array): Uint8Array {
  const body = new Uint8Array(EXIF_OFFSET_BYTES + exif.length)
  body.set(exif, EXIF_OFFSET_BYTES)
  return body
}
