/** Results that replaced their input without a backup, so that a later run skips them instead of compressing them again. */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Most results that are remembered. The oldest are forgotten first. */
const MAX_RESULTS = 50_000

/** Size and modification time of a file. A file that was edited has others. */
type Fingerprint = string

export class MadeResults {
  readonly #path = join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'whittle', 'in-place.json')
  /** In the order in which they were made. */
  readonly #made: Map<string, Fingerprint>
  #hasChanged = false

  constructor() {
    this.#made = new Map(existsSync(this.#path) ? readEntries(this.#path) : [])
  }

  /** True if the file is a result and was not changed since. */
  has(path: string): boolean {
    return this.#made.get(resolve(path)) === fingerprintOf(path)
  }

  add(path: string): void {
    const key = resolve(path)
    this.#made.delete(key)
    this.#made.set(key, fingerprintOf(path))
    this.#hasChanged = true
  }

  /** Writes the list, if something was added. */
  save(): void {
    if (!this.#hasChanged) return
    mkdirSync(dirname(this.#path), { recursive: true })
    const temporary = `${this.#path}.${process.pid}.new`
    writeFileSync(temporary, JSON.stringify([...this.#made].slice(-MAX_RESULTS)))
    renameSync(temporary, this.#path)
    this.#hasChanged = false
  }
}

function fingerprintOf(path: string): Fingerprint {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

/** A damaged list is dropped: then files are compressed again. */
function readEntries(path: string): [string, Fingerprint][] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as [string, Fingerprint][]
  } catch {
    return []
  }
}
