import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../../..')

/**
 * What a message may take at most: memory, to which workerd adds some 10 MB of buffers on the way to storage; and half of its CPU
 * time, as a part may be tried twice.
 */
const [LIMIT_MB, LIMIT_CPU_SECONDS, TRIES] = [100, 300, 2]
const LIMIT_ENGINE_MB = 90.2
/**
 * Of 110 MB the isolate's engine may still hold what its largest part took, and the Worker itself takes 5. Two hours whose pictures
 * and sound take turns for every frame need this much beside them, ten minutes a third of it.
 */
const LIMIT_JOIN_MB = 22
const LIMIT_JOIN_BUFFERS_MB = 18
/** Of the bucket, two of them a part: at 44 ms each, two minutes of the fifteen that a message has. */
const MOST_JOIN_READS = 2800

function measured<Figures>(script: string, flags: string[] = []): { said: Figures; stderr: string } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', ...flags, '--import', './tools/wasm-hook.ts', script], {
    cwd: root,
    encoding: 'utf8',
  })
  return { said: JSON.parse(stdout || '{}') as Figures, stderr }
}

test('the 720 parts of two hours are joined and verified beside an engine that is idle', { timeout: 240_000 }, () => {
  // The young generation as small as workerd has it.
  const { said, stderr } = measured<{
    outcome: { kind: string }
    parts: number
    reads: number
    resultMB: number
    buffersMB: number
    memoryMB: number
  }>('test/conformance/core/formats/memory/film-join.ts', ['--max-semi-space-size=1'])
  expect(said.outcome?.kind, stderr).toBe('compressed')
  expect(said.parts).toBe(720)
  expect(said.reads).toBeLessThanOrEqual(MOST_JOIN_READS)
  // More than all that may be held.
  expect(said.resultMB).toBeGreaterThan(200)
  expect(said.buffersMB).toBeLessThanOrEqual(LIMIT_JOIN_BUFFERS_MB)
  expect(said.memoryMB).toBeLessThanOrEqual(LIMIT_JOIN_MB)
})

test('ten minutes of 1080p30: the plan, and 16 frames scaled to its longest part, stay inside the limits of a message', {
  timeout: 180_000,
}, () => {
  const { said, stderr } = measured<{
    memoryMB: number
    engineMB: number
    cpuSeconds: number
    parts: number
    longest: number
    frames: number
    ssim: number
  }>('test/conformance/core/formats/memory/film-part.ts')
  expect(said.frames, stderr).toBe(16)
  expect(said.ssim).toBeGreaterThan(0.95)
  // A decoder with four references and an encoder with two: less would mean that something was not measured.
  expect(said.engineMB).toBeGreaterThan(50)
  expect(said.engineMB).toBeLessThanOrEqual(LIMIT_ENGINE_MB)
  expect(said.memoryMB).toBeLessThanOrEqual(LIMIT_MB)
  expect(said.parts).toBeGreaterThan(30)
  expect(said.cpuSeconds * said.longest * TRIES).toBeLessThanOrEqual(LIMIT_CPU_SECONDS)
})
