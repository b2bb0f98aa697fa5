import { instantiate } from '../memories/memories.ts'
import { check, type Parameters, StreamEngine, type StreamExports, setParameters } from '../stream-engine.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './brotli.wasm'

/** Exports of brotli (glue.c). */
interface Exports extends StreamExports {
  open_compressor(): number
  open_decompressor(): number
  set_parameter(parameter: number, value: number): number
}

/** brotli in a memory of at most 96 MiB. */
export class Brotli extends StreamEngine<Exports> {
  /**
   * Opens a compressor (RFC 7932). @param parameters BrotliEncoderParameter of encode.h
   * @throws EngineError `memory` or `misuse`
   */
  static compressor(parameters: Parameters): Brotli {
    return Brotli.#open((exports) => {
      check(exports.open_compressor())
      setParameters(exports, parameters)
    })
  }

  /** Opens a decompressor. */
  static decompressor(): Brotli {
    return Brotli.#open((exports) => check(exports.open_decompressor()))
  }

  static #open(prepare: (exports: Exports) => void): Brotli {
    const engine = new Brotli(instantiate<Exports>(wasmModule, refusedWasi(wasmModule)))
    try {
      prepare(engine.exports)
      return engine
    } catch (error) {
      engine[Symbol.dispose]()
      throw error
    }
  }
}
