/**
 * What the bucket removes by itself, by the names of blobs: results a day after their retention, uploads three days after. Tasks remove
 * their own blobs in time, and the sweep looks whether that holds.
 */
import { DAYS_KEPT } from '../../src/service/store/blob-names.ts'

const DAY_SECONDS = 86_400
/** Resumable uploads end after a day, what one request sends within minutes. */
const UNFINISHED_DAYS = 2

const after = (days: number) => ({ condition: { type: 'Age', maxAge: days * DAY_SECONDS } })

/** As `wrangler r2 bucket lifecycle set` reads them: all rules of the bucket. */
export const LIFECYCLE = {
  rules: [
    ...[...DAYS_KEPT].map(([prefix, days]) => ({
      id: `whittle ${prefix}`,
      enabled: true,
      conditions: { prefix },
      deleteObjectsTransition: after(days),
    })),
    { id: 'whittle multipart', enabled: true, conditions: { prefix: '' }, abortMultipartUploadsTransition: after(UNFINISHED_DAYS) },
  ],
}
