import type { EngineInput, JxlEngine } from '../jxl/engine.ts'
import { engineErrorOf, startJxlEngine, withJxlEngine } from '../jxl/engine.ts'
import { type JobMemory, retire } from '../memories/memories.ts'
import wasmModule from './jxl-decoder.wasm'

interface Exports extends JxlEngine {
  rebuild(jxl: number, bytes: number, mostPixels: number): void
  decode(jxl: number, bytes: number, mostPixels: number, isDeep: number): number
}

export interface RebuildRequest {
  readonly memory: JobMemory
  /** Most pixels of the picture. A larger one is refused before it is decoded. */
  readonly mostPixels: number
  /** Receives the JPEG in pieces, each valid during the call. An error that it throws stops the engine. */
  write(piece: Uint8Array): void
}

/**
 * Rebuilds the JPEG that a JPEG XL file was made from, byte for byte.
 * @throws EngineError `unsupported` if the file was not made from a JPEG, `limit`, `damaged`, `truncated` or `memory`
 */
export async function rebuildJpeg(jxl: EngineInput, { memory, mostPixels, write }: RebuildRequest): Promise<void> {
  await withJxlEngine<Exports>({ module: wasmModule, memory, write }, jxl, (engine, pointer) =>
    engine.rebuild(pointer, jxl.size, mostPixels),
  )
}

/** Order of the numbers of a decoded picture in the engine's memory (glue.cc, `Decoded`). */
const DECODED = { width: 0, height: 1, channels: 2, bits: 3, exponentBits: 4, icc: 5, iccBytes: 6, pixels: 7 } as const

/** Bytes of a strip of decoded rows. */
const STRIP_BYTES = 256 * 1024

/** Still picture of a JPEG XL file, decoded upright in the engine's memory, in the colours of its profile. */
export class JxlPixels implements Disposable {
  #engine: Exports
  readonly #pixels: number
  readonly #sampleBytes: number
  readonly width: number
  readonly height: number
  /** Grey or RGB, with alpha if even. Alpha is not premultiplied. */
  readonly channels: 1 | 2 | 3 | 4
  /** Bits of a colour sample in the file. */
  readonly bits: number
  /** True for floating-point samples. */
  readonly isFloat: boolean
  /** ICC profile of the colours; named colour spaces have one that libjxl makes. */
  readonly icc: Uint8Array

  private constructor(engine: Exports, fields: Uint32Array, sampleBytes: number) {
    const field = (name: keyof typeof DECODED) => fields[DECODED[name]] ?? 0
    this.#engine = engine
    this.#pixels = field('pixels')
    this.#sampleBytes = sampleBytes
    this.width = field('width')
    this.height = field('height')
    this.channels = field('channels') as 1 | 2 | 3 | 4
    this.bits = field('bits')
    this.isFloat = field('exponentBits') > 0
    this.icc = new Uint8Array(engine.memory.buffer, field('icc'), field('iccBytes')).slice()
  }

  /**
   * Decodes a file. @param isDeep true for 16 bits a sample; `undefined`: 8
   * @throws EngineError `limit` for a picture of more than `mostPixels`, which is not decoded, `unsupported` for an animation, `damaged`,
   * `truncated` or `memory`
   */
  static async open(
    jxl: EngineInput,
    { memory, mostPixels, isDeep }: Omit<RebuildRequest, 'write'> & { isDeep?: boolean },
  ): Promise<JxlPixels> {
    const { engine, pointer } = await startJxlEngine<Exports>({ module: wasmModule, memory }, jxl)
    try {
      const decoded = engine.decode(pointer, jxl.size, mostPixels, isDeep ? 1 : 0)
      return new JxlPixels(engine, new Uint32Array(engine.memory.buffer, decoded, Object.keys(DECODED).length), isDeep ? 2 : 1)
    } catch (error) {
      retire(engine)
      throw engineErrorOf(error)
    }
  }

  /** Yields strips of whole rows: copies, little-endian if a sample has two bytes. */
  *strips(): Generator<Uint8Array<ArrayBuffer>> {
    const rowBytes = this.width * this.channels * this.#sampleBytes
    const rows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes))
    for (let y = 0; y < this.height; y += rows) {
      const length = Math.min(rows, this.height - y) * rowBytes
      yield new Uint8Array(this.#engine.memory.buffer, this.#pixels + y * rowBytes, length).slice() as Uint8Array<ArrayBuffer>
    }
  }

  [Symbol.dispose](): void {
    this.#engine = retire(this.#engine)
  }
}
