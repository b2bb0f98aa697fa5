/** The library over a set of codecs: one way to run a job, whoever asks for it. `index.ts` has it over the codecs without GPL engines. */

import { createHash } from 'node:crypto'
import { type Checked, checkFiles, checkReceipt } from './audit/check.ts'
import { outputOf } from './audit/output.ts'
import type { ReadReceipt } from './audit/receipt.ts'
import type { FormatId } from './catalog/index.ts'
import type { KnownFormat, OutputId } from './catalog/outputs.ts'
import { message } from './i18n/message.ts'
import type { Codec, Codecs, Quality, Source } from './model/codec.ts'
import { TargetUnreachable } from './model/error.ts'
import type { NativeFilm } from './model/external-encoder.ts'
import { type ReceiptView, receiptView } from './model/receipt.ts'
import { memorySink, type ResultSink } from './model/sink.ts'
import { memorySource, rangeStream, slice } from './model/source.ts'
import { outputOfResult, type Pressed, verifiedShareOf } from './pipeline/compress.ts'
import { encryptResult } from './pipeline/encrypt.ts'
import { identify } from './pipeline/identify.ts'
import { openJob } from './pipeline/job.ts'

/** A file: bytes in memory, a stream (which is read into memory), or a source that is read by ranges. */
export type Input = Source | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>

export interface CompressOptions {
  /** How much may be lost; default `medium`. `ultra`: Office documents and OFD only. */
  readonly quality?: Quality
  /** Format of the result; default: the first output of the input's format. */
  readonly output?: OutputId
  /** Largest acceptable result in bytes. `undefined`: as small as the level allows. */
  readonly targetSize?: number
  /** Encrypts the result; it may then be larger than the input. `undefined`: not encrypted. */
  readonly password?: string
  /** File name, which breaks ties between formats. Default: the name of a `File` or source, else none. */
  readonly name?: string
  /** Heap and Wasm memory of the job in bytes; default: what fits into an isolate of 128 MB. */
  readonly memoryBudget?: number
  /** Ends the job when it is aborted. */
  readonly signal?: AbortSignal
  /** Called with the share of the work that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void
  /** Opens the place that the result is written to, for results that memory should not hold. `limit`: size in bytes it must not reach. */
  readonly sink?: (limit: number, name: string) => Promise<ResultSink>
  /** Only an exact result is acceptable, whatever the level. */
  readonly lossless?: boolean
  /** Encoder of films that no engine here can encode. */
  readonly native?: NativeFilm
}

/** What was done and measured; the fields of the service's signed receipts. */
export interface Receipt {
  /** Format of the input; `unknown` if no codec recognises it. */
  readonly format: FormatId | 'unknown'
  readonly output_format: string
  readonly quality: Quality
  /** Bytes. */
  readonly original_size: number
  /** Bytes. */
  readonly compressed_size: number
  readonly encrypted?: true
  readonly result: ReceiptView
}

export interface Compressed {
  /** The compressed file, or the input itself where the receipt says `unchanged`. */
  readonly result: Source
  readonly receipt: Receipt
}

export interface Library {
  /**
   * Compresses one file, decodes the result and compares it with the input. Trouble with the file is an outcome of the receipt, never an
   * exception: `unchanged`, with the reason.
   * @throws RangeError for an output or quality that the format does not have
   * @throws TargetUnreachable if no result that keeps the floors fits into `targetSize`
   */
  compress(input: Input, options?: CompressOptions): Promise<Compressed>
  /**
   * Decodes both files and measures again. What is wrong with either of them is a finding, never an exception.
   * @param receipt whose every figure is checked: one of `compress`, or what `audit/receipt.ts` has read; default: none
   * @param native decoder of films that no engine here can decode; default: these films stay unmeasured
   */
  verify(original: Input, result: Input, receipt?: Receipt | ReadReceipt, native?: NativeFilm): Promise<Checked>
}

/** The library over `codecs`. */
export function libraryOf(codecs: Codecs): Library {
  return {
    async compress(input, options = {}) {
      const source = await sourceOf(input, options.name)
      options.signal?.throwIfAborted()
      const format = await identify(source)
      const codec = format && codecs[format.id]
      const quality = options.quality ?? 'medium'
      if (!format || !codec) return unsupportedInput(source, format, quality)
      const output = outputFor(format, options.output)
      if (quality === 'ultra' && !format.ultra) throw new RangeError(`${format.title} has no quality 'ultra'`)
      const pressed = await run(codec, source, { codecs, output, quality, options })
      return await finish(source, format, pressed, { output, quality, options })
    },

    async verify(original, result, receipt, native) {
      const [before, after] = [await sourceOf(original), await sourceOf(result)]
      if (receipt) return checkReceipt(before, after, 'claims' in receipt ? receipt : unsigned(receipt), codecs, native)
      const format = await identify(before)
      return checkFiles(before, after, format && (await outputOf(format, after)), codecs, native)
    },
  }
}

