/** Runs the CLI with pipes or on a pseudo-terminal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const BIN = resolve(import.meta.dirname, '../../../packages/cli/bin/whittle.mjs')

/** Starts the CLI without waiting for its end, for `whittle watch`. */
export function whittleInBackground(folder: string, baseUrl: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [BIN, ...args], { cwd: folder, env: environmentOf(folder, baseUrl) })
}

export interface RunResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the CLI to its end. `folder` is also its home, so that no configuration of this machine applies. */
export function whittle(folder: string, baseUrl: string, args: readonly string[], stdin = ''): Promise<RunResult> {
  return run(process.execPath, [BIN, ...args], folder, baseUrl, stdin)
}

/** Runs the CLI on a pseudo-terminal (util-linux `script`). `out`: all bytes that the terminal received. */
export function whittleOnTerminal(
  folder: string,
  baseUrl: string,
  args: readonly string[],
  environment = 'NO_COLOR=1',
): Promise<RunResult> {
  const quoted = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ')
  return run('script', ['-qec', `stty cols 80; ${environment} ${quoted}`, '/dev/null'], folder, baseUrl)
}

function run(command: string, args: readonly string[], folder: string, baseUrl: string, stdin = ''): Promise<RunResult> {
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

/** Environment without a server and key if `baseUrl` is empty, and without this machine's colour settings. */
function environmentOf(folder: string, baseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    COLORTERM: undefined,
    WHITTLE_SERVER: baseUrl,
    WHITTLE_KEY: baseUrl === '' ? '' : 'whl_live_test',
    XDG_STATE_HOME: join(folder, '.state'),
    XDG_CONFIG_HOME: join(folder, '.config'),
  }
}
