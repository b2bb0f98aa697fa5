/** The typed face of TaskRecord: one Durable Object per task, named by the task id. */
import type { StoredMessage } from '../../core/i18n/message.ts'
import type { PartPlan, PartReceipt } from '../../core/model/segmented.ts'
import type { NewTask, StoredResult, Task, TaskError } from './task.ts'

/** A queue message: one step of one task. Old generations are ignored, so that cancel and re-plan win. */
export interface JobMessage {
  readonly taskId: string
  readonly generation: number
  /** `whole` also plans; `part` encodes one segment; `join` puts them together. */
  readonly step: 'whole' | 'part' | 'join'
  readonly part?: number
  /** Of the upload. */
  readonly bytes?: number
}

/**
 * Newest and oldest protocol between workers and task records that this release supports. During a deployment, workers and records
 * belong to two releases, so the oldest is the newest of the release before.
 */
export const PROTOCOL = 2
export const OLDEST_PROTOCOL = 1
/** First protocol whose messages are codes with parameters. Before it, they are English text. */
export const CODED_MESSAGES = 2

/** Forms that somebody speaks, both ends included. */
export interface Protocols {
  readonly oldest: number
  readonly newest: number
}

export const SPOKEN: Protocols = { oldest: OLDEST_PROTOCOL, newest: PROTOCOL }

/** Who claims a step. */
export interface ClaimingWorker {
  /** Of one run of one step. */
  readonly id: string
  /** The newest that it speaks. */
  readonly protocol: number
  /** Absent: it speaks no other. */
  readonly oldest?: number
  /** It is in a container, with more room than isolates have. */
  readonly heavy?: boolean
}

/** The newest form that both speak; undefined: there is none. */
export function commonProtocol(
  { protocol, oldest = protocol }: Pick<ClaimingWorker, 'protocol' | 'oldest'>,
  own: Protocols = SPOKEN,
): number | undefined {
  const common = Math.min(protocol, own.newest)
  return common >= Math.max(oldest, own.oldest) ? common : undefined
}

export interface PartRecord {
  readonly index: number
  readonly plan: PartPlan
  readonly receipt?: PartReceipt
  /** Blob of the finished part. */
  readonly key?: string
  readonly size?: number
}

export type Claim =
  | {
      readonly kind: 'claimed'
      /** What this claim, and all that follows it, is said in. Absent: in the first form. */
      readonly protocol?: number
      readonly attempt: number
      readonly generation: number
      readonly task: Task
      /** Blob of the upload. */
      readonly uploadKey: string
      readonly password?: string
      /** For `part`: that one. For `join`: all of them, done. */
      readonly parts: readonly PartRecord[]
      /** For `part`: sums over the receipts of finished ones that have both numbers. */
      readonly soFar: { readonly bytes: number; readonly replaces: number }
      /** It took a worker along before, or was beside one that did: nothing runs beside it now. */
      readonly alone: boolean
      /** The file needs more than a job has, and why: the upload is the result, nothing is tried. */
      readonly overBudget?: StoredMessage
    }
  /** Somebody else holds the lease, or the step is done, or the task is gone: forget the message. */
  | { readonly kind: 'forget' }
  /** The worker speaks nothing that the record does, which `spoken` says: another one may have the step. */
  | { readonly kind: 'incompatible'; readonly spoken: Protocols }

/** What an attempt broke of: our own bug, or a platform that did not answer. */
export type Whose = 'codec' | 'platform'

export interface TaskRecordFace {
  /** Accepts a task, indexes it in its account, and (slow lane) enqueues it. Idempotent. */
  create(task: NewTask): Promise<Task>
  /** A task that failed at the door (one bad file of a batch). */
  createFailed(task: NewTask, error: TaskError): Promise<Task>
  read(): Promise<Task | undefined>
  /** Like read, but waits until the task has ended or `ms` have passed. */
  wait(ms: number): Promise<Task | undefined>
  /** Takes the lease for a step. `generation` null: the current one (quick lane). The same worker may ask again. */
  claim(generation: number | null, step: JobMessage['step'], part?: number, worker?: ClaimingWorker): Promise<Claim>
  /** The press had no room for it, or its call broke (`worker` had claimed it, perhaps): the queue has it from now on. */
  toQueue(worker?: string): Promise<void>
  /** Keeps the lease and tells progress (0–1). 'stop': the lease is lost or the task was deleted. */
  beat(attempt: number, progress: number, part?: number): Promise<'go on' | 'stop'>
  /** The job is made of parts: one message each. */
  split(attempt: number, plans: readonly PartPlan[]): Promise<void>
  /** false: too late; the caller removes its blob. */
  completePart(attempt: number, part: number, receipt: PartReceipt, key: string, size: number): Promise<boolean>
  /** false: too late (deleted, or another attempt has finished); the caller removes its blob. */
  complete(attempt: number, result: StoredResult): Promise<boolean>
  fail(attempt: number, error: TaskError): Promise<void>
  /** The file needs more than a job has, so much that this attempt cannot even complete the task; another one does. */
  giveUp(attempt: number, why: StoredMessage): Promise<void>
  /** The attempt broke: try again later, or fail after the third that broke by itself, or when the platform failed for an hour. */
  release(attempt: number, why: string, part?: number, whose?: Whose): Promise<void>
  /** Cancels a running job, removes blobs and record. undefined: there was none. */
  remove(): Promise<{ freedBytes: number } | undefined>
  /** The message that is (or was) delivered. undefined: there is none. */
  callback(): Promise<{ url: string; messageId: string; body: string } | undefined>
  /** Sends the callback once more, now. false: there is none. */
  replayCallback(): Promise<boolean>
  /** Blob keys that this task still needs, for the orphan sweep. undefined: no such task. */
  names(): Promise<string[] | undefined>
  /** Sets the alarm anew, whatever it is; false: nothing is left to do. */
  ringSoon(): Promise<boolean>
}
