/** Builds a library (`compress` and `verify`) over a set of codecs. `index.ts` exports the one whose codecs contain no GPL code. */

import { withEngines } from '../../wasm/loading/engine-files.ts'
import type { VerifyReport } from './audit/check.ts'
import type { ReadReceipt } from './audit/receipt.ts'
import { sha256Hex } from './bytes/digest.ts'
import type { Effort } from './catalog/effort.ts'
import { FORMATS, type FormatId } from './catalog/index.ts'
import type { MetadataMode } from './catalog/metadata.ts'
import { formatFor, type KnownFormat, type OutputId, outputNamed } from './catalog/outputs.ts'
import { loadEnglishTexts, type Message, message } from './i18n/message.ts'
import { checkOptions } from './library-options.ts'
import type { Codec, Codecs, Quality, Source } from './model/codec.ts'
import { TargetUnreachable } from './model/error.ts'
import type { ExternalFilmCodec } from './model/external-encoder.ts'
import { loadedCodecs } from './model/lazy-codec.ts'
import { requiredBox } from './model/picture-box.ts'
import { type ReceiptView, receiptView } from './model/receipt.ts'
import { memorySink, type ResultSink } from './model/sink.ts'
import { memorySource, rangeStream, slice } from './model/source.ts'
import { type CompressionResult, outputOfResult, verifiedShareOf } from './pipeline/compress.ts'
import type { encryptResult } from './pipeline/encrypt.ts'
import { identify } from './pipeline/identify.ts'
import { openJob } from './pipeline/job.ts'
import { outputName } from './pipeline/output-name.ts'

/** Input file: bytes in memory, a `Blob`, a stream, or a `Source` that is read by byte ranges. A stream is read into memory first. */
export type Input = Source | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>

export interface CompressOptions {
  /** Quality level; default `medium`. `ultra` exists for Office documents and OFD only. */
  readonly quality?: Quality
  /**
   * Format of the result: an id or another extension of it, such as `jpeg`. `undefined`: the first output of the input's format, which is
   * usually the same format.
   */
  readonly output?: string
  /** Largest acceptable result in bytes. `undefined`: no limit, the level alone decides. */
  readonly targetSize?: number
  /**
   * Lowest SSIMULACRA 2 score of every picture of the result, 50 to 95, instead of `quality`: the smallest result that reaches it. A lossless
   * result reaches every score. `undefined`: `quality` decides.
   */
  readonly targetScore?: number
  /**
   * Largest width in pixels of a picture, as it is shown. A wider picture is reduced with the same aspect ratio, and quality is measured against
   * the reduced original. `undefined`: the picture keeps its size.
   */
  readonly maxWidth?: number
  /** Largest height in pixels of a picture, as it is shown. See `maxWidth`. */
  readonly maxHeight?: number
  /** Resolution that pictures of a document are reduced to, at the size they are shown: 72 to 600 dpi. `undefined`: that of the level. */
  readonly dpi?: number
  /**
   * How long the search for a small result may take; default `balanced`. `fast`: at most 10 % larger than `balanced`. `best`: never larger, in
   * several times the time.
   */
  readonly effort?: Effort
  /** Password that encrypts the result. An encrypted result may be larger than the input. `undefined`: not encrypted. */
  readonly password?: string
  /**
   * Metadata to remove. `keep` (default): nothing. `safe`: everything except what changes the look or the law. `strip`: everything except
   * what changes the look.
   */
  readonly metadata?: MetadataMode
  /** `drop` removes usage rights from a PDF in which nothing else is signed. `undefined`: such a PDF stays unchanged. */
  readonly usageRights?: 'drop'
  /** File name, which breaks ties between similar formats. `undefined`: the name of the `File` or `Source`, otherwise none. */
  readonly name?: string
  /** Memory budget of the job in bytes: JavaScript heap and Wasm together. `undefined`: what fits into a 128 MB isolate. */
  readonly memoryBudget?: number
  /** Signal that stops the job; `compress` then rejects with the signal's reason. `undefined`: the job cannot be stopped. */
  readonly signal?: AbortSignal
  /** Called with the share of the work that is done, 0 to 1. `undefined`: no progress reports. */
  readonly onProgress?: (share: number) => void
  /**
   * Opens the sink that the result is written to, for results too large for memory. `limit`: bytes that the result must stay below.
   * `name`: file name of the result. `undefined`: the result is kept in memory.
   */
  readonly sink?: (limit: number, name: string) => Promise<ResultSink>
  /** True: only a lossless result is accepted, whatever `quality` is. Default: false. */
  readonly lossless?: boolean
  /** External video encoder for codecs that Whittle has no engine for. `undefined`: such films stay unchanged. */
  readonly native?: ExternalFilmCodec
  /** Converts the messages of the receipt to text in the reader's language. `undefined`: English. */
  readonly text?: (message: Message) => string
}

