import { instantiateLarge, type LargeEngine } from '../memories/memories.ts'
import { check, type Parameters, StreamEngine, type StreamExports, setParameters } from '../stream-engine.ts'
import wasmModule from './zstd.wasm'

/** Exports of zstd (glue.c). */
interface Exports extends StreamExports, LargeEngine {
  open_compressor(bytes: number): number
  open_decompressor(): number
  set_parameter(parameter: number, value: number): number
}

/** zstd in a memory of at most 96 MiB, or of the granted size. */
export class Zstd extends StreamEngine<Exports> {
  /**
   * Opens a compressor for one frame (RFC 8878). @param bytes size of the input, which the frame states @param parameters ZSTD_cParameter of zstd.h
   * @throws EngineError `memory` or `misuse`
   */
  static compressor(bytes: number, parameters: Parameters): Zstd {
    return Zstd.#open((exports) => {
      check(exports.open_compressor(bytes))
      setParameters(exports, parameters)
    })
  }

  /** Opens a decompressor for the first frame. */
  static decompressor(): Zstd {
    return Zstd.#open((exports) => check(exports.open_decompressor()))
  }

  static #open(prepare: (exports: Exports) => void): Zstd {
    const engine = new Zstd(instantiateLarge<Exports>(wasmModule))
    try {
      prepare(engine.exports)
      return engine
    } catch (error) {
      engine[Symbol.dispose]()
      throw error
    }
  }
}
