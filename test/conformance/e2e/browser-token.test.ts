/** The example of docs/users/browsers.md in Chromium: pages of two origins, of which one has a token for its own. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Whittle } from '../../../packages/clients/typescript/src/index.ts'
import { type Running, startService } from '../../e2e/running.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const PHOTO = join(ROOT, 'docs/photo.jpg')

/** The page of the document, with the address of a service. */
function examplePage(service: string): string {
  const text = readFileSync(join(ROOT, 'docs/users/browsers.md'), 'utf8')
  const [, html = ''] = /```html\n([\s\S]*?)```/.exec(text) ?? []
  if (!html.includes('https://whittle.example.com'))
    throw new Error('docs/users/browsers.md has no example with https://whittle.example.com')
  return `<!doctype html><meta charset="utf-8">${html.replace('https://whittle.example.com', service)}`
}

describe.skipIf(!existsSync(CHROMIUM))('the example of the documentation', () => {
  let service: Running
  let site: Server
  let port: number
  let browser: Browser

  beforeAll(async () => {
    service = await startService()
    const whittle = new Whittle({ baseUrl: service.baseUrl, key: service.keys.pro })
    const page = examplePage(service.baseUrl)
    site = createServer(async (request, response) => {
      if (request.method !== 'POST') return response.setHeader('content-type', 'text/html').end(page)
      const made = await whittle.uploadToken({ origin: `http://127.0.0.1:${port}`, formats: ['jpg', 'png'], max_bytes: 10_000_000 })
      return response.end(JSON.stringify(made))
    })
    await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready))
    port = (site.address() as AddressInfo).port
    const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP page.localhost 127.0.0.1']
    browser = await chromium.launch({ executablePath: CHROMIUM, args: flags })
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await service?.stop()
  })

  it('compresses a photo, and says why a file is refused', async () => {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}`)
    await page.setInputFiles('input', PHOTO)
    await page.waitForFunction(() => document.querySelector('a')?.textContent !== '')
    expect(await page.textContent('a')).toMatch(/^240883 → \d{5,6} bytes$/)
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a')])
    expect(
      readFileSync(await download.path())
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('ffd8ff')
    await page.setInputFiles('input', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('words '.repeat(1000)) })
    await page.waitForFunction(() => !document.querySelector('a')?.textContent?.includes('→'))
    expect(await page.textContent('a')).toBe("This browser token does not allow files of the format 'text'. Allowed: jpg, png.")
    await page.close()
  })

  it('lets a page of another origin neither use the token nor read the answer', async () => {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`http://page.localhost:${port}`)
    await page.setInputFiles('input', PHOTO)
    await expect.poll(() => errors).toEqual(['Failed to fetch'])
    expect(await page.textContent('a')).toBe('')
    await page.close()
  })
})
