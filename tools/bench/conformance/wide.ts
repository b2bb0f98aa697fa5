/**
 * Converts the widest pictures with alpha that fit into an isolate to AVIF, and checks their memory: `npm run conformance -- wide`. It
 * takes
 * minutes. test/core/formats/png/too-wide.test.ts checks that wider pictures are refused immediately.
 */
import { spawnSync } from 'node:child_process'

/** Largest peak memory in MB: 128 MB minus the loaded modules. */
const MOST_MB = 110
/** Widths in thousands of RGBA pixels. The limit is 16,368 pixels. */
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
