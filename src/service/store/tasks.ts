/** RPC interface of the Durable Object TaskRecord: one object for each task, named by the task id. */
import type { StoredMessage } from '../../core/i18n/message.ts'
import type { PartPlan, PartReceipt } from '../../core/model/segmented.ts'
import type { Destination } from './destinations.ts'
import type { NewTask, StoredResult, Task, TaskError } from './task.ts'

/** Queue message: one step of one task. Messages of an older generation are ignored, so that cancelling and replanning take effect. */
export interface JobMessage {
  readonly taskId: string
  readonly generation: number
  /** Steps: `whole` plans and compresses the file; `part` encodes one segment; `join` combines the parts. */
  readonly step: 'whole' | 'part' | 'join'
  readonly part?: number
  /** Size of the upload in bytes. */
  readonly bytes?: number
  /** True: the account is above its CPU quota, so steps of other accounts go first. */
  readonly low?: boolean
}

/**
 * Newest and oldest version of the protocol between workers and task records in this release.
 * During a rollout, both releases run at once, so the oldest version is the one of the release before.
 */
export const PROTOCOL = 2
export const OLDEST_PROTOCOL = 1
/** First protocol whose messages are codes with parameters. Before it, they are English text. */
export const CODED_MESSAGES = 2

/** Range of protocol versions, both ends included. */
export interface ProtocolRange {
  readonly oldest: number
  readonly newest: number
}

export const SUPPORTED_PROTOCOLS: ProtocolRange = { oldest: OLDEST_PROTOCOL, newest: PROTOCOL }

/** The worker that claims a step. */
export interface ClaimingWorker {
  /** Worker id, new for each run of a step. */
  readonly id: string
  /** Newest protocol version of the worker. */
  readonly protocol: number
  /** Oldest protocol version of the worker. `undefined`: only `protocol`. */
  readonly oldest?: number
  /** True if the worker runs in a container, which has more memory and time than an isolate. */
  readonly heavy?: boolean
}

/** Newest protocol version that worker and record share. `undefined`: none. */
export function commonProtocol(
  { protocol, oldest = protocol }: Pick<ClaimingWorker, 'protocol' | 'oldest'>,
  own: ProtocolRange = SUPPORTED_PROTOCOLS,
): number | undefined {
  const common = Math.min(protocol, own.newest)
  return common >= Math.max(oldest, own.oldest) ? common : undefined
}

export interface PartRecord {
  readonly index: number
  readonly plan: PartPlan
  readonly receipt?: PartReceipt
  /** Blob key of the finished part. */
  readonly key?: string
  readonly size?: number
}

export type Claim =
  | {
      readonly kind: 'claimed'
      /** Protocol version of this claim and the calls that follow it. `undefined`: version 1. */
      readonly protocol?: number
      readonly attempt: number
      readonly generation: number
      readonly task: Task
      /** Blob key of the upload. */
      readonly uploadKey: string
      readonly password?: string
      /** Parts for this step. Step `part`: that part; step `join`: all parts, finished; step `whole`: none. */
      readonly parts: readonly PartRecord[]
      /** Progress of the job for step `part`: total bytes of finished parts that replace others, and the bytes that they replace. */
      readonly soFar: { readonly bytes: number; readonly replaces: number }
      /** True if a worker was lost with this step, or with one beside it. The step then runs alone in its isolate. */
      readonly alone: boolean
      /** Why the file exceeds the job's budget. The worker then completes the task with the unchanged upload. `undefined`: compress it. */
      readonly overBudget?: StoredMessage
    }
  /** Claim refused: another worker has the lease, the step is done, or the task is gone. The worker drops the message. */
  | { readonly kind: 'forget' }
  /** Claim refused: worker and record share no protocol version. `spoken` has the versions of the record. */
  | { readonly kind: 'incompatible'; readonly spoken: ProtocolRange }

/** Cause of a failed attempt: an error in Whittle's code, or an unavailable platform service. */
export type FailureCause = 'codec' | 'platform'

/** Most links of a task that work at the same time. */
export const MAX_LINKS = 100

