/**
 * Names of blobs. What a task has begins with how long the bucket keeps it, because that is all that the bucket's own rules can go by
 * (tools/deploy/lifecycle.ts): `uploads-7d/<task>`, `results-7d/<task>/<attempt>`. Tasks of before that have `uploads/<task>` and
 * `results/<task>/<attempt>`, which are kept longest.
 */
const DAY_MS = 86_400_000

/** Retentions that there are names for. None is ever taken away: what lies under its names would have no rule. */
const RETENTION_DAYS = [1, 3, 7, 30] as const
/** An upload may wait a day for its task, and a task for its turn. */
const UPLOAD_MORE_DAYS = 3
/** The task itself removes its result in time. */
const RESULT_MORE_DAYS = 1
/** Of what belongs to no plan: as long as the longest, and two days more. */
const LONGEST_DAYS = 32
/** A film is done within hours, also when the platform fails meanwhile; a resumable upload ends after a day. */
const PASSING_DAYS = 2

/** Days after which a blob may go, whoever names it, by the beginning of its name. */
export const DAYS_KEPT: ReadonlyMap<string, number> = new Map([
  ...RETENTION_DAYS.flatMap((days): [string, number][] => [
    [`results-${days}d/`, days + RESULT_MORE_DAYS],
    [`uploads-${days}d/`, days + UPLOAD_MORE_DAYS],
  ]),
  ...['parts/', 'incoming/'].map((prefix): [string, number] => [prefix, PASSING_DAYS]),
  ...['results/', 'uploads/', 'dead-letters/', 'exports/'].map((prefix): [string, number] => [prefix, LONGEST_DAYS]),
])

const CLASS = /^uploads-(\d+)d\//

/** Where the upload of a task lies whose result is kept so long. @throws RangeError when nothing is kept so long */
export function newUploadKey(taskId: string, retentionMs: number): string {
  const days = RETENTION_DAYS.find((each) => each * DAY_MS >= retentionMs)
  if (days === undefined) throw new RangeError(`no blob is kept for ${retentionMs / DAY_MS} days`)
  return `uploads-${days}d/${taskId}`
}

/** The longest that a task may promise to keep what lies there: its upload, and a result beside it. */
export function longestRetentionMs(uploadKey: string): number {
  const days = CLASS.exec(uploadKey)?.[1]
  return days === undefined ? Number.POSITIVE_INFINITY : Number(days) * DAY_MS
}

/** The upload of a task. */
export const uploadKeyOf = ({ taskId, uploadKey }: { readonly taskId: string; readonly uploadKey?: string | undefined }): string =>
  uploadKey ?? `uploads/${taskId}`

/** What the names of all results of a task begin with. */
export const resultsOf = (uploadKey: string): string => `${uploadKey.replace(/^uploads/, 'results')}/`

/** What the names of all parts of a task begin with. */
export const partsOf = (taskId: string): string => `parts/${taskId}/`

const OF_TASK = /^(?:uploads(?:-\d+d)?\/([^/]+)|(?:results(?:-\d+d)?|parts)\/([^/]+)\/.+)$/

/** Whose upload, result or part it is. undefined: nobody's, or no such name. */
export function taskOfBlob(key: string): string | undefined {
  const [, upload, made] = OF_TASK.exec(key) ?? []
  return upload ?? made
}

/** When a blob may go, whoever names it: the bucket's own rules remove it within a day from then. Epoch milliseconds, as `uploaded`. */
export function goesAt(key: string, uploaded: number): number {
  const days = DAYS_KEPT.get(key.slice(0, key.indexOf('/') + 1))
  return days === undefined ? Number.POSITIVE_INFINITY : uploaded + days * DAY_MS
}
