/** Compresses in this process, in one thread per core. */
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { TargetUnreachable } from '../../core/src/index.ts'
import { isExpectedError } from '../../core/src/pool/messages.ts'
import type { CompressOptions } from './client.ts'
import type { Engine, EngineRequest, EngineResult } from './engine.ts'
import type { InputFile } from './files.ts'
import { resultPath } from './place.ts'
import { type CommandThreads, openThreads } from './threads.ts'
import type { Compressed } from './worker-messages.ts'

const MB = 2 ** 20
/** Memory of a job in bytes, heap and Wasm: at least what an isolate has, so that results are those of the service. */
const [MIN_BUDGET, MAX_BUDGET] = [96 * MB, 2048 * MB]
/** Memory in bytes that a thread needs beside its job. */
const THREAD_BYTES = 224 * MB

export class LocalEngine implements Engine {
  readonly label = 'local'
  readonly parallel = availableParallelism()
  readonly #threads: CommandThreads
  readonly #memoryBudget: number

  /** @param parallel number of jobs that run at the same time; they share half of the memory of this machine */
  constructor(parallel: number) {
    this.#memoryBudget = Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, totalmem() / 2 / parallel - THREAD_BYTES))
    this.#threads = openThreads(parallel)
    this.#threads.warm()
  }

  async compress(job: InputFile, { options, signal, progress }: EngineRequest): Promise<EngineResult> {
    // The result is written into the folder that it is moved to, because a rename works within a file system only.
    const folder = dirname(resultPath(job, basename(job.path)))
    mkdirSync(folder, { recursive: true })
    const prefix = join(folder, `.whittle-${randomUUID()}.part`)
    const settle = async () => removeFiles(prefix)
    const request = { path: job.path, prefix, options: { ...coreOptions(options), memoryBudget: this.#memoryBudget } }
    try {
      const control = { signal, onProgress: (share: number) => progress('compress', share) }
      const { receipt, name, path, ...rest } = await this.#threads.run('compress', request, control)
      const message = unsupported({ receipt, name, path, ...rest })
      if (message !== undefined) return { status: 'failed', message, settle }
      const store = async (destination: string) => path ?? copyOf(job.path, destination)
      return { status: 'completed', facts: { ...receipt, output_name: name }, store, settle }
    } catch (error) {
      if (isExpectedError(error)) return { status: 'failed', message: messageOf(error), settle }
      await settle()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#threads.close()
  }
}

/** The options of the API as those of the library. */
const coreOptions = ({ quality, format, password, target_size, effort, metadata, usage_rights, ...others }: CompressOptions) => ({
  ...pictureOptions(others),
  ...(quality === undefined ? {} : { quality }),
  ...(format === undefined ? {} : { format }),
  ...(password === undefined ? {} : { password }),
  ...(target_size === undefined ? {} : { targetSize: target_size }),
  ...(effort === undefined ? {} : { effort }),
  ...(metadata === undefined ? {} : { metadata }),
  ...(usage_rights === 'drop' ? { usageRights: usage_rights } : {}),
})

const pictureOptions = ({ target_score, max_width, max_height, dpi }: CompressOptions) => ({
  ...(target_score === undefined ? {} : { targetScore: target_score }),
  ...(max_width === undefined ? {} : { maxWidth: max_width }),
  ...(max_height === undefined ? {} : { maxHeight: max_height }),
  ...(dpi === undefined ? {} : { dpi }),
})

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name !== 'TargetUnreachable') return error.message
  const { bestSize } = error as TargetUnreachable
  return `No result of at least the minimum quality fits into the target size. The smallest one has ${bestSize} bytes.`
}

/** Message for a file that no engine supports. `undefined`: an engine does. */
function unsupported({ receipt, lacksFilm }: Compressed): string | undefined {
  if (lacksFilm) return `${receipt.format} files need another package beside @whittle-app/cli: npm install @whittle-app/film`
  return receipt.format === 'unknown' ? 'This file type is not supported. `whittle formats` lists the supported types.' : undefined
}

function copyOf(path: string, destination: string): string {
  mkdirSync(dirname(destination), { recursive: true })
  const copy = `${destination}.${randomUUID()}.part`
  copyFileSync(path, copy)
  return copy
}

/** Deletes what a job has left, also if its thread crashed. */
function removeFiles(prefix: string): void {
  const [folder, name] = [dirname(prefix), basename(prefix)]
  for (const file of readdirSync(folder)) if (file.startsWith(name)) rmSync(join(folder, file), { force: true })
}
