import type { Env } from '../../src/service/env.ts'
import { newUploadKey } from '../../src/service/store/blob-names.ts'
import { abortMultipart } from '../../src/service/store/blobs.ts'
import { PLANS } from '../../src/service/store/plans.ts'
import type { SyncOrder, SyncTrouble } from '../../src/service/store/syncs.ts'
import type { Task } from '../../src/service/store/task.ts'
import { ApiError } from '../../src/service/tasks/api-error.ts'
import { fileTooLarge, newTaskId } from '../../src/service/tasks/ingest.ts'
import { isOnRequest } from '../../src/service/tasks/job-options.ts'
import { openResult, SEND_MS } from '../../src/service/tasks/send-result.ts'
import { FETCH_MS } from '../../src/service/tasks/source-trouble.ts'
import { submit } from '../../src/service/tasks/submit.ts'
import type { SyncBuckets } from '../../src/service/tasks/sync/buckets.ts'
import { cutOff, fetchObject } from '../../src/service/tasks/sync/fetch-object.ts'
import { targetOf } from '../../src/service/tasks/sync/places.ts'
import { TimeLimits } from '../../src/service/tasks/time-limits.ts'
import { waitForTask } from '../../src/service/tasks/wait-for-task.ts'
import { hasEnded } from '../task/task-state.ts'
import type { SyncLedger } from './ledger.ts'
import { type SyncObject, WORK } from './object-table.ts'

/** Outcomes of a file that no compressor takes. It is copied as it is. */
const COPIED: readonly string[] = ['unsupported_format', 'empty_file']

/** What was written for an object will be replaced. */
const NO_RECEIPT = { done_etag: null, done_options: null, done_target_etag: null, done_target_size: null } as const

export interface WorkContext {
  readonly env: Env
  readonly order: SyncOrder
  readonly ledger: SyncLedger
  readonly buckets: SyncBuckets
  /** Aborts when the sync is cancelled. */
  readonly signal: AbortSignal
  /** Time in epoch milliseconds until which a task is waited for. */
  readonly until: number
  /** True in the first run after a start of the object. A service on one machine has lost the queue messages of earlier tasks then. */
  readonly isFirst: boolean
}

/**
 * Brings one object from the source to the destination. Each step is stored before it acts, so that after a restart the next run goes on
 * there, and a transfer that arrived is not repeated.
 */
export class ObjectWork {
  readonly #context: WorkContext

  constructor(context: WorkContext) {
    this.#context = context
  }

  /**
   * Works on the object until it has ended, or until its task takes longer than this run.
   * @throws SideError, ApiError and errors of the platform; the object stays at its step
   */
  async run(key: string): Promise<void> {
    const { ledger, signal } = this.#context
    // A transfer that an earlier run began may have arrived.
    let mayHaveArrived = true
    for (let object = ledger.objects.find(key); object && object.work !== WORK.none; object = ledger.objects.find(key)) {
      signal.throwIfAborted()
      if (object.work === WORK.check) await this.#check(object)
      else if (object.work === WORK.task) {
        if (!(await this.#compress(object))) return
        mayHaveArrived = false
      } else if (object.work === WORK.send) await this.#send(object, mayHaveArrived)
      else await this.#removeTask(object)
    }
  }

  /** Skips an object whose result is still at the destination, and chooses the task of another. */
  async #check(object: SyncObject): Promise<void> {
    const { order, ledger, buckets, signal } = this.#context
    const isCovered = object.done_etag === object.etag && object.done_options === ledger.optionsOf(order)
    if (isCovered && object.target !== null && object.done_target_etag !== null) {
      const facts = await buckets.destination(signal).head(object.target)
      if (facts?.etag === object.done_target_etag && facts.size === object.done_target_size) return ledger.end(object, { kind: 'skipped' })
    }
    const { maxFileBytes } = PLANS[order.planId]
    if (object.size > maxFileBytes) return this.#fail(object, fileTooLarge(maxFileBytes))
    ledger.objects.change(object.key, { work: WORK.task, task_id: newTaskId(order.accountId) })
  }

  /** Makes the task of an object and waits for it. Returns `false` if it takes longer than this run. */
  async #compress(object: SyncObject): Promise<boolean> {
    const { env, ledger, until, isFirst } = this.#context
    const taskId = object.task_id!
    const record = env.TASKS.getByName(taskId)
    const earlier = await record.read()
    if (earlier?.status === 'pending' && isFirst && env.ENVIRONMENT === 'local') await record.toQueue()
    const task = earlier ?? (await this.#submit(object))
    if (!task) return true
    const ended = hasEnded(task) ? task : await waitForTask(env, taskId, Math.max(1, until - Date.now()))
    if (!ended) throw new Error(`The task ${taskId} of a sync was removed.`)
    if (!hasEnded(ended)) return false
    if (ended.error) ledger.fail(object, { type: ended.error.type, message: ended.error.message })
    else await this.#prepare(object, ended)
    return true
  }

  /** Fetches the object and makes its task. `undefined`: the object is copied, or has failed. */
  async #submit(object: SyncObject): Promise<Task | undefined> {
    const { env, order, ledger, buckets, signal } = this.#context
    const { key, task_id } = object
    const plan = PLANS[order.planId]
    const uploadKey = newUploadKey(task_id!, plan.retentionMs)
    if (object.multipart_id !== null) await abortMultipart(env.BLOBS, uploadKey, object.multipart_id)
    using limits = new TimeLimits(signal, FETCH_MS, cutOff)
    try {
      const { format } = order.options
      const { facts, file } = await fetchObject(env, buckets.source(limits.signal), {
        ...{ key, taskId: task_id!, accountId: order.accountId, uploadKey, plan, limits },
        mayBePacked: format !== undefined && isOnRequest(format),
        onMultipart: (multipartId) => ledger.objects.change(key, { multipart_id: multipartId }),
      })
      // The receipt is for the content that was read.
      ledger.objects.change(key, { etag: facts.etag, size: facts.size, multipart_id: null })
      const { accountId, requestId, baseUrl, options } = order
      return await submit({ env, key: { accountId }, plan, requestId, baseUrl, jobOptions: { preset: options } }, file, 'slow')
    } catch (error) {
      if (limits.timedOut) throw limits.timedOut
      if (!(error instanceof ApiError) || !COPIED.includes(error.type)) throw error
      await this.#prepare(object, undefined)
      return undefined
    }
  }

