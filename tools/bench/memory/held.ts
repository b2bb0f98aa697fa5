/**
 * A process of its own, so that its memory is the job's: compresses a file and verifies the result, and prints what the job was
 * reckoned to need at most, and how much heap, buffers and Wasm memories were alive at the worst moment, above what the loaded modules take.
 * `node --expose-gc --import ./tools/wasm-hook.ts tools/bench/memory/held.ts FILE OPTIONS_AS_JSON`.
 */

import { rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { english } from '../../../src/core/i18n/message.ts'
import type { Codec, Options } from '../../../src/core/model/codec.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { fileSink, fileSource } from '../../../test/conformance/core/formats/memory/files.ts'

/** Of the job. */
export type Asked = Partial<Pick<Options, 'quality' | 'output' | 'lossless' | 'fitWithin'>>

/** What this prints, in bytes; `kind` is the outcome, or why there is none. */
export interface Held {
  readonly kind: string
  readonly reckoned: number
  readonly held: number
  /** When most was held. */
  readonly stage: 'compressing' | 'verifying'
}

/** Looks take a fifth of the time: collecting takes a hundredth of a second, and what is held is held for longer. */
const SHARE_OF_TIME = 1 / 5

let [most, next, reckoned] = [0, 0, 0]
let stage: Held['stage'] = 'compressing'
let verifies = false

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
    look()
    return new target(module, imports)
  },
})

/** What is alive; `external` has the buffers and the Wasm memories in it. */
function alive(): number {
  // The second one waits for what the first left to be swept.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function look(): void {
  const began = performance.now()
  if (began < next) return
  const held = alive()
  if (held > most) stage = verifies ? 'verifying' : 'compressing'
  most = Math.max(most, held)
  next = performance.now() + (performance.now() - began) / SHARE_OF_TIME
}

const [path = '', asked = '{}'] = process.argv.slice(2)
const name = basename(path)
const source = fileSource(path, statSync(path).size, name, look)
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
const job = openJob(watched, source, PRESS_CODECS, { progress: look, estimated, ...(JSON.parse(asked) as Asked) })
const { outcome } = await job.whole(async () => fileSink(result, source.size, name, look))
rmSync(result, { force: true })
const kind = outcome.kind === 'unchanged' ? `${outcome.reason}: ${outcome.detail ? english(outcome.detail) : ''}` : outcome.kind
console.log(JSON.stringify({ kind, reckoned, held: most - before, stage } satisfies Held))
