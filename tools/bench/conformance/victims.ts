/** The processes of a service of `npm start`, by what they do; and which of all that were ever seen are still there. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const VICTIMS = ['tree', 'nodes', 'parent', 'edge', 'press', 'native'] as const
export type Victim = (typeof VICTIMS)[number]

/** Of the command lines. The tree is all of them. */
const COMMANDS: { readonly [victim in Victim]: RegExp } = {
  tree: /./,
  /** Who would tidy up after the others. */
  nodes: /^\S*node /,
  parent: /^\S*node (--\S+ )*\S*local\/serve\.ts /,
  edge: /^\S*workerd(\.exe)? serve /,
  press: /^\S*node .*\/(press|media)\.mjs$/,
  native: /^\S*ffmpeg .*native-/,
}

interface Listed {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

function list(): Listed[] {
  const rows = execFileSync('ps', ['-e', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n')
  return rows.flatMap((row) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

export class Processes {
  /** All that were ever below one of the services, by id; when each began tells it from a later one with its id. */
  readonly #seen = new Map<number, string>()

  /** Those below `root`, itself the first. */
  below(root: number): Listed[] {
    const all = list()
    const found = all.filter(({ pid }) => pid === root)
    for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
    for (const { pid } of found) {
      const began = beganOf(pid)
      if (began !== undefined) this.#seen.set(pid, began)
    }
    return found
  }

  has(root: number, victim: Victim): boolean {
    return this.below(root).some(({ command }) => COMMANDS[victim].test(command))
  }

  /** Resets all Durable Objects, as a deployment does (`npm start -- --resettable`). */
  resetObjects(root: number): void {
    if (this.kill(root, 'parent', 'SIGUSR2') === 0) throw new Error('nobody is there who resets objects')
  }

  /** SIGKILL, to parents before their children, so that none can tidy up after another. @returns how many there were */
  kill(root: number, victim: Victim, signal: 'SIGKILL' | 'SIGUSR2' = 'SIGKILL'): number {
    const doomed = this.below(root).filter(({ command }) => COMMANDS[victim].test(command))
    // One of several presses, all of a tree.
    const now = victim === 'tree' || victim === 'nodes' ? doomed : doomed.slice(0, 1)
    for (const { pid } of now) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has gone by itself.
      }
    }
    return now.length
  }

  /** Commands of those that are still there, and of all others that name the folder. */
  left(state: string): string[] {
    const all = list()
    return all
      .filter(({ pid, command }) => command.includes(state) || (this.#seen.has(pid) && this.#seen.get(pid) === beganOf(pid)))
      .map(({ pid, command }) => `${pid} ${command}`)
  }
}

/** Since the machine was started (proc_pid_stat(5), field 22). undefined: it has ended, or nobody has waited for it yet. */
function beganOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}
