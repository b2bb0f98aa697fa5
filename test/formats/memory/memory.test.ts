import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Memory above the loaded modules, in MB: heap, Wasm, native zlib. */
function peak(...args: string[]): number {
  const done = spawnSync(process.execPath, ['--expose-gc', '--import', './scripts/wasm-hook.ts', 'test/formats/memory/peak.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  const said = JSON.parse(done.stdout || '{}') as { kind?: string; peakMB?: number }
  expect(said.kind, done.stderr).toBe('compressed')
  return said.peakMB!
}

// 10 MB is more than a window of zstd: its memory does not grow after that.
test.each([
  ['text', 'zst', '10', 110],
  ['text', 'gz', '3', 60],
  ['text', 'br', '2', 110],
  ['tiff', 'tiff', '60', 30],
])('%s to %s, %s MB, in at most %i MB', { timeout: 180_000 }, (what, output, megabytes, limitMB) => {
  expect(peak(what, output, megabytes)).toBeLessThanOrEqual(limitMB)
})
