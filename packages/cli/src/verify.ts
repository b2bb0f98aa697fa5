/** Implements `whittle verify`: runs this checkout's codecs in a child process. Needs no service. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CliError } from './trouble.ts'

export interface VerifyFlags {
  json?: boolean
  /** File or URL of the service's public keys. */
  jwks?: string
}

/** Prints the findings. @returns the exit code: 1 if a claim is false */
export async function verify(paths: readonly string[], flags: VerifyFlags): Promise<number> {
  return (await exitCodeOf(startVerifier(paths, flags, 'inherit'))) ?? 2
}

/** Verifies like `verify`, but returns the findings as an object. */
export async function verifyFiles(paths: readonly string[]): Promise<unknown> {
  const child = startVerifier(paths, { json: true }, ['ignore', 'pipe', 'pipe'])
  const [code, out, err] = await Promise.all([exitCodeOf(child), text(child.stdout!), text(child.stderr!)])
  if (code !== 0 && code !== 1) throw new CliError('usage', err.trim() || 'The files could not be compared.')
  return JSON.parse(out)
}

function startVerifier(paths: readonly string[], flags: VerifyFlags, stdio: StdioOptions): ChildProcess {
  const [script, hook] = ['verify.ts', 'wasm-hook.ts'].map((name) => new URL(`../../../tools/${name}`, import.meta.url))
  if (!existsSync(script!)) throw new CliError('usage', 'whittle verify needs the codecs of a checkout. Run it in a checkout of Whittle.')
  const options = [...(flags.json ? ['--json'] : []), ...(flags.jwks === undefined ? [] : ['--jwks', flags.jwks])]
  return spawn(process.execPath, ['--import', hook!.href, fileURLToPath(script!), ...options, '--', ...paths], { stdio })
}

function exitCodeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}
