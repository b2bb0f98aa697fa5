/**
 * Runs a job: one file, its codec, and the caller's options. The library, the service, tools and tests all run codecs through this
 * file. Only this file builds a codec's `Options` and decides between one step and several.
 */
import { allowMemory } from '../../../wasm/memories/memories.ts'
import { holdsFile, type KnownFormat, outputFacts } from '../catalog/outputs.ts'
import { hasLargeMemoryBudget, STANDARD_MEMORY_BYTES } from '../model/budget.ts'
import type { Codec, Codecs, Options, Sink, Source } from '../model/codec.ts'
import {
  type FinishedPart,
  isSegmented,
  type PartPlan,
  type PartReceipt,
  type PartTotals,
  type SegmentedCodec,
} from '../model/segmented.ts'
import type { ResultSink } from '../model/sink.ts'
import type { TimeBudget } from '../model/time-budget.ts'
import { type CompressionResult, compressAtLevel } from './compress.ts'
import { innerCodecs } from './inner.ts'
import { afterRemoval, orUnchanged, type Prepared, prepared } from './metadata.ts'
import { compressToGoal } from './score-goal.ts'

/**
 * Options of a job: the fields of `Options`, all optional. Defaults: `quality` is medium, `output` the first one of the format,
 * `memoryBudget` is `STANDARD_MEMORY_BYTES`, `signal` is never aborted, `progress` does nothing, and `inner` uses the job's codecs.
 */
export interface JobRequest extends OrUndefined<Partial<Options>> {
  /** Number of containers around the file. Default: 0, the uploaded file itself. */
  readonly depth?: number | undefined
  /** Creates the CPU budget for embedded pictures and files, one per attempt. Default: the budget of an isolate. */
  readonly timeBudget?: (() => TimeBudget) | undefined
  /** Called when the job starts again with more memory, because the standard budget was not enough. */
  readonly onMemoryIncrease?: (() => void) | undefined
}

type OrUndefined<T> = { readonly [Name in keyof T]: T[Name] | undefined }

/**
 * Opens the sink for a result; called once per attempt. The sink must reject results as large as the source, or larger than
 * `targetSize` if that is smaller.
 */
type OpenSink = () => Promise<ResultSink>

/** First step of a job: either a list of parts to encode (`cut`), or the finished result (`done`). */
type FirstStep = { readonly kind: 'cut'; readonly parts: PartPlan[] } | { readonly kind: 'done'; readonly pressed: CompressionResult }

/**
 * One job, which runs once. Errors of the file become an `unchanged` outcome in `whole`, `start` and `join`. Only planning throws;
 * `expectedTrouble` converts that error to an outcome.
 */
export interface Job {
  /** Options that the codec receives in its first attempt. */
  readonly options: Options
  /**
   * Compresses the file in one step and verifies the result. Even with a larger budget, the first attempt uses the standard memory, so
   * that results do not depend on the machine. A second attempt uses the full budget only if the first was `over_budget`.
   * @throws TargetUnreachable if no result that keeps the quality floors fits into `targetSize`
   */
  whole(openSink: OpenSink): Promise<CompressionResult>
  /**
   * First step of a job with several steps. It splits a file that is too long for one step, and compresses any other file as `whole` does.
   * @throws CodecError if the codec cannot read the file while it plans
   */
  start(openSink: OpenSink): Promise<FirstStep>
  /**
   * Encodes one part into `sink`, which must accept any size.
   * @param soFar sums over the parts that are already encoded
   * @throws CodecError if the part cannot be encoded
   */
  part(part: PartPlan, sink: Sink, soFar: PartTotals): Promise<PartReceipt>
  /**
   * Joins all parts in order and verifies the result.
   * @param beforeVerify called after the join and before the verification, to free buffers; default: nothing
   */
  join(parts: FinishedPart[], openSink: OpenSink, beforeVerify?: () => void): Promise<CompressionResult>
}

