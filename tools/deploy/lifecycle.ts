/**
 * Lifecycle rules of the bucket, by prefix of the blob name: results are deleted a day after their retention, uploads after three
 * days. Tasks delete their own blobs earlier, and the sweep checks that.
 */
import { RETENTION_BY_PREFIX } from '../../src/service/store/blob-names.ts'

const DAY_SECONDS = 86_400
/** Days until an unfinished multipart upload is aborted. Resumable uploads expire after one day, others take minutes. */
const UNFINISHED_DAYS = 2

const after = (days: number) => ({ condition: { type: 'Age', maxAge: days * DAY_SECONDS } })

/** All rules of the bucket, in the format of `wrangler r2 bucket lifecycle set`. */
export const LIFECYCLE = {
  rules: [
    ...[...RETENTION_BY_PREFIX].map(([prefix, days]) => ({
      id: `whittle ${prefix}`,
      enabled: true,
      conditions: { prefix },
      deleteObjectsTransition: after(days),
    })),
    { id: 'whittle multipart', enabled: true, conditions: { prefix: '' }, abortMultipartUploadsTransition: after(UNFINISHED_DAYS) },
  ],
}
