import type { TaskEvent } from '../../src/service/store/accounts.ts'
import type { SourceState } from '../../src/service/store/sources.ts'
import type { Task, TaskError, TaskResult } from '../../src/service/store/task.ts'
import type { Callback, Job, Step } from '../../src/service/tasks/job.ts'
import { PartTable } from './part-table.ts'
import { readTask, writeTask } from './task-row.ts'
import { WaitList } from './waiting.ts'

/** Pause in milliseconds before a failed action is repeated. */
export const RETRY_PAUSE_MS = 5000

/** Final state of a task: completed with a result, or failed with an error. */
export type TaskEnd = { status: 'completed'; progress: 1; result: TaskResult } | { status: 'failed'; error: TaskError }

export const hasEnded = (task: Task) => task.status === 'completed' || task.status === 'failed'

/** State of a task in its object: the stored fields, its parts, and the time of its alarm. */
export class TaskState {
  task: Task | undefined
  job: Job | undefined
  callback: Callback | undefined
  source: SourceState | undefined
  /** Time of the next delivery to the destination in epoch milliseconds. `undefined`: none. */
  sendAt: number | undefined
  /** True while this object fetches the source. Not stored: after a restart nothing runs. */
  fetching = false
  /** True while this object sends the result. Not stored. */
  sending = false
  /** Task events that the account has not confirmed yet. */
  events: TaskEvent[]
  /** Promise of the running removal. `undefined`: the task is not being removed. */
  removing: Promise<void> | undefined
  readonly parts: PartTable
  /** Callers that wait for a change of the task. */
  readonly changes = new WaitList()
  readonly #storage: DurableObjectStorage
  /**
   * Time of the alarm in epoch milliseconds. `undefined`: unknown. The alarm may fire too early; postponing it each time would cost more.
   */
  #alarmAt: number | undefined

  constructor(storage: DurableObjectStorage) {
    const { task, job, callback, events, source, sendAt } = readTask(storage.kv)
    this.task = task
    this.job = job
    this.callback = callback
    this.source = source
    this.sendAt = sendAt
    this.events = events
    this.parts = new PartTable(storage.sql)
    this.#storage = storage
  }

  begin(task: Task, job: Job): void {
    this.task = task
    this.job = job
  }

  /** The task, or `undefined` while it is being removed. Workers must not store anything then. */
  get live(): Task | undefined {
    return this.removing ? undefined : this.task
  }

  /** Stores the task. Does nothing if the task was removed during an earlier `await`. */
  save(): void {
    const { task, job, events, callback, source, sendAt } = this
    if (!task) return
    writeTask(this.#storage.kv, { task, job, events, callback, source, sendAt })
    this.changes.wakeAll()
  }

  /** Stores the task and sets an alarm without an `await` between, so that a crash cannot leave a record without an alarm. */
  saveWithAlarm(): void {
    this.save()
    void this.setAlarmBy(Date.now() + RETRY_PAUSE_MS)
  }

  /** Sets the task's alarm to `time` (epoch milliseconds) unless it is set to an earlier time. */
  async setAlarmBy(time: number): Promise<void> {
    if (this.#alarmAt !== undefined && this.#alarmAt <= time) return
    this.#alarmAt = time
    await this.#storage.setAlarm(time)
  }

  /** Marks the task's alarm as not set: it has fired or was lost. */
  forgetAlarm(): void {
    this.#alarmAt = undefined
  }

  async clear(): Promise<void> {
    // Delete the task's record before its alarm: an alarm without a record does nothing, but a record without an alarm would stay forever.
    await this.#storage.deleteAll()
    await this.#storage.deleteAlarm()
    this.forgetAlarm()
    this.task = this.job = this.callback = this.source = this.sendAt = undefined
    this.events = []
    this.changes.wakeAll()
  }

  /** Returns the state of a part. `undefined`: the job has no parts now, or the part is done. */
  partStep(job: Job, part: number): Step | undefined {
    return job.phase === 'parts' ? this.parts.step(part) : undefined
  }

  /**
   * Stores the state of a step.
   * @param part number of the part; `undefined`: the whole file or the join
   */
  putStep(job: Job, part: number | undefined, step: Step): Step {
    if (part === undefined) job.step = step
    else this.parts.putStep(part, step)
    return step
  }

  /** Returns the unfinished steps that workers may claim: parts with their number, or the single step of an unsplit job. */
  openSteps(job: Job): [number | undefined, Step][] {
    if (job.phase === 'fetch') return []
    return job.phase === 'parts' ? this.parts.open(job.released ?? job.parts) : [[undefined, job.step]]
  }
}
