/**
 * Log file with a size limit. At 16 MB it is renamed to `NAME.1`, which replaces the previous one. If the disk is full, lines are
 * dropped; the next line that can be written says how many.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const MAX_BYTES = 16 * 1024 * 1024

export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #onDropped: () => void
  /** File descriptor. `undefined`: the file could not be opened, or is closed. */
  #file: number | undefined
  #bytes = 0
  #droppedLines = 0
  #isClosed = false

  /** @param onDropped called for each line that cannot be written */
  constructor(path: string, maxBytes = MAX_BYTES, onDropped: () => void = () => {}) {
    this.#path = path
    this.#onDropped = onDropped
    this.#maxBytes = maxBytes
    this.#attempt(() => this.#open())
  }

  /** Never throws. */
  writeLine(text: string): void {
    const isWritten = this.#attempt(() => {
      if (this.#bytes >= this.#maxBytes) this.#rotate()
      if (this.#droppedLines > 0) this.#write(JSON.stringify({ level: 'warn', event: 'log_lines_dropped', lines: this.#droppedLines }))
      this.#droppedLines = 0
      this.#write(text)
    })
    if (isWritten) return
    this.#droppedLines++
    this.#onDropped()
  }

  close(): void {
    this.#isClosed = true
    this.#attempt(() => this.#closeFile())
  }

  #attempt(work: () => void): boolean {
    try {
      work()
      return true
    } catch {
      return false
    }
  }

  #write(text: string): void {
    this.#bytes += writeSync(this.#file ?? this.#open(), `${text}\n`)
  }

  #open(): number {
    if (this.#isClosed) throw new Error(`The log file ${this.#path} is closed.`)
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
    return this.#file
  }

  #closeFile(): void {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }

  #rotate(): void {
    this.#closeFile()
    renameSync(this.#path, `${this.#path}.1`)
    this.#open()
  }
}