/** Link that downloads a result without a key. */
export interface NewLink {
  readonly id: string
  /** Time in epoch milliseconds after which the link no longer works. */
  readonly expiresAt: number
  /** Number of downloads. `undefined`: no limit. */
  readonly maxDownloads?: number
}

export interface TaskRecordApi {
  /** Accepts a task, adds it to its account's index, and (slow lane) queues it. Idempotent. */
  create(task: NewTask): Promise<Task>
  /** Creates a task that has failed already, such as an unsupported file of a batch. */
  createFailed(task: NewTask, error: TaskError): Promise<Task>
  read(): Promise<Task | undefined>
  /** Returns the task when it has ended, or after `ms` milliseconds. */
  wait(ms: number): Promise<Task | undefined>
  /** Returns the task when its status or progress differs from `seen`, or after `ms` milliseconds. `undefined`: the task does not exist. */
  watch(seen: Pick<Task, 'status' | 'progress'>, ms: number): Promise<Task | undefined>
  /**
   * Takes the lease for a step. `generation` `null`: the current one (quick lane). A worker whose claim's response was lost may repeat it.
   */
  claim(generation: number | null, step: JobMessage['step'], part?: number, worker?: ClaimingWorker): Promise<Claim>
  /** Moves a quick task to the queue, because the press was busy or its call failed. `worker`: the worker of the failed call. */
  toQueue(worker?: string): Promise<void>
  /**
   * Renews the lease and reports progress (0–1). `'stop'`: the lease is lost or the task was removed.
   * @param cpuMs CPU time in milliseconds since the last heartbeat of this attempt. `undefined`: not measured, as in isolates
   */
  beat(attempt: number, progress: number, part?: number, cpuMs?: number): Promise<'go on' | 'stop'>
  /** Splits the job into parts. Each part gets its own queue message. */
  split(attempt: number, plans: readonly PartPlan[]): Promise<void>
  /** Stores the result of a part. Returns `false` if the task or the part has ended; the caller then removes the part's blob. */
  completePart(attempt: number, part: number, receipt: PartReceipt, key: string, size: number): Promise<boolean>
  /** Completes the task. Returns `false` if the task was removed or has ended; the caller then removes the result's blob. */
  complete(attempt: number, result: StoredResult): Promise<boolean>
  fail(attempt: number, error: TaskError): Promise<void>
  /**
   * Reports that the file exceeds the budget so far that this attempt cannot complete the task. A later attempt returns the upload
   * unchanged.
   */
  giveUp(attempt: number, why: StoredMessage): Promise<void>
  /** Reports a failed attempt. It is repeated later; the task fails after 3 errors of the code, or after an hour of platform errors. */
  release(attempt: number, why: string, part?: number, whose?: FailureCause): Promise<void>
  /** Stores a link to the result. Returns `false` if the task is gone or has `MAX_LINKS` links that still work. */
  createLink(link: NewLink): Promise<boolean>
  /** Returns the task if this link to its result still works. */
  linked(linkId: string): Promise<Task | undefined>
  /** Counts a download of a link. Returns `false` if the link no longer works. */
  countDownload(linkId: string): Promise<boolean>
  /** Cancels a running job and removes blobs and record. `undefined`: the task does not exist. */
  remove(): Promise<{ freedBytes: number } | undefined>
  /** Returns the task's callback message, whether it is delivered or not. `undefined`: there is none. */
  callback(): Promise<{ url: string; messageId: string; body: string } | undefined>
  /** Sends the task's callback once more, now. Returns `false` if there is none. */
  replayCallback(): Promise<boolean>
  /**
   * Sends the result to its destination again, or to another one. Returns the task. `undefined`: it is gone, not completed, or has no
   * destination.
   */
  redeliver(destination?: Destination): Promise<Task | undefined>
  /** Returns the keys of the blobs that the task still needs, for the sweep. `undefined`: the task does not exist. */
  names(): Promise<string[] | undefined>
  /** Sets the task's alarm again, after it may have been lost. Returns `false` if the task does not exist or has ended. */
  ringSoon(): Promise<boolean>
}
