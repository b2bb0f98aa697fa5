/** Programs from the npm registry that conformance tests run and releases contain. They are installed into a cache outside of the checkout when they are first needed. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A program, or why it cannot be had. */
export type Program = { readonly path: string } | { readonly missing: string }

/**
 * Installs a package if it is not there yet, also one for another platform.
 * @param spec package and version, for example `deno@2.9.6`
 * @param file path of the program below `node_modules`
 */
export function programOf(spec: string, file: string): Program {
  const folder = join(tmpdir(), 'whittle-programs', spec.replaceAll(/[^\w.-]/g, '_'))
  const path = join(folder, 'node_modules', file)
  if (existsSync(path)) return { path }
  mkdirSync(folder, { recursive: true })
  try {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
    execFileSync('npm', ['install', '--force', '--no-audit', '--no-fund', '--prefix', folder, spec], {
      env,
      stdio: 'pipe',
      timeout: 240_000,
    })
  } catch (error) {
    return { missing: `${spec} cannot be installed: ${String(error).slice(0, 200)}` }
  }
  return existsSync(path) ? { path } : { missing: `${spec} has no ${file} on this machine` }
}
