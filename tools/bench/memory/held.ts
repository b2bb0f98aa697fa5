/**
 * Measures the memory of one job in its own process: compresses a file, verifies the result and prints the estimated and the measured peak
 * (heap, buffers and Wasm memories, minus the loaded modules).
 * `node --expose-gc --import ./tools/wasm-hook.ts tools/bench/memory/held.ts FILE OPTIONS_AS_JSON`.
 */

import { rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { englishText } from '../../../src/core/i18n/message.ts'
import type { Codec, Options } from '../../../src/core/model/codec.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { fileSink, fileSource } from '../../../test/conformance/core/formats/memory/files.ts'

/** Options of the job. */
export type MeasuredJobOptions = Partial<Pick<Options, 'quality' | 'output' | 'lossless' | 'fitWithin'>>

/** JSON output, in bytes. `kind`: the outcome, or the reason and detail if the file stayed unchanged. */
export interface MemoryFigures {
  readonly kind: string
  readonly estimatedBytes: number
  readonly peakBytes: number
  /** Phase with the highest memory. */
  readonly stage: 'compressing' | 'verifying'
}

/** Share of the run time spent on measuring. Each measurement runs the garbage collector, which takes 10 ms. */
const SHARE_OF_TIME = 1 / 5

let [most, next, reckoned] = [0, 0, 0]
let stage: MemoryFigures['stage'] = 'compressing'
let verifies = false

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
    sample()
    return new target(module, imports)
  },
})

/** Returns the live bytes. `external` includes buffers and Wasm memories. */
function alive(): number {
  // The second collection waits until the first one has been swept.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function sample(): void {
  const began = performance.now()
  if (began < next) return
  const bytes = alive()
  if (bytes > most) stage = verifies ? 'verifying' : 'compressing'
  most = Math.max(most, bytes)
  next = performance.now() + (performance.now() - began) / SHARE_OF_TIME
}

const [path = '', asked = '{}'] = process.argv.slice(2)
const name = basename(path)
const source = fileSource(path, statSync(path).size, name, sample)
const format = await identify(source)
const codec = format && PRESS_CODECS[format.id]
if (!codec) throw new Error(`no codec for ${path}`)
const estimated = (bytes: number) => void (reckoned = Math.max(reckoned, bytes))
const result = `${path}.result`
const before = alive()
const watched: Codec = {
  ...codec,
  verify: (...handed) => {
    verifies = true
    return codec.verify(...handed)
  },
}
const job = openJob(watched, source, PRESS_CODECS, { progress: sample, estimated, ...(JSON.parse(asked) as MeasuredJobOptions) })
const { outcome } = await job.whole(async () => fileSink(result, source.size, name, sample))
rmSync(result, { force: true })
const kind = outcome.kind === 'unchanged' ? `${outcome.reason}: ${outcome.detail ? englishText(outcome.detail) : ''}` : outcome.kind
console.log(JSON.stringify({ kind, estimatedBytes: reckoned, peakBytes: most - before, stage } satisfies MemoryFigures))
