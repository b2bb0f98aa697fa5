/**
 * The library as it is bundled for browsers, in this version of Node: the bytes of the service, and no engine that is used before it is loaded.
 * `test/conformance/core/library` runs all formats, also in Node 20 and in Chromium.
 */
import { readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { BrowserLibrary, cutJobs, expectedResults, generatedJobs } from '../support/browser-library.ts'

const FORMATS = ['docx', 'jpg', 'pdf', 'svg', 'text']

let library: BrowserLibrary
beforeAll(async () => {
  library = await BrowserLibrary.build()
})
afterAll(() => library[Symbol.dispose]())

it('gives the bytes of the service, and loads every engine before it is used', async () => {
  const whole = await generatedJobs((format) => FORMATS.includes(format))
  // The texts for damaged WebP are in the table of films, of which the bundle has only what it needs.
  const jobs = [...whole, ...cutJobs(await generatedJobs((format) => format === 'webp' || format === 'png'))]
  const { results, late } = await library.inNode(process.execPath, jobs)
  expect(late).toEqual([])
  expect(results).toEqual(await expectedResults(jobs, PRESS_CODECS))
  expect(results.map(({ outcome }) => outcome)).toContain('compressed')
  expect(results.filter(({ detail }) => detail !== undefined).length).toBeGreaterThan(1)
})

it('needs nothing that bundlers replace, and no newer symbol', () => {
  const scripts = readdirSync(library.folder).filter((name) => name.endsWith('.js'))
  const text = library.texts(scripts).join('\n')
  const newer = /(?<!["'])Symbol\.(?:dispose|asyncDispose)\b|\bDisposableStack\b|\bMap\.groupBy\b/g
  const ofNode = /\b(?:from|import)\b ?\(?["']node:[^"']+|new URL\("avif_\w+/g
  expect([...(text.match(newer) ?? []), ...(text.match(ofNode) ?? [])]).toEqual([])
  expect(text.match(/new URL\("\.\/zstd\.wasm", ?import\.meta\.url\)/g)).toHaveLength(1)
})

it('has an entry of at most 60 kB after gzip, and no engine under the GPL', () => {
  const scripts = library.scriptsOf('core.js')
  expect(scripts.length).toBeGreaterThan(1)
  expect(library.texts(scripts).reduce((bytes, text) => bytes + gzipSync(text).length, 0)).toBeLessThanOrEqual(60_000)
  expect(readdirSync(library.folder)).toContain('jpeg.wasm')
  expect(readdirSync(library.folder).filter((name) => /ffmpeg|lame/.test(name))).toEqual([])
})
