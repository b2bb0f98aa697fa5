/**
 * Ends child processes when their parent dies, even if the parent is killed.
 *
 * On Linux with util-linux, the kernel sends SIGKILL to a child when its parent dies (`setpriv --pdeathsig`, prctl(2)). This works
 * even if the child is inside a call that never returns. The service starts all its processes this way: the pool process, press
 * processes, workerd and FFmpeg.
 * On other systems, the pool process ends its process group when its standard input closes. Its event loop is never blocked.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

let prefix: readonly string[] | undefined

/** Command line prefix that makes the kernel kill the program when its parent dies. Empty: not supported on this system. */
export function withParentDeathSignal(): readonly string[] {
  prefix ??= findPrefix()
  return prefix
}

function findPrefix(): readonly string[] {
  if (process.platform !== 'linux') return []
  // An absolute path, because press processes have no PATH.
  const path = spawnSync('/bin/sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).stdout?.trim()
  const words = [path || 'setpriv', '--pdeathsig', 'KILL', '--']
  return spawnSync(words[0]!, [...words.slice(1), 'true']).status === 0 ? words : []
}

/** Makes the kernel kill the workerd that Miniflare starts when this process dies, including a custom MINIFLARE_WORKERD_PATH. */
export function useParentDeathSignalForWorkerd(): void {
  const script = join(import.meta.dirname, 'workerd-with-parent-death-signal.sh')
  const chosen = process.env['MINIFLARE_WORKERD_PATH']
  if (chosen === script || withParentDeathSignal().length === 0) return
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  process.env['WHITTLE_WORKERD'] = chosen ?? (ofMiniflare('workerd') as { readonly default: string }).default
  process.env['WHITTLE_PARENT_DEATH_SIGNAL'] = withParentDeathSignal().join(' ')
  process.env['MINIFLARE_WORKERD_PATH'] = script
}

/** Kills this process and its process group when standard input, a pipe from the parent, closes. The process must lead its own group. */
export function killGroupWithParent(): void {
  process.stdin.on('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
}

const ORPHAN_CHECK_MS = 500

/** Calls `stop` once this process has another parent. npm may die without passing the signal on. */
export function onParentDeath(stop: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, ORPHAN_CHECK_MS).unref()
}
