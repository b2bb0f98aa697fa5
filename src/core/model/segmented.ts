/**
 * Codecs whose jobs take several queue messages. A film is split into parts, one message encodes one part (with its own CPU and memory
 * limits), and a last message joins the parts. `compress()` of the same codec does all of this in one step, for small files and the
 * command line.
 */
import type { Message } from '../i18n/message.ts'
import type { Codec, Options, Outcome, Reason, Sink, Source } from './codec.ts'

/**
 * Description of one part, as JSON. It is sent in queue messages and stored in a Durable Object, so it has a few hundred bytes at most.
 */
export interface PartPlan {
  /** Position of the part in the join, from 0. */
  readonly index: number
  /** Label of the part in the log, for example `video 12.0–20.1 s`. */
  readonly label: string
  /** Share of the job's work in this part. The weights of all parts add up to about 1, and progress is their sum. */
  readonly weight: number
  /** Data of the codec that no other code reads. */
  readonly facts: { readonly [name: string]: string | number | boolean | null }
}

/** Result of a finished part, as JSON. */
export interface PartReceipt {
  /** Bytes written to the sink of the part. */
  readonly bytes: number
  /** Bytes of the source that the part replaces. The job is only useful if `bytes` is smaller. `undefined`: the codec does not compare. */
  readonly replaces?: number
  /** Data of the codec, for example frame count, measured quality and steps. */
  readonly facts: { readonly [name: string]: string | number | boolean | null }
}

/** Sums over the receipts of all finished parts that have `replaces`. */
export interface PartTotals {
  readonly bytes: number
  readonly replaces: number
}

export type SegmentPlan =
  /** `whole`: the file is short enough for one message, so the caller must use `compress`. */
  { kind: 'whole' } | { kind: 'parts'; parts: PartPlan[] } | { kind: 'unchanged'; reason: Reason; detail?: Message }

export interface SegmentedCodec extends Codec {
  /** Reads the index of the file and splits it into parts. The same source and options always give the same parts. */
  plan(source: Source, options: Options): Promise<SegmentPlan>
  /**
   * Encodes one part. It is idempotent, because a queue may deliver a message twice. The result is an intermediate file: the sink must
   * accept any size and cannot patch, and `abort()` discards a result that is not good enough. If `soFar` shows that the job cannot
   * reduce the size, the part may report this instead.
   */
  compressPart(source: Source, part: PartPlan, sink: Sink, options: Options, soFar: PartTotals): Promise<PartReceipt>
  /** Joins the parts in order, in constant memory. The sink cannot patch. */
  join(source: Source, parts: FinishedPart[], sink: Sink, options: Options): Promise<Outcome>
}

export interface FinishedPart {
  readonly plan: PartPlan
  readonly receipt: PartReceipt
  /** Bytes that `compressPart` wrote. */
  readonly result: Source
}

/** True if the codec can work in parts. */
export function isSegmented(codec: Codec): codec is SegmentedCodec {
  return 'plan' in codec && 'compressPart' in codec && 'join' in codec
}
