import { env } from 'cloudflare:workers'
import { message } from '../../src/core/i18n/message.ts'
import type { NewTask, TaskResult } from '../../src/service/store/task.ts'

let count = 0

/** Creates a task in an account of its own, so that tests do not share a task index. */
export function newTask(change: Partial<NewTask> = {}): NewTask {
  const taskId = `tsk_test${++count}${crypto.randomUUID().slice(0, 8)}`
  return {
    taskId,
    accountId: `acc_${taskId}`,
    fileName: 'notes.txt',
    format: 'text',
    output: 'zst',
    quality: 'medium',
    originalSize: 1000,
    originalSha256: 'a'.repeat(64),
    worker: 'press',
    lane: 'slow',
    createdAt: Date.now(),
    retentionMs: 3_600_000,
    baseUrl: 'http://127.0.0.1',
    requestId: 'req_test',
    ...change,
  }
}

export const record = (task: Pick<NewTask, 'taskId'>) => env.TASKS.getByName(task.taskId)
export const account = (task: Pick<NewTask, 'accountId'>) => env.ACCOUNTS.getByName(task.accountId)

export const RESULT: Omit<TaskResult, 'key'> = {
  size: 400,
  sha256: 'b'.repeat(64),
  output: 'zst',
  outputName: 'notes.txt.zst',
  contentType: 'application/zstd',
  outcome: { kind: 'compressed', steps: [message('zstd_level', { level: 19 })] },
  encrypted: false,
}
