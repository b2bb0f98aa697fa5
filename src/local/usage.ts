/** What a process takes right now, as Linux tells it. */
import { readFile } from 'node:fs/promises'

export interface Usage {
  readonly residentBytes: number
  /** Milliseconds, user and system, of all its threads. */
  readonly processorMs: number
  /** It waits for something else than the processor. */
  readonly sleeps: boolean
}

/** undefined: this system does not tell, or it is gone. */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    const [status, stat] = await Promise.all([readFile(`/proc/${pid}/status`, 'utf8'), readFile(`/proc/${pid}/stat`, 'utf8')])
    const residentKb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
    // Behind the name, which may hold anything: state is field 3, user and system time are 14 and 15, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const processorMs = (Number(fields[11]) + Number(fields[12])) * 10
    return { residentBytes: residentKb * 1024, processorMs, sleeps: fields[0] === 'S' }
  } catch {
    return undefined
  }
}
