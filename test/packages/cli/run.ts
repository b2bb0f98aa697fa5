/** Runs the command line as a person would: with pipes, or on a terminal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const BIN = resolve(import.meta.dirname, '../../../packages/cli/bin/whittle.mjs')

/** Starts it and lets it run, as `whittle watch` does. */
export function whittleInBackground(folder: string, baseUrl: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], { cwd: folder, env: environmentOf(folder, baseUrl) })
}

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A folder that stands in for the person's home too, so that no configuration of this machine counts. */
export function whittle(folder: string, baseUrl: string, args: readonly string[], stdin = ''): Promise<Ran> {
  return run(process.execPath, [BIN, ...args], folder, baseUrl, stdin)
}

/** The same on a pseudo-terminal (util-linux `script`); `out` is everything that the terminal was sent. */
export function whittleOnTerminal(folder: string, baseUrl: string, args: readonly string[], environment = 'NO_COLOR=1'): Promise<Ran> {
  const quoted = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ')
  return run('script', ['-qec', `stty cols 80; ${environment} ${quoted}`, '/dev/null'], folder, baseUrl)
}

function run(command: string, args: readonly string[], folder: string, baseUrl: string, stdin = ''): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: folder, env: environmentOf(folder, baseUrl) })
    child.stdin.end(stdin)
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk
    })
    child.once('error', failed)
    child.once('close', (code) => done({ code, out, err }))
  })
}

/** No server and no key where there is no address, and nothing of this machine that says how to paint. */
function environmentOf(folder: string, baseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    COLORTERM: undefined,
    WHITTLE_SERVER: baseUrl,
    WHITTLE_KEY: baseUrl === '' ? '' : 'whl_live_test',
    WHITTLE_STATE: join(folder, '.embedded'),
    XDG_STATE_HOME: join(folder, '.state'),
    XDG_CONFIG_HOME: join(folder, '.config'),
  }
}
