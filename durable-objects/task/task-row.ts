/** Storage format of a task: one row for all fields, because writing a row costs as much as reading 1,000 rows. */
import type { TaskEvent } from '../../src/service/store/accounts.ts'
import type { SourceState } from '../../src/service/store/sources.ts'
import { revivedTask, type StoredTask, type Task } from '../../src/service/store/task.ts'
import type { Callback, Job } from '../../src/service/tasks/job.ts'

interface TaskExtras {
  readonly job: Job | undefined
  /** Task events that the account has not confirmed yet. */
  readonly events: TaskEvent[]
  readonly callback: Callback | undefined
  /** Source that the task has not fetched yet. `undefined`: the file is there, or was sent by the client. */
  readonly source?: SourceState | undefined
  /** Time of the next delivery to the destination in epoch milliseconds. `undefined`: none. */
  readonly sendAt?: number | undefined
}

export interface TaskRow extends TaskExtras {
  readonly task: Task | undefined
}

/** Reads a task. Supports the format of earlier releases, in which job, events and callback had their own rows. */
export function readTask(kv: SyncKvStorage): TaskRow {
  const kept = kv.get<StoredTask & { readonly beside?: TaskExtras }>('task')
  if (!kept) return { task: undefined, job: undefined, events: [], callback: undefined }
  const { beside, ...task } = kept
  const { job, events, callback, source, sendAt }: TaskExtras = beside ?? {
    job: kv.get<Job>('job'),
    events: kv.get<TaskEvent[]>('events') ?? [],
    callback: kv.get<Callback>('callback'),
  }
  return { task: revivedTask(task), job, events, callback, source, sendAt }
}

export function writeTask(kv: SyncKvStorage, { task, ...beside }: TaskRow): void {
  kv.put('task', { ...task, beside })
}
