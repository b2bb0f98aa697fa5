/** Jobs of the command's threads. */
import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import type { CompressOptions, FormatInfo, Receipt } from '../../core/src/index.ts'

export interface CompressJob {
  readonly path: string
  /** Start of the path of the result, in the folder that it is moved to. */
  readonly prefix: string
  readonly options: Omit<CompressOptions, 'signal' | 'onProgress' | 'native' | 'sink'>
}

export interface VerifyJob {
  readonly original: string
  readonly result: string
  /** Text of the receipt. `undefined`: the files are only compared. */
  readonly receipt: string | undefined
  readonly keys: PublicKeys | undefined
}

export interface Compressed {
  /** File name of the result. */
  readonly name: string
  readonly receipt: Receipt
  /** Path of the result. `undefined`: the result is the input itself. */
  readonly path: string | undefined
  /** True: the format needs a package that is not installed. */
  readonly lacksFilm: boolean
}

export type CommandJobs = {
  readonly compress: { readonly job: CompressJob; readonly value: Compressed }
  readonly verify: { readonly job: VerifyJob; readonly value: VerifyReport }
  /** Writes the file that a result holds to a new file whose path begins with `prefix`. */
  readonly unpack: {
    readonly job: { readonly path: string; readonly prefix: string }
    readonly value: { readonly name: string; readonly path: string }
  }
  /** Lists the formats that are compressed here. */
  readonly formats: { readonly job: object; readonly value: readonly FormatInfo[] }
}
