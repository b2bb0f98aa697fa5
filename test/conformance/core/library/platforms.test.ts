/**
 * The library as it is bundled for browsers gives the same bytes as the service on every platform: this version of Node, the machine's own
 * Node (20 or later), and a module worker of Chromium, Firefox and WebKit on a page with a strict Content-Security-Policy. Platforms that are
 * not installed are skipped by name.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESS_CODECS } from '../../../../src/core/formats/press.ts'
import {
  BrowserLibrary,
  type BundleJob,
  type BundleReport,
  type BundleResult,
  cutJobs,
  expectedResults,
  generatedJobs,
} from '../../../support/browser-library.ts'
import { BROWSERS } from '../../../support/browsers.ts'

const MACHINES_NODE = process.env['MACHINES_NODE'] ?? '/usr/bin/node'
/** Outputs that the generated files do not request. */
const CONVERSIONS = [
  ['jpg', 'png'],
  ['jpg', 'avif'],
  ['png', 'webp'],
  ['png', 'avif'],
  ['gif', 'webp'],
  ['bmp', 'png'],
  ['text', 'br'],
  ['text', 'gz'],
] as const

let library: BrowserLibrary
let jobs: BundleJob[]
let expected: BundleResult[]

beforeAll(async () => {
  library = await BrowserLibrary.build()
  const generated = await generatedJobs()
  const converted = CONVERSIONS.flatMap(([format, output]) => {
    const job = generated.find(({ id }) => id.startsWith(`${format} `))
    return job ? [{ ...job, id: `${format} to ${output}`, output }] : []
  })
  jobs = [...generated, ...converted, ...cutJobs(generated)]
  expected = await expectedResults(jobs, PRESS_CODECS)
}, 300_000)
afterAll(() => library[Symbol.dispose]())

const isInstalled = (path: string) => existsSync(path)

describe('the library for browsers gives the bytes of the service, and loads every engine before it is used', () => {
  const check = ({ results, late }: BundleReport) => {
    expect(late).toEqual([])
    expect(results).toEqual(expected)
  }

  it('compresses most of the files', () => {
    expect(jobs.length).toBeGreaterThanOrEqual(40)
    const whole = expected.filter((_, i) => !jobs[i]!.isCut)
    expect(whole.filter(({ outcome }) => outcome === 'compressed').length).toBeGreaterThan(0.9 * whole.length)
  })

  it('in this Node', async () => check(await library.inNode(process.execPath, jobs)), 300_000)

  it.skipIf(!isInstalled(MACHINES_NODE))(
    'in the Node of the machine',
    async () => {
      expect(Number(execFileSync(MACHINES_NODE, ['--version'], { encoding: 'utf8' }).slice(1).split('.')[0])).toBeGreaterThanOrEqual(20)
      check(await library.inNode(MACHINES_NODE, jobs))
    },
    300_000,
  )

  for (const browser of BROWSERS)
    it(`in a module worker of ${browser.name}`, { timeout: 600_000 }, async (context) => {
      const missing = browser.missing()
      if (missing !== undefined) return context.skip(missing)
      check(await library.onPage(browser.visit, jobs))
    })
})
