import { partPrefix, resultPrefix, uploadKeyOf } from '../../src/service/store/blob-names.ts'
import type { Task } from '../../src/service/store/task.ts'
import type { Job } from '../../src/service/tasks/job.ts'

/** Maximum number of keys in one R2 delete call. */
const MAX_DELETE_KEYS = 1000

/** Removes every blob of the task except `keep`: the upload, results of other attempts, parts. */
export async function removeBlobs(bucket: R2Bucket, task: Task, job: Job, keep?: string): Promise<void> {
  const uploadKey = uploadKeyOf(task)
  const candidates = [uploadKey]
  const isOnlyResult = keep !== undefined && job.parts === 0 && job.step.attempts <= 1
  for (const prefix of isOnlyResult ? [] : [resultPrefix(uploadKey), partPrefix(task.taskId)]) {
    let cursor: string | undefined
    do {
      const page: R2Objects = await bucket.list({ prefix, ...(cursor ? { cursor } : {}) })
      for (const { key } of page.objects) candidates.push(key)
      cursor = page.truncated ? page.cursor : undefined
    } while (cursor)
  }
  const keys = candidates.filter((key) => key !== keep)
  for (let at = 0; at < keys.length; at += MAX_DELETE_KEYS) await bucket.delete(keys.slice(at, at + MAX_DELETE_KEYS))
}
