/** Memory of a server and of all processes that it started, from Linux's `/proc`. */
import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 250

/** Ids of the processes that `parent` started. Empty without `/proc`. */
export const childrenOf = (parent: number): number[] => (parents().get(parent) ?? []).slice()

/**
 * Samples the memory of processes and their descendants until `stop`. Pages that processes share count once.
 * @returns a function that ends the sampling and returns the peak in bytes; `undefined`: the system does not tell
 */
export function watchMemory(processes: () => readonly number[]): () => number | undefined {
  let peak = 0
  const sample = () => (peak = Math.max(peak, bytesOf(processes())))
  const timer = setInterval(sample, SAMPLE_MS)
  return () => {
    clearInterval(timer)
    sample()
    return peak > 0 ? peak : undefined
  }
}

function bytesOf(roots: readonly number[]): number {
  const children = parents()
  const queue = [...roots]
  let bytes = 0
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    queue.push(...(children.get(pid) ?? []))
    bytes += Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024
  }
  return bytes
}

/** Children of every process. */
function parents(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of names('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const parent = Number(/\) \S (\d+) /.exec(read(`/proc/${name}/stat`))?.[1] ?? Number.NaN)
    const known = children.get(parent)
    if (known) known.push(Number(name))
    else children.set(parent, [Number(name)])
  }
  return children
}

/** Empty: the process has ended, or there is no `/proc`. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
