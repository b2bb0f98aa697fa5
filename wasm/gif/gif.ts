/**
 * The GIF engine (`gif.h`): frames of a file one after the other, and the same animation written anew, exactly or within a
 * target for every frame. About 9 bytes of Wasm memory for each pixel of the canvas, whatever the number of frames; 7 for one.
 */
import { EngineError } from '../engine-error.ts'
import { instantiateLarge, type LargeEngine, retire } from '../memories/memories.ts'
import module from './gif.wasm'

export type GifFailure = 'memory' | 'truncated' | 'damaged' | 'unsupported' | 'limit' | 'misuse'
/** By the negative codes of `common/host.h`. */
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
  /** Where `GifTarget` goes, as ten doubles (`QualityFloors` in encoder.h). */
  floors(): number
}

const decibels = (mse: number) => (mse > 0 ? 10 * Math.log10((255 * 255) / mse) : Number.POSITIVE_INFINITY)

/** As the recipe links it: tables. */
const FIRST_BYTES = 2_359_296
const PIECE_BYTES = 64 * 1024
const FEED_BYTES = 16 * 1024
const MODES = { scan: 1, encode: 2, look: 3, countFrames: 4, writeFrames: 5, lookAtFrames: 6 } as const
/** Bytes of Wasm memory for a pixel of the canvas: in general, for a single frame, and for looking alone. */
export const BYTES_PER_PIXEL = { encode: 9.05, still: 7.25, look: 2.5 }
/** And for a pixel of the largest frame that is taken away again (`restored`), in either case. */
export const BYTES_PER_RESTORED = 2

/** As tuning.h has them: canvases of other sizes are not scored. */
const SCORED = { leastSide: 8, widest: 4096, mostPixels: 4_000_000 }
/** Bytes of Wasm memory that scoring takes: sums of tiles for a pixel of the canvas, and rows for a pixel of its width. */
export function seenBytes({ width, height }: { readonly width: number; readonly height: number }): number {
  const isScored = Math.min(width, height) >= SCORED.leastSide && width <= SCORED.widest && width * height <= SCORED.mostPixels
  return isScored ? width * height * 0.45 + width * 1300 : 0
}

export interface GifFacts {
  readonly width: number
  readonly height: number
  readonly frames: number
  /** 257 stands for more than 256. */
  readonly colours: number
  readonly transparent: boolean
  /** The shortest delay, in hundredths of a second. */
  readonly leastDelay: number
  /** Pixels of the largest frame that is taken away again. */
  readonly restored: number
}

/** Pixels of a canvas. */
export interface GifPart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What every frame must keep; see `RasterTarget`. */
export interface GifTarget {
  readonly ssim: number
  readonly psnrDb: number
  readonly rgbPsnrDb: number
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** Distance in CIE Lab a and b of the mean colour, at most, in the worst area of 16 × 16 pixels. */
  readonly cast: number
  /** Squared distance of a colour, at most, where its neighbours are alike; where they are equal it is exact. */
  readonly smooth: number
  /** And elsewhere: more would tear lines and edges. */
  readonly most: number
  /** SSIMULACRA 2.1 of every frame, where they are scored (`SCORED`). */
  readonly score: number
  /** The same of the worst tile of 64 × 64 pixels. */
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

  /** `accept` is told the size of the canvas before it is made, and throws where it is too large. */
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
      // wasi-libc links these, nothing calls them.
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

  /** Collects the engine's small pieces into large ones. */
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

  /** Its memory is the next engine's. */
  [Symbol.dispose](): void {
    this.#wasm = retire(this.#wasm)
  }

  /**
   * `scan` looks at everything once and must come first; `encode` writes; `look` shows frames.
   * Without a canvas, whatever its size, every frame coded anew as it is: `countFrames`, then `writeFrames`; and `lookAtFrames`
   * gives a digest of everything but the codes.
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

  /** Gives bytes up to the end of the next frame. `taken` of them were used; `frame` when one was completed. */
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

  /** After the last byte. Bytes written by an `encode`. */
  finish(): number {
    return this.#wasm.finish()
  }

  /** Pixels of the frames so far, each of its own size. */
  get framePixels(): number {
    return this.#wasm.fact(12)
  }

  /** Bytes of the frames that an `encode` has written so far. */
  get written(): number {
    return this.#wasm.fact(7)
  }

  /** What was written, in large pieces; with `all`, to the last byte. */
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

  /** Of the frame that was just completed, while looking: its delay in hundredths of a second and a hash of its canvas. */
  look(): { delay: number; digest: bigint } {
    return { delay: this.#wasm.fact(5), digest: BigInt.asUintN(64, this.#wasm.digest()) }
  }

  /** A row of the canvas as RGBA, as shown after the last completed frame. A view that is valid until the next call. */
  row(y: number): Uint8Array {
    const bytes = this.#wasm.fact(0) * 4
    this.#rowAt ||= this.#wasm.alloc(bytes)
    this.#wasm.row(y, 0, this.#wasm.fact(0), this.#rowAt)
    return this.#bytes(this.#rowAt, bytes)
  }

  /** Where the frame that was just completed may differ from the one before. */
  changed(): GifPart {
    const fact = this.#wasm.fact
    return { x: fact(8), y: fact(9), width: fact(10), height: fact(11) }
  }

  /**
   * How close the canvas is to another engine's, both looking: only `part` is measured anew, elsewhere neither has changed since
   * the last call (before the first, they are taken to be equal).
   */
  similarityTo(reference: GifEngine, part: GifPart): { ssim: number; psnrDb: number } {
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

  /** SSIMULACRA 2.1 of the worst frame, and of the worst tile, of the last `encode` with a target; 100 where frames are not scored (`SCORED`). */
  seen(): { score: number; worstTile: number } {
    return { score: this.#wasm.quality(6), worstTile: this.#wasm.quality(7) }
  }

  /** Of the worst frame of the last `encode` with a target. */
  quality(): { ssim: number; psnrDb: number; rgbPsnrDb: number } {
    return { ssim: this.#wasm.quality(0), psnrDb: decibels(this.#wasm.quality(1)), rgbPsnrDb: decibels(this.#wasm.quality(2)) }
  }
}
