/**
 * One service a state folder: two would overwrite each other's counts and remove each other's files. SQLite's own lock on a file
 * is the system's, so it ends with its process, however that ends, and no later process can be taken for it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the holder wrote down for those who come later. */
export interface Holder {
  readonly pid: number
  readonly port: number
  /** The command line's own service, which ends with its command. */
  readonly embedded: boolean
}

const SQLITE_BUSY = 5
/** The service of a command that has just ended takes a moment to stop; the next command's waits for it. */
const EMBEDDED_WAIT_MS = 15_000
const RETRY_PAUSE_MS = 100
/** Never closed: with the connection would go the lock. */
const held: DatabaseSync[] = []

/** Takes the folder until this process ends. @throws Error that says who has it */
export async function lockState(state: string, holder: Holder): Promise<void> {
  mkdirSync(state, { recursive: true })
  for (const deadline = Date.now() + EMBEDDED_WAIT_MS; !taken(state); await sleep(RETRY_PAUSE_MS)) {
    const other = holderOf(state)
    if (holder.embedded && other?.embedded && Date.now() < deadline) continue
    throw new Error(`This state is in use by ${nameOf(other)}: ${state}. Stop it, or choose another folder with --state.`)
  }
  writeFileSync(join(state, 'service.json'), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
}

function taken(state: string): boolean {
  const file = new DatabaseSync(join(state, 'service.lock'))
  try {
    // Nothing is ever written, so that no journal stays behind.
    file.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    held.push(file)
    return true
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}

function nameOf(holder: Holder | undefined): string {
  if (!holder) return 'another service'
  const { pid, port, embedded } = holder
  return `the service ${embedded ? 'of another whittle command, ' : ''}on port ${port} (pid ${pid})`
}

function holderOf(state: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(state, 'service.json'), 'utf8')) as Holder
  } catch {
    // It is only just being written.
    return undefined
  }
}
