/**
 * `@whittle-app/core` packed, installed into an empty folder, and run by each runtime that this machine or the npm registry has: the same
 * bytes as the service, with and without a pool. Browsers run it on a page with a strict Content-Security-Policy. A runtime that cannot be had is skipped with the reason.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESS_CODECS } from '../../../../src/core/formats/press.ts'
import { libraryOf } from '../../../../src/core/library.ts'
import { readAll } from '../../../../src/core/model/source.ts'
import { type Installed, install, ROOT } from '../../../packages/pack.ts'
import {
  asJson,
  atStrictAddress,
  type BundleJob,
  type BundleResult,
  expectedResults,
  generatedJobs,
  IN_THE_PAGE,
} from '../../../support/browser-library.ts'
import { BROWSERS } from '../../../support/browsers.ts'
import { type Program, programOf } from '../../../support/runtimes.ts'

const PHOTO = join(ROOT, 'docs/photo.jpg')
const NODE = `node-${process.platform}-${process.arch}`

const nodeOf = (version: number) => () => programOf(`${NODE}@${version}`, `${NODE}/bin/node`)

const RUNTIMES: readonly (readonly [name: string, program: () => Program, args: readonly string[]])[] = [
  ['this Node', () => ({ path: process.execPath }), []],
  ['Node 20', nodeOf(20), []],
  ['Node 22', nodeOf(22), []],
  ['Deno', () => programOf('deno@2.9.6', '.bin/deno'), ['run', '--allow-all', '--no-check']],
  ['Bun', () => programOf('bun@1.4.5', '.bin/bun'), []],
]

/** Compresses the photo directly and in a pool, and aborts a job in the pool. Prints hashes and what happened as JSON. */
const PROGRAM = `import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { compress, createPool, verify } from '@whittle-app/core'
const hashOf = (made) => createHash('sha256').update(made).digest('hex')
const direct = await compress('photo.jpg')
const bytes = new Uint8Array(await readFile('photo.jpg'))
const pool = createPool({ threads: 2 })
const shares = []
const pooled = await Promise.all([
  pool.compress('photo.jpg', { onProgress: (share) => shares.push(share) }),
  pool.compress(bytes, { name: 'photo.jpg' }),
  pool.compress(new Blob([bytes])),
])
const report = await pool.verify(bytes, pooled[0].bytes, pooled[0].receipt)
const reason = new Error('enough')
const aborted = await pool.compress(bytes, { signal: AbortSignal.abort(reason) }).catch((error) => error === reason)
const refused = await pool.compress(bytes, { format: 'mp4' }).catch((error) => error instanceof RangeError)
await pool.close()
console.log(JSON.stringify({
  hashes: [...new Set([direct, ...pooled].map((made) => hashOf(made.bytes)))],
  verdicts: report.findings.filter(({ verdict }) => verdict === 'false'),
  kept: bytes.length, progress: shares.length > 0, aborted, refused,
}))
`

/** Compresses and checks the files of `jobs.json`, one after the other. */
const WORKER = `import { compress, verify } from './node_modules/@whittle-app/core/dist/browser.js'
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
onmessage = async () => {
  try {
    const report = []
    for (const { id, bytes: text, output: format, ...options } of await (await fetch('/jobs.json')).json()) {
      const file = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
      const { bytes, receipt } = await compress(file, { ...options, ...(format && { format }) })
      const { findings } = await verify(file, bytes, receipt)
      const contradictions = findings.filter(({ verdict }) => verdict === 'false').length
      const { outcome, detail } = receipt.result
      report.push({ id, outcome, detail, sha256: hex(await crypto.subtle.digest('SHA-256', bytes)), contradictions })
    }
    postMessage({ report })
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) })
  }
}`

