/** Messages between the page and its workers. Each question has one answer, and a compression also reports its progress. */
import type { Finding } from '../../../src/core/audit/finding.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { MetadataMode } from '../../../src/core/catalog/metadata.ts'
import type { Receipt } from '../../../src/core/index.ts'
import type { Language } from '../language.ts'

export type { Finding, FormatId, MetadataMode, Receipt }

export type Quality = 'low' | 'medium' | 'high' | 'ultra'

/** Options of one compression. */
export interface Settings {
  readonly quality: Quality
  /** Output id. `undefined`: the usual output of the file's format. */
  readonly output?: string
  /** Largest acceptable result in bytes. `undefined`: no limit. */
  readonly targetSize?: number
  readonly metadata: MetadataMode
}

/** What a worker is asked to do. */
export type Question =
  | { readonly type: 'identify'; readonly file: File }
  | {
      readonly type: 'compress'
      readonly file: File
      readonly settings: Settings
      readonly language: Language
      /** True: a job that exceeds the usual memory budget runs again with a larger one. */
      readonly isRoomy: boolean
    }
  | { readonly type: 'verify'; readonly file: File; readonly result: Blob; readonly receipt: Receipt }

/** Result of a compression. */
export interface Compressed {
  readonly type: 'compressed'
  readonly result: Blob
  readonly name: string
  readonly receipt: Receipt
  /** True: the larger memory budget was used. */
  readonly usedMore: boolean
  /** The service compressed the file. `signer`: host whose signature this page has checked. `undefined`: the page did it itself. */
  readonly service?: { readonly signer?: string }
}

export type Answer =
  /** `format`: `undefined` if the type of the file is unknown. */
  | { readonly type: 'identified'; readonly format: FormatId | undefined }
  | Compressed
  | { readonly type: 'verified'; readonly findings: readonly Finding[] }
  /** No result fits into the target size. `bestSize`: smallest size in bytes that keeps the quality floors. */
  | { readonly type: 'unreachable'; readonly bestSize: number }
  /** The worker could not do it. `offline`: code or an engine could not be loaded. */
  | { readonly type: 'refused'; readonly why: 'offline' | 'error'; readonly text: string }

export interface Asked {
  readonly id: number
  readonly question: Question
}

export type Told =
  | { readonly id: number; readonly answer: Answer }
  /** Share of the work that is done, 0 to 1. */
  | { readonly id: number; readonly share: number }
