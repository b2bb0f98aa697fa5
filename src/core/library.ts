/** The library over a set of codecs: one way to run a job, whoever asks for it. `index.ts` has it over the codecs without GPL engines. */
import { createHash } from 'node:crypto'
import { type Checked, checkFiles, checkReceipt } from './audit/check.ts'
import { outputOf } from './audit/output.ts'
import type { FormatId } from './catalog/index.ts'
import type { KnownFormat, OutputId } from './catalog/outputs.ts'
import { STANDARD_MEMORY_BYTES } from './model/budget.ts'
import type { Codec, Options, Quality, Source } from './model/codec.ts'
import { TargetUnreachable } from './model/error.ts'
import type { NativeFilm } from './model/external-encoder.ts'
import { type ReceiptView, receiptView } from './model/receipt.ts'
import { memorySink, type ResultSink } from './model/sink.ts'
import { memorySource, rangeStream, slice } from './model/source.ts'
import { TimeBudget } from './model/time-budget.ts'
import { compressWithin, type Pressed } from './pipeline/compress.ts'
import { encryptResult } from './pipeline/encrypt.ts'
import { identify } from './pipeline/identify.ts'
import { lendCodecs } from './pipeline/inner.ts'

export type Codecs = { readonly [Id in FormatId]?: Codec }

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
  /** Decodes both files and measures again; with a receipt, checks every figure of it. */
  verify(original: Input, result: Input, receipt?: Receipt): Promise<Checked>
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

    async verify(original, result, receipt) {
      const [before, after] = [await sourceOf(original), await sourceOf(result)]
      if (!receipt) {
        const format = await identify(before)
        return checkFiles(before, after, format && (await outputOf(format, after)), codecs)
      }
      return checkReceipt(
        before,
        after,
        { signature: { kind: 'unchecked', why: 'the receipt is not signed' }, claims: claimsOf(receipt) },
        codecs,
      )
    },
  }
}

/** Claims that two files can show. */
const claimsOf = ({ result, ...rest }: Receipt) => ({ ...rest, result: { ...result } })

interface Job {
  readonly output: OutputId
  readonly quality: Quality
  readonly options: CompressOptions
}

function run(codec: Codec, source: Source, { codecs, output, quality, options }: Job & { readonly codecs: Codecs }): Promise<Pressed> {
  const {
    targetSize,
    lossless,
    native,
    memoryBudget = STANDARD_MEMORY_BYTES,
    sink: openSink = async (limit, name) => memorySink(limit, name),
  } = options
  const limit = Math.min(targetSize ?? Number.POSITIVE_INFINITY, source.size)
  const base: Omit<Options, 'inner' | 'memoryBudget'> = {
    quality,
    output,
    signal: options.signal ?? new AbortController().signal,
    progress: options.onProgress ?? (() => undefined),
    ...(targetSize === undefined ? {} : { targetSize }),
    ...(lossless ? { lossless } : {}),
    ...(native && { native }),
  }
  return compressWithin(
    codec,
    source,
    () => openSink(limit, source.name),
    memoryBudget,
    (budget) => {
      const settings = { ...base, memoryBudget: budget }
      return { ...settings, inner: lendCodecs(codecs, settings, 0, new TimeBudget()) }
    },
  )
}

async function finish(source: Source, format: KnownFormat, pressed: Pressed, { output, quality, options }: Job): Promise<Compressed> {
  const plain = pressed.result ?? source
  if (options.targetSize !== undefined && plain.size > options.targetSize) throw new TargetUnreachable(plain.size)
  const ownOutput = pressed.outcome.kind === 'compressed' ? (pressed.outcome.output ?? output) : (format.id as OutputId)
  const { password, sink = async (limit: number, name: string) => memorySink(limit, name) } = options
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
    format: format.id as FormatId,
    output_format: encrypted?.output ?? ownOutput,
    quality,
    original_size: source.size,
    compressed_size: result.size,
    ...(encrypted ? { encrypted: true } : {}),
    result: receiptView(stated, await sha256Of(source)),
  }
  return { result, receipt }
}

/** What stays as it is counts as verified; of other results nothing is claimed that nobody counted. */
function verifiedShareOf(pressed: Pressed): { verifiedShare?: number } {
  if (pressed.result === undefined) return { verifiedShare: 1 }
  return pressed.verifiedShare === undefined ? {} : { verifiedShare: pressed.verifiedShare }
}

async function unsupportedInput(source: Source, format: KnownFormat | undefined, quality: Quality): Promise<Compressed> {
  const detail = format ? `${format.title} has no codec here` : 'no supported format recognises this file'
  const sha256 = await sha256Of(source)
  const outcome = { kind: 'unchanged', reason: 'unsupported_feature', detail } as const
  const receipt: Receipt = {
    format: (format?.id as FormatId | undefined) ?? 'unknown',
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
