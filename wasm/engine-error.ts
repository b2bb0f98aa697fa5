/** Trouble of an engine: a Wasm module, or a coder or parser of ours that stands beside one. */

export type EngineName = 'png' | 'jpeg' | 'gif' | 'webp' | 'openjpeg' | 'jpegls' | 'ffmpeg' | 'deflate' | 'fax' | 'xml' | 'resvg'

/**
 * `damaged` and `truncated`: the data's fault. `limit`: hostile. `unsupported`: a variant that is not handled. `memory`: too
 * large. `too_large`: more comes out than was allowed. `misuse`: a bug of the caller.
 */
export type EngineFailure = 'damaged' | 'truncated' | 'limit' | 'unsupported' | 'memory' | 'too_large' | 'misuse'

/** The engine cannot go on. A Wasm instance that threw this is dead; drop it. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly engine: EngineName
  readonly failure: EngineFailure

  constructor(engine: EngineName, failure: EngineFailure, message: string) {
    super(message)
    this.engine = engine
    this.failure = failure
  }
}

/** Whether `error` is trouble of one of these engines; of any where none is named. */
export function isEngineError(error: unknown, ...engines: EngineName[]): error is EngineError {
  return error instanceof EngineError && (engines.length === 0 || engines.includes(error.engine))
}
