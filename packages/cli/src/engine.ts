/** What compresses files: the engines of this package (`local-engine.ts`), or a service (`remote-engine.ts`). */
import type { ReceiptView } from '../../../src/core/model/receipt.ts'
import type { CompressOptions, Task, UploadState } from './client.ts'
import type { InputFile } from './files.ts'

export type Stage = 'upload' | 'compress' | 'download'

export interface EngineRequest {
  readonly options: CompressOptions
  readonly attempt: UploadState
  /** True: the service keeps the task and its result. */
  readonly keep: boolean
  readonly signal: AbortSignal
  /** `share`: progress of the stage, 0–1. */
  progress(stage: Stage, share: number): void
}

/** Facts about a result, with the names of the API. */
export interface ResultFacts {
  readonly format: string
  readonly output_format: string
  readonly original_size: number
  readonly compressed_size: number
  readonly output_name: string
  /** Result section of the receipt. */
  readonly result: ReceiptView
}

export type EngineResult = FailedFile | CompressedFile

interface FailedFile {
  readonly status: 'failed'
  readonly message: string
  readonly task?: Task
  /** Deletes what remains of the job. */
  settle(): Promise<void>
}

export interface CompressedFile {
  readonly status: 'completed'
  readonly facts: ResultFacts
  readonly task?: Task
  /**
   * Writes the result to a new file beside `destination`, and compares its hash with the receipt.
   * @returns the path of the new file
   */
  store(destination: string): Promise<string>
  settle(): Promise<void>
}

export interface Engine {
  /** Name in the journal, so that runs with another engine do not continue this one. */
  readonly label: string
  /** Files that are compressed in parallel if the user does not say. */
  readonly parallel: number
  compress(job: InputFile, request: EngineRequest): Promise<EngineResult>
  /** Ends threads. */
  close(): Promise<void>
}
