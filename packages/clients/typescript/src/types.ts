/** Types of the API, generated from its OpenAPI description. */
import type { components, operations } from '../schema.d.ts'

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
export type UploadToken = Schemas['UploadToken']
export type Connection = Schemas['Connection']
export type Connections = Schemas['Connections']
export type Sync = Schemas['Sync']
export type SyncPage = Schemas['SyncPage']
export type ApiErrorBody = Schemas['Error']

/** Fields of a browser token, with the API's names: `origin`, `expires_in`, `max_files`, `max_bytes`, `formats`, `quality`. */
export type UploadTokenFields = operations['createUploadToken']['requestBody']['content']['application/json']

/** Fields of a sync, with the API's names: `source`, `destination`, `dry_run`, `quality`, `format`, `preset`, … */
export type SyncFields = Omit<Schemas['SyncRequest'], 'format'> & { format?: OutputFormat }

/** Output format. The service also accepts extensions and aliases, for example `jpeg`. */
export type OutputFormat = Schemas['OutputFormat'] | (string & {})

/** Options of a compression, with the API's names: `quality`, `format`, `password`, `target_size`, `max_width`, `callback_url`, `destination_url`, … */
export type CompressOptions = Partial<Omit<Schemas['CompressUpload'], 'upload' | 'url' | 'source' | 'format'>> & { format?: OutputFormat }

/** @deprecated Use `CompressOptions`. Removed in the next version. */
export type Wishes = CompressOptions

/** Body of a callback to `callback_url`. */
export interface CallbackEvent {
  readonly type: 'task.completed' | 'task.failed'
  /** Time of the event, ISO 8601 in UTC. */
  readonly timestamp: string
  readonly data: Task
}

/** True if the task has not ended. */
export const isUnderWay = (task: Task): task is TaskPending => task.status === 'pending' || task.status === 'processing'
