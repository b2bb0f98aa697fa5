/** `whittle verify`: by the codecs of this checkout, in a process of their own; no service is asked. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Trouble } from './trouble.ts'

export interface VerifyFlags {
  json?: boolean
  /** A file or an address. */
  jwks?: string
}

/** @returns the exit code: 1 where something is false */
export async function verify(paths: readonly string[], flags: VerifyFlags): Promise<number> {
  return (await ended(started(paths, flags, 'inherit'))) ?? 2
}

/** The same for whoever reads it: what is true and what is not. */
export async function measure(paths: readonly string[]): Promise<unknown> {
  const child = started(paths, { json: true }, ['ignore', 'pipe', 'pipe'])
  const [code, out, err] = await Promise.all([ended(child), text(child.stdout!), text(child.stderr!)])
  if (code !== 0 && code !== 1) throw new Trouble('usage', err.trim() || 'The files cannot be compared.')
  return JSON.parse(out)
}

function started(paths: readonly string[], flags: VerifyFlags, stdio: StdioOptions): ChildProcess {
  const [script, hook] = ['verify.ts', 'wasm-hook.ts'].map((name) => new URL(`../../../tools/${name}`, import.meta.url))
  if (!existsSync(script!))
    throw new Trouble('usage', 'Receipts are verified by the codecs themselves: run this from a checkout of Whittle.')
  const options = [...(flags.json ? ['--json'] : []), ...(flags.jwks === undefined ? [] : ['--jwks', flags.jwks])]
  return spawn(process.execPath, ['--import', hook!.href, fileURLToPath(script!), ...options, '--', ...paths], { stdio })
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}
