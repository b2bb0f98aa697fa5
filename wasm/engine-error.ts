/** Engine that failed: a WebAssembly module, or a codec or parser written in TypeScript. */

export type EngineName =
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'webp'
  | 'openjpeg'
  | 'dav1d'
  | 'avif-encoder'
  | 'hevc'
  | 'jpegls'
  | 'jxl'
  | 'ffmpeg'
  | 'opus'
  | 'vorbis'
  | 'deflate'
  | 'fax'
  | 'xml'
  | 'resvg'

/**
 * Kind of failure. `damaged`, `truncated`: invalid data. `limit`: hostile data. `unsupported`: a variant that the engine cannot read.
 * `memory`: data too large. `too_large`: output above the allowed size. `misuse`: error of the caller.
 */
export type EngineFailure = 'damaged' | 'truncated' | 'limit' | 'unsupported' | 'memory' | 'too_large' | 'misuse'

/** Error that an engine cannot recover from. The WebAssembly instance must not be used afterwards. */
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

/** True if `error` is an `EngineError` of one of `engines`, or of any engine if none is given. */
export function isEngineError(error: unknown, ...engines: EngineName[]): error is EngineError {
  return error instanceof EngineError && (engines.length === 0 || engines.includes(error.engine))
}