let installed: Installed
let sha256: string
let expected: BundleResult[]
beforeAll(async () => {
  installed = install('core')
  cpSync(PHOTO, join(installed.folder, 'photo.jpg'))
  writeFileSync(join(installed.folder, 'program.js'), PROGRAM)
  const jobs: readonly BundleJob[] = await generatedJobs()
  writeFileSync(join(installed.folder, 'jobs.json'), asJson(jobs))
  writeFileSync(join(installed.folder, 'worker.js'), WORKER)
  expected = await expectedResults(jobs, PRESS_CODECS)
  const { result } = await libraryOf(PRESS_CODECS).compress(new Uint8Array(readFileSync(PHOTO)))
  sha256 = createHash('sha256')
    .update(await readAll(result))
    .digest('hex')
}, 300_000)
afterAll(() => installed?.[Symbol.dispose]())

describe('the packed library gives the bytes of the service', () => {
  for (const [name, find, args] of RUNTIMES)
    it(`in ${name}`, { timeout: 600_000 }, (context) => {
      const program = find()
      if ('missing' in program) return context.skip(program.missing)
      const printed = execFileSync(program.path, [...args, 'program.js'], { cwd: installed.folder, encoding: 'utf8' })
      expect(JSON.parse(printed)).toEqual({
        ...{ hashes: [sha256], verdicts: [], kept: readFileSync(PHOTO).length },
        ...{ progress: true, aborted: true, refused: true },
      })
    })

  for (const browser of BROWSERS) {
    it(`on a page of ${browser.name}, in a pool of module workers`, { timeout: 300_000 }, async (context) => {
      const missing = browser.missing()
      if (missing !== undefined) return context.skip(missing)
      const outcome = await atStrictAddress(installed.folder, (url) => browser.visit(url, POOL_ON_PAGE))
      expect(outcome).toEqual({ hashes: [sha256], aborted: 'enough' })
    })

    it(`in a module worker of ${browser.name}, for a file of each format`, { timeout: 600_000 }, async (context) => {
      const missing = browser.missing()
      if (missing !== undefined) return context.skip(missing)
      expect(await atStrictAddress(installed.folder, (url) => browser.visit(url, IN_THE_PAGE))).toEqual(expected)
    })
  }
})

describe('the packed library', () => {
  const run = (program: Program, ...args: string[]) => {
    if ('missing' in program) return program.missing
    execFileSync(process.execPath, [program.path, ...args], { cwd: installed.folder, encoding: 'utf8', stdio: 'pipe' })
    return undefined
  }

  it('has no problem that publint knows', { timeout: 300_000 }, (context) => {
    const missing = run(programOf('publint@0.3.25', 'publint/src/cli.js'), 'run', 'node_modules/@whittle-app/core', '--strict')
    if (missing !== undefined) context.skip(missing)
  })

  it('has types that every kind of import resolves', { timeout: 300_000 }, (context) => {
    const [tarball = ''] = globSync('*.tgz', { cwd: installed.folder })
    const tool = programOf('@arethetypeswrong/cli@0.18.5', '@arethetypeswrong/cli/dist/index.js')
    // Only `import` is supported, and the engines have no types.
    const missing = run(tool, tarball, '--profile', 'esm-only', '--entrypoints', '.')
    if (missing !== undefined) context.skip(missing)
  })
})

/** Expression of a page that compresses the photo in a pool, and aborts a running job. */
const POOL_ON_PAGE = `(async () => {
  const { createPool } = await import('/node_modules/@whittle-app/core/dist/browser.js')
  const hashOf = async (bytes) =>
    Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const photo = await (await fetch('/photo.jpg')).blob()
  const pool = createPool({ threads: 2 })
  const made = await Promise.all([pool.compress(photo), pool.compress(await photo.arrayBuffer())])
  const stop = new AbortController()
  const aborted = pool.compress(photo, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) }).catch(({ message }) => message)
  const outcome = { hashes: [...new Set(await Promise.all(made.map(({ bytes }) => hashOf(bytes))))], aborted: await aborted }
  await pool.close()
  return outcome
})()`
