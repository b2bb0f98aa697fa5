/**
 * The interface of the codecs. Each of them (`formats/<family>/<id>.ts`) reads its input by ranges from a `Source`,
 * writes its result by chunks to a `Sink`, and says what happened as an `Outcome`. Never larger, the floors and
 * verified are kept by `pipeline/compress.ts`, not by the codecs; that levels are in order is theirs, by the ladder in
 * `quality/ladder.ts`.
 */

import type { FormatId } from '../catalog/index.ts'
import type { Quality } from '../catalog/levels.ts'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import type { Message } from '../i18n/message.ts'
import type { NativeFilm } from './external-encoder.ts'
import type { Loss } from './loss.ts'
import type { TimeBudget } from './time-budget.ts'

export type { Quality }

/** Bytes that can be read by ranges, more than once. */
export interface Source {
  /** File name as uploaded (no path). A hint, never a fact. */
  readonly name: string
  /** Length in bytes. */
  readonly size: number
  /** Bytes `offset … offset + length`, cut at the end of the file (so it may be shorter, never longer). */
  read(offset: number, length: number): Promise<Uint8Array>
  /** The whole file from the start, in chunks of a size the source chooses. */
  stream(): ReadableStream<Uint8Array>
}

/** Where a result goes. Writing as many bytes as the source has throws `no_gain`: never larger is the sink's property. */
export interface Sink {
  /** Bytes written so far; the offset of the next chunk. */
  readonly written: number
  /** Appends. The sink owns `chunk` afterwards and may free it: do not use its buffer again. */
  write(chunk: Uint8Array): Promise<void>
  /** Overwrites bytes inside the first `PATCHABLE_BYTES` of the result, which the sink holds back until the end. */
  patch(offset: number, bytes: Uint8Array): void
  /** Forgets what was written: what comes next is the first again. */
  abort(): Promise<void>
}

/** The first part of a result, which a sink keeps in memory so that headers can be patched (one R2 part). */
export const PATCHABLE_BYTES = 5 * 1024 * 1024

export type Reason = 'no_gain' | 'below_floor' | 'signed' | 'encrypted' | 'malformed' | 'over_budget' | 'unsupported_feature'

export type Outcome = Compressed | { kind: 'unchanged'; reason: Reason; detail?: Message; suggestion?: Suggestion }

/** An output of the same upload that would be smaller. */
export interface Suggestion {
  readonly output: OutputId
  /** Bytes, as well as the codec can tell. */
  readonly estimatedBytes: number
}

export interface Compressed {
  readonly kind: 'compressed'
  /** Absent when nothing was lost. */
  readonly loss?: Loss
  /** Of a film: what was copied as it was, at least one track of it. */
  readonly copied?: readonly ('pictures' | 'sound')[]
  readonly steps: Message[]
  /** What came out, where the file's own container leaves no choice (a NIfTI pair in a ZIP archive stays one). */
  readonly output?: OutputId
}

/** A result is lossless unless something was lost; an upload that stays as it is lost nothing. */
export const fidelityOf = (outcome: Outcome): 'lossless' | 'perceptual' =>
  outcome.kind === 'compressed' && outcome.loss ? 'perceptual' : 'lossless'

/**
 * What `verify` found when it decoded the result again.
 * `share`: how much of the result that covers, 0–1; all of it unless a codec says otherwise.
 * `ssimulacra2`: of pictures that lost something, as `PictureLoss` has it; codecs whose outcome tells it leave it out.
 * `difference` says where, for the log.
 */
export type Verdict = { equal: true; share?: number; ssimulacra2?: number | undefined } | { equal: false; difference: string }

export interface Options {
  readonly quality: Quality
  /** What comes out: one of `format.outputs`, the first unless the caller asked for another. */
  readonly output: OutputId
  /** Wanted size in bytes (`target_size`): the best result that fits, floors kept, else `TargetUnreachable`. */
  readonly targetSize?: number
  /** Pictures larger than this (pixels) may be downsampled to fit, aspect ratio kept; quality is then measured at that size. */
  readonly fitWithin?: { readonly width: number; readonly height: number }
  /** Only an exact result is acceptable, whatever the level. */
  readonly lossless?: boolean
  /** A JPEG that no quality brings to what its level promises is of no use: who asks has the picture in a form that does. */
  readonly onlyReached?: boolean
  /** `drop`: a PDF in which nothing but usage rights is signed gives them up; otherwise it stays as it is. */
  readonly usageRights?: 'drop'
  /** Heap and Wasm memory the codec may use at its peak, together, in bytes. What needs more answers `over_budget`. */
  readonly memoryBudget: number
  /** Is told what a way that is taken was reckoned to need of that, in bytes: `npm run bench -- memory` holds it against what was needed. */
  estimated?(bytes: number): void
  /** Aborted when the task is deleted or its lease is lost. Long loops call `signal.throwIfAborted()`. */
  readonly signal: AbortSignal
  /** Share of the work done, 0–1. Cheap to call often. */
  progress(share: number): void
  /** Where films are encoded for which there is no engine here; only in a press of the pool, and where one is installed. */
  readonly native?: NativeFilm
  /** Container codecs borrow other codecs through this, never by import. */
  readonly inner: Inner
}

export interface Codec {
  readonly format: KnownFormat
  /** `evidence`: what `verify` need not find out again, for as long as it is called right after. It is never stored. */
  compress(source: Source, sink: Sink, options: Options): Promise<Outcome & { readonly evidence?: unknown }>
  /**
   * Decodes `result` and compares it with `original`: lossless outcomes to the last sample or byte, perceptual ones in
   * structure (dimensions, frames, metadata, what must not change). Called on what was really stored, with the evidence
   * of the very `compress` that made it, or without any.
   */
  verify(original: Source, result: Source, outcome: Outcome, options: Options, evidence?: unknown): Promise<Verdict>
}

/** A set of codecs, by format. */
export type Codecs = { readonly [Id in FormatId]?: Codec }

/** Files inside files, with a limit on depth and memory. */
export interface Inner {
  /** How many containers are around this file: 0 for an upload. */
  readonly depth: number
  /** What pictures inside may take; absent: whatever they need. */
  readonly time?: TimeBudget
  /**
   * Compresses one file through its own codec and verifies it. `unchanged` when nothing is gained, nothing recognises it,
   * or the depth is exhausted; damaged inner files are `unchanged`, too, never an exception.
   */
  compress(bytes: Uint8Array, name: string, request?: InnerRequest): Promise<InnerResult>
}

export interface InnerRequest {
  /** Only these outputs are acceptable (default: the format that came in). */
  output?: OutputId
  quality?: Quality
  /** Pictures larger than this (pixels) may be downsampled to it, aspect ratio kept. */
  maxWidth?: number
  maxHeight?: number
  /** Only accept an exact result. */
  lossless?: boolean
  /** Only accept what is as good as its level promises. */
  onlyReached?: boolean
}

export type InnerResult =
  | { kind: 'unchanged'; reason: Reason }
  | { kind: 'compressed'; bytes: Uint8Array; output: OutputId; outcome: Compressed }
