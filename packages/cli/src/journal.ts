/** State of an interrupted run, by file, so that the next run can continue. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { CompressOptions } from './client.ts'
import type { InputFile } from './files.ts'

interface Entry {
  /** Idempotency key of the upload. A repeated upload with the same key finds its task. */
  readonly key: string
  /** Path of the resumable upload. */
  readonly upload?: string
  readonly done?: boolean
  /** Size of the result in bytes, for the summary of the next run. */
  readonly compressedSize?: number
}

const folder = () => join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'whittle')

export class Journal {
  readonly #path: string
  readonly #entries: Record<string, Entry>

  /** Opens the journal for one combination of server, options and output. Its name is a hash, so that no password is stored. */
  constructor(server: string, options: CompressOptions, out: string | undefined) {
    const name = createHash('sha256')
      .update(JSON.stringify([server, options, out]))
      .digest('hex')
      .slice(0, 24)
    this.#path = join(folder(), `${name}.json`)
    this.#entries = existsSync(this.#path) ? (JSON.parse(readFileSync(this.#path, 'utf8')) as Record<string, Entry>) : {}
  }

  /** Key of an entry: a changed file gets a new entry. */
  #id(job: InputFile, modifiedMs: number): string {
    return `${resolve(job.path)}\0${job.size}\0${modifiedMs}`
  }

  begin(job: InputFile, modifiedMs: number): Entry {
    const id = this.#id(job, modifiedMs)
    const entry = (this.#entries[id] ??= { key: crypto.randomUUID() })
    this.#write()
    return entry
  }

  /** Stores the path of a resumable upload that has started. */
  recordUpload(job: InputFile, modifiedMs: number, upload: string) {
    const id = this.#id(job, modifiedMs)
    this.#entries[id] = { ...this.#entries[id]!, upload }
    this.#write()
  }

  end(job: InputFile, modifiedMs: number, compressedSize: number = job.size) {
    const id = this.#id(job, modifiedMs)
    this.#entries[id] = { ...this.#entries[id]!, done: true, compressedSize }
    this.#write()
  }

  /** Deletes the journal after a complete run. */
  close() {
    rmSync(this.#path, { force: true })
  }

  #write() {
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#entries))
    renameSync(`${this.#path}.new`, this.#path)
  }
}
