/** `@whittle-app/core`: compresses files in this process, and proves that nothing was lost. */
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import type { KnownFormat } from '../../../src/core/catalog/outputs.ts'
import { LAZY_PRESS_CODECS } from '../../../src/core/formats/lazy-press.ts'
import { libraryOf, type Receipt } from '../../../src/core/library.ts'
import type { Source } from '../../../src/core/model/codec.ts'
import type { ExternalFilmCodec } from '../../../src/core/model/external-encoder.ts'
import { readAll } from '../../../src/core/model/source.ts'
import { identify as identifySource } from '../../../src/core/pipeline/identify.ts'
import { addedFormats, addedLibrary } from './extension.ts'
import { pathOfResult, ResultFiles } from './file-sink.ts'
import { type FormatInfo, formatInfo, formatsOf } from './formats.ts'
import { type Compressed, type CompressOptions, coreOptions, type Input, openSource } from './options.ts'

export type { VerifyReport } from '../../../src/core/audit/check.ts'
export type { PublicKeys } from '../../../src/core/audit/receipt.ts'
export type { Receipt } from '../../../src/core/library.ts'
export type { Quality, Source } from '../../../src/core/model/codec.ts'
export { CodecError, TargetUnreachable } from '../../../src/core/model/error.ts'
export { type Extension, use } from './extension.ts'
export type { FormatInfo } from './formats.ts'
export type { Compressed, CompressOptions, Input } from './options.ts'

const LIBRARY = libraryOf(LAZY_PRESS_CODECS)

const libraryFor = (format: KnownFormat | undefined) => addedLibrary(format?.id) ?? LIBRARY

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
export async function compress(input: Input, options: CompressOptions = {}): Promise<Compressed> {
  const source = await openSource(input, options.name)
  try {
    const { result, name, receipt } = await libraryFor(await identifySource(source)).compress(source, coreOptions(options))
    return { bytes: await readAll(result), name, receipt }
  } finally {
    source[Symbol.dispose]?.()
  }
}

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
export async function compressToNewFile(
  input: Input,
  prefix: string,
  options: CompressOptions = {},
): Promise<{ readonly name: string; readonly receipt: Receipt; readonly path: string | undefined }> {
  const source = await openSource(input, options.name)
  const files = new ResultFiles(prefix)
  let kept: string | undefined
  try {
    const library = libraryFor(await identifySource(source))
    const sink = async (limit: number, name: string) => files.open(limit, name)
    const { result, name, receipt } = await library.compress(source, { ...coreOptions(options), sink })
    kept = pathOfResult(result)
    return { name, receipt, path: kept }
  } finally {
    files.end(kept)
    source[Symbol.dispose]?.()
  }
}

async function copy(input: Input, path: string, { name }: CompressOptions): Promise<void> {
  if (typeof input === 'string' || input instanceof URL) return copyFileSync(input, path)
  writeFileSync(path, await readAll(await openSource(input, name)))
}

export interface VerifyOptions {
  /** Public keys of the service that signed the receipt. `undefined`: the signature is not checked. */
  readonly keys?: PublicKeys
  /** External decoder for films that Whittle has no engine for. `undefined`: such films are not measured. */
  readonly native?: ExternalFilmCodec
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
export async function verify(
  original: Input,
  result: Input,
  receipt?: Receipt | string,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const [before, after] = [await openSource(original), await openSource(result)]
  try {
    const format = await identifySource(before)
    if (format && !formats().some(({ id }) => id === format.id)) throw new RangeError(`${format.title} files need @whittle-app/film`)
    const given = typeof receipt === 'string' ? await readReceiptText(receipt, options.keys) : receipt
    return await libraryFor(format).verify(before, after, given, options.native)
  } finally {
    for (const source of [before, after]) source[Symbol.dispose]?.()
  }
}

const readReceiptText = async (text: string, keys: PublicKeys | undefined) =>
  (await import('../../../src/core/audit/receipt.ts')).readReceipt(text, keys)

/**
 * Returns the format of a file. The bytes decide; the name only breaks ties between similar formats.
 * @param name file name; default: the name of the path, `File` or `Source`, otherwise none
 * @returns the format, or `undefined` if no supported format recognises the file
 */
export async function identify(input: Input, name?: string): Promise<FormatInfo | undefined> {
  const source: Source & Partial<Disposable> = await openSource(input, name)
  try {
    const format = await identifySource(source)
    return format && formatInfo(format)
  } finally {
    source[Symbol.dispose]?.()
  }
}

/** Returns the formats that `compress` can compress, each with its outputs and levels. */
export const formats = (): readonly FormatInfo[] => formatsOf([...Object.keys(LAZY_PRESS_CODECS), ...addedFormats()])
