/** The cache and the report of the Vite plugin. `test/conformance/packages` runs whole builds. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ResultCache } from '../../../packages/vite/src/cache.ts'
import { summaryOf } from '../../../packages/vite/src/report.ts'

const [ASSET, OTHER, RESULT] = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4), Uint8Array.of(9)]
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('returns a result for the same content and settings only', () => {
  const cache = new ResultCache(join(folder, 'new'), { quality: 'low' })
  expect(cache.read(ASSET)).toBeUndefined()
  cache.write(ASSET, RESULT)
  expect(cache.read(ASSET)).toEqual(RESULT)
  expect(cache.read(OTHER)).toBeUndefined()
  expect(new ResultCache(join(folder, 'new'), { quality: 'high' }).read(ASSET)).toBeUndefined()
  cache.write(OTHER)
  expect(cache.read(OTHER)).toHaveLength(0)
})

it('drops a cached file that is damaged or cut off', () => {
  const cache = new ResultCache(folder, {})
  cache.write(ASSET, RESULT)
  const path = join(folder, readdirSync(folder)[0]!)
  const whole = readFileSync(path)
  for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 5), Buffer.concat([whole, RESULT]), Buffer.alloc(0)]) {
    writeFileSync(path, bytes)
    expect(cache.read(ASSET), `${bytes.length} bytes`).toBeUndefined()
  }
})

it('sums up a build', () => {
  const row = { file: 'a.jpg', originalSize: 150_000, size: 50_000, isCached: true }
  expect(summaryOf([row, { ...row, file: 'b.jpg', isCached: false }], 1234)).toBe(
    '2 assets: 300 kB → 100 kB, 66.7% saved in 1.2 s (1 from the cache)',
  )
  expect(summaryOf([{ ...row, originalSize: 0, size: 0, isCached: false }], 0)).toBe('1 asset: 0.0 kB → 0.0 kB, 0.0% saved in 0.0 s')
})
