/**
 * `npm run conformance -- wide`: rows with alpha, the widest that AVIF accepts in an isolate and half of that, hold no more than it has.
 * It takes minutes of a busy machine, and what is a little wider is refused at once (test/core/formats/png/too-wide.test.ts).
 */
import { spawnSync } from 'node:child_process'

/** What is left of 128 MB beside the modules. */
const MOST_MB = 110
/** RGBA, in thousands of pixels: 16,368 are the end. */
const WIDTHS = ['8', '16']

let failed = 0
for (const width of WIDTHS) {
  const script = ['--expose-gc', '--import', './tools/wasm-hook.ts', 'test/conformance/core/formats/memory/peak.ts', 'png', 'avif', width]
  const done = spawnSync(process.execPath, script, { encoding: 'utf8' })
  const { kind, peakMB = Number.POSITIVE_INFINITY } = JSON.parse(done.stdout || '{}') as { kind?: string; peakMB?: number }
  const isGood = kind === 'compressed' && peakMB <= MOST_MB
  console.log(`${width},000 pixels wide as AVIF: ${kind ?? done.stderr}, ${peakMB} MB, ${isGood ? 'good' : `more than ${MOST_MB}`}`)
  if (!isGood) failed++
}
process.exit(failed > 0 ? 1 : 0)
