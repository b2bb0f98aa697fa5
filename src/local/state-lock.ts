/**
 * Allows one service per state folder, because two would overwrite each other's data. The lock is SQLite's lock on a file. The
 * operating system releases it when the process ends for any reason.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** The process that holds the lock, as written to `service.json`. */
export interface Holder {
  readonly pid: number
  readonly port: number
  /** True if the CLI started the service. It then ends with its command. */
  readonly embedded: boolean
}

const SQLITE_BUSY = 5
/** Milliseconds that a CLI service waits for the service of the previous command to stop. */
const EMBEDDED_WAIT_MS = 15_000
const RETRY_PAUSE_MS = 100
/** Connections that hold the lock. Never closed, because closing releases the lock. */
const lockConnections: DatabaseSync[] = []

/** Locks the folder until this process ends. @throws Error that names the current holder */
export async function lockState(state: string, holder: Holder): Promise<void> {
  mkdirSync(state, { recursive: true })
  for (const deadline = Date.now() + EMBEDDED_WAIT_MS; !tryLock(state); await sleep(RETRY_PAUSE_MS)) {
    const other = readHolder(state)
    if (holder.embedded && other?.embedded && Date.now() < deadline) continue
    throw new Error(
      `The state folder ${state} is in use by ${describeHolder(other)}. Stop that service, or choose another folder with --state.`,
    )
  }
  try {
    writeFileSync(join(state, 'service.json'), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  } catch (error) {
    // On a full disk the service must start, so that files can be deleted. Only the message to a second service is less exact.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function tryLock(state: string): boolean {
  const file = new DatabaseSync(join(state, 'service.lock'))
  try {
    // No journal, so that no extra file is left. Nothing is written to the database.
    file.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    lockConnections.push(file)
    return true
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}

function describeHolder(holder: Holder | undefined): string {
  if (!holder) return 'another service'
  const { pid, port, embedded } = holder
  return `the service ${embedded ? 'of another whittle command, ' : ''}on port ${port} (pid ${pid})`
}

function readHolder(state: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(state, 'service.json'), 'utf8')) as Holder
  } catch {
    // The holder has not written it yet.
    return undefined
  }
}
