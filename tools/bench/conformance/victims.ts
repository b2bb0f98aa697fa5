/** Finds the processes of a service started by `npm start`, by role, and detects processes that are left over. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const VICTIMS = ['tree', 'nodes', 'parent', 'edge', 'press', 'native'] as const
export type Victim = (typeof VICTIMS)[number]

/** Command lines of each role. `tree` matches all processes. */
const COMMANDS: { readonly [victim in Victim]: RegExp } = {
  tree: /./,
  /** All Node processes, which would otherwise clean up after the others. */
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
  /** All descendants of the services so far: start time by process id, because process ids are reused. */
  readonly #startTimes = new Map<number, string>()

  /** Returns the process `root` and all its descendants. */
  below(root: number): Listed[] {
    const all = list()
    const found = all.filter(({ pid }) => pid === root)
    for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
    for (const { pid } of found) {
      const began = startTimeOf(pid)
      if (began !== undefined) this.#startTimes.set(pid, began)
    }
    return found
  }

  has(root: number, victim: Victim): boolean {
    return this.below(root).some(({ command }) => COMMANDS[victim].test(command))
  }

  /** Resets all Durable Objects, as a deployment does (`npm start -- --resettable`). */
  resetObjects(root: number): void {
    if (this.kill(root, 'parent', 'SIGUSR2') === 0) throw new Error('no process is running that can reset Durable Objects')
  }

  /** Sends a signal to the processes of a role, parents first, so that no parent cleans up after a child. Returns their number. */
  kill(root: number, victim: Victim, signal: 'SIGKILL' | 'SIGUSR2' = 'SIGKILL'): number {
    const matching = this.below(root).filter(({ command }) => COMMANDS[victim].test(command))
    // `tree` and `nodes` stop all matching processes; other roles stop one.
    const now = victim === 'tree' || victim === 'nodes' ? matching : matching.slice(0, 1)
    for (const { pid } of now) {
      try {
        process.kill(pid, signal)
      } catch {
        // The process has ended in the meantime.
      }
    }
    return now.length
  }

  /** Returns the command lines of remaining descendants, and of all processes that use the folder `state`. */
  left(state: string): string[] {
    const all = list()
    return all
      .filter(
        ({ pid, command }) => command.includes(state) || (this.#startTimes.has(pid) && this.#startTimes.get(pid) === startTimeOf(pid)),
      )
      .map(({ pid, command }) => `${pid} ${command}`)
  }
}

/** Returns the start time of a process (proc_pid_stat(5), field 22). `undefined`: it has ended or is a zombie. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

/** Resident memory of a process in bytes. 0: it has ended. */
export function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
