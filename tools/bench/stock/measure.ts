/** One measurement: a job of a stock package, or ours, in a process of its own whose memories are counted. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import '../../wasm-hook.ts'
import type { Measured } from '../harness.ts'
import type { Memories } from './count-memories.ts'

/** After the hook that lets them import Wasm. */
const { JpegRows } = await import('../../../wasm/jpeg/jpeg.ts')
const { SimilarityMeter } = await import('../../../src/core/metrics/ssim-psnr.ts')

const STRIP_ROWS = 64
const JOB_TIMEOUT_MS = 900_000

/** A job of `jobs.ts` on a file; what it makes is `out` in the folder of the packages. */
export const byPackage = (job: string, path: string, folder: string) =>
  measured(['tools/bench/stock/jobs.ts', folder, job, path, join(folder, 'out')], folder)

/** Of ours: two packages may be compared with the same. */
const known = new Map<string, Measured>()

/** Our pipeline, verification included, with flags of `tools/try.ts`. */
export function byUs(path: string, flags: readonly string[], folder: string): Measured {
  const key = [path, ...flags].join(' ')
  const found = known.get(key) ?? measured(['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, ...flags], folder)
  known.set(key, found)
  return found
}

/** Runs a script in Node that prints its figures as JSON, and counts its Wasm memories. */
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
    const words = /abort\(\w+\)|\w*Error: .*/.exec(done.stderr)?.[0] ?? `ended with ${done.signal ?? done.status}`
    return { bytes: 0, cpuSeconds: 0, note: words }
  }
  const said = JSON.parse(done.stdout) as Said
  const note = said.ssim ? `ssim ${said.ssim.toFixed(4)} psnr ${said.psnrDb?.toFixed(1)}` : (said.reason ?? '')
  return {
    bytes: said.bytes ?? said.out ?? 0,
    cpuSeconds: said.cpuSeconds,
    ...(JSON.parse(readFileSync(counted, 'utf8')) as Memories),
    ...(note ? { note } : {}),
  }
}

/** Of `jobs.ts`, and of `tools/try.ts`. */
interface Said {
  readonly bytes?: number
  readonly out?: number
  readonly cpuSeconds: number
  readonly ssim?: number
  readonly psnrDb?: number
  readonly reason?: string
}

/** A job that ended with an error makes nothing. */
export const failed = (peer: Measured) => peer.bytes === 0

/** SSIM and PSNR of what a package made of a JPEG, in words, as our receipts have them of ours. */
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
