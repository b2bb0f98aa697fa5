/**
 * Compresses one file in its own process, so that the peak memory is that of the job, verifies the result and prints the figures.
 * `node --import ./tools/wasm-hook.ts tools/bench/growth/job.ts FILE MEMORY_MB [OUTPUT]`.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { fileSink, fileSource } from '../../../test/conformance/core/formats/memory/files.ts'

/** Figures of a run, printed as JSON. */
export interface JobFigures {
  /** `compressed`, or the reason why the file stayed unchanged. */
  readonly outcome: string
  readonly inBytes: number
  readonly outBytes: number
  /** User and system CPU seconds, without loading modules. */
  readonly cpuSeconds: number
  /** Peak resident memory in MiB, minus the memory of the process after loading modules. */
  readonly peakMiB: number
}

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }

const [path = '', memory = '96', output] = process.argv.slice(2)
const [name, size] = [basename(path), statSync(path).size]
const source = fileSource(path, size, name)
const format = await identify(source)
const codec = format && CODECS[format.id]
if (!codec) throw new Error(`no codec supports ${path}`)
const job = openJob(codec, source, CODECS, { output: output as OutputId | undefined, memoryBudget: Number(memory) * 2 ** 20 })
const made = `${path}.result`
const idle = process.memoryUsage().rss
forgetPeak()
const before = process.cpuUsage()
const { outcome, result } = await job.whole(async () => fileSink(made, size, name))
const { user, system } = process.cpuUsage(before)
rmSync(made, { force: true })
const took: JobFigures = {
  outcome: outcome.kind === 'compressed' ? outcome.kind : outcome.reason,
  inBytes: size,
  outBytes: result?.size ?? size,
  cpuSeconds: (user + system) / 1e6,
  peakMiB: (peakBytes() - idle) / 2 ** 20,
}
console.log(JSON.stringify(took))

/** Resets the peak memory counter of Linux, because loading modules needs more memory than it keeps. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // On other systems, the peak includes loading modules.
  }
}

function peakBytes(): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}
