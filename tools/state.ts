/**
 * `npm run state -- backup FILE` and `npm run state -- restore FILE`: copies the whole state of the service of one machine (tasks, files,
 * accounts, keys, secrets) into one tar file, and back into an empty folder. The service must be stopped.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_STATE, IS_CHECKOUT } from '../src/local/installation.ts'
import { lockState } from '../src/local/state-lock.ts'

/** What a start creates anew: folders of press processes, the lock, and the process that holds it. */
const LEFT_OUT = ['presses', 'service.lock', 'service.json']
/** Present in each state that a service has used. */
const NEEDED = ['secrets.env', 'v3']

/** Writes the state to `file`, which only its owner may read. @throws Error if a service uses the state, or `file` exists */
export async function backupState(state: string, file: string): Promise<void> {
  const missing = NEEDED.filter((name) => !existsSync(join(state, name)))
  if (missing.length > 0) throw new Error(`${state} is no state folder: it has no ${missing.join(' and no ')}.`)
  if (existsSync(file)) throw new Error(`${file} exists already.`)
  await lockState(state, { pid: process.pid, port: 0, embedded: false })
  const names = readdirSync(state).filter((name) => !LEFT_OUT.includes(name))
  const partial = `${file}.partial`
  // Created with its mode before the secrets are written.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    tar(['-cf', partial, '-C', state, '--', ...names])
    flush(partial)
    renameSync(partial, file)
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Restores a backup. @throws Error if `state` is not empty, or `file` is no complete backup. Then `state` is unchanged. */
export function restoreState(file: string, state: string): void {
  if (existsSync(state) && readdirSync(state).length > 0) throw new Error(`${state} is not empty. Choose another folder with --state.`)
  mkdirSync(dirname(state), { recursive: true })
  const temporary = mkdtempSync(`${state}.restore-`)
  try {
    tar(['-xf', resolve(file), '-C', temporary, '--no-same-owner'])
    const missing = NEEDED.filter((name) => !existsSync(join(temporary, name)))
    if (missing.length > 0) throw new Error(`${file} is no backup of a state: it has no ${missing.join(' and no ')}.`)
    if (existsSync(state)) rmdirSync(state)
    renameSync(temporary, state)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function tar(words: readonly string[]): void {
  const { status, error, stderr } = spawnSync('tar', words, { encoding: 'utf8' })
  if (error || status !== 0) throw new Error(`tar failed: ${error?.message ?? stderr.trim()}`)
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Runs the command. */
export async function main(): Promise<void> {
  const program = new Command(IS_CHECKOUT ? 'npm run state --' : 'whittle-state').description(
    'Backs up and restores the state of a stopped service.',
  )
  const withState = (command: Command) => command.option('--state <folder>', 'state folder', DEFAULT_STATE)
  withState(program.command('backup <file>')).action(async (file: string, { state }: { state: string }) => {
    await backupState(resolve(state), resolve(file))
    console.log(`${file} has the state of ${state}, with its secrets. Store it where only you can read it.`)
  })
  withState(program.command('restore <file>')).action((file: string, { state }: { state: string }) => {
    restoreState(resolve(file), resolve(state))
    console.log(`${state} is restored. Start the service with --state ${state}.`)
  })
  await program.parseAsync().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}

if (IS_CHECKOUT && import.meta.main) await main()
