/** Downloads of results, resumed after network errors. */
import { DamagedError } from './errors.ts'
import { RetryState, type Transport } from './transport.ts'
import type { TaskCompleted } from './types.ts'

/** Streams the bytes of a result, and resumes after network errors. The caller must verify the hash. */
export async function* downloadChunks(
  transport: Transport,
  taskId: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let count = 0
  const retries = new RetryState()
  for (;;) {
    const headers: Record<string, string> = count > 0 ? { range: `bytes=${count}-` } : {}
    const response = await transport.send(`/v1/tasks/${taskId}/download`, () => ({ headers, signal: signal ?? null }))
    if (!response.body) return
    const reader = response.body.getReader()
    // A proxy without range support sends the whole result again, so skip the bytes received before.
    let skipBytes = count > 0 && response.status !== 206 ? count : 0
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => Promise.reject(new NetworkError(cause)))
        if (done) return
        const newBytes = value.subarray(Math.min(skipBytes, value.length))
        skipBytes -= value.length - newBytes.length
        if (newBytes.length === 0) continue
        count += newBytes.length
        retries.reset()
        yield newBytes
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof NetworkError)) throw error
      await transport.pauseOrThrow(error.cause, retries, signal)
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }
}

class NetworkError extends Error {
  constructor(cause: unknown) {
    super('the connection broke', { cause })
  }
}

/** Compares a SHA-256 in hex with the receipt. @throws DamagedError if they differ */
export function compareHash({ output_name, result }: TaskCompleted, hex: string): void {
  if (hex !== result.sha256) throw new DamagedError(`the download of ${output_name} is damaged (SHA-256 ${hex}, not ${result.sha256})`)
}

export async function downloadAll(transport: Transport, task: TaskCompleted, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of downloadChunks(transport, task.task_id, signal)) parts.push(chunk)
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  compareHash(task, Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''))
  return bytes
}