/** Returns the job that compresses `source` with `codec`. `lent`: codecs for embedded files. */
export function openJob(codec: Codec, source: Source, lent: Codecs, request: JobRequest = {}): Job {
  const { memoryBudget = STANDARD_MEMORY_BYTES } = request
  const optionsWith = (bytes: number) => optionsOf(codec.format, lent, { ...request, memoryBudget: bytes })
  const inParts = isSegmented(codec)
  // Segmented codecs use the budget only to limit the frame size, so an attempt with less memory is not needed.
  const options = optionsWith(inParts ? memoryBudget : Math.min(memoryBudget, STANDARD_MEMORY_BYTES))

  let form: Promise<Prepared> | undefined
  const formOfUpload = () => (form ??= prepared(codec, source, options))

  const attempt = (openSink: OpenSink, withOptions: Options) =>
    orUnchanged(codec, options.signal, async () => {
      const ready = await formOfUpload()
      const goal = { ...withOptions, ...uploadedOf(ready) }
      const pressed = isLongerSearch(codec, goal)
        ? await (await import('./effort.ts')).compressBest(codec, ready.source, openSink, goal)
        : await compressToGoal(codec, ready.source, openSink, goal)
      return await afterRemoval(codec, ready, pressed, openSink, withOptions)
    })

  const whole = async (openSink: OpenSink): Promise<CompressionResult> => {
    const pressed = await attempt(openSink, options)
    if (inParts || !hasLargeMemoryBudget({ memoryBudget }) || pressed.outcome.kind === 'compressed') return pressed
    if (pressed.outcome.reason !== 'over_budget') return pressed
    request.onMemoryIncrease?.()
    using _ = allowMemory(memoryBudget)
    return await attempt(openSink, optionsWith(memoryBudget))
  }

  return {
    options,
    whole,
    async start(openSink) {
      const ready = await formOfUpload()
      const plan = inParts ? await codec.plan(ready.source, options) : { kind: 'whole' as const }
      if (plan.kind === 'parts') return { kind: 'cut', parts: plan.parts }
      if (plan.kind === 'whole') return { kind: 'done', pressed: await whole(openSink) }
      return { kind: 'done', pressed: await afterRemoval(codec, ready, { outcome: plan, result: undefined }, openSink, options) }
    },
    async part(part, sink, soFar) {
      const receipt = await requireSegmented(codec).compressPart((await formOfUpload()).source, part, sink, options, soFar)
      options.signal.throwIfAborted()
      return receipt
    },
    join: (parts, openSink, beforeVerify) =>
      orUnchanged(codec, options.signal, async () => {
        const ready = await formOfUpload()
        const joiner = joinerOf(requireSegmented(codec), parts, beforeVerify)
        const pressed = await compressAtLevel(joiner, ready.source, openSink, { ...options, ...uploadedOf(ready) })
        return await afterRemoval(codec, ready, pressed, openSink, options)
      }),
  }
}

/** Returns the options of a codec: the caller's request completed with defaults. `lent`: codecs for embedded files. */
export function optionsOf(format: KnownFormat, lent: Codecs, request: JobRequest = {}): Options {
  const { depth, timeBudget, onMemoryIncrease: _, inner, ...asked } = request
  const options: Omit<Options, 'inner'> = {
    quality: 'medium',
    output: format.outputs[0],
    memoryBudget: STANDARD_MEMORY_BYTES,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...defined(asked),
  }
  return { ...options, inner: inner ?? innerCodecs(lent, options, depth, timeBudget?.()) }
}

/** True if the job has the effort `best` and its codec can use it. */
function isLongerSearch({ format }: Codec, { effort, output }: Options): boolean {
  const isPicked = format.hasEfforts === true || outputFacts(output).wraps
  return effort === 'best' && !holdsFile(format.id, output) && isPicked
}

const uploadedOf = ({ uploaded }: Prepared) => (uploaded ? { uploaded } : {})

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }

/** Returns the entries that are not `undefined`, so that they do not overwrite defaults. */
const defined = <T extends object>(entries: T): Defined<T> =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Defined<T>

function requireSegmented(codec: Codec): SegmentedCodec {
  if (!isSegmented(codec)) throw new Error(`the codec of ${codec.format.id} does not support encoding in parts`)
  return codec
}

/** Returns a codec whose `compress` joins `parts`, so that a joined result is checked like any other attempt. */
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
