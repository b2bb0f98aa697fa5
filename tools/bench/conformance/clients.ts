/**
 * Runs the tests of the clients in other languages against a service: `npm run conformance -- clients [LANGUAGE …]`. Each uses a proxy that
 * simulates every failure once. `browser` tests the TypeScript client in Chromium. Missing tools (Python with venv, Go, PHP, Chromium)
 * are reported and skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Whittle } from '../../../packages/clients/typescript/src/index.ts'
import { type Running, startService } from '../../../test/e2e/running.ts'
import { failingProxy } from '../../../test/support/rough-road.ts'
import { CHROMIUM, tryInBrowser } from './browser.ts'
import { serveShop } from './shop-bucket.ts'

interface Language {
  readonly name: string
  /** Command that succeeds if the language is installed. */
  readonly probe: readonly string[]
  /** Commands that run one after the other in the client's folder. */
  readonly commands: readonly (readonly string[])[]
}

const root = resolve(import.meta.dirname, '../../..')
const chosen = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'whittle-clients-'))
const venv = join(folder, 'venv')

const LANGUAGES: readonly Language[] = [
  {
    name: 'python',
    probe: ['python3', '--version'],
    commands: [
      ['python3', '-m', 'venv', venv],
      [join(venv, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '.', 'pytest==9.2.0', 'mypy==2.4.1'],
      [join(venv, 'bin/mypy'), '--cache-dir', join(folder, 'mypy'), 'src'],
      [join(venv, 'bin/pytest'), '-q', '-p', 'no:cacheprovider', 'tests'],
    ],
  },
  {
    name: 'go',
    probe: ['go', 'version'],
    commands: [
      ['go', 'vet', './...'],
      ['go', 'test', '-count=1', './...'],
    ],
  },
  {
    name: 'php',
    probe: ['php', '--version'],
    commands: [['php', 'tests/run.php']],
  },
]
const MISHAPS = ['told to wait', 'the answer was lost', 'a chunk broke off', 'a download broke off']

let failed = 0
const service = await startService()
try {
  await using _shop = await serveShop(service)
  const callback = join(folder, 'callback.json')
  writeFileSync(callback, JSON.stringify({ secret: await secretOf(service), ...(await callbackOf(service)) }))
  const batchId = await batchOf(service)
  for (const language of LANGUAGES) {
    if (chosen.length === 0 || chosen.includes(language.name)) failed += await testClient(language, callback, batchId)
  }
  if (chosen.length === 0 || chosen.includes('browser')) failed += await browser()
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed > 0 ? 1 : 0)

/** Runs the tests of one client. Returns 1 if something failed, otherwise 0. */
async function testClient({ name, probe, commands }: Language, callback: string, batchId: string): Promise<number> {
  if (spawnSync(probe[0]!, probe.slice(1)).status !== 0) {
    console.log(`${name}: skipped, because it is not installed`)
    return 0
  }
  const proxy = await failingProxy(service.baseUrl)
  const env = {
    ...process.env,
    WHITTLE_PROXY: proxy.baseUrl,
    WHITTLE_SERVER: service.baseUrl,
    WHITTLE_KEY: service.keys.enterprise,
    WHITTLE_CALLBACK: callback,
    WHITTLE_BATCH: batchId,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  try {
    for (const command of commands) {
      if ((await run(command, join(root, 'packages/clients', name), env)) === 0) continue
      console.error(`${name}: ${command.join(' ')} failed`)
      return 1
    }
  } finally {
    await proxy.stop()
  }
  const missed = MISHAPS.filter((mishap) => !proxy.mishaps.includes(mishap))
  if (missed.length > 0) console.error(`${name}: its tests did not trigger these failures: ${missed.join(', ')}`)
  if (proxy.tooSoon.length > 0) console.error(`${name}: retried before the time of Retry-After: ${proxy.tooSoon.join(', ')}`)
  const passed = missed.length === 0 && proxy.tooSoon.length === 0
  if (passed) console.log(`${name}: the client passes`)
  return passed ? 0 : 1
}

async function browser(): Promise<number> {
  if (!existsSync(CHROMIUM)) {
    console.log(`browser: skipped, because ${CHROMIUM} does not exist (set CHROMIUM to its path)`)
    return 0
  }
  const trouble = await tryInBrowser(service.baseUrl, service.keys.enterprise).catch((error: Error) => error)
  if (trouble) console.error(`browser: ${trouble.message}`)
  else console.log('browser: the TypeScript client passes')
  return trouble ? 1 : 0
}

function run([command, ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command!, args, { cwd, env, stdio: 'inherit' })
    child.once('error', () => done(1))
    child.once('close', (code) => done(code ?? 1))
  })
}

/** Runs a task and returns the callback request that the service sends at its end. */
async function callbackOf({ baseUrl, keys }: Running): Promise<{ headers: object; body: string }> {
  const { promise, resolve: resolveCallback } = Promise.withResolvers<{ headers: object; body: string }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.end()
    resolveCallback({ headers: request.headers, body: Buffer.concat(chunks).toString() })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const whittle = new Whittle({ baseUrl, key: keys.enterprise })
  const text = new Blob(['a callback '.repeat(300)])
  await whittle.compress(text, { callback_url: `http://127.0.0.1:${port}/hook` }, { name: 'called.txt' })
  const callback = await promise
  server.close()
  return callback
}

/** Sends a batch of two files with the same name, waits for its results, and returns its id. */
async function batchOf({ baseUrl, keys }: Running): Promise<string> {
  const form = new FormData()
  const photo = new Blob([readFileSync(join(root, 'docs/photo.jpg'))])
  for (const name of ['photo.jpg', 'photo.jpg']) form.append('files[]', photo, name)
  const headers = { Authorization: `Bearer ${keys.enterprise}` }
  const answer = await fetch(`${baseUrl}/v1/batch/compress`, { method: 'POST', headers, body: form })
  const batch = (await answer.json()) as { batch_id: string; tasks: { task_id: string }[] }
  const whittle = new Whittle({ baseUrl, key: keys.enterprise })
  for (const { task_id: id } of batch.tasks) await whittle.wait(id)
  return batch.batch_id
}

async function secretOf({ baseUrl, adminToken, accountId }: Running): Promise<string> {
  const headers = { Authorization: `Bearer ${adminToken}` }
  const answer = await fetch(`${baseUrl}/admin/accounts/${accountId}/webhook-secret`, { headers })
  return ((await answer.json()) as { webhook_secret: string }).webhook_secret
}
