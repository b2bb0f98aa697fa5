/** The part of the R2 bucket interface that a job uses, on files of one folder. */
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PART_BYTES } from '../../service/store/blobs.ts'
import { blobFileName } from '../ipc-messages.ts'

interface Range {
  readonly offset: number
  readonly length: number
}

export class FileBucket implements Disposable {
  readonly #folder: string
  /** Open file descriptors by key. A parser reads a file thousands of times. */
  readonly #descriptors = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Closes its files. */
  [Symbol.dispose](): void {
    for (const file of this.#descriptors.values()) closeSync(file)
    this.#descriptors.clear()
  }

  async get(key: string, options?: { range?: Range }) {
    const file = this.#descriptorOf(key)
    if (file === undefined) return null
    const { offset, length } = options?.range ?? { offset: 0, length: fstatSync(file).size }
    return {
      arrayBuffer: async () => readAt(file, offset, new Uint8Array(length)).buffer,
      get body() {
        return { getReader: () => new FileReader(file, offset, offset + length) }
      },
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.#close(key)
    writeFileSync(this.#path(key), bytes)
  }

  async delete(key: string): Promise<void> {
    this.#close(key)
    rmSync(this.#path(key), { force: true })
  }

  /**
   * Starts a multipart upload. All parts but the last have `PART_BYTES` and may arrive in any order. The object appears when it is
   * complete.
   */
  async createMultipartUpload(key: string) {
    const path = `${this.#path(key)}.parts`
    const file = openSync(path, 'w')
    return {
      uploadPart: async (partNumber: number, bytes: Uint8Array) => {
        let at = 0
        while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, (partNumber - 1) * PART_BYTES + at)
        return { partNumber, etag: '' }
      },
      complete: async () => {
        closeSync(file)
        this.#close(key)
        renameSync(path, this.#path(key))
      },
      abort: async () => {
        closeSync(file)
        rmSync(path, { force: true })
      },
    }
  }

  #path(key: string): string {
    return join(this.#folder, blobFileName(key))
  }

  #descriptorOf(key: string): number | undefined {
    const existing = this.#descriptors.get(key)
    if (existing !== undefined) return existing
    try {
      const file = openSync(this.#path(key), 'r')
      this.#descriptors.set(key, file)
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #close(key: string): void {
    const file = this.#descriptors.get(key)
    if (file !== undefined) closeSync(file)
    this.#descriptors.delete(key)
  }
}

/** Fills `into` from `offset` on. @returns the bytes read, fewer at the end of the file */
function readAt(file: number, offset: number, into: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let filled = 0
  while (filled < into.length) {
    const read = readSync(file, into, filled, into.length - filled, offset + filled)
    if (read === 0) return into.slice(0, filled)
    filled += read
  }
  return into
}

/** Reader with workerd's `readAtLeast`. It always fills its buffer, except at the end of the file. */
class FileReader {
  readonly #file: number
  #at: number
  readonly #end: number

  constructor(file: number, start: number, end: number) {
    this.#file = file
    this.#at = start
    this.#end = end
  }

  async readAtLeast(_: number, into: Uint8Array<ArrayBuffer>): Promise<{ value: Uint8Array<ArrayBuffer>; done: boolean }> {
    const value = readAt(this.#file, this.#at, into.subarray(0, Math.min(into.length, this.#end - this.#at)))
    this.#at += value.length
    return { value, done: value.length === 0 }
  }

  async cancel(): Promise<void> {
    this.#at = this.#end
  }
}
