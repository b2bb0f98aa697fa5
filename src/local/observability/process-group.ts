/** CPU time and memory of the service's processes, from Linux's /proc. */
import { readdir, readFile } from 'node:fs/promises'

/** `workerd` runs the API. `press` processes run codecs, and FFmpeg. `pool` is the process that started both. */
type ProcessKind = 'workerd' | 'press' | 'pool'

export interface GroupUsage {
  /** CPU seconds of all processes of the group, also of those that have ended. Never falls. */
  readonly cpuSeconds: number
  readonly residentBytes: Readonly<Record<ProcessKind, number>>
}

/** Length of a clock tick in /proc/PID/stat, in seconds: always 10 ms on Linux. */
const TICK_SECONDS = 0.01
/** Size of a memory page in bytes in /proc/PID/stat. Kernels with larger pages report too few bytes. */
const PAGE_BYTES = 4096

/** Measures all processes of a group. `undefined`: the system has no /proc, or the group has ended. */
export async function measureGroup(group: number): Promise<GroupUsage | undefined> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  let ticks = 0
  const residentBytes = { workerd: 0, press: 0, pool: 0 }
  const members = texts.map(parseStat).filter((one) => one?.group === group)
  for (const one of members) {
    if (!one) continue
    const kind = one.name === 'workerd' ? 'workerd' : one.pid === group ? 'pool' : 'press'
    // The CPU time of a child moves to its parent when it ends.
    ticks += one.ownTicks + one.childTicks
    residentBytes[kind] += one.pages * PAGE_BYTES
  }
  return members.length > 0 ? { cpuSeconds: ticks * TICK_SECONDS, residentBytes } : undefined
}

interface ProcessStat {
  readonly pid: number
  readonly name: string
  readonly group: number
  /** User and system time. */
  readonly ownTicks: number
  /** User and system time of children that have ended. */
  readonly childTicks: number
  readonly pages: number
}

/** Parses one line of proc_pid_stat(5). The name is in parentheses and may contain any character. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  // Fields from the third on: state, parent, group, …; 14 and 15 are own times, 16 and 17 those of children, 24 resident pages.
  const fields = text.slice(close + 2).split(' ')
  const at = (field: number) => Number(fields[field - 3])
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    group: at(5),
    ownTicks: at(14) + at(15),
    childTicks: at(16) + at(17),
    pages: at(24),
  }
}
