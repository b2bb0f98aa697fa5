import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './openjpeg.wasm'

/** Exports of the OpenJPEG engine (glue.c). */
interface Exports extends Engine {
  _initialize(): void
  allocate(bytes: number): number
  open_picture(pointer: number, length: number): number
  info(what: number): number
  read_strip(first: number, last: number, pointer: number, room: number): number
}

/** JPEG 2000 picture, decoded in strips. Memory holds the file and a few strips, or the whole picture if it is a single tile. */
export class JpxPicture {
  readonly width: number
  readonly height: number
  readonly components: number
  /** Bits per sample in the file; decoded rows always have 8. */
  readonly precision: number
  /** True if all components have the same size and are unsigned; only such pictures can be decoded. */
  readonly isDecodable: boolean
  readonly tiles: number
  private exports: Exports

  /**
   * Parses the header.
   * @throws EngineError
   */
  constructor(file: Uint8Array) {
    this.exports = instantiate<Exports>(wasmModule, refusedWasi(wasmModule))
    const { info } = this.exports
    this.guarded(() => {
      this.exports._initialize()
      const pointer = this.exports.allocate(file.length)
      if (!pointer) throw new EngineError('openjpeg', 'memory', 'memory is insufficient for the JPEG 2000 file')
      new Uint8Array(this.exports.memory.buffer).set(file, pointer)
      if (this.exports.open_picture(pointer, file.length) < 0)
        throw new EngineError('openjpeg', 'damaged', 'the JPEG 2000 header is missing or damaged')
    })
    this.width = info(0)
    this.height = info(1)
    this.components = info(2)
    this.precision = info(3)
    this.isDecodable = info(4) === 1
    this.tiles = info(5)
  }

  get memoryBytes(): number {
    return this.exports.heap_top()
  }

  [Symbol.dispose](): void {
    this.exports = retire(this.exports)
  }

  /**
   * Yields interleaved rows of 8-bit samples, `rows` at a time.
   * @throws EngineError
   */
  *strips(rows: number): Generator<Uint8Array> {
    if (!this.isDecodable) throw new EngineError('openjpeg', 'damaged', 'the JPEG 2000 components differ in size or are signed')
    const room = this.width * Math.min(rows, this.height) * this.components
    const pointer = this.exports.allocate(room)
    if (!pointer) throw new EngineError('openjpeg', 'memory', 'memory is insufficient for a strip of rows')
    for (let first = 0; first < this.height; first += rows) {
      const last = Math.min(this.height, first + rows)
      const length = this.guarded(() => this.exports.read_strip(first, last, pointer, room))
      if (length !== this.width * (last - first) * this.components)
        throw new EngineError('openjpeg', 'damaged', 'the JPEG 2000 data is damaged')
      yield new Uint8Array(this.exports.memory.buffer, pointer, length).slice()
    }
  }

  private guarded<T>(use: () => T): T {
    try {
      return use()
    } catch (error) {
      // A Wasm trap: the engine ran out of memory or failed internally.
      if (error instanceof WebAssembly.RuntimeError) throw new EngineError('openjpeg', 'damaged', error.message)
      throw error
    }
  }
}
