/**
 * Codecs whose jobs are too long for one message: a film is cut into parts, each part is encoded by a message of its own
 * (its own CPU allowance, its own memory), and a last message joins them. `compress()` of the same codec runs plan, parts
 * and join in sequence, for small files and for the command line.
 */
import type { Message } from '../i18n/message.ts'
import type { Codec, Options, Outcome, Reason, Sink, Source } from './codec.ts'

/** One part of a job, as JSON: it travels in a queue message or lies in a Durable Object. A few hundred bytes at most. */
export interface PartPlan {
  /** 0, 1, 2 … in the order of the join. */
  readonly index: number
  /** What the part is, for the log: `video 12.0–20.1 s`. */
  readonly label: string
  /** Share of the job's work, so that progress is the sum of the finished parts; all parts together make about 1. */
  readonly weight: number
  /** The codec's own facts; nobody else reads them. */
  readonly facts: { readonly [name: string]: string | number | boolean | null }
}

/** What a finished part says about itself, as JSON. */
export interface PartReceipt {
  /** Bytes written to the part's sink. */
  readonly bytes: number
  /** Bytes of the source that they take the place of, where the job is of no use unless they are fewer. */
  readonly replaces?: number
  /** The codec's own facts: frame count, measured quality, steps. */
  readonly facts: { readonly [name: string]: string | number | boolean | null }
}

/** The receipts so far that tell what they replace, summed up. */
export interface SoFar {
  readonly bytes: number
  readonly replaces: number
}

export type Plan =
  /** Short enough for one message: call `compress`. */
  { kind: 'whole' } | { kind: 'parts'; parts: PartPlan[] } | { kind: 'unchanged'; reason: Reason; detail?: Message }

export interface SegmentedCodec extends Codec {
  /** Reads the index by ranges and cuts. Deterministic: the same source and options give the same parts. */
  plan(source: Source, options: Options): Promise<Plan>
  /**
   * Encodes one part alone; idempotent, so that a message delivered twice does no harm. Its result is an intermediate
   * file of the codec's own: the sink must not refuse it for its size (`no_gain` belongs to the join) and cannot patch. What
   * was written and is not good enough is taken back by `abort()`. Where `soFar` tells that the job is of no use, a part
   * may say so instead.
   */
  compressPart(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: SoFar): Promise<PartReceipt>
  /** Joins the parts, in order, into the result, in constant memory. The sink cannot patch. */
  join(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome>
}

export interface FinishedPart {
  readonly plan: PartPlan
  readonly receipt: PartReceipt
  /** What `compressPart` wrote. */
  readonly result: Source
}

/** Whether a codec can be run in parts. */
export function isSegmented(codec: Codec): codec is SegmentedCodec {
  return 'plan' in codec && 'compressPart' in codec && 'join' in codec
}
