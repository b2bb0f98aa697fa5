/** The record of a build: when the sources are built again. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOf, isUnchanged, markUsed, readBuilt, removeUnused, writeBuilt } from '../../src/local/build-record.ts'

const INPUTS = ['a.ts', 'b.wasm']
let root: string
let folder: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-record-'))
  folder = join(root, 'build')
  for (const input of INPUTS) writeFileSync(join(root, input), `content of ${input}`)
  const hash = hashOf(root, INPUTS)!
  mkdirSync(join(folder, hash), { recursive: true })
  writeBuilt(folder, { hash, inputs: INPUTS })
})
afterEach(() => rmSync(root, { recursive: true }))

const unchanged = () => isUnchanged(root, folder, readBuilt(folder)!)
const source = () => join(root, 'a.ts')

it('notes sizes and times once the inputs were read', () => {
  expect(readBuilt(folder)?.stamp).toBeUndefined()
  expect(unchanged()).toBe(true)
  expect(readBuilt(folder)?.stamp).toMatch(/^[\da-f]{64}$/)
  expect(unchanged()).toBe(true)
})

it('finds a change that keeps the size and the time of modification', () => {
  expect(unchanged()).toBe(true)
  const { atime, mtime } = statSync(source())
  writeFileSync(source(), 'CONTENT of a.ts')
  utimesSync(source(), atime, mtime)
  expect(unchanged()).toBe(false)
})

it('reads the inputs if only their times have changed, and notes the new ones', () => {
  expect(unchanged()).toBe(true)
  const before = readBuilt(folder)?.stamp
  utimesSync(source(), 1, 1)
  expect(unchanged()).toBe(true)
  expect(readBuilt(folder)?.stamp).not.toBe(before)
})

it('finds that an input is missing', () => {
  expect(unchanged()).toBe(true)
  rmSync(source())
  expect(unchanged()).toBe(false)
})

it('reads the inputs each time if the record cannot be written', () => {
  const previous = readBuilt(folder)!
  for (const _ of [1, 2]) expect(isUnchanged(root, join(folder, 'absent'), previous)).toBe(true)
  writeFileSync(source(), 'another')
  expect(isUnchanged(root, join(folder, 'absent'), previous)).toBe(false)
})

it('removes builds that no running process uses', async () => {
  const ended = spawnSync('true').pid
  const builds = { current: '0'.repeat(16), used: '1'.repeat(16), ofEnded: '2'.repeat(16), unused: '3'.repeat(16) }
  for (const build of Object.values(builds)) mkdirSync(join(folder, build))
  markUsed(join(folder, builds.used))
  writeFileSync(join(folder, builds.ofEnded, `used-by-${ended}`), '')
  removeUnused(folder, builds.current)
  expect(readdirSync(folder).sort()).toEqual([builds.current, builds.used, 'built.json'])
  expect(() => markUsed(join(folder, 'absent'))).not.toThrow()
})
