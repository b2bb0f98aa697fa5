/**
 * WebAssembly GIF engine (`gif.h`). It decodes a file frame by frame and encodes the animation again, lossless or within a target for
 * every frame. It uses about 9 bytes of memory per pixel of the canvas, 7 for a single frame, whatever the number of frames.
 */

import { EngineError } from '../engine-error.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import { log10 } from '../same-math.ts'
import module from './gif.wasm'

type GifFailure = 'memory' | 'truncated' | 'damaged' | 'unsupported' | 'limit' | 'misuse'
/** Failure names, in the order of the negative codes of `common/host.h`. */
const FAILURES: readonly GifFailure[] = ['memory', 'truncated', 'damaged', 'unsupported', 'limit', 'misuse']

interface Exports extends LargeEngine {
  _initialize(): void
  alloc(bytes: number): number
  begin(mode: number, exact: number, mute: number, hurry: number): void
  make_canvas(): void
  push(at: number, count: number): number
  finish(): number
  fact(what: number): number
  digest(): bigint
  row(y: number, x: number, count: number, at: number): void
  compare_begin(alpha: number): void
  compare_alpha(): void
  compare_part(x: number, y: number, width: number, height: number): void
  compared(what: number): number
  compare_row(y: number, at: number): void
  compare_end(): void
  quality(what: number): number
  /** Pointer to ten doubles for the values of `GifTarget` (`QualityFloors` in encoder.h). */
  floors(): number
}

const decibels = (mse: number) => (mse > 0 ? 10 * log10((255 * 255) / mse) : Number.POSITIVE_INFINITY)

/** Initial memory in bytes that the build links: mainly tables. */
const FIRST_BYTES = 2_359_296
const PIECE_BYTES = 64 * 1024
const FEED_BYTES = 16 * 1024
const MODES = { scan: 1, encode: 2, look: 3, countFrames: 4, writeFrames: 5, lookAtFrames: 6 } as const
/** WebAssembly memory in bytes per pixel of the canvas: to encode animations, to encode a single frame, and to decode only. */
export const BYTES_PER_PIXEL = { encode: 9.05, still: 7.25, look: 2.5 }
/** Additional memory in bytes per pixel of the largest frame with disposal "restore to previous" (`restored`). */
export const BYTES_PER_RESTORED = 2

/** Limits of the canvas within which frames are scored, from tuning.h. */
const SCORED = { leastSide: 8, widest: 4096, mostPixels: 4_000_000 }
/**
 * WebAssembly memory in bytes for the perceptual score: sums of tiles per pixel of the canvas, and rows per pixel of its width. 0: the
 * canvas is not scored.
 */
export function scoringBytes({ width, height }: { readonly width: number; readonly height: number }): number {
  const isScored = Math.min(width, height) >= SCORED.leastSide && width <= SCORED.widest && width * height <= SCORED.mostPixels
  return isScored ? width * height * 0.45 + width * 1300 : 0
}

export interface GifFacts {
  readonly width: number
  readonly height: number
  readonly frames: number
  /** Number of distinct colours; 257: more than 256. */
  readonly colours: number
  readonly transparent: boolean
  /** Shortest delay of a frame, in 1/100 s. */
  readonly leastDelay: number
  /** Pixels of the largest frame with disposal "restore to previous". */
  readonly restored: number
}

/** Rectangle of canvas pixels. */
export interface CanvasRectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Limits that every frame must keep; see `RasterTarget`. */
export interface GifTarget {
  readonly ssim: number
  readonly psnrDb: number
  readonly rgbPsnrDb: number
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** Largest colour cast: distance of the mean colours in CIE Lab a and b, in the worst area of 16 × 16 pixels. */
  readonly cast: number
  /** Largest squared colour error in smooth areas, where neighbours are similar. Where neighbours are equal, colours stay exact. */
  readonly smooth: number
  /** Largest squared colour error outside of smooth areas. Higher values would break lines and edges. */
  readonly most: number
  /** Lowest SSIMULACRA 2.1 score of every frame, if the canvas is scored (`SCORED`). */
  readonly score: number
  /** Lowest SSIMULACRA 2.1 score of every tile of 64 × 64 pixels. */
  readonly worstTile: number
}

