/** `@whittle-app/core` for browsers: the same functions without paths and files. */

export type { VerifyReport } from '../../../src/core/audit/check.ts'
export type { PublicKeys } from '../../../src/core/audit/receipt.ts'
export type { Input, Receipt } from '../../../src/core/library.ts'
export type { Quality, Source } from '../../../src/core/model/codec.ts'
export { CodecError, TargetUnreachable } from '../../../src/core/model/error.ts'
export { type EngineSources, useEngines } from '../../../wasm/loading/engine-files.ts'
export { type Extension, use } from './extension.ts'
export type { FormatInfo } from './formats.ts'
export type { Compressed, CompressOptions, VerifyOptions } from './options.ts'
export { createPool, type Pool, type PoolOptions } from './pool/browser-pool.ts'
export { compress, formats, identify, verify } from './portable.ts'
