/**
 * A job: one file, its codec, and what the caller asked for. The library, the service, tools and tests run codecs through this file.
 * It is the only place that makes the `Options` of a codec, and the only one that chooses between one step and several.
 */
import { grant } from '../../../wasm/memories/memories.ts'
import type { KnownFormat } from '../catalog/outputs.ts'
import { isRoomy, STANDARD_MEMORY_BYTES } from '../model/budget.ts'
import type { Codec, Codecs, Options, Sink, Source } from '../model/codec.ts'
import { type FinishedPart, isSegmented, type PartPlan, type PartReceipt, type SegmentedCodec, type SoFar } from '../model/segmented.ts'
import type { ResultSink } from '../model/sink.ts'
import type { TimeBudget } from '../model/time-budget.ts'
import { attempt, compress, type Pressed } from './compress.ts'
import { lendCodecs } from './inner.ts'

/**
 * What a caller may ask of a job: the fields of `Options`, all of them optional. `undefined` is the default: `quality` medium, `output`
 * the first of the format, `memoryBudget` `STANDARD_MEMORY_BYTES`, `signal` never aborted, `progress` reported to nobody, `inner` the
 * codecs that the job lends, and nothing for every other field.
 */
export interface JobRequest extends OrUndefined<Partial<Options>> {
  /** Containers around the file. Default: 0, an upload. */
  readonly depth?: number | undefined
  /** Makes the processor time that embedded pictures and files may take, anew for each set of options. Default: that of an isolate. */
  readonly timeBudget?: (() => TimeBudget) | undefined
  /** Called when the job starts again with more memory than the standard, because the standard was not enough. */
  readonly enlarged?: (() => void) | undefined
}

type OrUndefined<T> = { readonly [Name in keyof T]: T[Name] | undefined }

/** Opens the place for a result. Called once for each attempt; the sink must refuse to reach the source's size, or `targetSize` if smaller. */
export type OpenSink = () => Promise<ResultSink>

/** How a job that may be cut begins: with parts to encode, or at once with its result. */
export type Started = { readonly kind: 'cut'; readonly parts: PartPlan[] } | { readonly kind: 'done'; readonly pressed: Pressed }

/**
 * One job, which runs once. Trouble with the file is an outcome of `whole`, `start` and `join`, but for trouble while a codec plans;
 * `expectedTrouble` makes an outcome of that.
 */
export interface Job {
  /** What the codec receives in its first attempt. */
  readonly options: Options
  /**
   * Compresses the file in one step and verifies the result. With more memory than the standard, the job does first what the standard
   * allows, so that results are the same everywhere, and starts again with all of it only where that was `over_budget`.
   * @throws TargetUnreachable if no result that keeps the floors fits into `targetSize`
   */
  whole(openSink: OpenSink): Promise<Pressed>
  /**
   * The first step of a job that may take several: cuts a file that is too long for one step, and compresses any other as `whole` does.
   * @throws CodecError if the file cannot be read while the codec plans
   */
  start(openSink: OpenSink): Promise<Started>
  /**
   * Encodes one part into `sink`, which must not refuse any size.
   * @param soFar sums of the parts that are done
   * @throws CodecError if the part cannot be encoded
   */
  part(part: PartPlan, sink: Sink, soFar: SoFar): Promise<PartReceipt>
  /**
   * Joins all parts, in order, and verifies the result.
   * @param beforeVerify called between both, to free buffers; default: nothing
   */
  join(parts: FinishedPart[], openSink: OpenSink, beforeVerify?: () => void): Promise<Pressed>
}

/** The job of compressing `source` with `codec`, which borrows `lent` for the files inside. */
export function openJob(codec: Codec, source: Source, lent: Codecs, request: JobRequest = {}): Job {
  const { memoryBudget = STANDARD_MEMORY_BYTES } = request
  const optionsWith = (bytes: number) => optionsOf(codec.format, lent, { ...request, memoryBudget: bytes })
  const inParts = isSegmented(codec)
  // Codecs that work in parts only ask how large a frame may be: a lean attempt first would tell nothing.
  const options = optionsWith(inParts ? memoryBudget : Math.min(memoryBudget, STANDARD_MEMORY_BYTES))

  const whole = async (openSink: OpenSink): Promise<Pressed> => {
    const pressed = await compress(codec, source, openSink, options)
    if (inParts || !isRoomy({ memoryBudget }) || pressed.outcome.kind === 'compressed') return pressed
    if (pressed.outcome.reason !== 'over_budget') return pressed
    request.enlarged?.()
    using _ = grant(memoryBudget)
    return await compress(codec, source, openSink, optionsWith(memoryBudget))
  }

  return {
    options,
    whole,
    async start(openSink) {
      const plan = inParts ? await codec.plan(source, options) : { kind: 'whole' as const }
      if (plan.kind === 'parts') return { kind: 'cut', parts: plan.parts }
      return { kind: 'done', pressed: plan.kind === 'whole' ? await whole(openSink) : { outcome: plan, result: undefined } }
    },
    async part(part, sink, soFar) {
      const receipt = await segmented(codec).compressPart(source, part, sink, options, soFar)
      options.signal.throwIfAborted()
      return receipt
    },
    join: (parts, openSink, beforeVerify) => attempt(joinerOf(segmented(codec), parts, beforeVerify), source, openSink, options),
  }
}

/** The options of a codec of `format`, which borrows `lent` for the files inside: what the caller asked for, and the defaults. */
export function optionsOf(format: KnownFormat, lent: Codecs, request: JobRequest = {}): Options {
  const { depth, timeBudget, enlarged: _, inner, ...asked } = request
  const options: Omit<Options, 'inner'> = {
    quality: 'medium',
    output: format.outputs[0],
    memoryBudget: STANDARD_MEMORY_BYTES,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...defined(asked),
  }
  return { ...options, inner: inner ?? lendCodecs(lent, options, depth, timeBudget?.()) }
}

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }

/** The entries that are not `undefined`: those would take the place of defaults. */
const defined = <T extends object>(entries: T): Defined<T> =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Defined<T>

function segmented(codec: Codec): SegmentedCodec {
  if (!isSegmented(codec)) throw new Error(`${codec.format.id} does not work in parts`)
  return codec
}

/** A codec whose `compress` joins `parts`, so that a join keeps the promises as any other attempt. */
function joinerOf(codec: SegmentedCodec, parts: FinishedPart[], beforeVerify: () => void = () => undefined): Codec {
  return {
    format: codec.format,
    compress: (source, sink, options) => codec.join(source, parts, sink, options),
    verify: (...handed) => {
      beforeVerify()
      return codec.verify(...handed)
    },
  }
}
