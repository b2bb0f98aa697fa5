import type { TaskEvent } from '../../src/service/store/accounts.ts'
import type { Task, TaskError, TaskResult } from '../../src/service/store/task.ts'
import type { Callback, Job, Step } from '../../src/service/tasks/job.ts'
import { PartTable } from './part-table.ts'
import { readTask, writeTask } from './task-row.ts'

/** What could not be done is tried again after. */
export const SOON_MS = 5000

/** What a task ends with. */
export type TaskEnd = { status: 'completed'; progress: 1; result: TaskResult } | { status: 'failed'; error: TaskError }

export const hasEnded = (task: Task) => task.status === 'completed' || task.status === 'failed'

/** A task in its object: what is stored of it, its parts, and when its alarm rings. */
export class TaskState {
  task: Task | undefined
  job: Job | undefined
  callback: Callback | undefined
  /** What the account may not know yet. */
  events: TaskEvent[]
  /** While its blobs and its record go. */
  removing: Promise<void> | undefined
  readonly parts: PartTable
  readonly #storage: DurableObjectStorage
  /** When the alarm rings; undefined: nobody knows. It may ring too early, which costs less than each time putting it off. */
  #alarmAt: number | undefined

  constructor(storage: DurableObjectStorage) {
    const { task, job, callback, events } = readTask(storage.kv)
    this.task = task
    this.job = job
    this.callback = callback
    this.events = events
    this.parts = new PartTable(storage.sql)
    this.#storage = storage
  }

  begin(task: Task, job: Job): void {
    this.task = task
    this.job = job
  }

  /** Workers are too late while the task is being removed: what they store then would outlive it. */
  get live(): Task | undefined {
    return this.removing ? undefined : this.task
  }

  /** Writes nothing for a task that was removed while something was awaited. */
  save(): void {
    const { task, job, events, callback } = this
    if (task) writeTask(this.#storage.kv, { task, job, events, callback })
  }

  /** Written together, with nothing awaited between: a process killed right afterwards leaves no record without an alarm. */
  saveWithAlarm(): void {
    this.save()
    void this.ringAt(Date.now() + SOON_MS)
  }

  /** At that moment at the latest. */
  async ringAt(moment: number): Promise<void> {
    if (this.#alarmAt !== undefined && this.#alarmAt <= moment) return
    this.#alarmAt = moment
    await this.#storage.setAlarm(moment)
  }

  /** It has rung, or is not there. */
  forgetAlarm(): void {
    this.#alarmAt = undefined
  }

  async clear(): Promise<void> {
    // In this order: an alarm without a record does nothing, a record without an alarm would be forgotten.
    await this.#storage.deleteAll()
    await this.#storage.deleteAlarm()
    this.forgetAlarm()
    this.task = this.job = this.callback = undefined
    this.events = []
  }

  /** undefined: there are no parts now, or this one is done. */
  partStep(job: Job, part: number): Step | undefined {
    return job.phase === 'parts' ? this.parts.step(part) : undefined
  }

  /** `part` undefined: of the whole, or the join. */
  putStep(job: Job, part: number | undefined, step: Step): Step {
    if (part === undefined) job.step = step
    else this.parts.putStep(part, step)
    return step
  }

  /** Steps that are not done and whose turn has come. */
  openSteps(job: Job): [number | undefined, Step][] {
    return job.phase === 'parts' ? this.parts.open(job.released ?? job.parts) : [[undefined, job.step]]
  }
}
