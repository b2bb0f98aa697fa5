/** The functions of the package for inputs that exist on every platform. */

import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import { formatFor, type KnownFormat } from '../../../src/core/catalog/outputs.ts'
import { LAZY_PRESS_CODECS } from '../../../src/core/formats/lazy-press.ts'
import { type Input, type Library, libraryOf, type Receipt, sourceOf } from '../../../src/core/library.ts'
import { readAll } from '../../../src/core/model/source.ts'
import { identify as identifySource } from '../../../src/core/pipeline/identify.ts'
import type { unpack as openPackedFile } from '../../../src/core/pipeline/unpack.ts'
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { addedFormats, addedLibrary } from './extension.ts'
import { type FormatInfo, formatInfo, formatsOf } from './formats.ts'
import {
  type Compressed,
  type CompressOptions,
  coreOptions,
  UNPACKED_BYTES_MAX,
  type Unpacked,
  type UnpackOptions,
  type VerifyOptions,
} from './options.ts'

const LIBRARY = libraryOf(LAZY_PRESS_CODECS)

/** Returns the library for a format: of this package, or of one that `use` has added. This one packs files as data (`zst`, `br`, `gz`). */
export const libraryFor = (format: KnownFormat | undefined, output: string | undefined): Library =>
  addedLibrary(format && formatFor(format, output)?.id) ?? LIBRARY

/**
 * Compresses one file, decodes the result and compares it with the input. A damaged or unsupported file does not throw: the receipt then
 * says `unchanged` with a reason, and `bytes` are those of the input.
 *
 * ```ts
 * const { bytes, receipt } = await compress(file, { quality: 'high', targetSize: 1_000_000 })
 * ```
 *
 * @param input file to compress
 * @param options settings; default: quality `medium`, same format, no size limit
 * @throws RangeError if the format does not have the requested output or quality, or keeps its metadata
 * @throws TargetUnreachable if no result that keeps the quality floors fits into `targetSize`
 */
export async function compress(input: Input, options: CompressOptions = {}): Promise<Compressed> {
  const source = await sourceOf(input, options.name)
  const { result, name, receipt } = await libraryFor(await identifySource(source), options.format).compress(source, coreOptions(options))
  return { bytes: await readAll(result), name, receipt }
}

/**
 * Decodes an original and its result, and measures the loss again. A damaged file is reported as a finding, not thrown.
 *
 * ```ts
 * const { findings } = await verify(file, bytes, receipt)
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
  const [before, after] = [await sourceOf(original), await sourceOf(result)]
  const format = await identifySource(before)
  if (format && !formats().some(({ id }) => id === format.id)) throw new RangeError(`${format.title} files need @whittle-app/film`)
  const given = typeof receipt === 'string' ? await readReceiptText(receipt, options.keys) : receipt
  const wanted = after.name.slice(after.name.lastIndexOf('.') + 1)
  return await libraryFor(format, wanted).verify(before, after, given, options.native)
}

/**
 * Gives back the file that a result holds byte for byte: the JPEG in a JPEG XL file, or the file in a `.zst`, `.gz` or `.br`.
 *
 * ```ts
 * const { bytes, name } = await unpack(file) // 'photo.jpg' of 'photo.jxl'
 * ```
 *
 * @throws CodecError `unsupported_feature` if the input holds no file, `malformed` if it is damaged, `over_budget` if the file is larger than
 * `maxBytes`
 */
export async function unpack(input: Input, { name, maxBytes = UNPACKED_BYTES_MAX }: UnpackOptions = {}): Promise<Unpacked> {
  const { unpackToMemory } = await unpacking()
  return await unpackToMemory(await sourceOf(input, name), maxBytes)
}

const unpacking = () => withEngines(import('../../../src/core/pipeline/unpack.ts'))

/** Opens a result that holds a file, for callers that read the file in chunks. */
export const openPacked: typeof openPackedFile = async (...given) => await (await unpacking()).unpack(...given)

const readReceiptText = async (text: string, keys: PublicKeys | undefined) =>
  (await import('../../../src/core/audit/receipt.ts')).readReceipt(text, keys)

/**
 * Returns the format of a file. The bytes decide; the name only breaks ties between similar formats.
 * @param name file name; default: the name of the `File` or `Source`, otherwise none
 * @returns the format, or `undefined` if no supported format recognises the file
 */
export async function identify(input: Input, name?: string): Promise<FormatInfo | undefined> {
  const format = await identifySource(await sourceOf(input, name))
  return format && formatInfo(format)
}

/** Returns the formats that `compress` can compress, each with its outputs and levels. */
export const formats = (): readonly FormatInfo[] => formatsOf([...Object.keys(LAZY_PRESS_CODECS), ...addedFormats()])
