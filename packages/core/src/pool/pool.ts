/** The functions of a pool, on every platform. */
import type { VerifyReport } from '../../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../../src/core/audit/receipt.ts'
import { type Input, type Receipt, sourceOf } from '../../../../src/core/library.ts'
import type { Source } from '../../../../src/core/model/codec.ts'
import type { Compressed, CompressOptions } from '../options.ts'
import { type JobInput, ownCopy } from './messages.ts'
import type { Handlers } from './serve.ts'
import type { ThreadPool } from './thread-pool.ts'

export interface PoolOptions {
  /** Most threads, and so most jobs at the same time. Default: one per core. */
  readonly threads?: number
  /** Memory of each job in bytes: JavaScript heap and Wasm together. Default: 96 MB, what fits into a 128 MB isolate. */
  readonly memoryBudget?: number
}

/** @typeParam In what the platform accepts as an input */
export interface PoolOf<In> {
  /**
   * Compresses like `compress`, in a thread.
   * @throws the errors of `compress`; CodecError `over_budget` if a thread of Node runs out of memory; Error if the thread crashes
   */
  compress(input: In, options?: PoolCompressOptions): Promise<Compressed>
  /** Verifies like `verify`, in a thread. */
  verify(original: In, result: In, receipt?: Receipt | string, options?: { readonly keys?: PublicKeys }): Promise<VerifyReport>
  /** Ends all threads. Jobs that run or wait fail. */
  close(): Promise<void>
}

/** Options of a job in a pool. Encoders of the caller cannot be handed to another thread. */
export type PoolCompressOptions = Omit<CompressOptions, 'native' | 'memoryBudget'>

/** The options that are copied to a thread. */
export type JobOptions = Omit<CompressOptions, 'native' | 'signal' | 'onProgress'>

export interface CompressJob {
  readonly input: JobInput
  readonly options: JobOptions
}

export interface VerifyJob {
  readonly original: JobInput
  readonly result: JobInput
  /** `undefined`: the files are only compared. */
  readonly receipt?: Receipt | string | undefined
  readonly keys?: PublicKeys | undefined
}

/** Jobs that threads of every platform know. */
export type PoolJobs = {
  readonly compress: { readonly job: CompressJob; readonly value: Compressed }
  readonly verify: { readonly job: VerifyJob; readonly value: VerifyReport }
}

/** Functions that jobs call, with the inputs of the platform. */
interface Functions {
  compress(input: string | Source, options: CompressOptions): Promise<Compressed>
  verify(
    original: string | Source,
    result: string | Source,
    receipt: Receipt | string | undefined,
    options: { readonly keys?: PublicKeys },
  ): Promise<VerifyReport>
}

export const poolHandlers = ({ compress, verify }: Functions): Handlers<PoolJobs> => ({
  compress: ({ input, options }, { open, onProgress }) => compress(open(input), { ...options, onProgress }),
  verify: ({ original, result, receipt, keys }, { open }) => verify(open(original), open(result), receipt, keys ? { keys } : {}),
})

/** Inputs of a job, and the sources among them, which stay with the caller. */
export class JobInputs {
  readonly sources: Source[] = []

  /** Bytes are copied to the thread, which reads other inputs by messages. */
  async add(input: Input, name?: string): Promise<JobInput> {
    const source = await sourceOf(input, name)
    if (input instanceof ArrayBuffer) return { kind: 'bytes', bytes: new Uint8Array(input), name: source.name }
    if (input instanceof Uint8Array) return { kind: 'bytes', bytes: ownCopy(input), name: source.name }
    return { kind: 'source', source: this.sources.push(source) - 1, size: source.size, name: source.name }
  }
}

/** Compresses an input of any platform. */
export function compressIn<Known extends PoolJobs>(
  threads: ThreadPool<Known>,
  input: JobInput,
  { signal, onProgress, ...options }: CompressOptions,
  sources: readonly Source[],
): Promise<Compressed> {
  return threads.run('compress', { input, options }, { signal, onProgress, sources })
}
