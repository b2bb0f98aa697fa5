/** libjxl's own program gives back the JPEG from our results. Needs `djxl` (Debian: libjxl-tools). */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { compress } from '../../../../src/core/index.ts'
import { readAll } from '../../../../src/core/model/source.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const PHOTOS = ['docs/photo.jpg', ...globSync('test/fixtures/difficult/*.jpg', { cwd: ROOT })]
const isInstalled = spawnSync('djxl', ['--version']).status === 0
const folder = mkdtempSync(join(tmpdir(), 'whittle-djxl-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.runIf(isInstalled).each(PHOTOS)('%s: djxl rebuilds the same bytes', async (path) => {
  const jpeg = readFileSync(join(ROOT, path))
  const { result, receipt } = await compress(new Uint8Array(jpeg), { name: basename(path), output: 'jxl' })
  if (receipt.result.outcome === 'unchanged') return expect(receipt.result.reason).toBe('no_gain')
  const [jxl, back] = [join(folder, 'a.jxl'), join(folder, 'a.jpg')]
  writeFileSync(jxl, await readAll(result))
  expect(spawnSync('djxl', [jxl, back]).status).toBe(0)
  expect(readFileSync(back).equals(jpeg)).toBe(true)
})
