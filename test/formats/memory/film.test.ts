import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/**
 * What a message may take at most: memory, to which workerd adds some 10 MB of buffers on the way to storage; and half of its CPU
 * time, as a part may be tried twice.
 */
const [LIMIT_MB, LIMIT_CPU_SECONDS, TRIES] = [100, 300, 2]
const LIMIT_ENGINE_MB = 94.4

test('ten minutes of 1080p30: the plan, and 16 frames scaled to its longest part, stay inside the limits of a message', {
  timeout: 180_000,
}, () => {
  const script = ['--expose-gc', '--import', './scripts/wasm-hook.ts', 'test/formats/memory/film-part.ts']
  const done = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' })
  const said = JSON.parse(done.stdout || '{}') as {
    memoryMB: number
    engineMB: number
    cpuSeconds: number
    parts: number
    longest: number
    frames: number
    ssim: number
  }
  expect(said.frames, done.stderr).toBe(16)
  expect(said.ssim).toBeGreaterThan(0.95)
  // A decoder with four references and an encoder with two: less would mean that something was not measured.
  expect(said.engineMB).toBeGreaterThan(50)
  expect(said.engineMB).toBeLessThanOrEqual(LIMIT_ENGINE_MB)
  expect(said.memoryMB).toBeLessThanOrEqual(LIMIT_MB)
  expect(said.parts).toBeGreaterThan(30)
  expect(said.cpuSeconds * said.longest * TRIES).toBeLessThanOrEqual(LIMIT_CPU_SECONDS)
})
