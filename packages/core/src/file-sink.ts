/** Writes results to files, so that a result of any size needs no memory. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { noGain } from '../../../src/core/model/error.ts'
import { assertPatchable, type ResultSink } from '../../../src/core/model/sink.ts'
import { fileSource } from './file-source.ts'

/** Files of one job. Attempts of the codec write one file each, and the last one that is returned becomes the result. */
export class ResultFiles {
  readonly #prefix: string
  readonly #opened: string[] = []
  readonly #disposables: Disposable[] = []

  /** @param prefix start of the paths of the files; a number is appended */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /**
   * Opens a sink for a result called `name`.
   * @param limit bytes that the result must stay below; the sink throws `no_gain` otherwise
   */
  open(limit: number, name: string): ResultSink {
    const path = `${this.#prefix}${this.#opened.length}`
    this.#opened.push(path)
    const file = openSync(path, 'wx')
    let isOpen = true
    this.#disposables.push({ [Symbol.dispose]: () => isOpen && closeSync(file) })
    let written = 0
    return {
      get written() {
        return written
      },
      async write(chunk) {
        if (written + chunk.length >= limit) throw noGain()
        writeAll(file, chunk, written)
        written += chunk.length
      },
      patch(offset, bytes) {
        assertPatchable(offset, bytes.length, written)
        writeAll(file, bytes, offset)
      },
      async abort() {
        if (isOpen) ftruncateSync(file, 0)
        else rmSync(path, { force: true })
        written = 0
      },
      finish: async () => {
        closeSync(file)
        isOpen = false
        const source = fileSource(path)
        this.#disposables.push(source)
        return { ...source, name, path }
      },
    }
  }

  /** Closes all files and deletes those that are not `kept`. */
  end(kept?: string): void {
    for (const one of this.#disposables) one[Symbol.dispose]()
    for (const path of this.#opened) if (path !== kept) rmSync(path, { force: true })
  }
}

/** Path of a source that a sink of `ResultFiles` returned. `undefined`: another source. */
export const pathOfResult = (source: object): string | undefined =>
  'path' in source && typeof source.path === 'string' ? source.path : undefined

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done)
}
