/** Nothing outlives who started it: the kernel ends a program with its parent, also while it is in a call that never comes back. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

let found: readonly string[] | undefined

/** What a command line begins with for that (util-linux, by its path: presses have no environment); nothing where this system cannot. */
export function leashed(): readonly string[] {
  found ??= find()
  return found
}

function find(): readonly string[] {
  if (process.platform !== 'linux') return []
  const path = spawnSync('/bin/sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).stdout?.trim()
  const leash = [path || 'setpriv', '--pdeathsig', 'KILL', '--']
  return spawnSync(leash[0]!, [...leash.slice(1), 'true']).status === 0 ? leash : []
}

/** Leashes the workerd that Miniflare will start from this process, whichever that is. */
export function leashWorkerd(): void {
  const script = join(import.meta.dirname, 'leashed-workerd.sh')
  const told = process.env['MINIFLARE_WORKERD_PATH']
  if (told === script || leashed().length === 0) return
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  process.env['WHITTLE_WORKERD'] = told ?? (ofMiniflare('workerd') as { readonly default: string }).default
  process.env['WHITTLE_LEASH'] = leashed().join(' ')
  process.env['MINIFLARE_WORKERD_PATH'] = script
}