/** A receipt of `compress`, which nobody signs. */
const unsigned = ({ result, ...rest }: Receipt): ReadReceipt => ({
  signature: { kind: 'unchecked', why: 'the receipt is not signed' },
  claims: { ...rest, result: { ...result } },
})

interface Asked {
  readonly output: OutputId
  readonly quality: Quality
  readonly options: CompressOptions
}

function run(codec: Codec, source: Source, { codecs, output, quality, options }: Asked & { readonly codecs: Codecs }): Promise<Pressed> {
  const { targetSize, lossless, native, memoryBudget, signal, onProgress: progress, sink: openSink = intoMemory } = options
  const limit = Math.min(targetSize ?? Number.POSITIVE_INFINITY, source.size)
  const request = { quality, output, targetSize, lossless, native, memoryBudget, signal, progress }
  return openJob(codec, source, codecs, request).whole(() => openSink(limit, source.name))
}

const intoMemory = async (limit: number, name: string): Promise<ResultSink> => memorySink(limit, name)

async function finish(source: Source, format: KnownFormat, pressed: Pressed, { output, quality, options }: Asked): Promise<Compressed> {
  const plain = pressed.result ?? source
  if (options.targetSize !== undefined && plain.size > options.targetSize) throw new TargetUnreachable(plain.size)
  const ownOutput = outputOfResult(pressed, format, output)
  const { password, sink = intoMemory } = options
  const encrypted =
    password === undefined
      ? undefined
      : await encryptResult({ source: plain, output: ownOutput, format, name: source.name }, password, (name) =>
          sink(Number.POSITIVE_INFINITY, name),
        )
  const result = encrypted?.encrypted ?? plain
  const stated = {
    outcome: pressed.outcome,
    sha256: await sha256Of(result),
    ...verifiedShareOf(pressed),
  }
  const receipt: Receipt = {
    format: format.id,
    output_format: encrypted?.output ?? ownOutput,
    quality,
    original_size: source.size,
    compressed_size: result.size,
    ...(encrypted ? { encrypted: true } : {}),
    result: receiptView(stated, await sha256Of(source)),
  }
  return { result, receipt }
}

async function unsupportedInput(source: Source, format: KnownFormat | undefined, quality: Quality): Promise<Compressed> {
  const detail = format ? message('format_has_no_codec_here', { format: format.title }) : message('no_format_recognises_file')
  const sha256 = await sha256Of(source)
  const outcome = { kind: 'unchanged', reason: 'unsupported_feature', detail } as const
  const receipt: Receipt = {
    format: format?.id ?? 'unknown',
    output_format: format?.id ?? 'unknown',
    quality,
    original_size: source.size,
    compressed_size: source.size,
    result: receiptView({ outcome, sha256, verifiedShare: 1 }, sha256),
  }
  return { result: source, receipt }
}

function outputFor(format: KnownFormat, wanted: OutputId | undefined): OutputId {
  const output = wanted ?? format.outputs[0]
  if (output !== undefined && (format.outputs as readonly string[]).includes(output)) return output
  throw new RangeError(`${format.title} cannot become '${wanted}'; it can become ${format.outputs.join(', ')}`)
}

async function sha256Of(source: Source): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source.stream()) hash.update(chunk)
  return hash.digest('hex')
}

/** The input as a source. Streams are read into memory. */
export async function sourceOf(input: Input, name = 'name' in input && typeof input.name === 'string' ? input.name : ''): Promise<Source> {
  if (input instanceof Uint8Array) return memorySource(input, name)
  if (input instanceof ArrayBuffer) return memorySource(new Uint8Array(input), name)
  if (input instanceof ReadableStream) return memorySource(new Uint8Array(await new Response(input).arrayBuffer()), name)
  if (!(input instanceof Blob)) return input.name === name ? input : slice(input, 0, input.size, name)
  const read = async (offset: number, length: number) => new Uint8Array(await input.slice(offset, offset + length).arrayBuffer())
  return { name, size: input.size, read, stream: () => rangeStream(input.size, read) }
}
