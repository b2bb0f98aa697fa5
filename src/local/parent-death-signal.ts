/**
 * No process outlives the one that started it, however that one ends.
 *
 * On Linux with util-linux the kernel sends SIGKILL to a child when its parent dies (`setpriv --pdeathsig`, prctl(2)), also while
 * the child is inside a call that never returns. Every process of the service is started that way: the parent of the presses, the
 * presses, workerd and FFmpeg. Elsewhere the parent of the presses, whose event loop is never blocked, ends its process group when its
 * standard input closes.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

let prefix: readonly string[] | undefined

/** Words that a command line begins with so that the kernel kills the program with its parent. Empty: this system cannot. */
export function withParentDeathSignal(): readonly string[] {
  prefix ??= findPrefix()
  return prefix
}

function findPrefix(): readonly string[] {
  if (process.platform !== 'linux') return []
  // An absolute path: presses have no environment.
  const path = spawnSync('/bin/sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).stdout?.trim()
  const words = [path || 'setpriv', '--pdeathsig', 'KILL', '--']
  return spawnSync(words[0]!, [...words.slice(1), 'true']).status === 0 ? words : []
}

/** Has the kernel kill the workerd that Miniflare will start from this process, whichever program that is. */
export function useParentDeathSignalForWorkerd(): void {
  const script = join(import.meta.dirname, 'workerd-with-parent-death-signal.sh')
  const chosen = process.env['MINIFLARE_WORKERD_PATH']
  if (chosen === script || withParentDeathSignal().length === 0) return
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  process.env['WHITTLE_WORKERD'] = chosen ?? (ofMiniflare('workerd') as { readonly default: string }).default
  process.env['WHITTLE_PARENT_DEATH_SIGNAL'] = withParentDeathSignal().join(' ')
  process.env['MINIFLARE_WORKERD_PATH'] = script
}

/** Kills this process and its whole group when standard input, a pipe that the parent holds, closes. The group must be its own. */
export function killGroupWithParent(): void {
  process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
}

const ORPHAN_CHECK_MS = 500

/** Calls `stop` once this process has another parent: npm does not always pass signals on before it dies. */
export function onParentDeath(stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, ORPHAN_CHECK_MS).unref()
}
