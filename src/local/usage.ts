/** Current memory and CPU time of a process, from Linux's /proc. */
import { readFile } from 'node:fs/promises'

export interface ProcessUsage {
  readonly residentBytes: number
  /** User and system time of all threads, in milliseconds. */
  readonly processorMs: number
  /** True if the process waits for something other than a CPU. */
  readonly isSleeping: boolean
  /** True if the process computes or would, given a CPU. False: it sleeps or was stopped by a signal. */
  readonly isRunnable: boolean
}

/** Reads /proc/PID. `undefined`: not supported on this system, or the process has ended. */
export async function readUsage(pid: number): Promise<ProcessUsage | undefined> {
  try {
    const [status, stat] = await Promise.all([readFile(`/proc/${pid}/status`, 'utf8'), readFile(`/proc/${pid}/stat`, 'utf8')])
    const residentKb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
    // Fields of proc_pid_stat(5) after the name: state is field 3, user and system time are 14 and 15, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const processorMs = (Number(fields[11]) + Number(fields[12])) * 10
    return {
      residentBytes: residentKb * 1024,
      processorMs,
      isSleeping: fields[0] === 'S',
      isRunnable: fields[0] === 'R' || fields[0] === 'D',
    }
  } catch {
    return undefined
  }
}
