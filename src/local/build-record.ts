/** The record of the last build, which tells whether its inputs have changed since. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Built {
  /** SHA-256 of Node's version, whose code caches the build contains, and of the contents of `inputs`, first 16 hex digits. */
  readonly hash: string
  /** Paths relative to the project root. */
  readonly inputs: readonly string[]
  /** Hash of sizes and times of the inputs. `undefined`: an older build, or a folder that cannot be written. */
  readonly stamp?: string
}

const RECORD = 'built.json'

/** Reading all inputs (45 MB) takes 0.2 s of each start, so files with the same sizes and times are not read. */
export function isUnchanged(root: string, folder: string, previous: Built): boolean {
  const stamp = stampOf(root, previous.inputs)
  if (stamp !== undefined && stamp === previous.stamp) return true
  if (previous.hash !== hashOf(root, previous.inputs)) return false
  if (stamp !== undefined) writeBuilt(folder, { ...previous, stamp })
  return true
}

/** Hash of Node's version and of the sizes and times of files. Every write changes the time of change. `undefined`: a file is missing. */
function stampOf(root: string, inputs: readonly string[]): string | undefined {
  const hash = createHash('sha256').update(process.version)
  for (const input of inputs) {
    const file = statSync(join(root, input), { bigint: true, throwIfNoEntry: false })
    if (!file) return undefined
    hash.update(`${input} ${file.size} ${file.mtimeNs} ${file.ctimeNs} ${file.ino}\n`)
  }
  return hash.digest('hex')
}

/** Notes a build. If the folder cannot be written, the next start reads the inputs again. */
export function writeBuilt(folder: string, built: Built): void {
  const temporary = join(folder, `built-${process.pid}.json`)
  try {
    writeFileSync(temporary, JSON.stringify(built))
    renameSync(temporary, join(folder, RECORD))
  } catch {
    rmSync(temporary, { force: true })
  }
}

export function readBuilt(folder: string): Built | undefined {
  try {
    const built = JSON.parse(readFileSync(join(folder, RECORD), 'utf8')) as Built
    return existsSync(join(folder, built.hash)) ? built : undefined
  } catch {
    return undefined
  }
}

/** Hash of the input files. `undefined`: a file is missing. */
export function hashOf(root: string, inputs: readonly string[]): string | undefined {
  const hash = createHash('sha256').update(process.version)
  try {
    for (const input of inputs)
      hash
        .update(`${input}\n`)
        .update(readFileSync(join(root, input)))
        .update('\n')
  } catch {
    return undefined
  }
  return hash.digest('hex').slice(0, 16)
}

/** Name of the file that marks a build as used by a process. */
const USER = /^used-by-(\d+)$/

/** Marks a build as used by this process, so that later builds do not remove it: press processes start from it, and load engines from it. */
export function markUsed(build: string): void {
  try {
    writeFileSync(join(build, `used-by-${process.pid}`), '')
  } catch {
    // A build that cannot be written is never removed.
  }
}

/** Removes all builds except `hash` and those that a running process uses. */
export function removeUnused(folder: string, hash: string): void {
  for (const name of readdirSync(folder)) {
    const build = join(folder, name)
    if (name === hash || !/^[\da-f]{16}$/.test(name) || readdirSync(build).some(isUsed)) continue
    rmSync(build, { recursive: true, force: true })
  }
}

function isUsed(mark: string): boolean {
  const pid = USER.exec(mark)?.[1]
  if (pid === undefined) return false
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
