/** `@whittle-app/core` for browsers: the same functions without paths and files. */
import type { Input } from '../../../src/core/library.ts'
import { deferredPool } from './pool/deferred-pool.ts'
import type { PoolOf, PoolOptions } from './pool/pool.ts'

export type { VerifyReport } from '../../../src/core/audit/check.ts'
export type { PublicKeys } from '../../../src/core/audit/receipt.ts'
export type { Input, Receipt } from '../../../src/core/library.ts'
export type { Quality, Source } from '../../../src/core/model/codec.ts'
export { CodecError, TargetUnreachable } from '../../../src/core/model/error.ts'

export { type EngineSources, useEngines } from '../../../wasm/loading/engine-files.ts'
export { type Extension, use } from './extension.ts'
export type { FormatInfo } from './formats.ts'
export type { Compressed, CompressOptions, Unpacked, UnpackOptions, VerifyOptions } from './options.ts'
export type { PoolCompressOptions, PoolOptions } from './pool/pool.ts'
export { compress, formats, identify, unpack, verify } from './portable.ts'

/** Pool of threads. */
export type Pool = PoolOf<Input>

/**
 * Opens a pool of module workers, so that several files are compressed at the same time and the page stays responsive. A file that crashes
 * the engines ends a worker, and its job fails. An aborted `signal` ends the worker of the job, which frees its memory at once.
 *
 * ```ts
 * const pool = createPool({ threads: 2 })
 * const results = await Promise.all(files.map((file) => pool.compress(file)))
 * await pool.close()
 * ```
 *
 * @throws RangeError if `threads` is no whole number above 0
 */
export const createPool = (options: PoolOptions = {}): Pool =>
  deferredPool(options, async () => (await import('./pool/browser-pool.ts')).openPool(options))
