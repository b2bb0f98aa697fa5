/**
 * `npm run conformance -- lighthouse [RUNS]`: Lighthouse of the front page and the documentation, as a desktop and as a phone. Fails if a
 * category is below 95. Figures are the best of all runs (default: 3), because other work only slows a page. On a busy machine, performance
 * is not judged. Lighthouse is installed into a cache outside of the checkout. It needs Chromium (`CHROMIUM`, default `/usr/bin/chromium`).
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildDocsSite } from '../../../src/local/docs-site.ts'
import { loadSecrets } from '../../../src/local/secrets.ts'
import { Service } from '../../../src/local/service.ts'
import { programOf } from '../../../test/support/runtimes.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = '--headless=new --no-sandbox --disable-gpu --disable-quic'
const PAGES = ['/', '/docs']
const FORMS = { desktop: ['--preset=desktop'], phone: [] } as const
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
/** Runs of each page. */
const RUNS = Number(process.argv[2] ?? 3)
const LEAST = 95
/** Load of a machine that other work does not slow down. */
const QUIET_LOAD = 0.5

/** The parts of a report that are read. */
interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number; readonly auditRefs: readonly { id: string; weight: number }[] }>>
  readonly audits: Readonly<Record<string, { readonly score: number | null; readonly title: string }>>
  /** Speed of the machine in the scale of Lighthouse: about 1500 for a new desktop. */
  readonly environment: { readonly benchmarkIndex: number }
}

const lighthouse = programOf('lighthouse@12.8.2', 'lighthouse/cli/index.js')
if ('missing' in lighthouse || !existsSync(CHROMIUM)) {
  console.log(`Skipped: ${'missing' in lighthouse ? lighthouse.missing : `${CHROMIUM} is not installed`}.`)
  process.exit(0)
}
const program = lighthouse.path
const isBusy = loadavg()[0]! > QUIET_LOAD
const folder = mkdtempSync(join(tmpdir(), 'whittle-lighthouse-'))
const { file: secretsFile } = await loadSecrets(join(folder, 'secrets.env'))
const service = new Service({ root: ROOT, state: join(folder, 'state'), port: 0, inspectorPort: 0, secretsFile, verbose: false })
try {
  await service.start()
  const problem = await buildDocsSite(ROOT)
  if (problem !== undefined) throw new Error(problem)
  let failures = 0
  for (const page of PAGES) for (const form of ['desktop', 'phone'] as const) failures += await judge(page, form)
  if (isBusy) console.log('Performance is not judged: the machine was busy. Run it on an idle machine.')
  process.exitCode = failures > 0 ? 1 : 0
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Prints the best figures of a page. @returns the number of categories that are too low */
async function judge(page: string, form: keyof typeof FORMS): Promise<number> {
  const reports: Report[] = []
  for (let run = 0; run < RUNS; run++) reports.push(await reportOf(`http://localhost:${service.port}${page}`, FORMS[form]))
  let low = 0
  const figures = CATEGORIES.map((name) => {
    const scores = reports.map((report) => Math.round(report.categories[name]!.score * 100))
    const best = Math.max(...scores)
    if (best < LEAST && !(name === 'performance' && isBusy)) low++
    if (best < LEAST) for (const title of problemsOf(reports[scores.indexOf(best)]!, name)) console.log(`  ${name}: ${title}`)
    return `${name} ${best}`
  })
  const speed = Math.max(...reports.map(({ environment }) => environment.benchmarkIndex))
  console.log(`${page} on a ${form}: ${figures.join(', ')} (speed of the machine: ${Math.round(speed)})`)
  return low
}

/** Titles of the audits that lower a category. */
function problemsOf({ categories, audits }: Report, name: string): string[] {
  const low = categories[name]!.auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
  return low.map(({ id }) => audits[id]!.title)
}

async function reportOf(url: string, options: readonly string[]): Promise<Report> {
  const output = join(folder, 'report.json')
  const args = [program, url, '--quiet', `--chrome-flags=${FLAGS}`, '--output=json', `--output-path=${output}`, ...options]
  // Not synchronous: this process serves the page.
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, CHROME_PATH: CHROMIUM }, timeout: 240_000 })
  return JSON.parse(readFileSync(output, 'utf8')) as Report
}
