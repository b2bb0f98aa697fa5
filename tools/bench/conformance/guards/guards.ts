/**
 * `npm run conformance -- guards [TEXT]`: removes each guard of the promises in a copy of the sources, one at a time, and runs the tests that
 * must notice. Fails if they pass without a guard. `TEXT`: only guards whose names contain it. `--update` writes the table of
 * docs/contributors/promises.md.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { GUARDS, type Guard } from './table.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const PAGE = join(ROOT, 'docs/contributors/promises.md')
/** First line of the table in `PAGE`. */
const HEADER = '| guard that was removed | file | failed tests | first of them |'

interface Noticed {
  readonly guard: Guard
  readonly failed: number
  /** Name of the first test that failed. `undefined`: none failed. */
  readonly first: string | undefined
}

/** Part of Vitest's JSON report. */
interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly ancestorTitles: readonly string[]; readonly title: string }[]
  }[]
}

const [text = '', update] = process.argv.slice(2).sort((a, b) => Number(a.startsWith('--')) - Number(b.startsWith('--')))
const isUpdate = text === '--update' || update === '--update'
const chosen = GUARDS.filter(({ name }) => text.startsWith('--') || name.includes(text))
const copy = mkdtempSync(join(tmpdir(), 'whittle-guards-'))
try {
  copySources(copy)
  // Fails before the first test if the text of a guard is outdated.
  for (const guard of chosen) readGuarded(copy, guard)
  expectGreen(copy, chosen)
  const rows = chosen.map((guard) => {
    const noticed = withoutGuard(copy, guard)
    console.log(
      `${noticed.failed > 0 ? 'noticed   ' : 'NOT NOTICED'} ${guard.name}: ${noticed.failed} failed, first: ${noticed.first ?? 'none'}`,
    )
    return noticed
  })
  const missed = rows.filter(({ failed }) => failed === 0)
  console.log(`${rows.length - missed.length} of ${rows.length} removed guards were noticed.`)
  if (isUpdate && chosen.length === GUARDS.length) writeTable(rows)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** Copies the tracked files. The packages are shared by a link. */
function copySources(target: string): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 }).split('\0')
  for (const file of files.filter((name) => name !== '')) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(ROOT, file), join(target, file), { verbatimSymlinks: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
}

/** Runs all tests once with every guard in place. @throws Error if one fails */
function expectGreen(target: string, guards: readonly Guard[]): void {
  const tests = [...new Set(guards.flatMap((guard) => guard.tests))]
  const { failed, first } = runTests(target, tests)
  if (failed > 0) throw new Error(`${failed} tests fail with every guard in place, the first of them: ${first}`)
}

/** Returns the source with a guard. @throws Error if the text of the guard does not occur exactly once */
function readGuarded(target: string, guard: Guard): string {
  const source = readFileSync(join(target, guard.path), 'utf8')
  if (source.split(guard.find).length !== 2) throw new Error(`${guard.name}: the text does not occur exactly once in ${guard.path}`)
  return source
}

/** Runs the tests of a guard without it. */
function withoutGuard(target: string, guard: Guard): Noticed {
  const path = join(target, guard.path)
  const source = readGuarded(target, guard)
  writeFileSync(
    path,
    source.replace(guard.find, () => guard.replace),
  )
  try {
    return { guard, ...runTests(target, guard.tests) }
  } finally {
    writeFileSync(path, source)
  }
}

/** Runs test files. A file that cannot be loaded counts as one failed test. */
function runTests(target: string, tests: readonly string[]): Omit<Noticed, 'guard'> {
  const report = join(target, 'report.json')
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const options = ['run', '--reporter=json', `--outputFile.json=${report}`, ...tests]
  spawnSync(process.execPath, [vitest, ...options], { cwd: target, stdio: 'ignore', env: { ...process.env, CI: '' } })
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  rmSync(report)
  const names = testResults.flatMap(({ status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [message.split('\n')[0]!]
    return failed.map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' > '))
  })
  return { failed: names.length, first: names[0] }
}

function writeTable(rows: readonly Noticed[]): void {
  const page = readFileSync(PAGE, 'utf8')
  const [start, end] = [page.indexOf(HEADER), page.indexOf('<!-- end -->')]
  if (start < 0 || end < start) throw new Error(`${PAGE} has no table that starts with: ${HEADER}`)
  const lines = rows.map(
    ({ guard, failed, first }) => `| ${guard.name} | \`${guard.path}\` | ${failed} | ${first?.replaceAll('|', '\\|')} |`,
  )
  const table = [HEADER, '|---|---|---|---|', ...lines].join('\n')
  writeFileSync(PAGE, `${page.slice(0, start)}${table}\n\n${page.slice(end)}`)
}
