/**
 * Blobs of running tasks as files of this machine, shared by the steps that read them: a film has a hundred parts, and all of
 * them read the upload. Kept up to a number of bytes beyond what is in use.
 */
import { link, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileOf } from './link.ts'

interface Kept {
  readonly path: string
  readonly ready: Promise<number>
  bytes: number
  users: number
}

export class BlobFiles {
  readonly #folder: string
  readonly #download: (key: string, path: string) => Promise<void>
  readonly #mostIdleBytes: number
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Kept>()

  constructor(folder: string, download: (key: string, path: string) => Promise<void>, mostIdleBytes: number) {
    this.#folder = folder
    this.#download = download
    this.#mostIdleBytes = mostIdleBytes
  }

  /** Puts the blob into `folder` as a link, as long as what is returned is not disposed of. */
  async lend(key: string, folder: string): Promise<AsyncDisposable> {
    const kept = this.#kept.get(key) ?? this.#fetch(key)
    kept.users++
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    const release = async () => {
      kept.users--
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
    this.#kept.set(key, { path, ready: Promise.resolve(size), bytes: size, users: 0 })
    await this.#trim()
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
      if (bytes <= this.#mostIdleBytes) break
      bytes -= kept.bytes
      this.#kept.delete(key)
      await rm(kept.path, { force: true })
    }
  }
}
