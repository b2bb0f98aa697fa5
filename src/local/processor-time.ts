/** Processor time of the workerd processes of one process group. */
import { readdir, readFile } from 'node:fs/promises'

/** Linux counts in hundredths of a second, whatever the machine. */
const TICK_MS = 10

/** User and system time together. `undefined`: there is no such process, or this system has no /proc. */
export async function workerdUsage(group: number): Promise<{ processorMs: number } | undefined> {
  const names = await readdir('/proc').catch(() => [])
  let total: number | undefined
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const used = usedBy(text, group)
    if (used !== undefined) total = (total ?? 0) + used
  }
  return total === undefined ? undefined : { processorMs: total }
}

/** One line of proc_pid_stat(5); the name, in parentheses, may hold anything. */
function usedBy(stat: string, group: number): number | undefined {
  const end = stat.lastIndexOf(')')
  const name = stat.slice(stat.indexOf('(') + 1, end)
  // From the third field on: state, parent, group, …; the 14th and 15th are the times.
  const fields = stat.slice(end + 2).split(' ')
  if (name !== 'workerd' || Number(fields[2]) !== group) return undefined
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
