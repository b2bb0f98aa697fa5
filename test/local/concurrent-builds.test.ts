/** Two services that build the same sources at the same time. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { moveUnlessThere } from '../../src/local/build.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-builds-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function bundles(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'press.mjs'), name)
  return path
}

it('uses the bundles of the process that was faster', () => {
  const place = join(folder, 'built')
  moveUnlessThere(bundles('first'), place)
  const second = bundles('second')
  moveUnlessThere(second, place)
  expect(readFileSync(join(place, 'press.mjs'), 'utf8')).toBe('first')
  expect(existsSync(second)).toBe(false)
})

it('reports a folder that cannot be moved', () => {
  expect(() => moveUnlessThere(join(folder, 'absent'), join(folder, 'built'))).toThrow('ENOENT')
})
