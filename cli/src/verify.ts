/** `whittle verify`: by the codecs of this checkout, in a process of their own; no service is asked. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Trouble } from './trouble.ts'

export interface VerifyFlags {
  json?: boolean
  /** A file or an address. */
  jwks?: string
}

/** @returns the exit code: 1 where something is false */
export function verify(paths: readonly string[], flags: VerifyFlags): Promise<number> {
  const [script, hook] = ['verify.ts', 'wasm-hook.ts'].map((name) => new URL(`../../scripts/${name}`, import.meta.url))
  if (!existsSync(script!))
    throw new Trouble('usage', 'Receipts are verified by the codecs themselves: run this from a checkout of Whittle.')
  const options = [...(flags.json ? ['--json'] : []), ...(flags.jwks === undefined ? [] : ['--jwks', flags.jwks])]
  const child = spawn(process.execPath, ['--import', hook!.href, fileURLToPath(script!), ...options, '--', ...paths], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 2))
  })
}
