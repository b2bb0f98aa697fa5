import { env } from 'cloudflare:workers'
import { uploadKeyOf } from '../../../src/service/store/blob-names.ts'
import type { NewTask } from '../../../src/service/store/task.ts'

/** Creates an accepted task with its upload in the bucket: text that begins with `film`. */
export async function started(change: Partial<NewTask> = {}): Promise<NewTask> {
  const taskId = `tsk_run${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const task: NewTask = {
    taskId,
    accountId: `acc_${taskId}`,
    fileName: 'film.mp4',
    format: 'mp4',
    output: 'mp4',
    quality: 'medium',
    originalSize: 4,
    originalSha256: 'a'.repeat(64),
    worker: 'media',
    lane: 'quick',
    createdAt: Date.now(),
    retentionMs: 3_600_000,
    baseUrl: 'http://127.0.0.1',
    requestId: 'req_run',
    ...change,
  }
  await env.BLOBS.put(uploadKeyOf(task), 'film'.padEnd(task.originalSize))
  await env.TASKS.getByName(task.taskId).create(task)
  return task
}
