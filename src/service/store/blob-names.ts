/**
 * Names (keys) of blobs. The prefix of a task's blobs contains its retention, because the lifecycle rules of a bucket match only prefixes
 * (tools/deploy/lifecycle.ts).
 * Current form: `uploads-7d/<task>`, `results-7d/<task>/<attempt>`. Old tasks use `uploads/<task>` and `results/<task>/<attempt>`, which
 * have the longest retention.
 */
const DAY_MS = 86_400_000

/** Retention times, in days, that have a prefix. Never remove one: the blobs under its prefix would have no lifecycle rule. */
const RETENTION_DAYS = [1, 3, 7, 30] as const
/** Extra days for uploads: one may wait a day for its task to be created, and a task waits in the queue. */
const UPLOAD_MORE_DAYS = 3
/** Extra days for results. The task itself removes its result on time; the lifecycle rule is the fallback. */
const RESULT_MORE_DAYS = 1
/** Days for blobs that belong to no plan: the longest retention plus two days. */
const LONGEST_DAYS = 32
/** Days for parts and incoming chunks. A film ends within hours, and a resumable upload after a day. */
const PASSING_DAYS = 2

/** Days after which the lifecycle rules delete a blob, by key prefix. */
export const DAYS_KEPT: ReadonlyMap<string, number> = new Map([
  ...RETENTION_DAYS.flatMap((days): [string, number][] => [
    [`results-${days}d/`, days + RESULT_MORE_DAYS],
    [`uploads-${days}d/`, days + UPLOAD_MORE_DAYS],
  ]),
  ...['parts/', 'incoming/'].map((prefix): [string, number] => [prefix, PASSING_DAYS]),
  ...['results/', 'uploads/', 'dead-letters/', 'exports/'].map((prefix): [string, number] => [prefix, LONGEST_DAYS]),
])

const CLASS = /^uploads-(\d+)d\//

/**
 * Returns the blob key for a task's upload.
 * @throws RangeError if `retentionMs` exceeds the longest retention
 */
export function newUploadKey(taskId: string, retentionMs: number): string {
  const days = RETENTION_DAYS.find((each) => each * DAY_MS >= retentionMs)
  if (days === undefined) throw new RangeError(`no blob is kept for ${retentionMs / DAY_MS} days`)
  return `uploads-${days}d/${taskId}`
}

/** Longest retention, in milliseconds, that a task with this upload may promise for upload and result. */
export function longestRetentionMs(uploadKey: string): number {
  const days = CLASS.exec(uploadKey)?.[1]
  return days === undefined ? Number.POSITIVE_INFINITY : Number(days) * DAY_MS
}

/** Blob key of a task's upload. */
export const uploadKeyOf = ({ taskId, uploadKey }: { readonly taskId: string; readonly uploadKey?: string | undefined }): string =>
  uploadKey ?? `uploads/${taskId}`

/** Key prefix of all results of a task. */
export const resultsOf = (uploadKey: string): string => `${uploadKey.replace(/^uploads/, 'results')}/`

/** Key prefix of all parts of a task. */
export const partsOf = (taskId: string): string => `parts/${taskId}/`

const OF_TASK = /^(?:uploads(?:-\d+d)?\/([^/]+)|(?:results(?:-\d+d)?|parts)\/([^/]+)\/.+)$/

/** Returns the task id of an upload, result or part. `undefined`: the key belongs to no task. */
export function taskOfBlob(key: string): string | undefined {
  const [, upload, made] = OF_TASK.exec(key) ?? []
  return upload ?? made
}

/**
 * Time in epoch milliseconds at which a blob expires. The bucket's lifecycle rules remove it within a day after that.
 * @param uploaded time of the upload in epoch milliseconds
 */
export function goesAt(key: string, uploaded: number): number {
  const days = DAYS_KEPT.get(key.slice(0, key.indexOf('/') + 1))
  return days === undefined ? Number.POSITIVE_INFINITY : uploaded + days * DAY_MS
}
