/** Runs files in a child process, and restarts the process after a crash or if it uses too much memory. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChildOptions, Report, Task } from './link.ts'

export interface RunnerLimits {
  /** CPU time for one file in milliseconds. */
  readonly processorMs: number
  /** Resident memory in bytes above that before the file. */
  readonly memoryBytes: number
}

/** Resident memory in bytes above which an idle child process is restarted. */
const MAX_IDLE_BYTES = 450 * 2 ** 20
const HEAP_MB = 400
const POLL_MS = 250

export class Runner implements Disposable {
  readonly #options: ChildOptions
  readonly #limits: RunnerLimits
  #child: ChildProcess | undefined

  constructor(options: ChildOptions, limits: RunnerLimits) {
    this.#options = options
    this.#limits = limits
  }

  async run(task: Task): Promise<Report> {
    const child = (this.#child ??= await this.#start())
    const before = await usageOf(child)
    const { promise, resolve } = Promise.withResolvers<Report>()
    const end = (kind: Report['kind'], why: string, processorMs = 0) => resolve({ kind, why, processorMs })
    const exited = (code: number | null, signal: string | null) => end('died', signal ?? `code ${code}`)
    const timer = setInterval(async () => {
      const now = await usageOf(child)
      const processorMs = now.processorMs - before.processorMs
      const residentBytes = now.residentBytes - before.residentBytes
      if (processorMs > this.#limits.processorMs) end('hang', `more than ${this.#limits.processorMs / 1000} s`, processorMs)
      else if (residentBytes > this.#limits.memoryBytes) end('memory', `${Math.round(residentBytes / 2 ** 20)} MB more`, processorMs)
    }, POLL_MS)
    child.once('message', resolve as (message: unknown) => void)
    child.once('exit', exited)
    child.send(task)
    const report = await promise
    clearInterval(timer)
    child.removeAllListeners()
    if (['hang', 'memory', 'died'].includes(report.kind) || (await usageOf(child)).residentBytes > MAX_IDLE_BYTES) this.#stop()
    return report
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, 'child.ts'), [JSON.stringify(this.#options)], {
      execArgv: ['--import', join(import.meta.dirname, '../wasm-hook.ts'), `--max-old-space-size=${HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve())
      child.once('exit', (code) => reject(new Error(`the fuzzing child process exited with code ${code}`)))
    })
    child.removeAllListeners()
    return child
  }

  #stop(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  [Symbol.dispose](): void {
    this.#stop()
  }
}

/** Returns CPU time and memory of a process. Zeros if it has ended, or if the system has no /proc. */
async function usageOf({ pid }: ChildProcess): Promise<{ processorMs: number; residentBytes: number }> {
  const [stat, status] = await Promise.all(['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')))
  const fields = stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')
  const residentKb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status!)?.[1] ?? 0)
  return { processorMs: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10, residentBytes: residentKb * 1024 }
}
