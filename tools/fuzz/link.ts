/** Messages between the fuzzer and its child process, sent by structured clone. */
import type { FormatId } from '../../src/core/catalog/index.ts'
import type { Request } from './trial.ts'

/** A mutant by its number, or a file with its request. */
export type Task = { readonly number: number } | { readonly bytes: Uint8Array; readonly request: Request }

/** Kind of problem. The parent process detects `hang`, `memory` and `died`. */
export type Trouble = 'crash' | 'defect' | 'disagreement' | 'hang' | 'memory' | 'died'

export interface Report {
  readonly kind: 'refused' | 'unchanged' | 'compressed' | Trouble
  readonly format?: FormatId
  readonly why?: string
  /** CPU time in milliseconds. */
  readonly processorMs: number
  /** True if an independent reader found the same contents in both files. */
  readonly judged?: boolean
}

export interface ChildOptions {
  readonly seed: string
  /** Folder with additional seed files. `undefined`: only the generated files of the tests. */
  readonly seeds: string | undefined
  readonly format: FormatId | undefined
  /** Share of the results that independent readers compare, 0 to 1. */
  readonly judge: number
}
