/**
 * Blobs of running tasks as files of this machine, shared by the steps that read them: a film has a hundred parts, and all of
 * them read the upload. What nobody uses is kept up to a number of bytes, and for a moment only: its task may have been deleted.
 */
import { link, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileOf } from './ipc-messages.ts'

interface Kept {
  readonly path: string
  readonly ready: Promise<number>
  bytes: number
  users: number
  /** Runs while nobody uses it. */
  leaving?: NodeJS.Timeout
}

export interface IdleLimits {
  readonly bytes: number
  readonly ms: number
}

export class BlobFiles {
  readonly #folder: string
  readonly #download: (key: string, path: string) => Promise<void>
  readonly #mostIdle: IdleLimits
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Kept>()

  constructor(folder: string, download: (key: string, path: string) => Promise<void>, mostIdle: IdleLimits) {
    this.#folder = folder
    this.#download = download
    this.#mostIdle = mostIdle
  }

  /** Puts the blob into `folder` as a link, as long as what is returned is not disposed of. */
  async lend(key: string, folder: string): Promise<AsyncDisposable> {
    const kept = this.#kept.get(key) ?? this.#fetch(key)
    kept.users++
    clearTimeout(kept.leaving)
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    const release = async () => {
      if (--kept.users === 0) this.#leave(key, kept)
      await this.#trim()
    }
    try {
      kept.bytes = await kept.ready
      await link(kept.path, join(folder, fileOf(key)))
      return { [Symbol.asyncDispose]: release }
    } catch (error) {
      this.#kept.delete(key)
      await release()
      throw error
    }
  }

  /** Keeps a file of a blob that was just stored: it will be read soon. The file may go meanwhile. */
  async adopt(key: string, file: string): Promise<void> {
    const path = join(this.#folder, fileOf(key))
    await mkdir(this.#folder, { recursive: true })
    await rm(path, { force: true })
    await link(file, path)
    const { size } = await stat(path)
    clearTimeout(this.#kept.get(key)?.leaving)
    const kept = { path, ready: Promise.resolve(size), bytes: size, users: 0 }
    this.#kept.set(key, kept)
    this.#leave(key, kept)
    await this.#trim()
  }

  #leave(key: string, kept: Kept): void {
    kept.leaving = setTimeout(() => void this.#forget(key, kept), this.#mostIdle.ms).unref()
  }

  async #forget(key: string, kept: Kept): Promise<void> {
    clearTimeout(kept.leaving)
    // One that could not be lent is gone from here; another of its key may stand in its place.
    if (this.#kept.get(key) !== kept) return
    this.#kept.delete(key)
    await rm(kept.path, { force: true })
  }

  #fetch(key: string): Kept {
    const path = join(this.#folder, fileOf(key))
    const ready = mkdir(this.#folder, { recursive: true })
      .then(() => this.#download(key, path))
      .then(async () => (await stat(path)).size)
    const kept: Kept = { path, ready, bytes: 0, users: 0 }
    this.#kept.set(key, kept)
    return kept
  }

  async #trim(): Promise<void> {
    const idle = [...this.#kept].filter(([, kept]) => kept.users === 0)
    let bytes = idle.reduce((sum, [, kept]) => sum + kept.bytes, 0)
    for (const [key, kept] of idle) {
      if (bytes <= this.#mostIdle.bytes) break
      bytes -= kept.bytes
      await this.#forget(key, kept)
    }
  }
}
