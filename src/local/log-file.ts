/** Log file with a size limit. At 16 MB it is renamed to `NAME.1`, which replaces the previous one. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const MAX_BYTES = 16 * 1024 * 1024

export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  #file: number
  #bytes: number

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  writeLine(text: string): void {
    if (this.#bytes >= this.#maxBytes) this.#rotate()
    this.#bytes += writeSync(this.#file, `${text}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }

  #rotate(): void {
    closeSync(this.#file)
    renameSync(this.#path, `${this.#path}.1`)
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#bytes = 0
  }
}
