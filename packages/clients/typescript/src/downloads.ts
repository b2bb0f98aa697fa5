/** Results come back in whole, over lines that break. */
import { DamagedError } from './errors.ts'
import { Patience, type Road } from './road.ts'
import type { TaskCompleted } from './types.ts'

/** The bytes of a result, as they come; where the line breaks it goes on from there. Whoever reads them compares the hash. */
export async function* chunksOf(road: Road, taskId: string, signal?: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let count = 0
  const patience = new Patience()
  for (;;) {
    const headers: Record<string, string> = count > 0 ? { range: `bytes=${count}-` } : {}
    const answer = await road.send(`/v1/tasks/${taskId}/download`, () => ({ headers, signal: signal ?? null }))
    if (!answer.body) return
    const reader = answer.body.getReader()
    // A server in between that knows no ranges sends it all again.
    let known = count > 0 && answer.status !== 206 ? count : 0
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => Promise.reject(new BrokenLine(cause)))
        if (done) return
        const fresh = value.subarray(Math.min(known, value.length))
        known -= value.length - fresh.length
        if (fresh.length === 0) continue
        count += fresh.length
        patience.renew()
        yield fresh
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof BrokenLine)) throw error
      await road.lost(error.cause, patience, signal)
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }
}

class BrokenLine extends Error {
  constructor(cause: unknown) {
    super('broken', { cause })
  }
}

/** @throws DamagedError where it is not what the receipt names */
export function compareHash({ output_name, result }: TaskCompleted, hex: string): void {
  if (hex !== result.sha256) throw new DamagedError(`the download of ${output_name} is damaged (SHA-256 ${hex}, not ${result.sha256})`)
}

export async function wholeOf(road: Road, task: TaskCompleted, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunksOf(road, task.task_id, signal)) parts.push(chunk)
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  compareHash(task, Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''))
  return bytes
}
