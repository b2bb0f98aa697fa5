/**
 * Billed operations of a small file that is uploaded, downloaded once and deleted. test/service/http/operations.test.ts checks the
 * counts.
 */
export const QUICK_FILE = {
  /** Requests to Durable Objects, including one alarm. */
  objectRequests: 15,
  /** Rows that Durable Objects write, including alarms and indexes. */
  objectRows: 21,
  /** R2 class A operations: puts and lists. */
  bucketWrites: 4,
  /** R2 class B operations: reads. */
  bucketReads: 6,
} as const
