import { type Engine, instantiate, KERNEL_MEMORIES, retire } from '../memories/memories.ts'
import wasmModule from './scale.wasm'

/** Exports of the scaling kernel (scale.c). Pointers are byte offsets into `memory`. */
interface Exports extends Engine {
  begin(): number
  place(what: number): number
  push(skip: number, rows: number): number
  made(): number
}

/** Codes of the kernel's buffers. `job`: eleven 32-bit numbers (`Job` in scale.c). */
const PLACE = { job: 0, acrossFirst: 1, across: 2, downFirst: 3, down: 4, rowsIn: 5, rowsOut: 6 } as const

/** Range and weights of the input samples that make one output sample. */
export interface FilterWindow {
  readonly first: number
  readonly weights: Float32Array
}

/** Selection of rows that represent the picture: the first `span` of every `period` rows. */
export interface RowSample {
  readonly period: number
  readonly span: number
}

const ALL_ROWS: RowSample = { period: 1, span: 1 }

export interface Scaling {
  /** Size of the input picture in pixels. */
  readonly width: number
  readonly height: number
  /** Channels of packed 8-bit samples, 1 to 4. */
  readonly channels: number
  /** One entry for each output column or row; `first` must never decrease. */
  readonly across: readonly FilterWindow[]
  readonly down: readonly FilterWindow[]
  /** True if the fourth channel is opacity; colours are then weighted by it. Default: false. */
  readonly alpha?: boolean
  /** Output rows to compute and yield. Default: all. */
  readonly sample?: RowSample
}

/** Most rows of input and output batches, and most bytes. */
const BATCH_ROWS = 32
const BATCH_BYTES = 64 * 1024

/** Use reduce, because spreading a large array into `Math.max` would overflow the stack. */
const mostTaps = (all: readonly FilterWindow[]) => all.reduce((most, { weights }) => Math.max(most, weights.length), 0)

/** Scales a picture row by row, with a few rows in memory. It frees itself after the last row; dispose it earlier to stop. */
export class Scaler {
  #exports = instantiate<Exports>(wasmModule, {}, KERNEL_MEMORIES)
  readonly #rowBytes: number
  readonly #outRowBytes: number
  readonly #rowsIn: number
  readonly #rowsOut: number
  #rowsLeft: number

  /** @throws RangeError if 32 MiB of memory do not suffice */
  constructor({ width, height, channels, across, down, alpha = false, sample = ALL_ROWS }: Scaling) {
    const engine = this.#exports
    const tapsAcross = mostTaps(across)
    const tapsDown = mostTaps(down)
    this.#rowBytes = width * channels
    this.#outRowBytes = across.length * channels
    this.#rowsIn = batchRows(this.#rowBytes)
    this.#rowsOut = batchRows(this.#outRowBytes)
    this.#rowsLeft = sample === ALL_ROWS ? down.length : Number.POSITIVE_INFINITY
    const size = [width, across.length, down.length, channels, alpha ? 1 : 0, tapsAcross, tapsDown]
    const job = [...size, this.#rowsIn, this.#rowsOut, sample.period, sample.span]
    new Uint32Array(engine.memory.buffer, engine.place(PLACE.job), job.length).set(job)
    if (!engine.begin()) throw new RangeError(`not enough memory to scale rows of ${width} pixels`)
    this.#write(across, tapsAcross, width, PLACE.acrossFirst, PLACE.across)
    this.#write(down, tapsDown, height, PLACE.downFirst, PLACE.down)
  }

  /** Writes the tables of one direction: the same number of weights for every sample, padded with zeros, all inside the picture. */
  #write(taps: readonly FilterWindow[], most: number, length: number, firstsAt: number, weightsAt: number): void {
    const { memory, place } = this.#exports
    const firsts = new Uint32Array(memory.buffer, place(firstsAt), taps.length)
    const table = new Float32Array(memory.buffer, place(weightsAt), taps.length * most)
    table.fill(0)
    for (const [index, { first, weights }] of taps.entries()) {
      const start = Math.min(first, length - most)
      firsts[index] = start
      table.set(weights, index * most + first - start)
    }
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /** Scales whole rows. Yields packed whole rows as views that are valid until the next one is requested. */
  *push(rows: Uint8Array): Generator<Uint8Array, void, undefined> {
    if (this.#rowsLeft === 0) return // rows below the last filter window
    const { memory, place, push, made } = this.#exports
    for (let at = 0; at < rows.length; at += this.#rowsIn * this.#rowBytes) {
      const part = rows.subarray(at, at + this.#rowsIn * this.#rowBytes)
      new Uint8Array(memory.buffer, place(PLACE.rowsIn), part.length).set(part)
      const count = part.length / this.#rowBytes
      for (let done = 0, more = true; more; ) {
        const taken = push(done, count - done)
        done += taken
        const ready = made()
        more = done < count || ready === this.#rowsOut
        if (ready > 0) yield new Uint8Array(memory.buffer, place(PLACE.rowsOut), ready * this.#outRowBytes)
        this.#rowsLeft -= ready
      }
    }
    if (this.#rowsLeft === 0) this[Symbol.dispose]()
  }
}

const batchRows = (rowBytes: number) => Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_BYTES / rowBytes)))
