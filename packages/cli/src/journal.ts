/** What an interrupted run had done: tasks by file, so that the next run goes on where this one stopped. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Wishes } from './client.ts'
import type { Job } from './files.ts'

interface Entry {
  /** The same upload under the same key finds its task again. */
  readonly key: string
  /** Path of its resumable upload. */
  readonly upload?: string
  readonly done?: boolean
  /** Of the result, for the sum of the run that goes on. */
  readonly compressedSize?: number
}

const folder = () => join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'whittle')

export class Journal {
  readonly #path: string
  readonly #entries: Record<string, Entry>

  /** One journal for each combination of server and wishes. Passwords are not written, only their hash is part of the name. */
  constructor(server: string, wishes: Wishes, out: string | undefined) {
    const name = createHash('sha256')
      .update(JSON.stringify([server, wishes, out]))
      .digest('hex')
      .slice(0, 24)
    this.#path = join(folder(), `${name}.json`)
    this.#entries = existsSync(this.#path) ? (JSON.parse(readFileSync(this.#path, 'utf8')) as Record<string, Entry>) : {}
  }

  /** A file that changed is another file. */
  #id(job: Job, modifiedMs: number): string {
    return `${resolve(job.path)}\0${job.size}\0${modifiedMs}`
  }

  begin(job: Job, modifiedMs: number): Entry {
    const id = this.#id(job, modifiedMs)
    const entry = (this.#entries[id] ??= { key: crypto.randomUUID() })
    this.#write()
    return entry
  }

  /** Its upload has begun. */
  note(job: Job, modifiedMs: number, upload: string) {
    const id = this.#id(job, modifiedMs)
    this.#entries[id] = { ...this.#entries[id]!, upload }
    this.#write()
  }

  end(job: Job, modifiedMs: number, compressedSize: number = job.size) {
    const id = this.#id(job, modifiedMs)
    this.#entries[id] = { ...this.#entries[id]!, done: true, compressedSize }
    this.#write()
  }

  /** A run that ended needs no memory. */
  close() {
    rmSync(this.#path, { force: true })
  }

  #write() {
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#entries))
    renameSync(`${this.#path}.new`, this.#path)
  }
}
