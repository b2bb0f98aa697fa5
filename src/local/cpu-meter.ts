/** CPU time of one job: its press process since the start of the job, and its runs of FFmpeg. */
interface Usage {
  readonly startMs: number
  lastMs: number
}

export class CpuMeter {
  readonly #byProcess = new Map<number, Usage>()
  #reportedMs = 0

  /**
   * Notes the CPU time that a process has used so far.
   * @param startMs CPU time that the process had used before the job; only the first call for a process counts
   */
  note(pid: number, processorMs: number, startMs = 0): void {
    const usage = this.#byProcess.get(pid) ?? { startMs, lastMs: startMs }
    usage.lastMs = Math.max(usage.lastMs, processorMs)
    this.#byProcess.set(pid, usage)
  }

  /** Returns the CPU time in milliseconds since the last call. */
  take(): number {
    const totalMs = [...this.#byProcess.values()].reduce((sum, { startMs, lastMs }) => sum + lastMs - startMs, 0)
    const ms = totalMs - this.#reportedMs
    this.#reportedMs = totalMs
    return ms
  }

  /** Returns `ms` that could not be reported. The next `take` includes them. */
  giveBack(ms: number): void {
    this.#reportedMs -= ms
  }
}
