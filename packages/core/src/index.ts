/** `@whittle-app/core`: compresses files in this process, and proves that nothing was lost. */
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { Receipt } from '../../../src/core/library.ts'
import { readAll } from '../../../src/core/model/source.ts'
import { identify as identifySource } from '../../../src/core/pipeline/identify.ts'
import { pathOfResult, ResultFiles } from './file-sink.ts'
import type { FormatInfo } from './formats.ts'
import { type Input, isPath, openSource, pathOf, withSource } from './input.ts'
import {
  type Compressed,
  type CompressOptions,
  coreOptions,
  UNPACKED_BYTES_MAX,
  type Unpacked,
  type UnpackOptions,
  type VerifyOptions,
} from './options.ts'
import { deferredPool } from './pool/deferred-pool.ts'
import type { PoolOf, PoolOptions } from './pool/pool.ts'
import * as portable from './portable.ts'

export type { VerifyReport } from '../../../src/core/audit/check.ts'
export type { PublicKeys } from '../../../src/core/audit/receipt.ts'
export type { Receipt } from '../../../src/core/library.ts'
export type { Quality, Source } from '../../../src/core/model/codec.ts'
export { CodecError, TargetUnreachable } from '../../../src/core/model/error.ts'
export { type EngineSources, useEngines } from '../../../wasm/loading/engine-files.ts'
export { type Extension, use } from './extension.ts'
export type { FormatInfo } from './formats.ts'
export type { Input } from './input.ts'
export type { Compressed, CompressOptions, Unpacked, UnpackOptions, VerifyOptions } from './options.ts'
export type { PoolCompressOptions, PoolOptions } from './pool/pool.ts'
export { formats } from './portable.ts'

/**
 * Compresses one file, decodes the result and compares it with the input. A damaged or unsupported file does not throw: the receipt then
 * says `unchanged` with a reason, and `bytes` are those of the input.
 *
 * ```ts
 * const { bytes, receipt } = await compress('report.docx', { quality: 'high', targetSize: 1_000_000 })
 * ```
 *
 * @param input file to compress
 * @param options settings; default: quality `medium`, same format, no size limit
 * @throws RangeError if the format does not have the requested output or quality, or keeps its metadata
 * @throws TargetUnreachable if no result that keeps the quality floors fits into `targetSize`
 */
export const compress = (input: Input, options: CompressOptions = {}): Promise<Compressed> =>
  withSource(input, options.name, (source) => portable.compress(source, options))

/** Outcome of `compressFile`. */
export interface CompressedFile {
  readonly name: string
  readonly receipt: Receipt
  /** Path of the result. */
  readonly path: string
}

/**
 * Compresses like `compress`, but writes the result to `path` while it is made, so that large results need no memory. `path` appears when
 * the result is complete. An existing file is replaced.
 * @throws the errors of `compress`, and Error if a file cannot be read or written
 */
export async function compressFile(input: Input, path: string, options: CompressOptions = {}): Promise<CompressedFile> {
  mkdirSync(dirname(path), { recursive: true })
  const made = await compressToNewFile(input, `${path}.${process.pid}-${crypto.randomUUID()}.part`, options)
  if (made.path === undefined) await copy(input, path, options)
  else renameSync(made.path, path)
  return { name: made.name, receipt: made.receipt, path }
}

/**
 * Compresses into a new file whose path begins with `prefix`. `path` is `undefined` if the result is the input itself; then there is no file.
 * For callers that choose the final path by the receipt.
 */
export function compressToNewFile(
  input: Input,
  prefix: string,
  options: CompressOptions = {},
): Promise<{ readonly name: string; readonly receipt: Receipt; readonly path: string | undefined }> {
  return withSource(input, options.name, async (source) => {
    const files = new ResultFiles(prefix)
    let kept: string | undefined
    try {
      const library = portable.libraryFor(await identifySource(source), options.format)
      const sink = async (limit: number, name: string) => files.open(limit, name)
      const { result, name, receipt } = await library.compress(source, { ...coreOptions(options), sink })
      kept = pathOfResult(result)
      return { name, receipt, path: kept }
    } finally {
      files.end(kept)
    }
  })
}

async function copy(input: Input, path: string, { name }: CompressOptions): Promise<void> {
  if (isPath(input)) return copyFileSync(pathOf(input), path)
  writeFileSync(path, await readAll(await openSource(input, name)))
}

/**
 * Decodes an original and its result, and measures the loss again. A damaged file is reported as a finding, not thrown.
 *
 * ```ts
 * const { findings } = await verify('photo.jpg', bytes, receipt)
 * findings.filter(({ verdict }) => verdict === 'false')
 * ```
 *
 * @param original file before compression
 * @param result file after compression
 * @param receipt receipt whose figures are checked: an object of `compress`, or the text of a receipt (JWS or JSON); default: none
 * @throws RangeError if the original is a film or sound, and `@whittle-app/film` was not added with `use`
 */
export const verify = (original: Input, result: Input, receipt?: Receipt | string, options: VerifyOptions = {}): Promise<VerifyReport> =>
  withSource(original, undefined, (before) => withSource(result, undefined, (after) => portable.verify(before, after, receipt, options)))

/**
 * Gives back the file that a result holds byte for byte: the JPEG in a JPEG XL file, or the file in a `.zst`, `.gz` or `.br`.
 *
 * ```ts
 * const { bytes, name } = await unpack('photo.jxl')
 * ```
 *
 * @param input result of `compress`, or any such file
 * @throws CodecError `unsupported_feature` if the input holds no file, `malformed` if it is damaged, `over_budget` if the file is larger than
 * `maxBytes`
 */
export const unpack = (input: Input, options: UnpackOptions = {}): Promise<Unpacked> =>
  withSource(input, options.name, (source) => portable.unpack(source, options))

/** Unpacks like `unpack`, but into a new file whose path begins with `prefix`. For callers that choose the final path by the name. */
export function unpackToNewFile(input: Input, prefix: string): Promise<{ readonly name: string; readonly path: string }> {
  return withSource(input, undefined, async (source) => {
    const files = new ResultFiles(prefix)
    let kept: string | undefined
    try {
      const { name, chunks } = await portable.openPacked(source, UNPACKED_BYTES_MAX)
      const sink = files.open(Number.POSITIVE_INFINITY, name)
      for await (const chunk of chunks) await sink.write(chunk)
      const path = pathOfResult(await sink.finish())
      if (path === undefined) throw new Error('a result in a file has a path')
      kept = path
      return { name, path }
    } finally {
      files.end(kept)
    }
  })
}

/**
 * Returns the format of a file. The bytes decide; the name only breaks ties between similar formats.
 * @param name file name; default: the name of the path, `File` or `Source`, otherwise none
 * @returns the format, or `undefined` if no supported format recognises the file
 */
export const identify = (input: Input, name?: string): Promise<FormatInfo | undefined> =>
  withSource(input, name, (source) => portable.identify(source))

/** Pool of threads. */
export type Pool = PoolOf<Input>

/**
 * Opens a pool of threads, so that several files are compressed at the same time and this thread stays free. A file that crashes the engines
 * ends a thread, and its job fails. An aborted `signal` ends the thread of the job, which frees its memory at once.
 *
 * ```ts
 * const pool = createPool({ threads: 4 })
 * const results = await Promise.all(paths.map((path) => pool.compress(path)))
 * await pool.close()
 * ```
 *
 * The formats are those of this package, without those that `use` has added.
 * @throws RangeError if `threads` is no whole number above 0
 */
export const createPool = (options: PoolOptions = {}): Pool =>
  deferredPool(options, async () => (await import('./pool/node-pool.ts')).openPool(options))
