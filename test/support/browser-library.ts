/** The library as it is bundled for browsers, run over files in another process or on a page of a browser. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { PRESS_CODECS as LAZY_CODECS, libraryOf } from '../../src/core/index.ts'
import type { Codecs } from '../../src/core/model/codec.ts'
import { bundle } from '../../tools/release/packages/bundle.ts'
import { GENERATORS } from './generators.ts'

/** A file and how it is compressed. */
export interface BundleJob {
  readonly id: string
  readonly name: string
  readonly output?: OutputId
  readonly password?: string
  readonly bytes: Uint8Array
  /** True: the file ends early, so that its receipt says why it is unchanged. It is not verified. */
  readonly isCut?: true
}

/** What one platform made of a job. `sha256`: hash of the result. `contradictions`: findings of `verify` that contradict the receipt. */
export interface BundleResult {
  readonly id: string
  readonly outcome: string
  readonly sha256: string
  readonly contradictions: number
  /** Text that says why a file is unchanged. */
  readonly detail?: string | undefined
}

/** Results of all jobs on one platform, and the engines that nothing had loaded before they were used. */
export interface BundleReport {
  readonly results: readonly BundleResult[]
  readonly late: readonly string[]
}

/** One job for each file that the generators make for the formats of the library. */
export async function generatedJobs(isWanted: (format: string) => boolean = () => true): Promise<BundleJob[]> {
  const jobs: BundleJob[] = []
  for (const [format, rows] of Object.entries(GENERATORS).filter(([id]) => id in LAZY_CODECS && isWanted(id)))
    for (const { name, output, holds, make } of rows)
      jobs.push({ id: `${format} ${holds}`, name, ...(output && { output }), bytes: new Uint8Array(await make()) })
  return jobs
}

/** The files of the jobs without their second half. */
export const cutJobs = (jobs: readonly BundleJob[]): BundleJob[] =>
  jobs.map((job) => ({ ...job, id: `${job.id}, cut`, bytes: job.bytes.slice(0, job.bytes.length >> 1), isCut: true }))

/** Runs the jobs in this process, with the engines that were compiled when their wrappers were imported, as the service does. */
export async function expectedResults(jobs: readonly BundleJob[], codecs: Codecs): Promise<BundleResult[]> {
  const library = libraryOf(codecs)
  const results: BundleResult[] = []
  for (const { id, bytes, isCut: _isCut, ...options } of jobs) {
    const { result, receipt } = await library.compress(bytes, options)
    const whole = new Uint8Array(await new Response(result.stream()).arrayBuffer())
    const { outcome, detail } = receipt.result
    results.push({ id, outcome, detail, sha256: createHash('sha256').update(whole).digest('hex'), contradictions: 0 })
  }
  return results
}

/** Code of all platforms: compresses and verifies the jobs, one after the other. `core` and `loading` are the modules of the bundle. */
const RUN = `async (core, loading, jobs) => {
  const results = []
  for (const { id, bytes, isCut, ...options } of jobs) {
    const { result, receipt } = await core.compress(bytes, options)
    const whole = await core.readAll(result)
    const { findings } = isCut ? { findings: [] } : await core.verify(bytes, whole, receipt)
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
    const sha256 = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const contradictions = findings.filter(({ verdict }) => verdict === 'false').length
    const { outcome, detail } = receipt.result
    results.push({ id, outcome, detail, sha256, contradictions })
  }
  return { results, late: loading.lateEngines() }
}`

/** Matches static imports in minified scripts. */
const STATIC_IMPORT = /(?<=^|[;}\n])(?:import|export)(?:[^;"'()]*from)?"\.\/([^"]+\.js)"/g

/** Bundle in a temporary folder. */
export class BrowserLibrary {
  readonly folder = mkdtempSync(join(tmpdir(), 'browser-library-'))

  static async build(): Promise<BrowserLibrary> {
    const library = new BrowserLibrary()
    const entryPoints = { core: 'src/core/index.ts', loading: 'wasm/loading/engine-files.ts' }
    await bundle({ entryPoints, withoutGpl: true }, library.folder)
    return library
  }

  /** Names of the scripts that load with `name`, which comes first: its static imports. */
  scriptsOf(name: string): string[] {
    const names = new Set([name])
    for (const script of names)
      for (const [, imported] of readFileSync(join(this.folder, script), 'utf8').matchAll(STATIC_IMPORT)) names.add(imported!)
    return [...names]
  }

  /** Text of all scripts. */
  texts(names: readonly string[]): string[] {
    return names.map((name) => readFileSync(join(this.folder, name), 'utf8'))
  }

  /** Runs the jobs in a process of `node`. @throws Error if the process fails */
  async inNode(node: string, jobs: readonly BundleJob[]): Promise<BundleReport> {
    const script = join(this.folder, 'run.mjs')
    writeFileSync(join(this.folder, 'jobs.json'), asJson(jobs))
    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs'
import * as core from './core.js'
import * as loading from './loading.js'
const jobs = JSON.parse(readFileSync(new URL('jobs.json', import.meta.url), 'utf8'))
for (const job of jobs) job.bytes = new Uint8Array(Buffer.from(job.bytes, 'base64'))
console.log(JSON.stringify(await (${RUN})(core, loading, jobs)))`,
    )
    const { stdout } = await promisify(execFile)(node, [script], { maxBuffer: 16 * 1024 * 1024 })
    return JSON.parse(stdout) as BundleReport
  }

  /** Runs the jobs in a module worker, on a page whose Content-Security-Policy forbids everything that is not needed. */
  async onPage(visit: Visit, jobs: readonly BundleJob[]): Promise<BundleReport> {
    writeFileSync(join(this.folder, 'jobs.json'), asJson(jobs))
    writeFileSync(join(this.folder, 'worker.js'), WORKER)
    return (await atStrictAddress(this.folder, (url) => visit(url, IN_THE_PAGE))) as BundleReport
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** Opens a page, and returns the value of an expression there. */
export type Visit = (url: string, expression: string) => Promise<unknown>

/** Policy of a page that runs the library and does nothing else. */
const STRICT_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' }

/** Serves a folder, with an empty page at `/`, under the strict policy, while `use` runs. */
export async function atStrictAddress<Result>(folder: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, url)
    response.setHeader('content-security-policy', STRICT_POLICY)
    if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>')
    else if (!existsSync(path)) response.writeHead(404).end()
    else response.setHeader('content-type', TYPES[extname(url)] ?? 'application/octet-stream').end(readFileSync(path))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  try {
    return await use(`http://localhost:${(server.address() as AddressInfo).port}/`)
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}

export const asJson = (jobs: readonly BundleJob[]) =>
  JSON.stringify(jobs.map(({ bytes, ...job }) => ({ ...job, bytes: Buffer.from(bytes).toString('base64') })))

const WORKER = `import * as core from './core.js'
import * as loading from './loading.js'
onmessage = async () => {
  try {
    const jobs = await (await fetch('/jobs.json')).json()
    for (const job of jobs) job.bytes = Uint8Array.from(atob(job.bytes), (character) => character.charCodeAt(0))
    postMessage({ report: await (${RUN})(core, loading, jobs) })
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) })
  }
}`

/** Expression of the page, as text, because the page cannot import modules of this project. Its value is the report of the worker. */
export const IN_THE_PAGE = `new Promise((resolve, reject) => {
  const worker = new Worker('/worker.js', { type: 'module' })
  worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.report))
  worker.onerror = (event) => reject(new Error(event.message ?? 'the worker did not start'))
  worker.postMessage('start')
})`
