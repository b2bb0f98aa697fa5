/** Tests the TypeScript client in Chromium from a page of another origin: CORS, `File` objects and hashes. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const root = resolve(import.meta.dirname, '../../..')
const LARGE_BYTES = 34 * 1024 * 1024

/** Report of the page after success. */
interface PageReport {
  readonly photo: readonly [before: number, after: number]
  readonly large: readonly [before: number, after: number]
  readonly refused: string
}

/**
 * Runs the test.
 * @throws Error if a result is wrong
 */
export async function tryInBrowser(baseUrl: string, key: string): Promise<void> {
  const client = join(root, 'packages/clients/typescript/src/index.ts')
  const bundled = await build({ entryPoints: [client], bundle: true, format: 'esm', platform: 'browser', write: false })
  const photo = readFileSync(join(root, 'docs/photo.jpg'))
  const server = createServer(({ url }, response) => {
    if (url === '/client.js') response.setHeader('content-type', 'text/javascript').end(bundled.outputFiles[0]!.text)
    else if (url === '/photo.jpg') response.end(photo)
    else response.setHeader('content-type', 'text/html').end('<!doctype html><title>a page of another origin</title>')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    const report = (await page.evaluate(`(${IN_THE_PAGE})(${JSON.stringify({ baseUrl, key, large: LARGE_BYTES })})`)) as PageReport
    const { photo: small, large, refused } = report
    if (small[0] !== photo.length || small[1] > photo.length / 2) throw new Error(`the photo: ${small.join(' → ')}`)
    if (large[0] !== LARGE_BYTES || large[1] > LARGE_BYTES / 50) throw new Error(`the large file: ${large.join(' → ')}`)
    if (refused !== 'ApiError invalid_key') throw new Error(`a wrong key: ${refused}`)
  } finally {
    await browser.close()
    await new Promise((closed) => server.close(closed))
  }
}

/** Script of the page, as text, because the page cannot import modules of this project. */
const IN_THE_PAGE = `async ({ baseUrl, key, large }) => {
  const { Whittle } = await import('/client.js')
  const whittle = new Whittle({ baseUrl, key })
  const photo = new File([await (await fetch('/photo.jpg')).blob()], 'photo.jpg')
  const text = new TextEncoder().encode('a line of a large file\\n'.repeat(large / 23 + 1)).subarray(0, large)
  const sizes = []
  for (const file of [photo, new File([text], 'large.txt')]) {
    const task = await whittle.compress(file, { quality: 'low' })
    const { length } = await whittle.download(task)
    sizes.push([task.original_size, length])
    await whittle.remove(task.task_id)
  }
  const wrongKeyClient = new Whittle({ baseUrl, key: 'whl_live_wrong' })
  const refused = await wrongKeyClient.usage().catch((error) => error.name + ' ' + error.type)
  return { photo: sizes[0], large: sizes[1], refused }
}`
