/** Free space on the disk of the state folder. Uploads are refused below a reserve, so that reads, deletions and running jobs go on. */
import { statfs } from 'node:fs/promises'

/** Largest share of the disk that the reserve takes. */
const MAX_SHARE = 0.1
/** Files that must stay possible: each task and each result is a file. */
const MIN_FREE_FILES = 2000
const MEASURED_FOR_MS = 500

export class FreeSpace {
  readonly #folder: string
  readonly #reserveBytes: number
  #measured: Promise<number> | undefined

  /** @param reserveBytes bytes that uploads leave free, or 10 % of the disk if that is less */
  constructor(folder: string, reserveBytes: number) {
    this.#folder = folder
    this.#reserveBytes = reserveBytes
  }

  /** True if the disk can store `bytes` more without touching the reserve. True if the system cannot say. */
  async fits(bytes: number): Promise<boolean> {
    return (await this.#spareBytes()) >= bytes
  }

  #spareBytes(): Promise<number> {
    if (this.#measured) return this.#measured
    this.#measured = this.#measure()
    setTimeout(() => {
      this.#measured = undefined
    }, MEASURED_FOR_MS).unref()
    return this.#measured
  }

  async #measure(): Promise<number> {
    try {
      const { bsize, bavail, blocks, files, ffree } = await statfs(this.#folder)
      // Some file systems do not count their files and report 0.
      if (files > 0 && ffree < MIN_FREE_FILES) return Number.NEGATIVE_INFINITY
      return bavail * bsize - Math.min(this.#reserveBytes, MAX_SHARE * blocks * bsize)
    } catch {
      return Number.POSITIVE_INFINITY
    }
  }
}
