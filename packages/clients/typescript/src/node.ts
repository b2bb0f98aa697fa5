/** File access for Node. Files are streamed, so that they need not fit in memory. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BatchZipOptions, SubmitOptions, WaitOptions, Whittle } from './client.ts'
import type { ByteSource } from './content.ts'
import { compareHash } from './downloads.ts'
import type { CompressOptions, TaskCompleted } from './types.ts'

const READ_BYTES = 256 * 1024

/**
 * Opens a file to send.
 *
 * @example
 * ```ts
 * const task = await whittle.compress(fileAt('photo.jpg'), { quality: 'low' })
 * ```
 */
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

/**
 * Saves a result to a file. The file has a temporary name until its SHA-256 matches the receipt, so that a partial download never
 * looks like a result.
 *
 * @example
 * ```ts
 * await save(whittle, task, 'smaller.jpg')
 * ```
 * @param received called with the number of bytes received so far
 * @throws DamagedError if the hash differs
 */
export async function save(whittle: Whittle, task: TaskCompleted, path: string, received?: (bytes: number) => void): Promise<void> {
  const temporary = `${path}.${task.task_id}.part`
  await write(whittle, task, temporary, received)
  await rename(temporary, path)
}

/**
 * Writes a result directly to `path`, where it is visible before it is complete.
 * @throws DamagedError if the hash differs from the receipt; the file is deleted then
 */
export async function write(whittle: Whittle, task: TaskCompleted, path: string, received?: (bytes: number) => void): Promise<void> {
  const hash = createHash('sha256')
  async function* countedChunks() {
    let count = 0
    for await (const chunk of whittle.chunks(task.task_id)) {
      hash.update(chunk)
      received?.((count += chunk.length))
      yield chunk
    }
  }
  try {
    await pipeline(countedChunks, createWriteStream(path))
    compareHash(task, hash.digest('hex'))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/**
 * Saves the results of a batch as one ZIP. The file has a temporary name until it is complete.
 *
 * @example
 * ```ts
 * await saveBatchZip(whittle, 'bat_…', 'results.zip')
 * ```
 * @throws ApiError if no task of the batch is completed
 * @throws TypeError if the connection breaks; there is no file then
 */
export async function saveBatchZip(whittle: Whittle, batchId: string, path: string, options: BatchZipOptions = {}): Promise<void> {
  const temporary = `${path}.${batchId}.part`
  try {
    await pipeline(await whittle.batchZip(batchId, options), createWriteStream(temporary))
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** A file that `toFile` compresses. */
export interface FileToCompress {
  /**
   * Compresses the file, saves the result as `path`, and deletes the task.
   * @returns the task, with its receipt in `result`
   * @throws TaskFailedError, ApiError, UnreachableError, DamagedError
   */
  toFile(path: string): Promise<TaskCompleted>
}

/**
 * Compresses a file in one line. Both files are streamed, and nothing remains on the service.
 *
 * @example
 * ```ts
 * await fromFile(whittle, 'photo.jpg', { quality: 'low' }).toFile('smaller.jpg')
 * ```
 */
export const fromFile = (
  whittle: Whittle,
  path: string,
  options: CompressOptions = {},
  control: SubmitOptions & WaitOptions = {},
): FileToCompress => ({
  async toFile(target) {
    const task = await whittle.compress(fileAt(path), options, control)
    try {
      await save(whittle, task, target)
    } finally {
      // A task that cannot be deleted expires.
      await whittle.remove(task.task_id).catch(() => undefined)
    }
    return task
  },
})
