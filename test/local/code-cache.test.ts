/** Press processes start with a code cache, and without one. */
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inAscii, makeCodeCache } from '../../src/local/code-cache.ts'
import { PressProcess } from '../../src/local/press-process.ts'

/** A bundle that reports the address of its folder and a module that it imports. */
const BUNDLE = `const { basename } = require('node:path')
import('node:os').then(({ EOL }) => process.send({ kind: 'ready', formats: [basename(new URL('.', BUNDLE_ADDRESS).pathname), typeof EOL] }))
process.on('disconnect', () => process.exit())`

let folder: string
let press: PressProcess | undefined
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-cache-'))
  const entry = join(import.meta.dirname, '../../src/local/press/cached.ts')
  await build({
    entryPoints: { press: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  writeFileSync(join(folder, 'press.cjs'), BUNDLE.replace('process.send', 'process.send?.'))
})
afterEach(() => {
  press?.kill()
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

const cache = () => join(folder, 'press.cache')

/** Formats that a new press process reports. */
function formats(): Promise<readonly string[]> {
  press = new PressProcess('press', { build: folder, folder: join(folder, 'work'), memoryBytes: 2 ** 30, log: console.log })
  return Promise.race([press.ready, press.exited.then((why) => [why])])
}

it.each([
  ['no cache', () => undefined],
  ['a cache', () => makeCodeCache(folder, 'press')],
  ['half a cache', () => makeCodeCache(folder, 'press').then(() => truncateSync(cache(), 100))],
  ['a file that is no cache', async () => writeFileSync(cache(), 'not one')],
])('a press process starts with %s', async (_, prepare) => {
  await prepare()
  expect(await formats()).toEqual([folder.split('/').at(-1), 'string'])
})

it('makes a cache only for a bundle that runs', async () => {
  await makeCodeCache(folder, 'press')
  expect(existsSync(cache())).toBe(true)
  rmSync(cache())
  writeFileSync(join(folder, 'press.cjs'), 'throw new Error()')
  await makeCodeCache(folder, 'press')
  expect(existsSync(cache())).toBe(false)
})

it('keeps the meaning of regular expressions in ASCII', () => {
  const source = inAscii('[/[©¹\\u{1f600}]/u, /^(com[²³]|€|😀)$/u]')
  expect(source).toMatch(/^[\0-\x7f]+$/)
  const [first, second] = new Function(`return ${source}`)() as [RegExp, RegExp]
  expect(['©', '¹', '😀', 'x'].map((text) => first.test(text))).toEqual([true, true, true, false])
  expect(['com²', '€', '😀', 'com'].map((text) => second.test(text))).toEqual([true, true, true, false])
})
