/** Fetches an object of a bucket for its task, in bounded memory and time. After a failure, nothing stays stored. */
import { BucketError, type ObjectFacts, type ObjectStore } from '../../buckets/object-store.ts'
import type { Env } from '../../env.ts'
import type { Plan } from '../../store/plans.ts'
import { chunkReaderOf, FETCH_READ_BYTES, limitedBody } from '../body-stream.ts'
import { cleanFileName } from '../file-name.ts'
import { fileTooLarge, type IngestedFile, receiveFile, storeFile } from '../ingest.ts'
import { SILENCE_MS } from '../source-trouble.ts'
import { storageQuotaError } from '../submit.ts'
import type { TimeLimits } from '../time-limits.ts'
import { withUploadMemory } from '../upload-memory.ts'
import { SideError } from './buckets.ts'
import { lastSegment } from './places.ts'

export interface ObjectRequest {
  readonly key: string
  readonly taskId: string
  readonly accountId: string
  readonly uploadKey: string
  readonly plan: Plan
  /** True if the requested output is one that any file can become. */
  readonly mayBePacked: boolean
  readonly limits: TimeLimits
  /** Called with the id of a multipart upload as soon as it exists. */
  readonly onMultipart: (uploadId: string) => void
}

export interface FetchedObject {
  readonly facts: ObjectFacts
  readonly file: IngestedFile
}

/**
 * @throws ApiError if the file is refused, does not fit the storage, or there is no memory for it now
 * @throws SideError, and the reason of `limits.signal`
 */
export async function fetchObject(env: Env, store: ObjectStore, request: ObjectRequest): Promise<FetchedObject> {
  const { key, accountId, plan, taskId, uploadKey, mayBePacked, limits, onMultipart } = request
  const { body, ...facts } = await store.read(key)
  try {
    if (facts.size > plan.maxFileBytes) throw fileTooLarge(plan.maxFileBytes)
    const admitted = await env.ACCOUNTS.getByName(accountId).admit(taskId, facts.size)
    if (!admitted.ok) throw storageQuotaError(admitted)
    const file = await withUploadMemory({ accountId, bytes: facts.size }, async (place) => {
      const reader = place.watch(chunkReaderOf(body, FETCH_READ_BYTES, 1))
      const rules = { length: facts.size, maxBytes: facts.size, silenceMs: SILENCE_MS, limits, errors: BODY_ERRORS }
      const received = await receiveFile(env, cleanFileName(lastSegment(key)), limitedBody(reader, rules), {
        ...{ accountId, maxFileBytes: plan.maxFileBytes, retentionMs: plan.retentionMs, isAlone: true },
        mayBePacked: () => mayBePacked,
        place: { taskId, uploadKey, onMultipart },
      })
      return storeFile(received)
    })
    if ('refusal' in file.outcome) throw file.outcome.refusal
    return { facts, file }
  } catch (error) {
    await env.ACCOUNTS.getByName(accountId)
      .giveBack([taskId])
      .catch(() => undefined)
    throw error
  } finally {
    if (!body.locked) await body.cancel().catch(() => undefined)
  }
}

/** Error of a transfer from the source that broke off. */
export const cutOff = () => new SideError('source', new BucketError('unreachable'))

/** An object whose length differs from the announced one was cut off as well. */
const BODY_ERRORS = { tooLarge: cutOff, stalled: cutOff, cutOff }
