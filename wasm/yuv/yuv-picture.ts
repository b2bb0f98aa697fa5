/**
 * Still pictures decoded by an engine to Y'CbCr planes, and read as rows of colours. The engines of AV1 and HEVC share it (exports.c).
 * Each instance holds one picture and must be disposed.
 */
import { EngineError, type EngineName } from '../engine-error.ts'
import type { EngineImport } from '../loading/engine-files.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'

/** Exports that the engines share. */
export interface YuvEngine extends LargeEngine {
  _initialize(): void
  host_alloc(bytes: number): number
  host_free(pointer: number): void
  info(what: number): number
  set_view(values: number, redWeight: number, blueWeight: number): number
  next_strip(first: number): number
  strip_at(): number
}

/** Facts of a decoded picture. Code points are those of the bitstream (ITU-T H.273). */
export interface PlanesInfo {
  readonly width: number
  readonly height: number
  readonly bits: number
  readonly hasChroma: boolean
  readonly matrix: number
  readonly fullRange: boolean
  readonly primaries: number
  readonly transfer: number
}

/** How planes become rows. */
export interface PlanesView {
  /** Shown area of the planes in pixels. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Orientation as in EXIF: 1 as stored, 2 to 8 mirrored or rotated. */
  readonly orientation: number
  readonly colours: 'weighted' | 'identity' | 'ycgco'
  /** Weights of red and blue in luma. Other colours than `weighted` ignore them. */
  readonly redWeight: number
  readonly blueWeight: number
  readonly fullRange: boolean
  /** True: luma only, one channel instead of three. */
  readonly grey: boolean
  /** True: 16 bits a sample instead of 8. */
  readonly wide: boolean
}

/** Memory in bytes that the modules are linked with (build.sh). */
const FIRST_BYTES = 2 * 1024 * 1024
/** Values of `Colours` (yuv.h). */
const COLOURS = { weighted: 0, identity: 1, ycgco: 2 }
/** Failures in the order of host.h, from -1 on. */
const FAILURES = ['memory', 'truncated', 'damaged', 'unsupported', 'limit', 'misuse'] as const
/** Target size in bytes of a strip of rows. */
const STRIP_BYTES = 256 * 1024

/** Starts an engine. @param name name of the engine in errors */
export function startYuvEngine<Exports extends YuvEngine>(module: EngineImport, name: EngineName): Exports {
  const fail = (code: number): never => {
    throw new EngineError(name, FAILURES[-code - 1] ?? 'damaged', `the picture cannot be decoded (${code})`)
  }
  const exports = instantiateLarge<Exports>(module, refusedWasi(module, { fail }), FIRST_BYTES)
  exports._initialize()
  return exports
}

export class YuvPicture {
  #exports: YuvEngine
  readonly #name: EngineName
  readonly info: PlanesInfo

  /** Decodes a picture. `open` returns 0, or a failure of host.h. @throws EngineError. The engine is retired if it fails. */
  constructor(exports: YuvEngine, name: EngineName, open: () => number) {
    this.#exports = exports
    this.#name = name
    try {
      const code = this.#guarded(open)
      if (code !== 0) throw new EngineError(name, FAILURES[-code - 1] ?? 'damaged', `the picture cannot be decoded (${code})`)
      this.info = this.#readInfo()
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }

  #readInfo(): PlanesInfo {
    const [width, height, bits, , , hasChroma, matrix, fullRange, primaries, transfer] = Array.from({ length: 10 }, (_, i) =>
      this.#exports.info(i),
    ) as [number, number, number, number, number, number, number, number, number, number]
    return { width, height, bits, hasChroma: hasChroma === 1, matrix, fullRange: fullRange === 1, primaries, transfer }
  }

  get memoryBytes(): number {
    return this.#exports.heap_top()
  }

  /**
   * Yields strips of whole rows of the view: interleaved samples of 1 or 3 channels, little-endian, valid until the next strip.
   * @throws EngineError (unsupported) if the planes do not fit the view
   */
  *strips(view: PlanesView): Generator<Uint8Array> {
    const swaps = view.orientation >= 5
    const [columns, rows] = swaps ? [view.height, view.width] : [view.width, view.height]
    const rowBytes = columns * (view.grey ? 1 : 3) * (view.wide ? 2 : 1)
    this.#setView(view, Math.max(1, Math.floor(STRIP_BYTES / rowBytes)))
    for (let y = 0; y < rows; ) {
      const count = this.#guarded(() => this.#exports.next_strip(y))
      if (count === 0) throw new EngineError(this.#name, 'damaged', 'the picture ends early')
      yield new Uint8Array(this.#exports.memory.buffer, this.#exports.strip_at(), count * rowBytes)
      y += count
    }
  }

  #setView(view: PlanesView, stripRows: number): void {
    const { x, y, width, height, orientation, colours, fullRange, grey, wide } = view
    const values = [x, y, width, height, orientation, COLOURS[colours], fullRange ? 1 : 0, grey ? 1 : 0, wide ? 1 : 0, stripRows]
    const isSet = this.#guarded(() => {
      const pointer = this.#exports.host_alloc(values.length * 4)
      new Int32Array(this.#exports.memory.buffer, pointer, values.length).set(values)
      const done = this.#exports.set_view(pointer, view.redWeight, view.blueWeight)
      this.#exports.host_free(pointer)
      return done
    })
    if (isSet !== 1) throw new EngineError(this.#name, 'unsupported', 'the planes do not fit the colours or the size of the picture')
  }

  /** Runs the engine. A trap means that it failed internally. */
  #guarded<T>(use: () => T): T {
    try {
      return use()
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw new EngineError(this.#name, 'damaged', error.message)
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }
}
