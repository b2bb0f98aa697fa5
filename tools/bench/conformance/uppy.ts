/**
 * Tests uploads with Uppy in Chromium: `node tools/bench/conformance/uppy.ts SERVICE KEY`. Uppy uploads a file from another origin, loses
 * the
 * connection and resumes. Uppy is installed into a temporary folder. Without Chromium, the test is skipped.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const PACKAGES = ['@uppy/core@6.3.1', '@uppy/tus@6.0.0']
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SIZE = 24_000_000
const CHUNK_BYTES = 3_000_000

/** Script of the page. Every kilobyte of the file starts with its own number, so that swapped chunks are detected. */
const PAGE = `
import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

const bytes = new TextEncoder().encode(Array.from({ length: ${SIZE / 1000} }, (_, i) => String(i).padEnd(999, '.') + '\\n').join(''))
globalThis.send = (service, key, accepted) => new Promise((resolve, reject) => {
  const uppy = new Uppy({ meta: { compress: 'true', format: 'gz' } })
  let task
  uppy.use(Tus, {
    endpoint: service + '/v1/uploads',
    headers: { Authorization: 'Bearer ' + key },
    chunkSize: ${CHUNK_BYTES},
    retryDelays: [500, 1000, 2000, 4000],
    onAfterResponse: (request, answer) => {
      task = answer.getHeader('Whittle-Task') ?? task
      const offset = answer.getHeader('Upload-Offset')
      if (request.getMethod() === 'PATCH' && offset) accepted(Number(offset))
    },
  })
  uppy.on('upload-error', (_, error) => reject(error))
  uppy.on('upload-success', () => resolve(task))
  uppy.addFile({ name: 'Übung.txt', type: 'text/plain', data: new Blob([bytes]) })
  uppy.upload()
})
`
const HTML = '<!doctype html><meta charset="utf-8"><title>Uppy</title><script type="module" src="/page.js"></script>'

const [service, key] = process.argv.slice(2)
if (!service || !key) throw new Error('usage: node tools/bench/conformance/uppy.ts SERVICE KEY')
if (!existsSync(CHROMIUM)) {
  console.log(`Uppy was not tested, because ${CHROMIUM} does not exist. Set CHROMIUM to its path.`)
  process.exit(0)
}

const expected = createHash('sha256')
for (let i = 0; i < SIZE / 1000; i++) expected.update(`${String(i).padEnd(999, '.')}\n`)

const folder = await mkdtemp(join(tmpdir(), 'whittle-uppy-'))
const pages = createServer((request, response) => {
  const script = request.url === '/page.js'
  response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
  response.end(script ? code : HTML)
})
let code = ''
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
try {
  await writeFile(join(folder, 'package.json'), '{}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder, stdio: 'inherit' })
  await writeFile(join(folder, 'page.js'), PAGE)
  const bundle = await build({ entryPoints: [join(folder, 'page.js')], bundle: true, format: 'esm', write: false, logLevel: 'error' })
  code = bundle.outputFiles[0]!.text
  await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready))

  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
  let cut = false
  await page.exposeFunction('accepted', async (offset: number) => {
    if (cut || offset < SIZE / 3) return
    cut = true
    await context.setOffline(true)
    setTimeout(() => void context.setOffline(false), 3000)
  })
  await page.waitForFunction('globalThis.send')
  const taskId = await page.evaluate<string>(`send(${JSON.stringify(service)}, ${JSON.stringify(key)}, accepted)`)
  const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=60' }
  const task = (await (await fetch(`${service}/v1/tasks/${taskId}`, { headers })).json()) as {
    status: string
    file_name: string
    result?: { original_sha256: string }
  }
  const right = task.status === 'completed' && task.file_name === 'Übung.txt' && task.result?.original_sha256 === expected.digest('hex')
  console.log(
    `Uppy in Chromium: ${SIZE / 1e6} MB in chunks of ${CHUNK_BYTES / 1e6}, ${cut ? 'one interruption' : 'no interruption'}: ${right && cut ? 'passed' : JSON.stringify(task)}`,
  )
  process.exitCode = right && cut ? 0 : 1
} finally {
  await browser.close()
  pages.close()
  await rm(folder, { recursive: true, force: true })
}
