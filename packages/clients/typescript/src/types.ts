/** The names of the API's shapes, which are made from the service's own description. */
import type { components } from '../schema.d.ts'

type Schemas = components['schemas']

export type Task = Schemas['Task']
export type TaskPending = Schemas['TaskPending']
export type TaskCompleted = Schemas['TaskCompleted']
export type TaskFailed = Schemas['TaskFailed']
export type TaskPage = Schemas['TaskPage']
export type Receipt = Schemas['Receipt']
export type Deleted = Schemas['Deleted']
export type Usage = Schemas['Usage']
export type Formats = Schemas['Formats']
export type Format = Schemas['Format']
export type ApiErrorBody = Schemas['Error']

/** What may be asked for, as the API calls it: `quality`, `format`, `password`, `target_size`, `callback_url`, … */
export type Wishes = Partial<Omit<Schemas['CompressUpload'], 'upload'>>

/** What is sent to a `callback_url`. */
export interface CallbackEvent {
  readonly type: 'task.completed' | 'task.failed'
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly data: Task
}

export const isUnderWay = (task: Task): task is TaskPending => task.status === 'pending' || task.status === 'processing'