/** Record of what `compress` did and measured. The fields equal those of the service's signed receipts. */
export interface Receipt {
  /** Format of the input; `unknown` if no codec recognises it. */
  readonly format: FormatId | 'unknown'
  readonly output_format: string
  /** Level; `null` if a score was asked for. */
  readonly quality: Quality | null
  /** Score that was asked for. Absent: a level was. */
  readonly target_score?: number
  /** Size of the input in bytes. */
  readonly original_size: number
  /** Size of the result in bytes. */
  readonly compressed_size: number
  readonly encrypted?: true
  readonly result: ReceiptView
}

export interface Compressed {
  /** Compressed file. If the receipt says `unchanged`, this is the input itself. */
  readonly result: Source
  /** File name of the result: the name of the input, with another extension if the format changed. */
  readonly name: string
  readonly receipt: Receipt
}

export interface Library {
  /**
   * Compresses one file, decodes the result and compares it with the input. A damaged or unsupported file does not throw: the receipt
   * then says `unchanged` with a reason, and `result` is the input.
   *
   * ```ts
   * const { result, receipt } = await library.compress(bytes, { name: 'report.docx', quality: 'high', targetSize: 1_000_000 })
   * ```
   *
   * @param input file to compress
   * @param options settings; default: quality `medium`, same format, no size limit
   * @throws RangeError if an option is out of its range, or the format does not have it
   * @throws TargetUnreachable if no result that keeps the quality floors fits into `targetSize`
   */
  compress(input: Input, options?: CompressOptions): Promise<Compressed>
  /**
   * Decodes an original and its result, and measures the loss again. A damaged file is reported as a finding, not thrown.
   *
   * ```ts
   * const { findings } = await library.verify(original, result, receipt)
   * findings.filter(({ verdict }) => verdict === 'false')
   * ```
   *
   * @param original file before compression
   * @param result file after compression
   * @param receipt receipt whose figures are checked: from `compress`, or from `readReceipt` of `audit/receipt.ts`; default: none
   * @param native external decoder for films that Whittle has no engine for; default: such films are not measured
   */
  verify(original: Input, result: Input, receipt?: Receipt | ReadReceipt, native?: ExternalFilmCodec): Promise<VerifyReport>
}

/**
 * Returns `compress` and `verify` over `codecs`, a map from format id to codec. Formats without an entry are returned unchanged. A lazy
 * codec is loaded when a file of its format is first seen.
 *
 * ```ts
 * const { compress } = libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS })
 * ```
 */
export function libraryOf(known: Codecs): Library {
  return {
    async compress(input, options = {}) {
      const source = await sourceOf(input, options.name)
      options.signal?.throwIfAborted()
      const found = (await identify(source)) ?? FORMATS.data
      const format = formatFor(found, options.output)
      const codecs = format ? await loadedCodecs(known, format.id) : known
      const codec = format && codecs[format.id]
      const quality = options.quality ?? 'medium'
      if (!format || !codec) return unsupportedInput(source, format ?? found, quality, options)
      const output = outputFor(format, options.output)
      checkOptions(format, options)
      const pressed = await run(codec, source, { codecs, output, quality, options })
      return await finish(source, format, pressed, { output, quality, options })
    },

    async verify(original, result, receipt, native) {
      const [before, after] = [await sourceOf(original), await sourceOf(result)]
      const found: KnownFormat = (await identify(before)) ?? FORMATS.data
      // The check decodes every format, so its code is larger than the rest.
      const { checkFiles, checkReceipt } = await withEngines(import('./audit/check.ts'))
      const { detectOutput } = await import('./audit/output.ts')
      const output = await detectOutput(found, after)
      const codecs = await loadedCodecs(known, (formatFor(found, output) ?? found).id)
      if (receipt) return checkReceipt(before, after, 'claims' in receipt ? receipt : asUnsignedReceipt(receipt), codecs, native)
      return checkFiles(before, after, output, codecs, native)
    },
  }
}

/** Wraps a receipt from `compress` as a parsed receipt whose signature is `unchecked`, because library receipts are not signed. */
const asUnsignedReceipt = ({ result: { removed, ...result }, ...rest }: Receipt): ReadReceipt => ({
  signature: { kind: 'unchecked', why: 'the receipt is not signed' },
  claims: { ...rest, result: { ...result, ...(removed && { removed: removed.map((one) => ({ ...one })) }) } },
})

interface RunSettings {
  readonly output: OutputId
  readonly quality: Quality
  readonly options: CompressOptions
}