  /** Stores what will be written to the destination, and what is there now. @param task task with the result. `undefined`: a copy */
  async #prepare(object: SyncObject, task: Task | undefined): Promise<void> {
    const { order, ledger, buckets, signal } = this.#context
    const { result } = task ?? {}
    const target = targetOf(order, object.key, task)
    if (ledger.objects.isTaken(target, object)) return ledger.fail(object, ledger.taken(target))
    // No other object may choose this key during the request.
    ledger.objects.change(object.key, { target, ...NO_RECEIPT })
    const before = await buckets.destination(signal).head(target)
    ledger.objects.change(object.key, {
      work: WORK.send,
      before_etag: before?.etag ?? null,
      is_copy: result ? 0 : 1,
      ...(result ? { target_size: result.size } : { target_size: object.size, task_id: null }),
    })
  }

  async #send(object: SyncObject, mayHaveArrived: boolean): Promise<void> {
    const { env, ledger, buckets, signal } = this.#context
    const target = object.target!
    const task = object.task_id === null ? undefined : await env.TASKS.getByName(object.task_id).read()
    // The task expired while the destination did not take its result.
    if (!object.is_copy && !task?.result) return ledger.objects.change(object.key, { work: WORK.check, task_id: null })
    const kind = task?.result?.outcome.kind ?? 'unchanged'
    if (mayHaveArrived) {
      const facts = await buckets.destination(signal).head(target)
      if (facts && facts.etag !== object.before_etag && facts.size === object.target_size)
        return ledger.end(object, { kind, etag: facts.etag })
    }
    const etag = await (object.is_copy ? this.#copy(object) : this.#deliver(object, task!))
    if (etag !== undefined) ledger.end(object, { kind, etag })
  }

  /** Writes the result of a task. Returns its entity tag. */
  async #deliver({ target }: SyncObject, { result }: Task): Promise<string> {
    const { env, buckets, signal } = this.#context
    const { size, contentType } = result!
    const stored = await openResult(env, result!)
    using limits = new TimeLimits(signal, SEND_MS, cutOff)
    return (await buckets.destination(limits.signal).write(target!, stored, size, { contentType })).etag
  }

  /** Copies the object. `undefined`: it has changed since it was listed, and begins again. */
  async #copy(object: SyncObject): Promise<string | undefined> {
    const { buckets, signal, ledger } = this.#context
    using limits = new TimeLimits(signal, SEND_MS, cutOff)
    const { body, ...facts } = await buckets.source(limits.signal).read(object.key)
    if (facts.etag !== object.etag || facts.size !== object.size) {
      await body.cancel().catch(() => undefined)
      ledger.objects.change(object.key, { work: WORK.check, etag: facts.etag, size: facts.size })
      return undefined
    }
    const contentType = facts.contentType ?? 'application/octet-stream'
    return (await buckets.destination(limits.signal).write(object.target!, body, facts.size, { contentType })).etag
  }

  /** Removes the task of an object that has ended: its result is at the destination. */
  async #removeTask({ key, task_id }: SyncObject): Promise<void> {
    const { env, ledger } = this.#context
    if (task_id !== null) await env.TASKS.getByName(task_id).remove()
    ledger.objects.change(key, { work: WORK.none, task_id: null })
  }

  #fail(object: SyncObject, { type, apiMessage }: ApiError): void {
    const trouble: SyncTrouble = { type, message: apiMessage }
    this.#context.ledger.fail(object, trouble)
  }
}
