/** Messages between the command and its worker threads. A thread has one job at a time. */
import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import type { CompressOptions, FormatInfo, Receipt } from '../../core/src/index.ts'

export interface CompressJob {
  readonly kind: 'compress'
  readonly path: string
  /** Start of the path of the result, in the folder that it is moved to. */
  readonly prefix: string
  readonly options: Omit<CompressOptions, 'signal' | 'onProgress' | 'native' | 'sink'>
}

export interface VerifyJob {
  readonly kind: 'verify'
  readonly original: string
  readonly result: string
  /** Text of the receipt. `undefined`: the files are only compared. */
  readonly receipt: string | undefined
  readonly keys: PublicKeys | undefined
}

/** Lists the formats that are compressed here. */
interface FormatsJob {
  readonly kind: 'formats'
}

export type Job = CompressJob | VerifyJob | FormatsJob

export interface Compressed {
  /** File name of the result. */
  readonly name: string
  readonly receipt: Receipt
  /** Path of the result. `undefined`: the result is the input itself. */
  readonly path: string | undefined
  /** True: the format needs a package that is not installed. */
  readonly lacksFilm: boolean
}

export type Answer =
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'compressed'; readonly value: Compressed }
  | { readonly kind: 'verified'; readonly value: VerifyReport }
  | { readonly kind: 'formats'; readonly value: readonly FormatInfo[] }
  /** `isExpected`: the file or the options are to blame, and the thread can go on. */
  | { readonly kind: 'failed'; readonly message: string; readonly isExpected: boolean }
