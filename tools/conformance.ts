/**
 * `npm run conformance`: starts the service and checks it with the acceptance tool in `../shared/verify`, a generated Python client,
 * and veraPDF (PDF/A and PDF/UA; needs Java). Arguments are passed to `verify.py`, for example `--only jpg,pdf` or `--deep`. Without
 * `../shared/verify`, nothing runs.
 *
 * `npm run conformance -- tests [FILTER …]` runs `test/conformance`, and damage tests with more cases.
 *
 * `npm run conformance -- browsers` runs the tests that use Chromium, Firefox and WebKit. A browser that is not installed is skipped, and
 * its tests say so.
 *
 * `npm run conformance -- NAME` runs one of the checks in `tools/bench/conformance`, listed in `CHECKS` below. These need no
 * acceptance tool.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { provisionDevelopmentAccount } from '../src/local/development-account.ts'
import { loadSecrets } from '../src/local/secrets.ts'
import { Service } from '../src/local/service.ts'

const root = resolve(import.meta.dirname, '..')
const CHECKS: { readonly [name: string]: string | undefined } = {
  attacks: 'tools/bench/conformance/attacks/attacks.ts',
  dicom: 'tools/bench/conformance/dicom.ts',
  kill: 'tools/bench/conformance/kill.ts',
  isolates: 'tools/bench/conformance/isolates.ts',
  soak: 'tools/bench/conformance/soak.ts',
  guards: 'tools/bench/conformance/guards/guards.ts',
  growth: 'tools/bench/conformance/growth.ts',
  wide: 'tools/bench/conformance/wide.ts',
  folder: 'tools/bench/conformance/folder.ts',
  sync: 'tools/bench/conformance/sync.ts',
  lighthouse: 'tools/bench/conformance/lighthouse.ts',
  svg: 'tools/bench/conformance/svg.ts',
  clients: 'tools/bench/conformance/clients.ts',
  description: 'tools/bench/conformance/description.ts',
  n8n: 'tools/bench/conformance/n8n.ts',
  'pre-commit': 'tools/bench/conformance/pre-commit.ts',
}
/** Filters of the tests that use browsers. */
const BROWSER_TESTS = ['conformance/site', 'conformance/core/library', 'e2e/docs-site']
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/conformance/vitest.config.ts']
if (process.argv[2] === 'tests') process.exit(await run(process.execPath, [...vitest, ...process.argv.slice(3)]))
if (process.argv[2] === 'browsers')
  process.exit(await run(process.execPath, [...vitest, '--reporter=verbose', ...BROWSER_TESTS, ...process.argv.slice(3)]))
const check = CHECKS[process.argv[2] ?? '']
if (check) process.exit(await run(process.execPath, ['--import', './tools/wasm-hook.ts', check, ...process.argv.slice(3)]))
const shared = resolve(root, '../shared')
if (!existsSync(join(shared, 'verify/verify.py'))) {
  console.log(`No acceptance tool found in ${join(shared, 'verify')}. Nothing was checked.`)
  process.exit(0)
}
// The acceptance tool needs Debian's Python packages.
const python = process.env['PYTHON'] ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3')

const state = await mkdtemp(join(tmpdir(), 'whittle-conformance-'))
const secrets = await loadSecrets(join(state, 'secrets.env'))
const service = new Service({ root, state, port: 0, inspectorPort: 0, secretsFile: secrets.file, verbose: false })
let failed = 0
try {
  await service.start()
  const keys = join(state, 'keys.json')
  const baseUrl = `http://127.0.0.1:${service.port}`
  const account = await provisionDevelopmentAccount(baseUrl, secrets.adminToken, undefined)
  await writeFile(keys, JSON.stringify(account))
  failed += await tool(['contract.py', '--keys', keys])
  failed += await run('python3', ['tools/release/generated-client.py', baseUrl, account.keys.enterprise, 'docs/photo.jpg'])
  failed += await run(process.execPath, ['tools/bench/conformance/uppy.ts', baseUrl, account.keys.enterprise])
  failed += await tool(['verify.py', '--keys', keys, '--corpus', join(shared, 'corpus'), ...process.argv.slice(2)])
} finally {
  await service.stop()
  await rm(state, { recursive: true, force: true })
}
const folders = [join(shared, 'corpus/document/pdf')].filter((folder) => existsSync(folder))
failed += await run(process.execPath, ['--import', './tools/wasm-hook.ts', 'tools/bench/conformance/pdfa.ts', ...folders])
process.exit(failed > 0 ? 1 : 0)

function tool([script, ...options]: string[]): Promise<number> {
  return run(python, [join(shared, 'verify', script!), ...options])
}

/** Runs a program. @returns 0 or 1 */
function run(command: string, options: string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, options, { stdio: 'inherit', cwd: root })
    child.on('exit', (code) => done(code === 0 ? 0 : 1))
    child.on('error', () => done(1))
  })
}
