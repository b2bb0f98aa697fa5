import type { Env } from '../../src/service/env.ts'
import { type NewTask, type Task, type TaskResult, toTaskView } from '../../src/service/store/task.ts'
import { egressSender } from '../../src/service/tasks/egress.ts'
import { cpuTimeOf } from '../../src/service/tasks/job.ts'
import { deliverWebhook, nextDeliveryAt } from '../../src/service/tasks/notify.ts'
import { hasEnded, type TaskState } from './task-state.ts'

/** Outgoing messages of a task: events for its account, and the callback for its client. */
export class Outbox {
  readonly #state: TaskState
  readonly #env: Env

  constructor(state: TaskState, env: Env) {
    this.#state = state
    this.#env = env
  }

  noteCreated(task: Omit<NewTask, 'password'>): void {
    const { taskId, batchId, position, createdAt, format, originalSize } = task
    const place = { ...(batchId === undefined ? {} : { batchId }), ...(position === undefined ? {} : { position }) }
    this.#state.events = [{ kind: 'created', taskId, ...place, createdAt, format, size: originalSize }]
  }

  noteEnded(ended: Task, now: number): void {
    const state = this.#state
    const cpu = cpuTimeOf(ended, state.job!)
    state.events = [...state.events, { ...(ended.result ? completedEvent(ended, ended.result) : failedEvent(ended)), cpu }]
    if (!ended.callbackUrl) return
    const event = { type: `task.${ended.status}`, timestamp: new Date(now).toISOString(), data: toTaskView(ended, ended.baseUrl) }
    const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`
    state.callback = { url: ended.callbackUrl, messageId, body: JSON.stringify(event), nextAt: now, deliveries: [] }
  }

  /**
   * Sends pending events to the account. Sent events are removed from storage only with the next save, so a restart may send them twice.
   */
  async sendEvents(): Promise<void> {
    const { task, events } = this.#state
    if (!task || events.length === 0) return
    try {
      await this.#env.ACCOUNTS.getByName(task.accountId).tell(events)
      this.#state.events = this.#state.events.filter((event) => !events.includes(event))
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'account_unreachable', task_id: task.taskId, error: String(error) }))
    }
  }

  /** Tells the account that the task is removed. Throws if the account cannot be reached, so that the removal is repeated. */
  async sendRemoved(task: Task): Promise<void> {
    const { events, job } = this.#state
    const cpu = job && !hasEnded(task) ? { cpu: { ...cpuTimeOf(task, job), at: Date.now(), format: task.format } } : {}
    await this.#env.ACCOUNTS.getByName(task.accountId).tell([...events, { kind: 'removed', taskId: task.taskId, ...cpu }])
    this.#state.events = []
  }

  async deliverCallback(): Promise<void> {
    const { task, callback } = this.#state
    if (!task || !callback || callback.nextAt === undefined || callback.nextAt > Date.now()) return
    const account = this.#env.ACCOUNTS.getByName(task.accountId)
    const delivery = await deliverWebhook(egressSender(this.#env.EGRESS), callback, await account.webhookSecret())
    const deliveries = [...callback.deliveries, delivery]
    const nextAt = nextDeliveryAt(delivery, deliveries.length)
    const { nextAt: _, ...rest } = callback
    // The task may have been removed while its callback was delivered. Store nothing then.
    if (this.#state.task) {
      this.#state.callback = { ...rest, deliveries, ...(nextAt === undefined ? {} : { nextAt }) }
      this.#state.save()
    }
    const { url, messageId } = callback
    await account.noteDelivery({ kind: 'task', taskId: task.taskId, messageId, url, attempt: deliveries.length, ...delivery })
  }
}

const completedEvent = (task: Task, result: TaskResult) => {
  const { taskId, completedAt, createdAt, format, originalSize, effort } = task
  const facts = { taskId, at: completedAt ?? createdAt, format, originalSize, compressedSize: result.size }
  return { kind: 'completed' as const, ...facts, ...(effort === undefined ? {} : { effort }) }
}

const failedEvent = (task: Task) => ({
  kind: 'failed' as const,
  taskId: task.taskId,
  at: task.completedAt ?? task.createdAt,
  format: task.format,
})
