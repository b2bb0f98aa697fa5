/** Results that arrive as the body of the response to an upload. */
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DirectResult } from './client.ts'
import { CliError } from './trouble.ts'

/**
 * Writes a result under a temporary name, and compares its hash.
 * @param received called with the share that has arrived, 0–1
 * @returns the temporary path
 * @throws CliError if the hash differs; Error if the connection breaks. There is no file then
 */
export async function writeDirect(result: DirectResult, path: string, received: (share: number) => void): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${result.taskId}.part`
  const hash = createHash('sha256')
  async function* chunks() {
    let count = 0
    for await (const chunk of result.body) {
      hash.update(chunk)
      received((count += chunk.length) / Math.max(1, result.size))
      yield chunk
    }
  }
  try {
    await pipeline(chunks, createWriteStream(temporary))
    const sha256 = hash.digest('hex')
    if (sha256 !== result.sha256) throw new CliError('failed', `the download of ${result.name} is damaged (SHA-256 ${sha256})`)
    return temporary
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Reads a result to its end and drops it, because the service deletes its task with the last byte. */
export async function drain({ body }: DirectResult): Promise<void> {
  // The service deletes the task within an hour if the connection breaks.
  await body.pipeTo(new WritableStream()).catch(() => undefined)
}
