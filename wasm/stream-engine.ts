/** Engines that compress or decompress one stream of any length in bounded memory: zlib, zstd and brotli (common/stream.h). */
import { EngineError } from './engine-error.ts'
import { type Engine, retire } from './memories/memories.ts'

/** Exports that these engines share. Pointers and lengths are bytes of Wasm memory. */
export interface StreamExports extends Engine {
  input(): number
  output(): number
  buffer_bytes(): number
  consumed(): number
  produced(): number
  step(from: number, length: number, operation: number): number
}

/** Results of `step` and of opening (StreamResult). The stream continues for positive results; other negative ones mean damage. */
const ENDED = 0
const MEMORY = -2

/** Operations of `step` (StreamOperation). */
const CONTINUE = 0
const FINISH = 1

const NOTHING = new Uint8Array()

/** An open stream in an engine of its own. It must be disposed at the end. */
export class StreamEngine<Exports extends StreamExports = StreamExports> {
  #exports: Exports
  readonly #bufferBytes: number
  #ended = false
  #unreadBytes = 0
  #retired = false

  /** @param exports an instance whose stream the subclass opens */
  constructor(exports: Exports) {
    this.#exports = exports
    this.#bufferBytes = exports.buffer_bytes()
  }

  protected get exports(): Exports {
    return this.#exports
  }

  /** True if the last byte of the stream has been read and all output is out. */
  get ended(): boolean {
    return this.#ended
  }

  /** True if no later input can belong to the stream. */
  get complete(): boolean {
    return this.#ended
  }

  /** Number of bytes at the end of the last pushed input that were not read, because the stream had ended before them. */
  get unreadBytes(): number {
    return this.#unreadBytes
  }

  /**
   * Processes input and yields the output that is ready, at most 128 KiB at a time.
   * @throws EngineError `damaged` or `memory`
   */
  *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    let at = 0
    while (at < bytes.length && !this.#ended) {
      const slice = bytes.subarray(at, at + this.#bufferBytes)
      yield* this.#run(slice, CONTINUE)
      at += slice.length - this.#unreadBytes
    }
    this.#unreadBytes = bytes.length - at
  }

  /**
   * Ends the input and yields the rest of the output.
   * @throws EngineError `truncated` if a decompressor has not reached the end of its stream
   */
  *finish(): Generator<Uint8Array, void, undefined> {
    if (!this.#ended) yield* this.#run(NOTHING, FINISH)
    if (!this.#ended) throw new EngineError('deflate', 'truncated', 'the compressed data ends early')
  }

  /** Releases the memory for the next engine. */
  [Symbol.dispose](): void {
    if (!this.#retired) this.#exports = retire(this.#exports)
    this.#retired = true
  }

  /** Marks the stream as open again, after a subclass has started the next one in the same engine. */
  protected reopened(result: number): void {
    check(result)
    this.#ended = false
    this.#unreadBytes = 0
  }

  *#run(slice: Uint8Array, operation: number): Generator<Uint8Array, void, undefined> {
    const engine = this.#exports
    new Uint8Array(engine.memory.buffer, engine.input(), slice.length).set(slice)
    let at = 0
    for (;;) {
      const result = engine.step(at, slice.length - at, operation)
      check(result)
      const [consumed, produced] = [engine.consumed(), engine.produced()]
      at += consumed
      this.#ended = result === ENDED
      this.#unreadBytes = slice.length - at
      if (produced > 0) yield new Uint8Array(engine.memory.buffer, engine.output(), produced).slice()
      if (this.#ended) return
      // If the output buffer was not filled, all output of the consumed input is out.
      if (at === slice.length && produced < this.#bufferBytes && (operation === CONTINUE || produced === 0)) return
      if (consumed === 0 && produced === 0) throw new EngineError('deflate', 'damaged', 'the compressed data makes no progress')
    }
  }
}

/** Parameters of a compressor: values by the numbers in its header file. */
export type Parameters = Readonly<Record<number, number>>

/**
 * Sets the parameters of an open compressor.
 * @throws EngineError `misuse` if a value is not allowed
 */
export function setParameters(exports: { set_parameter(parameter: number, value: number): number }, parameters: Parameters): void {
  for (const [parameter, value] of Object.entries(parameters)) {
    if (!exports.set_parameter(Number(parameter), value))
      throw new EngineError('deflate', 'misuse', `parameter ${parameter} of the compressor cannot be ${value}`)
  }
}

/** @throws EngineError for a failed StreamResult */
export function check(result: number): void {
  if (result >= 0) return
  if (result === MEMORY) throw new EngineError('deflate', 'memory', 'the compressed data needs more memory than is allowed')
  throw new EngineError('deflate', 'damaged', 'the compressed data is damaged')
}
