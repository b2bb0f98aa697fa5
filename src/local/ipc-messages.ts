/**
 * Messages between a press process and its parent. Node sends them by structured clone, so `undefined`, bytes and Infinity are
 * preserved.
 */
import type { Claim } from '../service/store/tasks.ts'
import type { Step } from '../service/tasks/run.ts'
import type { FfmpegRequest } from './native.ts'

export type ClaimedStep = Extract<Claim, { kind: 'claimed' }>

/** Task methods that a press process may call. The parent makes the call, with the attempt number of its own lease. */
export const TASK_METHODS = ['split', 'completePart', 'complete', 'fail', 'giveUp', 'release'] as const
export type TaskMethod = (typeof TASK_METHODS)[number]

export interface WorkMessage {
  readonly kind: 'work'
  readonly step: Step
  readonly claim: ClaimedStep
  /** Folder of the press process: its blobs as files (see `blobFileName`). It may write nowhere else. */
  readonly folder: string
  /** Memory in bytes that the job may use within the press process. */
  readonly memoryBudget: number
  /** Name and version of the FFmpeg that the parent runs for this job. `undefined`: none. */
  readonly native?: string
}

export type MessageToPress =
  | WorkMessage
  | { readonly kind: 'answer'; readonly call: number; readonly value?: unknown; readonly error?: string }

export type MessageFromPress =
  | { readonly kind: 'ready'; readonly formats: readonly string[] }
  | { readonly kind: 'progress'; readonly share: number }
  /** The job needs more memory than an isolate has, and continues with the full budget. */
  | { readonly kind: 'enlarged' }
  /** Asks the parent to run FFmpeg. The answer is `undefined`, or the error message. */
  | { readonly kind: 'native'; readonly call: number; readonly request: FfmpegRequest }
  | { readonly kind: 'call'; readonly call: number; readonly method: TaskMethod; readonly args: readonly unknown[] }
  /** `error`: the step failed, and the failure could not be recorded in the task. */
  | { readonly kind: 'done'; readonly error?: string }

/** Events of a press process for its parent: its messages, and finally `gone` when the process has ended. */
export type PressEvent = MessageFromPress | { readonly kind: 'gone'; readonly why: string }

/** File name of a blob in the folder of a press process. */
export const blobFileName = (key: string) => key.replaceAll('/', '~')
