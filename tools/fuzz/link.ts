/** What the process that tries files and its parent tell each other; sent by structured clone. */
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { Request } from './trial.ts'

/** A mutant by its number, or a file as it is. */
export type Task = { readonly number: number } | { readonly bytes: Uint8Array; readonly request: Request }

/** What is wrong; `hang`, `memory` and `died` are seen from outside. */
export type Trouble = 'crash' | 'defect' | 'disagreement' | 'hang' | 'memory' | 'died'

export interface Report {
  readonly kind: 'refused' | 'unchanged' | 'compressed' | Trouble
  readonly format?: FormatId
  readonly why?: string
  /** Of the processor, in milliseconds. */
  readonly processorMs: number
  /** An independent reader has seen both files, and found them the same. */
  readonly judged?: boolean
}

export interface ChildOptions {
  readonly seed: string
  /** A folder of files beside those of the tests. */
  readonly seeds: string | undefined
  readonly format: FormatId | undefined
  /** Of the results, the share that independent readers are asked about. */
  readonly judge: number
}
