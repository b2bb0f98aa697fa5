import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../../..')

/** Pages come one at a time, so two say as much as sixty. */
test.each(['medium', 'low'])('scanned pages at %s take at most 42 MB, heap and Wasm together', { timeout: 120_000 }, (quality) => {
  const script = ['--expose-gc', '--import', './tools/wasm-hook.ts', 'test/conformance/core/formats/pdf/scans.ts', '2', quality]
  const done = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' })
  const said = JSON.parse(done.stdout || '{}') as { kind?: string; in: number; out: number; peakMB: number }
  expect(said.kind, done.stderr).toBe('compressed')
  expect(said.out).toBeLessThan(said.in)
  expect(said.peakMB).toBeGreaterThan(5)
  expect(said.peakMB).toBeLessThanOrEqual(42)
})
