/** The part of an R2 bucket that a job uses, as files of one folder. */
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PART_BYTES } from '../../service/store/blobs.ts'
import { fileOf } from '../ipc-messages.ts'

interface Range {
  readonly offset: number
  readonly length: number
}

export class FileBucket implements Disposable {
  readonly #folder: string
  /** Kept open: a parser reads a file thousands of times. */
  readonly #open = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Closes its files. */
  [Symbol.dispose](): void {
    for (const file of this.#open.values()) closeSync(file)
    this.#open.clear()
  }

  async get(key: string, options?: { range?: Range }) {
    const file = this.#fileFor(key)
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
    this.#forget(key)
    writeFileSync(this.#path(key), bytes)
  }

  async delete(key: string): Promise<void> {
    this.#forget(key)
    rmSync(this.#path(key), { force: true })
  }

  /** Parts have `PART_BYTES`, but for the last, and come in any order. Nobody sees the object before it is complete. */
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
        this.#forget(key)
        renameSync(path, this.#path(key))
      },
      abort: async () => {
        closeSync(file)
        rmSync(path, { force: true })
      },
    }
  }

  #path(key: string): string {
    return join(this.#folder, fileOf(key))
  }

  #fileFor(key: string): number | undefined {
    const known = this.#open.get(key)
    if (known !== undefined) return known
    try {
      const file = openSync(this.#path(key), 'r')
      this.#open.set(key, file)
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #forget(key: string): void {
    const file = this.#open.get(key)
    if (file !== undefined) closeSync(file)
    this.#open.delete(key)
  }
}

/** Fills `into` from `offset` on. @returns what the file has of it */
function readAt(file: number, offset: number, into: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let filled = 0
  while (filled < into.length) {
    const read = readSync(file, into, filled, into.length - filled, offset + filled)
    if (read === 0) return into.slice(0, filled)
    filled += read
  }
  return into
}

/** `readAtLeast` is workerd's own; here it always fills its buffer, but at the end. */
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
