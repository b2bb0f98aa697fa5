import type { Env } from '../../src/service/env.ts'
import { type DeliveryState, type Destination, destinationKey, NEW_DELIVERY } from '../../src/service/store/destinations.ts'
import { shownAddress } from '../../src/service/store/sources.ts'
import type { Task, TaskResult } from '../../src/service/store/task.ts'
import type { Delivery } from '../../src/service/tasks/notify.ts'
import { isDelivered, MAX_SENDS, pauseAfter, SEND_MS, sendResult } from '../../src/service/tasks/send-result.ts'
import { traceField } from '../../src/service/trace-context.ts'
import { OneRun } from './one-run.ts'
import type { SealedText } from './sealed-text.ts'
import { SendPlaces } from './send-places.ts'
import { RETRY_PAUSE_MS, type TaskState } from './task-state.ts'

/** Deliveries that all tasks in this isolate send at the same time. */
const places = new SendPlaces()

interface Dependencies {
  readonly env: Env
  readonly destination: SealedText
}

/** What a task shows of its destination, before anything was sent. */
export function destinationFields(destination: Destination | undefined): Pick<Task, 'destinationUrl' | 'destinationBucket' | 'delivery'> {
  if (!destination) return {}
  const shown = 'url' in destination ? { destinationUrl: shownAddress(destination.url) } : { destinationBucket: destination }
  return { ...shown, delivery: NEW_DELIVERY }
}

/**
 * Sends the result of a task to its destination. The task's alarm runs it, so that a restart of the service repeats a request that was
 * cut off. The result stays stored, whatever happens at the destination.
 */
export class ResultSender {
  readonly #state: TaskState
  readonly #dependencies: Dependencies
  readonly #run = new OneRun()

  constructor(state: TaskState, dependencies: Dependencies) {
    this.#state = state
    this.#dependencies = dependencies
  }

  /** Schedules the delivery of a task that has just ended. A failed task has nothing to send. */
  noteEnded(ended: Task, now: number): Pick<Task, 'delivery'> {
    if (!ended.delivery) return {}
    if (ended.result) this.#state.sendAt = now
    return { delivery: { ...ended.delivery, status: ended.result ? 'pending' : 'failed' } }
  }

  /** Sends the result if it is time to. */
  async run(): Promise<void> {
    const { live: task, sendAt } = this.#state
    if (!task?.result || task.delivery?.status !== 'pending' || this.#run.isRunning || sendAt === undefined || sendAt > Date.now()) return
    const { result, delivery } = task
    await this.#run.start(
      (signal) => this.#attempt(task, { result, delivery }, signal),
      (runs) => {
        this.#state.sending = runs
      },
    )
  }

  /** Ends a running request and resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#run.stop('The task was removed, or is delivered again.')
  }

  /**
   * Schedules a new delivery, from the first request on.
   * @param destination new destination; `undefined`: the one that the task has
   * @returns the task; `undefined`: it is gone, not completed, or has no destination
   */
  async restart(destination?: Destination): Promise<Task | undefined> {
    const taskId = this.#state.task?.taskId
    if (taskId === undefined) return undefined
    const sealed = destination && (await this.#dependencies.destination.seal(JSON.stringify(destination), taskId))
    await this.stop()
    const { live: task } = this.#state
    if (!task?.result || !(destination || task.delivery)) return undefined
    this.#dependencies.destination.keep(sealed)
    const { destinationUrl: _, destinationBucket: __, ...withoutDestination } = task
    const kept = destination ? { ...withoutDestination, ...destinationFields(destination) } : { ...task, delivery: NEW_DELIVERY }
    this.#keep(kept, Date.now())
    return this.#state.task
  }

  async #attempt(task: Task, { result, delivery }: { result: TaskResult; delivery: DeliveryState }, signal: AbortSignal): Promise<void> {
    // A restart of the service cut off the last request.
    if (delivery.attempts >= MAX_SENDS) return this.#keep({ ...task, delivery: { ...delivery, status: 'failed' } })
    using place = places.take(task.accountId)
    if (!place) return this.#keep(task, Date.now() + RETRY_PAUSE_MS)
    const attempts = delivery.attempts + 1
    const pauseMs = pauseAfter(attempts)
    const started = { ...delivery, attempts }
    // If a restart cuts this request off, the next one follows as after a failure.
    this.#keep({ ...task, delivery: started }, Date.now() + (pauseMs ?? RETRY_PAUSE_MS))
    const sent = await this.#send(task, result, signal)
    const { live: now } = this.#state
    if (signal.aborted || !now) return
    const lastStatus = sent.status === 0 ? null : sent.status
    if (isDelivered(sent)) this.#keep({ ...now, delivery: { status: 'delivered', attempts, lastStatus } })
    else if (pauseMs === undefined) this.#keep({ ...now, delivery: { status: 'failed', attempts, lastStatus } })
    else this.#keep({ ...now, delivery: { status: 'pending', attempts, lastStatus } }, Date.now() + pauseMs)
    await this.#note(now, attempts, sent)
  }

  async #send(task: Task, result: TaskResult, signal: AbortSignal): Promise<Delivery> {
    const at = Date.now()
    let destination: Destination
    try {
      destination = JSON.parse((await this.#dependencies.destination.open(task.taskId)) ?? '') as Destination
    } catch {
      // The secret of the Worker was changed after the task was created.
      return { at, status: 0, ms: Date.now() - at, error: 'The stored destination cannot be decrypted.' }
    }
    const withinMs = Math.max(0, Math.min(SEND_MS, (task.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()))
    return sendResult(this.#dependencies.env, { accountId: task.accountId, destination, result, signal, withinMs })
  }

  /** Stores the task and the time of its next request. `undefined`: there is none. */
  #keep(task: Task, sendAt?: number): void {
    const state = this.#state
    if (!state.live) return
    state.task = task
    state.sendAt = sendAt
    state.save()
  }

  /** Adds the request to the account's list of deliveries, which the console shows. */
  async #note(task: Task, attempt: number, sent: Delivery): Promise<void> {
    const { accountId, taskId, traceparent } = task
    const url = task.destinationUrl ?? bucketAddress(task)
    if (!isDelivered(sent)) {
      const facts = { task_id: taskId, ...traceField(traceparent), attempt, status: sent.status, error: sent.error }
      console.warn(JSON.stringify({ level: 'warn', event: 'delivery_failed', ...facts }))
    }
    const record = { kind: 'destination' as const, taskId, messageId: `${taskId}/${sent.at}`, url, attempt, ...sent }
    await this.#dependencies.env.ACCOUNTS.getByName(accountId)
      .noteDelivery(record)
      .catch(() => undefined)
  }
}

/** Connection and key, for people. */
const bucketAddress = ({ destinationBucket, result }: Task): string =>
  destinationBucket ? `${destinationBucket.connection}: ${destinationKey(destinationBucket, result?.outputName ?? '')}` : ''
