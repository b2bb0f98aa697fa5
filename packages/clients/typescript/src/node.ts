/** Files of this machine, for Node: neither what goes nor what comes lies in memory. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Whittle } from './client.ts'
import type { ByteSource } from './content.ts'
import { compareHash } from './downloads.ts'
import type { TaskCompleted } from './types.ts'

const READ_BYTES = 256 * 1024

/** A file to send: `whittle.compress(fileAt(path))`. */
export function fileAt(path: string): ByteSource & { readonly name: string } {
  return {
    name: basename(path),
    size: statSync(path).size,
    stream(begin, end) {
      if (begin >= end) return new Blob([]).stream()
      return Readable.toWeb(createReadStream(path, { start: begin, end: end - 1, highWaterMark: READ_BYTES })) as ReadableStream<Uint8Array>
    },
  }
}

/** Saves a result. Until its SHA-256 is the receipt's it has another name, so that a broken download never looks like a result. */
export async function save(whittle: Whittle, task: TaskCompleted, path: string, received?: (bytes: number) => void): Promise<void> {
  const temporary = `${path}.${task.task_id}.part`
  await write(whittle, task, temporary, received)
  await rename(temporary, path)
}

/** Writes a result where it may be seen before all of it is there. @throws DamagedError where it is not the receipt's; then nothing is left */
export async function write(whittle: Whittle, task: TaskCompleted, path: string, received?: (bytes: number) => void): Promise<void> {
  const hash = createHash('sha256')
  async function* metered() {
    let count = 0
    for await (const chunk of whittle.chunks(task.task_id)) {
      hash.update(chunk)
      received?.((count += chunk.length))
      yield chunk
    }
  }
  try {
    await pipeline(metered, createWriteStream(path))
    compareHash(task, hash.digest('hex'))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
