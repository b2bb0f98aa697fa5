/** Makes a variant of a picture: source → task → variant in the account's cache. The task is removed afterwards. */
import { FORMATS } from '../../core/catalog/index.ts'
import type { Quality } from '../../core/model/codec.ts'
import type { Rendition } from '../../core/model/rendition.ts'
import type { Env } from '../env.ts'
import { newUploadKey } from '../store/blob-names.ts'
import { r2Source } from '../store/blobs.ts'
import type { KeyRecord } from '../store/keys.ts'
import {
  newVariantBlob,
  type PendingVariant,
  type PictureBlob,
  type PictureSource,
  type PictureVariant,
  picturesGateName,
  type Validators,
} from '../store/pictures.ts'
import { PLANS } from '../store/plans.ts'
import type { Task } from '../store/task.ts'
import { Upload } from '../store/uploads.ts'
import { type IngestedFile, newTaskId } from './ingest.ts'
import { outputFor, type PictureOutput } from './picture-formats.ts'
import { deleteBlobs, obtainSource, type PictureOrder, picturesOf } from './picture-source.ts'
import { runAndWait, type Submission, storageQuotaError, submit } from './submit.ts'
import { withUploadMemory } from './upload-memory.ts'
import { waitForTask } from './wait-for-task.ts'

export interface VariantOrder extends PictureOrder {
  /** Key of the variant in the account's cache. */
  readonly key: string
  readonly rendition: Rendition
  readonly quality: Quality
  /** Score instead of `quality`. `undefined`: the level decides. */
  readonly targetScore?: number
  readonly output: PictureOutput
  /** Variants that the account may make within 60 seconds, if the operator limits it. `null`: as the plan says. */
  readonly requestsPerMinute: number | null
  readonly requestId: string
  readonly baseUrl: string
  /** Keeps work running after the response. */
  readonly keepAlive: (work: Promise<unknown>) => void
}

/** Longest wait for the task in milliseconds. Shorter than a flight, so that its end is noted in time. */
const TASK_WAIT_MS = 50_000

/** Name of the flight that makes a variant. */
export const variantFlight = (key: string): string => `variant ${key}`

/**
 * Counts a variant as a request of the account.
 * @returns the state of the rate limit if it is used up
 */
export async function countVariant(env: Env, { accountId, plan, requestsPerMinute }: VariantOrder) {
  const key: KeyRecord = {
    ...{ keyId: 'pictures', accountId, applicationId: 'pictures', plan, scopes: [], state: 'active' },
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
  }
  const entry = await env.KEY_GATES.getByName(picturesGateName(accountId)).enterAs(key)
  return entry.kind === 'limited' ? entry.rate : undefined
}

/** Begins the task of a variant, and notes it, so that another request can finish it. */
export async function beginVariant(env: Env, order: VariantOrder, source: PictureSource): Promise<PendingVariant> {
  const staged = await stagedCopy(env, order, source)
  const submission: Submission = {
    env,
    key: { accountId: order.accountId },
    plan: PLANS[order.plan],
    requestId: order.requestId,
    baseUrl: order.baseUrl,
    jobOptions: {
      quality: order.quality,
      format: outputFor(order.output, source.format),
      rendition: order.rendition,
      ...(order.targetScore === undefined ? {} : { targetScore: order.targetScore }),
    },
  }
  const task = await submit(submission, staged)
  const validators = { ...source.validators, sha256: source.sha256 }
  const pending = { taskId: task.taskId, validators, fetchedAt: source.fetchedAt }
  await picturesOf(env, order).notePending(variantFlight(order.key), pending)
  return pending
}

/** Copies the source into an upload of its own, which the task removes when it has ended. */
async function stagedCopy(env: Env, { accountId, plan, path }: VariantOrder, source: PictureSource): Promise<IngestedFile> {
  const taskId = newTaskId(accountId)
  const admitted = await env.ACCOUNTS.getByName(accountId).admit(taskId, source.size)
  if (!admitted.ok) throw storageQuotaError(admitted)
  const fileName = path.slice(path.lastIndexOf('/') + 1)
  const upload = new Upload(env.BLOBS, newUploadKey(taskId, PLANS[plan].retentionMs))
  try {
    return await withUploadMemory({ accountId, bytes: source.size }, async () => {
      for await (const chunk of r2Source(env.BLOBS, source.blob, source.size, fileName).stream()) await upload.write(chunk)
      const { size, sha256 } = await upload.finish()
      await upload.store()
      return { taskId, fileName, size, sha256, outcome: { format: FORMATS[source.format], upload } }
    })
  } catch (error) {
    await upload.discard()
    await env.ACCOUNTS.getByName(accountId).giveBack([taskId])
    throw error
  }
}

/**
 * Waits for the task of a variant, and moves its result to the cache. `'gone'`: the task does not exist. `'running'`: it takes longer than a
 * request can wait, so a later request finishes it.
 */
export async function finishVariant(env: Env, order: VariantOrder, pending: PendingVariant): Promise<PictureVariant | 'gone' | 'running'> {
  const begun = await env.TASKS.getByName(pending.taskId).read()
  if (!begun) return 'gone'
  const task = await endOf(env, begun, order.keepAlive)
  if (!hasEnded(task)) return 'running'
  const variant = await storedVariant(env, order, pending, task)
  await deleteBlobs(env, await picturesOf(env, order).keepVariant(variant))
  await env.TASKS.getByName(task.taskId).remove()
  return variant
}

async function endOf(env: Env, task: Task, keepAlive: VariantOrder['keepAlive']): Promise<Task> {
  if (hasEnded(task)) return task
  const now = task.lane === 'quick' && task.status === 'pending' ? await runAndWait(env, task, TASK_WAIT_MS, keepAlive) : task
  return hasEnded(now) ? now : ((await waitForTask(env, task.taskId, TASK_WAIT_MS)) ?? now)
}

const hasEnded = ({ status }: Task) => status === 'completed' || status === 'failed'

/** Copies the result of a task. If the task failed, the variant is the source itself, so that the page shows a picture. */
async function storedVariant(env: Env, order: VariantOrder, pending: PendingVariant, task: Task): Promise<PictureVariant> {
  const { result } = task
  const about = { key: order.key, origin: order.origin.name, path: order.path, ...pendingFields(pending) }
  if (result) {
    const from = { blob: result.key, size: result.size, sha256: result.sha256, contentType: result.contentType }
    return { ...about, ...(await copied(env, order, from)), outcome: result.outcome.kind }
  }
  console.warn(JSON.stringify({ level: 'warn', event: 'variant_failed', task_id: task.taskId, error: task.error?.type }))
  return { ...about, ...(await copied(env, order, await obtainSource(env, order))), outcome: 'unchanged' }
}

const pendingFields = ({ validators, fetchedAt }: PendingVariant): { validators: Validators; fetchedAt: number } => ({
  validators,
  fetchedAt,
})

async function copied(env: Env, { accountId }: VariantOrder, { blob, size, sha256, contentType }: PictureBlob): Promise<PictureBlob> {
  const copy = newVariantBlob(accountId)
  const found = await env.BLOBS.get(blob)
  if (!found) throw new Error(`The blob ${blob} of a picture is gone.`)
  const { readable, writable } = new FixedLengthStream(size)
  await Promise.all([found.body.pipeTo(writable), env.BLOBS.put(copy, readable)])
  return { blob: copy, size, sha256, contentType }
}
