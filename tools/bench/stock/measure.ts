/** Measures one job of an npm package or of Whittle in its own process, including its Wasm memories. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import '../../wasm-hook.ts'
import type { Measured } from '../harness.ts'
import type { Memories } from './count-memories.ts'

/** Imported dynamically, after the hook for Wasm imports is installed. */
const { JpegRows } = await import('../../../wasm/jpeg/jpeg.ts')
const { SimilarityMeter } = await import('../../../src/core/metrics/ssim-psnr.ts')

const STRIP_ROWS = 64
const JOB_TIMEOUT_MS = 900_000

/** Runs a job of `jobs.ts` on a file. The result is the file `out` in the folder of the packages. */
export const byPackage = (job: string, path: string, folder: string) =>
  measured(['tools/bench/stock/jobs.ts', folder, job, path, join(folder, 'out')], folder)

/** Cache of Whittle's figures, because two packages may be compared with the same job. */
const known = new Map<string, Measured>()

/** Runs Whittle's pipeline including verification, with flags of `tools/try.ts`. */
export function byUs(path: string, flags: readonly string[], folder: string): Measured {
  const key = [path, ...flags].join(' ')
  const found = known.get(key) ?? measured(['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, ...flags], folder)
  known.set(key, found)
  return found
}

/** Runs a Node script that prints its figures as JSON, and counts its Wasm memories. */
function measured(script: readonly string[], folder: string): Measured {
  const counted = join(folder, 'memories')
  rmSync(counted, { force: true })
  const done = spawnSync(process.execPath, ['--import', './tools/bench/stock/count-memories.ts', ...script], {
    encoding: 'utf8',
    timeout: JOB_TIMEOUT_MS,
    env: { ...process.env, COUNT_MEMORIES: counted },
    maxBuffer: 1 << 28,
  })
  if (done.status !== 0) {
    const error = /abort\(\w+\)|\w*Error: .*/.exec(done.stderr)?.[0] ?? `ended with ${done.signal ?? done.status}`
    return { bytes: 0, cpuSeconds: 0, note: error }
  }
  const report = JSON.parse(done.stdout) as JobOutput
  const note = report.ssim ? `ssim ${report.ssim.toFixed(4)} psnr ${report.psnrDb?.toFixed(1)}` : (report.reason ?? '')
  return {
    bytes: report.bytes ?? report.out ?? 0,
    cpuSeconds: report.cpuSeconds,
    ...(JSON.parse(readFileSync(counted, 'utf8')) as Memories),
    ...(note ? { note } : {}),
  }
}

/** JSON output of `jobs.ts` and of `tools/try.ts`. */
interface JobOutput {
  readonly bytes?: number
  readonly out?: number
  readonly cpuSeconds: number
  readonly ssim?: number
  readonly psnrDb?: number
  readonly reason?: string
}

/** True if the job failed, which leaves no result. */
export const failed = (peer: Measured) => peer.bytes === 0

/** Returns SSIM and PSNR of a package's JPEG result as text. */
export async function similarityOfJpegs(original: string, result: string): Promise<string> {
  const [a, b] = [await JpegRows.open(readFileSync(original)), await JpegRows.open(readFileSync(result))]
  const meter = new SimilarityMeter(a.width, a.height, 3)
  for (let rows = await a.read(STRIP_ROWS); rows; rows = await a.read(STRIP_ROWS)) {
    const others = await b.read(STRIP_ROWS)
    if (others) meter.push(rows, others)
  }
  const { ssim, psnrDb } = meter.finish()
  return `ssim ${ssim.toFixed(4)} psnr ${psnrDb.toFixed(1)}`
}
