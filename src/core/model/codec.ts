/**
 * Codec interface. Each codec (`formats/<family>/<id>.ts`) reads byte ranges of a `Source`, writes chunks to a `Sink`, and returns an
 * `Outcome`. `pipeline/compress.ts` enforces that results are smaller, keep the floors and are verified. Each codec itself ensures
 * that a lower level is not larger than a higher one (`catalog/level-order.ts`).
 */

import type { FormatId } from '../catalog/index.ts'
import type { InventoryKind } from '../catalog/inventory/kinds.ts'
import type { RemovalReason } from '../catalog/inventory/policy.ts'
import type { Quality } from '../catalog/levels.ts'
import type { RemovingMode } from '../catalog/metadata.ts'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import type { QualityGoal } from '../catalog/score-goal.ts'
import type { Message } from '../i18n/message.ts'
import type { ExternalFilmCodec } from './external-encoder.ts'
import type { Loss } from './loss.ts'
import type { PictureBox } from './picture-box.ts'
import type { Rendition } from './rendition.ts'
import type { TimeBudget } from './time-budget.ts'

export type { Quality }

/** File whose bytes can be read by ranges, any number of times. */
export interface Source {
  /** File name as uploaded, without a path. It is only a hint for the format. */
  readonly name: string
  /** Length in bytes. */
  readonly size: number
  /** Returns `length` bytes from `offset`, or fewer if the file ends before. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** Returns the whole file as a stream, in chunks of any size. */
  stream(): ReadableStream<Uint8Array>
}

/** Destination of a result. It throws `no_gain` if the result would be as large as the source, so a larger result is impossible. */
export interface Sink {
  /** Bytes written so far, which is also the offset of the next chunk. */
  readonly written: number
  /** Appends `chunk`. The sink then owns the buffer and may free it, so the caller must not use it again. */
  write(chunk: Uint8Array): Promise<void>
  /** Overwrites bytes within the first `PATCHABLE_BYTES` of the result, which the sink keeps in memory until the end. */
  patch(offset: number, bytes: Uint8Array): void
  /** Discards all bytes written so far. The next write starts at offset 0. */
  abort(): Promise<void>
}

/** Bytes at the start of a result that a sink keeps in memory, so that codecs can patch headers: 5 MiB, one R2 part. */
export const PATCHABLE_BYTES = 5 * 1024 * 1024

export type Reason = 'no_gain' | 'below_floor' | 'signed' | 'encrypted' | 'malformed' | 'over_budget' | 'unsupported_feature'

export type Outcome = Compressed | { kind: 'unchanged'; reason: Reason; detail?: Message; suggestion?: Suggestion }

/** Another output of the same file that would be smaller. */
export interface Suggestion {
  readonly output: OutputId
  /** Estimated size in bytes. */
  readonly estimatedBytes: number
}

/** Items of one kind that a result does not have, and the reason. */
export interface Removed {
  readonly kind: InventoryKind
  readonly count: number
  readonly why: RemovalReason
}

export interface Compressed {
  readonly kind: 'compressed'
  /** Measured loss. `undefined`: the result is lossless. */
  readonly loss?: Loss
  /** Tracks of a film that were copied unchanged (at least one of that kind). `undefined`: none. */
  readonly copied?: readonly ('pictures' | 'sound')[]
  readonly steps: Message[]
  /** Number of items by kind that the original holds and the result keeps. `undefined`: the format has no inventory. */
  readonly inventory?: { readonly [Kind in InventoryKind]?: number }
  /** Score that the caller asked for, which every still picture reaches. `undefined`: the caller chose a level. */
  readonly targetScore?: number
  /** Metadata that was removed as requested. `undefined`: none. */
  readonly metadata?: RemovingMode
  /** Items of the original that the result does not have. `undefined`: none, or the format has no inventory. */
  readonly removed?: readonly Removed[]
  /** Readers that are independent of the codec and have read the result. `undefined`: none. */
  readonly verifiedBy?: readonly string[]
  /** Actual output, if the container allows no other (a NIfTI pair in a ZIP archive stays one). `undefined`: the requested output. */
  readonly output?: OutputId
}

/** Returns the fidelity of a result. Results without a measured loss and unchanged files are lossless. */
export const fidelityOf = (outcome: Outcome): 'lossless' | 'perceptual' =>
  outcome.kind === 'compressed' && outcome.loss ? 'perceptual' : 'lossless'

/**
 * Result of `verify`.
 * `share`: share of the result that was compared, 0 to 1; default: 1.
 * `ssimulacra2`: score of lossy pictures as in `PictureLoss`; `undefined` if the outcome already has it.
 * `holdsOriginal`: true if the result holds the bytes of `original`, and all of them were compared.
 * `difference`: description of the first difference, for the log.
 */
export type Verdict =
  | { equal: true; share?: number; ssimulacra2?: number | undefined; holdsOriginal?: true }
  | { equal: false; difference: string }