export class GifEngine {
  #wasm: Exports
  readonly #buffer: number
  readonly #accept: (width: number, height: number) => void
  #rowAt = 0
  #out: Uint8Array[] = []
  #piece: Uint8Array | undefined
  #filled = 0
  #sized = false
  #canvas = true
  #compares = false

  /** Opens an engine. `accept` gets the canvas size before the canvas is allocated, and throws if it is too large. */
  constructor(accept: (width: number, height: number) => void) {
    this.#accept = accept
    const imports = {
      env: {
        write: (at: number, count: number) => this.#write(this.#bytes(at, count)),
        fail: (code: number, at: number) => {
          const text = this.#bytes(at, 200)
          throw new EngineError('gif', FAILURES[-code - 1] ?? 'misuse', new TextDecoder().decode(text.subarray(0, text.indexOf(0))))
        },
      },
      // wasi-libc links these imports, but the engine never calls them.
      wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }),
    }
    this.#wasm = instantiateLarge<Exports>(module, imports, FIRST_BYTES)
    this.#wasm._initialize()
    this.#buffer = this.#wasm.alloc(FEED_BYTES)
  }

  #bytes(at: number, count: number): Uint8Array {
    const { buffer } = this.#wasm.memory
    return new Uint8Array(buffer, at, Math.min(count, buffer.byteLength - at))
  }

  /** Collects small pieces of the engine's output in large buffers. */
  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      this.#piece ??= new Uint8Array(PIECE_BYTES)
      const part = bytes.subarray(at, at + PIECE_BYTES - this.#filled)
      this.#piece.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled < PIECE_BYTES) continue
      this.#out.push(this.#piece)
      this.#piece = undefined
      this.#filled = 0
    }
  }

  get memoryBytes(): number {
    return this.#wasm.heap_top()
  }

  /** Returns the engine's memory to the pool. */
  [Symbol.dispose](): void {
    this.#wasm = retire(this.#wasm)
  }

  /**
   * Starts a pass. `scan` collects facts and must come first; `encode` writes; `look` decodes frames. Three passes need no canvas and
   * encode each frame unchanged: `countFrames`, then `writeFrames`; `lookAtFrames` computes a digest of decoded frames and their fields.
   */
  begin(mode: keyof typeof MODES, how: { target?: GifTarget; mute?: boolean; hurry?: boolean } = {}): void {
    this.#out = []
    this.#filled = 0
    const { target } = how
    if (target) {
      const { ssim, psnrDb, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb, cast, smooth, most, score, worstTile } = target
      const floors = [ssim, psnrDb, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb, cast, smooth, most, score, worstTile]
      new Float64Array(this.#wasm.memory.buffer, this.#wasm.floors(), floors.length).set(floors)
    }
    this.#canvas = MODES[mode] <= MODES.look
    this.#wasm.begin(MODES[mode], target ? 0 : 1, how.mute ? 1 : 0, how.hurry ? 1 : 0)
  }

  /** Decodes bytes up to the end of the next frame. `taken`: number of bytes used. `frame`: true if a frame is complete. */
  push(bytes: Uint8Array): { taken: number; frame: boolean } {
    const part = bytes.subarray(0, FEED_BYTES)
    this.#bytes(this.#buffer, part.length).set(part)
    const before = this.#wasm.fact(2)
    const taken = this.#wasm.push(this.#buffer, part.length)
    if (this.#canvas && !this.#sized && this.#wasm.fact(0) > 0) {
      this.#accept(this.#wasm.fact(0), this.#wasm.fact(1))
      this.#wasm.make_canvas()
      this.#sized = true
    }
    return { taken, frame: this.#wasm.fact(2) > before }
  }

  /** Ends the pass after the last byte. Returns the number of bytes that `encode` has written. */
  finish(): number {
    return this.#wasm.finish()
  }

  /** Sum of the pixels of all frames so far, each at its own size. */
  get framePixels(): number {
    return this.#wasm.fact(12)
  }

  /** Bytes of the frames that `encode` has written so far. */
  get written(): number {
    return this.#wasm.fact(7)
  }

  /** Returns the output in large pieces. `all`: including the last, partly filled piece. */
  drain(all = false): Uint8Array[] {
    const out = this.#out
    if (all && this.#piece && this.#filled) {
      out.push(this.#piece.slice(0, this.#filled))
      this.#filled = 0
    }
    this.#out = []
    return out
  }

  facts(): GifFacts {
    const fact = this.#wasm.fact
    return {
      width: fact(0),
      height: fact(1),
      frames: fact(2),
      colours: fact(3),
      transparent: fact(4) === 1,
      leastDelay: fact(6),
      restored: fact(13),
    }
  }

  /** Delay in 1/100 s and canvas hash of the last completed frame. */
  currentFrame(): { delay: number; digest: bigint } {
    return { delay: this.#wasm.fact(5), digest: BigInt.asUintN(64, this.#wasm.digest()) }
  }

  /** Row of the canvas after the last completed frame, as RGBA. The view is valid until the next call. */
  row(y: number): Uint8Array {
    const bytes = this.#wasm.fact(0) * 4
    this.#rowAt ||= this.#wasm.alloc(bytes)
    this.#wasm.row(y, 0, this.#wasm.fact(0), this.#rowAt)
    return this.#bytes(this.#rowAt, bytes)
  }

  /** Rectangle in which the last completed frame may differ from the one before. */
  changedPart(): CanvasRectangle {
    const fact = this.#wasm.fact
    return { x: fact(8), y: fact(9), width: fact(10), height: fact(11) }
  }

  /**
   * Similarity of this canvas to another engine's. Only `part` is measured again; the rest must be unchanged since the last call, or equal
   * before the first call.
   */
  similarityTo(reference: GifEngine, part: CanvasRectangle): { ssim: number; psnrDb: number } {
    const alpha = this.#wasm.fact(4) === 1 || reference.#wasm.fact(4) === 1
    if (!this.#compares) this.#wasm.compare_begin(alpha ? 1 : 0)
    else if (alpha) this.#wasm.compare_alpha()
    this.#compares = true
    this.#wasm.compare_part(part.x, part.y, part.width, part.height)
    const [x = 0, y = 0, width = 0, height = 0] = [0, 1, 2, 3].map((what) => this.#wasm.compared(what))
    this.#rowAt ||= this.#wasm.alloc(this.#wasm.fact(0) * 4)
    reference.#rowAt ||= reference.#wasm.alloc(reference.#wasm.fact(0) * 4)
    for (let row = y; row < y + height; row++) {
      reference.#wasm.row(row, x, width, reference.#rowAt)
      this.#bytes(this.#rowAt, width * 4).set(reference.#bytes(reference.#rowAt, width * 4))
      this.#wasm.compare_row(row, this.#rowAt)
    }
    this.#wasm.compare_end()
    return { ssim: this.#wasm.quality(3), psnrDb: decibels(this.#wasm.quality(4)) }
  }

  /**
   * SSIMULACRA 2.1 score of the worst frame and of the worst tile in the last `encode` with a target; 100 if frames are not scored
   * (`SCORED`).
   */
  worstScores(): { score: number; worstTile: number } {
    return { score: this.#wasm.quality(6), worstTile: this.#wasm.quality(7) }
  }

  /** Quality of the worst frame in the last `encode` with a target. */
  quality(): { ssim: number; psnrDb: number; rgbPsnrDb: number } {
    return { ssim: this.#wasm.quality(0), psnrDb: decibels(this.#wasm.quality(1)), rgbPsnrDb: decibels(this.#wasm.quality(2)) }
  }
}
