/**
 * Names (keys) of blobs. The prefix of a task's blobs contains its retention, because the lifecycle rules of a bucket match only prefixes
 * (tools/deploy/lifecycle.ts).
 * Current form: `uploads-7d/<task>`, `results-7d/<task>/<attempt>`. Old tasks use `uploads/<task>` and `results/<task>/<attempt>`, which
 * have the longest retention.
 */
const DAY_MS = 86_400_000

/** Retention times, in days, that have a prefix. Never remove one: the blobs under its prefix would have no lifecycle rule. */
const RETENTION_DAYS = [1, 3, 7, 30] as const
/** Extra retention of uploads in days: an upload may wait a day for its task to be created, and a task waits in the queue. */
const UPLOAD_EXTRA_DAYS = 3
/** Extra retention of results in days. The task itself removes its result on time; the lifecycle rule is the fallback. */
const RESULT_EXTRA_DAYS = 1
/** Retention in days of blobs that depend on no plan, such as account exports and pictures: the longest plan retention plus two days. */
const MAX_DAYS = 32
/** Retention in days of parts, incoming chunks and sources of pictures. A film ends within hours, and a resumable upload after a day. */
const TEMPORARY_DAYS = 2

/** Days after which the lifecycle rules delete a blob, by key prefix. */
export const RETENTION_BY_PREFIX: ReadonlyMap<string, number> = new Map([
  ...RETENTION_DAYS.flatMap((days): [string, number][] => [
    [`results-${days}d/`, days + RESULT_EXTRA_DAYS],
    [`uploads-${days}d/`, days + UPLOAD_EXTRA_DAYS],
  ]),
  ...['parts/', 'incoming/', 'picture-sources/'].map((prefix): [string, number] => [prefix, TEMPORARY_DAYS]),
  ...['results/', 'uploads/', 'dead-letters/', 'exports/', 'pictures/'].map((prefix): [string, number] => [prefix, MAX_DAYS]),
])

const UPLOAD_RETENTION = /^uploads-(\d+)d\//

/**
 * Returns the blob key for a task's upload.
 * @throws RangeError if `retentionMs` exceeds the longest retention
 */
export function newUploadKey(taskId: string, retentionMs: number): string {
  const days = RETENTION_DAYS.find((candidate) => candidate * DAY_MS >= retentionMs)
  if (days === undefined)
    throw new RangeError(`Retention of ${retentionMs / DAY_MS} days is not supported; the maximum is ${RETENTION_DAYS.at(-1)} days.`)
  return `uploads-${days}d/${taskId}`
}

/** Longest retention, in milliseconds, that a task with this upload may promise for upload and result. */
export function longestRetentionMs(uploadKey: string): number {
  const days = UPLOAD_RETENTION.exec(uploadKey)?.[1]
  return days === undefined ? Number.POSITIVE_INFINITY : Number(days) * DAY_MS
}

/** Blob key of a task's upload. */
export const uploadKeyOf = ({ taskId, uploadKey }: { readonly taskId: string; readonly uploadKey?: string | undefined }): string =>
  uploadKey ?? `uploads/${taskId}`

/** Key prefix of all results of a task. */
export const resultPrefix = (uploadKey: string): string => `${uploadKey.replace(/^uploads/, 'results')}/`

/** Key prefix of all parts of a task. */
export const partPrefix = (taskId: string): string => `parts/${taskId}/`

const TASK_BLOB = /^(?:uploads(?:-\d+d)?\/([^/]+)|(?:results(?:-\d+d)?|parts)\/([^/]+)\/.+)$/

/** Returns the task id of an upload, result or part. `undefined`: the key belongs to no task. */
export function taskIdOfBlob(key: string): string | undefined {
  const [, upload, resultOrPart] = TASK_BLOB.exec(key) ?? []
  return upload ?? resultOrPart
}

/**
 * Time in epoch milliseconds at which a blob expires. The bucket's lifecycle rules remove it within a day after that.
 * @param uploaded time of the upload in epoch milliseconds
 */
export function blobExpiresAt(key: string, uploaded: number): number {
  const days = RETENTION_BY_PREFIX.get(key.slice(0, key.indexOf('/') + 1))
  return days === undefined ? Number.POSITIVE_INFINITY : uploaded + days * DAY_MS
}
