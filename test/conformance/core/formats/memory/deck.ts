/**
 * A process of its own: presses a presentation of photographs, from a file to a file, and prints in MB how much memory was
 * held at the worst moment, above what the loaded modules take: `all` with garbage that nobody collected yet, `live` without.
 * `deck.ts FILE [--live]`.
 */

import { rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pptx } from '../../../../../src/core/formats/office/office.ts'
import { PRESS_CODECS } from '../../../../../src/core/formats/press.ts'
import { openJob } from '../../../../../src/core/pipeline/job.ts'
import { textsOf } from '../../../../support/in-english.ts'
import { fileSink, fileSource } from './files.ts'

const [path = ''] = process.argv.slice(2)
const COLLECTS = process.argv.includes('--live')

let [all, live, calls] = [0, 0, 0]

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
    measure()
    return new target(module, imports)
  },
})

/** `external` has the buffers and the Wasm memories in it, collected or not. */
function held(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** At every read, write and new engine. What is live is only looked at on demand: collecting changes what else is measured. */
function measure(): void {
  all = Math.max(all, held())
  if (!COLLECTS || ++calls % 8 > 0) return
  // The second one waits for what the first left to be swept.
  globalThis.gc?.()
  globalThis.gc?.()
  live = Math.max(live, held())
}

const result = join(tmpdir(), `whittle-deck-${process.pid}.out`)
const source = fileSource(path, statSync(path).size, 'deck.pptx', measure)
globalThis.gc?.()
const before = held()
;[all, live] = [before, before]
const pressed = await openJob(pptx, source, PRESS_CODECS, { progress: () => measure() }).whole(async () =>
  fileSink(result, source.size, 'deck.pptx', measure),
)
rmSync(result, { force: true })
const megabytes = (bytes: number) => Math.round((bytes - before) / 1e5) / 10
const { outcome } = pressed
console.log(
  JSON.stringify({
    kind: outcome.kind,
    steps: outcome.kind === 'compressed' ? textsOf(outcome.steps) : outcome.reason,
    ratio: (pressed.result?.size ?? source.size) / source.size,
    all: megabytes(all),
    live: megabytes(live),
    whole: Math.round(all / 1e5) / 10,
  }),
)
