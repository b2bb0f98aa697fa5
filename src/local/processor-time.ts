/** CPU time of all workerd processes in one process group. */
import { readdir, readFile } from 'node:fs/promises'

/** Length of a clock tick in /proc/PID/stat: always 10 ms on Linux. */
const TICK_MS = 10

/** User and system time in milliseconds. `undefined`: no such process, or no /proc. */
export async function workerdUsage(group: number): Promise<{ processorMs: number } | undefined> {
  const names = await readdir('/proc').catch(() => [])
  let total: number | undefined
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const used = processorMsFrom(text, group)
    if (used !== undefined) total = (total ?? 0) + used
  }
  return total === undefined ? undefined : { processorMs: total }
}

/** CPU time from one line of proc_pid_stat(5). The process name is in parentheses and may contain any character. */
function processorMsFrom(stat: string, group: number): number | undefined {
  const end = stat.lastIndexOf(')')
  const name = stat.slice(stat.indexOf('(') + 1, end)
  // Fields from the third on: state, parent, group, …. The 14th and 15th are user and system time.
  const fields = stat.slice(end + 2).split(' ')
  if (name !== 'workerd' || Number(fields[2]) !== group) return undefined
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
