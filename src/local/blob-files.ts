/**
 * Local copies of blobs that running steps read, one file per blob. A film has about a hundred parts, and each of their steps reads
 * the same upload. Unused files are deleted after `IdleLimits.ms`, or earlier if they exceed `IdleLimits.bytes`, because their task
 * may have been deleted.
 */
import { link, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { blobFileName } from './ipc-messages.ts'

interface CachedFile {
  readonly path: string
  readonly ready: Promise<number>
  bytes: number
  users: number
  /** Deletion timer. Set while no step uses the file. */
  deletion?: NodeJS.Timeout
}

export interface IdleLimits {
  readonly bytes: number
  readonly ms: number
}

export class BlobFiles {
  readonly #folder: string
  readonly #download: (key: string, path: string) => Promise<void>
  readonly #idleLimits: IdleLimits
  /** Cached files by blob key, least recently used first. */
  readonly #cache = new Map<string, CachedFile>()

  constructor(folder: string, download: (key: string, path: string) => Promise<void>, idleLimits: IdleLimits) {
    this.#folder = folder
    this.#download = download
    this.#idleLimits = idleLimits
  }

  /**
   * Hard-links the blob's file into `folder`, after a download if there is no local copy yet. Dispose of the result to release the
   * file.
   */
  async linkInto(key: string, folder: string): Promise<AsyncDisposable> {
    const cached = this.#cache.get(key) ?? this.#startDownload(key)
    cached.users++
    clearTimeout(cached.deletion)
    this.#cache.delete(key)
    this.#cache.set(key, cached)
    const release = async () => {
      if (--cached.users === 0) this.#deleteWhenIdle(key, cached)
      await this.#trim()
    }
    try {
      cached.bytes = await cached.ready
      await link(cached.path, join(folder, blobFileName(key)))
      return { [Symbol.asyncDispose]: release }
    } catch (error) {
      this.#cache.delete(key)
      await release()
      throw error
    }
  }

  /** Adds the file of a blob that was just uploaded, so that the next step need not download it. `file` may be deleted afterwards. */
  async addUploaded(key: string, file: string): Promise<void> {
    const path = join(this.#folder, blobFileName(key))
    await mkdir(this.#folder, { recursive: true })
    await rm(path, { force: true })
    await link(file, path)
    const { size } = await stat(path)
    clearTimeout(this.#cache.get(key)?.deletion)
    const cached = { path, ready: Promise.resolve(size), bytes: size, users: 0 }
    this.#cache.set(key, cached)
    this.#deleteWhenIdle(key, cached)
    await this.#trim()
  }

  #deleteWhenIdle(key: string, cached: CachedFile): void {
    cached.deletion = setTimeout(() => void this.#evict(key, cached), this.#idleLimits.ms).unref()
  }

  async #evict(key: string, cached: CachedFile): Promise<void> {
    clearTimeout(cached.deletion)
    // If a download failed, its entry was removed, and the key may now belong to a newer entry.
    if (this.#cache.get(key) !== cached) return
    this.#cache.delete(key)
    await rm(cached.path, { force: true })
  }

  #startDownload(key: string): CachedFile {
    const path = join(this.#folder, blobFileName(key))
    const ready = mkdir(this.#folder, { recursive: true })
      .then(() => this.#download(key, path))
      .then(async () => (await stat(path)).size)
    const cached: CachedFile = { path, ready, bytes: 0, users: 0 }
    this.#cache.set(key, cached)
    return cached
  }

  async #trim(): Promise<void> {
    const idle = [...this.#cache].filter(([, cached]) => cached.users === 0)
    let bytes = idle.reduce((sum, [, cached]) => sum + cached.bytes, 0)
    for (const [key, cached] of idle) {
      if (bytes <= this.#idleLimits.bytes) break
      bytes -= cached.bytes
      await this.#evict(key, cached)
    }
  }
}