export interface Options extends QualityGoal {
  /** Format of the result, one of `format.outputs`. Default: the first one. */
  readonly output: OutputId
  /**
   * Largest size in bytes (`target_size`). The codec returns the best result that fits and keeps the floors, or throws `TargetUnreachable`.
   */
  readonly targetSize?: number
  /** Box that a picture is downsampled to, with the same aspect ratio. Quality is measured at that size. `undefined`: it keeps its size. */
  readonly fitWithin?: PictureBox
  /**
   * Rendition for a page instead of the file: the still picture alone, upright, with its colour profile and no other metadata. Quality is
   * measured against the picture in the rendition's frame. `undefined`: the whole file is compressed.
   */
  readonly rendition?: Rendition
  /** Resolution that pictures of a document are reduced to, in dots per inch at their displayed size. `undefined`: that of the level. */
  readonly dotsPerInch?: number
  /** True: only a lossless result is accepted, whatever the level. */
  readonly lossless?: boolean
  /** True: a JPEG that misses the target of its level is rejected, because the caller has a better form of the picture. */
  readonly onlyReached?: boolean
  /** Metadata that the result must not have. `undefined`: everything stays. */
  readonly metadata?: RemovingMode
  /** Uploaded file, if the codec compresses another form of it: the file without its metadata. `undefined`: the codec's source. */
  readonly uploaded?: Source
  /** `drop`: removes usage rights from a PDF in which nothing else is signed. `undefined`: such a PDF stays unchanged. */
  readonly usageRights?: 'drop'
  /** Peak memory that the codec may use, heap and Wasm together, in bytes. A file that needs more is `over_budget`. */
  readonly memoryBudget: number
  /** Largest estimated CPU time in seconds. A file that is estimated to need more is `over_budget`. `undefined`: no limit. */
  readonly maxWorkSeconds?: number
  /** Receives the estimated memory of the chosen method in bytes, which `npm run bench -- memory` compares with the measured memory. */
  estimated?(bytes: number): void
  /** Aborted if the task is deleted or its lease is lost. Long loops must call `signal.throwIfAborted()`. */
  readonly signal: AbortSignal
  /** Reports the share of the work done, 0 to 1. Cheap enough to call often. */
  progress(share: number): void
  /** External encoder for films that Whittle has no engine for. `undefined`: none is installed, or this is no pool worker. */
  readonly native?: ExternalFilmCodec
  /** Access to the codecs of embedded files. Container codecs must not import other codecs. */
  readonly inner: Inner
}

export interface Codec {
  readonly format: KnownFormat
  /**
   * Compresses `source` into `sink`. `evidence`: data that saves `verify` repeated work if it is called directly afterwards; never stored.
   */
  compress(source: Source, sink: Sink, options: Options): Promise<Outcome & { readonly evidence?: unknown }>
  /**
   * Decodes `result` and compares it with `original`: lossless results sample by sample or byte by byte, lossy ones by structure
   * (dimensions, frames, metadata). It is called on the stored result. `evidence` comes from the `compress` call that wrote it, or is
   * `undefined`.
   */
  verify(original: Source, result: Source, outcome: Outcome, options: Options, evidence?: unknown): Promise<Verdict>
}

/** A codec that can remove metadata (`metadata` in API.md). */
export interface MetadataCodec extends Codec {
  /**
   * Returns the file without the metadata that `mode` removes, and with the same pixels, samples and content. It is compressed instead of
   * the original. `source` itself: the codec removes metadata while it compresses (`options.metadata`).
   * @throws CodecError for damaged files
   */
  withoutMetadata(source: Source, mode: RemovingMode, options: Options): Promise<Source>
}

export const removesMetadata = (codec: Codec): codec is MetadataCodec => 'withoutMetadata' in codec

/** Codecs by format id. */
export type Codecs = { readonly [Id in FormatId]?: Codec }

/** Compressor of embedded files, with limits on depth and memory. */
export interface Inner {
  /** Number of containers around the file: 0 for an uploaded file. */
  readonly depth: number
  /** CPU budget of embedded pictures. `undefined`: no limit. */
  readonly time?: TimeBudget
  /**
   * Compresses and verifies one embedded file with its own codec. It returns `unchanged` if nothing is gained, no codec recognises the
   * file, the depth limit is reached, or the file is damaged. It does not throw for a file.
   */
  compress(bytes: Uint8Array, name: string, request?: InnerRequest): Promise<InnerResult>
  /**
   * Removes the metadata that the caller asked to remove from one embedded file, and changes nothing else. An independent reader has checked
   * the result. `undefined`: the caller keeps metadata. It does not throw for a file.
   */
  readonly withoutMetadata?: (bytes: Uint8Array, name: string) => Promise<ReducedFile>
}

/**
 * Embedded file after its metadata was removed. `same`: it has none. `unknown`: it may have some, because no codec can remove it, or because
 * the file is damaged.
 */
export type ReducedFile =
  | { readonly kind: 'reduced'; readonly bytes: Uint8Array; readonly removed: readonly Removed[] }
  | { readonly kind: 'same' | 'unknown' }

export interface InnerRequest {
  /** Output of the embedded file. Default: its own format. */
  output?: OutputId
  quality?: Quality
  /** Largest width in pixels. A larger picture may be downsampled with the same aspect ratio. `undefined`: no limit. */
  maxWidth?: number
  maxHeight?: number
  /** True: only a lossless result is accepted. */
  lossless?: boolean
  /** True: only a result that reaches the target of its level is accepted. */
  onlyReached?: boolean
  /** Bytes that the container has in memory meanwhile, besides the file. `undefined`: few. */
  containerBytes?: number
}

export type InnerResult =
  | { kind: 'unchanged'; reason: Reason }
  | { kind: 'compressed'; bytes: Uint8Array; output: OutputId; outcome: Compressed }