function run(
  codec: Codec,
  source: Source,
  { codecs, output, quality, options }: RunSettings & { readonly codecs: Codecs },
): Promise<CompressionResult> {
  const {
    metadata = 'keep',
    targetSize,
    targetScore,
    dpi: dotsPerInch,
    effort,
    usageRights,
    lossless,
    native,
    memoryBudget,
    signal,
    onProgress: progress,
    sink: openSink = intoMemory,
  } = options
  const limit = Math.min(targetSize ?? Number.POSITIVE_INFINITY, source.size)
  const fitWithin = requiredBox(options)
  const removed = metadata === 'keep' ? undefined : metadata
  const request = {
    quality,
    output,
    metadata: removed,
    targetSize,
    targetScore,
    dotsPerInch,
    effort,
    usageRights,
    fitWithin,
    lossless,
    native,
    memoryBudget,
    signal,
    progress,
  }
  return openJob(codec, source, codecs, request).whole(() => openSink(limit, source.name))
}

const intoMemory = async (limit: number, name: string): Promise<ResultSink> => memorySink(limit, name)

async function finish(
  source: Source,
  format: KnownFormat,
  pressed: CompressionResult,
  { output, quality, options }: RunSettings,
): Promise<Compressed> {
  const plain = pressed.result ?? source
  if (options.targetSize !== undefined && plain.size > options.targetSize) throw new TargetUnreachable(plain.size)
  const ownOutput = outputOfResult(pressed, format, output)
  const { password, sink = intoMemory } = options
  const unencrypted = { source: plain, output: ownOutput, format, name: outputName(source.name, format, ownOutput) }
  const encrypted =
    password === undefined ? undefined : await encrypt(unencrypted, password, (name) => sink(Number.POSITIVE_INFINITY, name))
  const result = encrypted?.encrypted ?? plain
  const measured = {
    outcome: pressed.outcome,
    sha256: await sha256Hex(result.stream()),
    ...verifiedShareOf(pressed),
  }
  const receipt: Receipt = {
    format: format.id,
    output_format: encrypted?.output ?? ownOutput,
    ...goalOf(quality, options),
    original_size: source.size,
    compressed_size: result.size,
    ...(encrypted ? { encrypted: true } : {}),
    result: receiptView(measured, await sha256Hex(source.stream()), options.text),
  }
  return { result, name: encrypted?.name ?? unencrypted.name, receipt }
}

/** Goal in the notation of receipts. */
const goalOf = (quality: Quality, { targetScore }: CompressOptions): Pick<Receipt, 'quality' | 'target_score'> =>
  targetScore === undefined ? { quality } : { quality: null, target_score: targetScore }

const encrypt: typeof encryptResult = async (...handed) =>
  await (await withEngines(import('./pipeline/encrypt.ts'))).encryptResult(...handed)

async function unsupportedInput(source: Source, format: KnownFormat, quality: Quality, options: CompressOptions): Promise<Compressed> {
  await loadEnglishTexts()
  const detail = format.isOnRequest ? await onRequest(source, format) : message('format_has_no_codec_here', { format: format.title })
  const sha256 = await sha256Hex(source.stream())
  const outcome = { kind: 'unchanged', reason: 'unsupported_feature', detail } as const
  const id = format.isOnRequest ? 'unknown' : format.id
  const receipt: Receipt = {
    format: id,
    output_format: id,
    ...goalOf(quality, options),
    original_size: source.size,
    compressed_size: source.size,
    result: receiptView({ outcome, sha256, verifiedShare: 1 }, sha256, options.text),
  }
  return { result: source, name: source.name, receipt }
}

/** Says what a file is that only becomes smaller as a named output, and names one. */
async function onRequest(source: Source, { id, outputs: [output] }: KnownFormat): Promise<Message> {
  const type = (await (await import('./pipeline/other-types.ts')).otherTypeOf(source))?.title
  if (type === undefined) return message('no_format_recognises_file')
  return id === 'data' ? message('type_has_no_compressor', { type }) : message('type_needs_output', { type, output })
}

function outputFor(format: KnownFormat, wanted: string | undefined): OutputId {
  const output = wanted === undefined ? format.outputs[0] : outputNamed(format, wanted)
  if (output !== undefined) return output
  throw new RangeError(`${format.title} cannot be converted to '${wanted}'; possible outputs: ${format.outputs.join(', ')}`)
}

/** False in Safari. */
const streamsIterate = () => Symbol.asyncIterator in ReadableStream.prototype

/** Returns `input` as a `Source`. Streams are read into memory. `name` defaults to the name of the input, or an empty string. */
export async function sourceOf(input: Input, name = 'name' in input && typeof input.name === 'string' ? input.name : ''): Promise<Source> {
  if (input instanceof Uint8Array) return memorySource(input, name)
  if (input instanceof ArrayBuffer) return memorySource(new Uint8Array(input), name)
  if (input instanceof ReadableStream) return memorySource(new Uint8Array(await new Response(input).arrayBuffer()), name)
  // `slice` reads by `input.read`, for platforms that cannot iterate the streams of the caller.
  if (!(input instanceof Blob)) return input.name === name && streamsIterate() ? input : slice(input, 0, input.size, name)
  const read = async (offset: number, length: number) => new Uint8Array(await input.slice(offset, offset + length).arrayBuffer())
  return { name, size: input.size, read, stream: () => rangeStream(input.size, read) }
}
