/** The plugin in real builds of Vite: packed, installed into an empty folder. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AssetReport, whittle } from '../../../packages/vite/src/index.ts'
import { addPackage, type Installed, install, ROOT } from '../../packages/pack.ts'

let installed: Installed
let plugin: typeof whittle
beforeAll(async () => {
  installed = install('core')
  addPackage(installed, 'vite')
  const source = join(installed.folder, 'site')
  mkdirSync(source)
  cpSync(join(ROOT, 'docs/photo.jpg'), join(source, 'photo.jpg'))
  writeFileSync(join(source, 'damaged.jpg'), readFileSync(join(source, 'photo.jpg')).subarray(0, 9000))
  writeFileSync(
    join(source, 'main.js'),
    `import photo from './photo.jpg'\nimport damaged from './damaged.jpg'\nconsole.log(photo, damaged)\n`,
  )
  const path = join(installed.folder, 'node_modules/@whittle-app/vite/dist/index.js')
  plugin = ((await import(path)) as { whittle: typeof whittle }).whittle
}, 180_000)
afterAll(() => installed?.[Symbol.dispose]())

/** Builds the site. @returns the rows of the report, and the assets */
async function built(options: Parameters<typeof whittle>[0] = {}) {
  const rows: AssetReport[] = []
  const outDir = join(installed.folder, 'out')
  await build({
    ...{ root: join(installed.folder, 'site'), configFile: false, logLevel: 'silent' },
    plugins: [plugin({ cache: join(installed.folder, 'cache'), threads: 2, ...options, onReport: (all) => rows.push(...all) })],
    build: { outDir, emptyOutDir: true, rolldownOptions: { input: join(installed.folder, 'site/main.js') } },
  })
  const names = readdirSync(join(outDir, 'assets'))
  const asset = (name: string) => readFileSync(join(outDir, 'assets', names.find((one) => one.startsWith(name))!))
  return { rows: rows.map(({ file, ...row }) => ({ ...row, file: file.replace(/^assets\/(\w+)-.*$/, '$1') })), asset }
}

it('replaces the assets of a build by smaller ones, and leaves damaged ones alone', async () => {
  const { rows, asset } = await built()
  expect(rows.map(({ file, isCached }) => [file, isCached])).toEqual([
    ['damaged', false],
    ['photo', false],
  ])
  expect(asset('photo').length).toBe(rows[1]!.size)
  expect(rows[1]!.size).toBeLessThan(rows[1]!.originalSize / 2)
  expect(asset('damaged').length).toBe(9000)

  const again = await built()
  expect(again.rows.every(({ isCached }) => isCached)).toBe(true)
  expect(again.asset('photo').equals(asset('photo'))).toBe(true)
}, 120_000)

it('compresses again after a change of the settings, and when a cached file is damaged', async () => {
  const cache = join(installed.folder, 'cache2')
  const [, photo] = (await built({ cache, quality: 'low' })).rows
  expect(photo?.isCached).toBe(false)
  for (const name of readdirSync(cache)) {
    const bytes = readFileSync(join(cache, name))
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(join(cache, name), bytes)
  }
  const { rows } = await built({ cache, quality: 'low' })
  expect(rows.map(({ isCached, size }) => [isCached, size])).toContainEqual([false, photo!.size])
  expect((await built({ cache, quality: 'low', exclude: /photo/ })).rows.map(({ file }) => file)).toEqual(['damaged'])
}, 120_000)
