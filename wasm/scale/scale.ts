import { type Engine, instantiate, KERNELS, retire } from '../memories/memories.ts'
import wasmModule from './scale.wasm'

/** What the kernel exports (scale.c). Pointers are byte offsets into `memory`. */
interface Exports extends Engine {
  begin(): number
  place(what: number): number
  push(skip: number, rows: number): number
  made(): number
}

/** `job`: eleven 32-bit numbers (`Job` in scale.c). */
const PLACE = { job: 0, acrossFirst: 1, across: 2, downFirst: 3, down: 4, rowsIn: 5, rowsOut: 6 } as const

/** Which samples make an output sample, and how much each of them counts. */
export interface Taps {
  readonly first: number
  readonly weights: Float32Array
}

/** Which rows of a picture stand for all of them. */
export interface RowSample {
  readonly period: number
  readonly span: number
}

const ALL_ROWS: RowSample = { period: 1, span: 1 }

export interface Scaling {
  /** Size of the picture that comes in. */
  readonly width: number
  readonly height: number
  /** 1 to 4, 8 bits each, packed. */
  readonly channels: number
  /** One for each column and row that goes out; their firsts never go down. */
  readonly across: readonly Taps[]
  readonly down: readonly Taps[]
  /** The fourth channel is opacity: colour counts as much as it is opaque (default false). */
  readonly alpha?: boolean
  /** Of every `period` rows only the first `span` are computed and yielded (default: all). */
  readonly sample?: RowSample
}

/** Rows of the batches that go in and come out, bounded in bytes. */
const BATCH_ROWS = 32
const BATCH_BYTES = 64 * 1024

/** Of any number of them: spread into `Math.max` they would need the stack. */
const mostTaps = (all: readonly Taps[]) => all.reduce((most, { weights }) => Math.max(most, weights.length), 0)

/** Changes the size of a picture, row by row, in memory for a few rows, until the last came out or it is disposed of. */
export class Scaler {
  #exports = instantiate<Exports>(wasmModule, {}, KERNELS)
  readonly #rowBytes: number
  readonly #outRowBytes: number
  readonly #rowsIn: number
  readonly #rowsOut: number
  #rowsLeft: number

  /** @throws RangeError when 32 MiB do not suffice */
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
    if (!engine.begin()) throw new RangeError(`no memory to change the size of rows of ${width} pixels`)
    this.#write(across, tapsAcross, width, PLACE.acrossFirst, PLACE.across)
    this.#write(down, tapsDown, height, PLACE.downFirst, PLACE.down)
  }

  /** The tables: as many weights for every sample, zeros where it needs fewer, none of them outside the picture. */
  #write(taps: readonly Taps[], most: number, length: number, firstsAt: number, weightsAt: number): void {
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

  /** Takes whole rows. What comes out are views, packed whole rows that hold until the next one is asked for. */
  *push(rows: Uint8Array): Generator<Uint8Array, void, undefined> {
    if (this.#rowsLeft === 0) return // what is below the last filter's window
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
