/**
 * What a quick file is billed for that is uploaded, downloaded once and deleted: test/service/http/operations.test.ts counts it.
 */
export const QUICK_FILE = {
  /** To Durable Objects, an alarm among them. */
  objectRequests: 15,
  /** That objects write, alarms and indexes included. */
  objectRows: 20,
  /** R2 class A: puts and lists. */
  bucketWrites: 4,
  /** R2 class B. */
  bucketReads: 5,
} as const
