/** A log that people can read and that never fills a disk: when it is large it becomes `NAME.1`, and what was there goes. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const MOST_BYTES = 16 * 1024 * 1024

export class LogFile {
  readonly #path: string
  readonly #mostBytes: number
  #file: number
  #bytes: number

  constructor(path: string, mostBytes = MOST_BYTES) {
    this.#path = path
    this.#mostBytes = mostBytes
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  line(text: string): void {
    if (this.#bytes >= this.#mostBytes) this.#rotate()
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
