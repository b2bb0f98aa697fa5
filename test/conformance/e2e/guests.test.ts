/**
 * A visitor of the front page without an account, in Chromium: a film and a sound go to the service after the visitor has agreed, and come
 * back with a receipt whose signature the page has checked. `SCREENSHOTS=FOLDER` keeps pictures of the states.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../../site/build.ts'
import { type Running, startService } from '../../e2e/running.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SCREENSHOTS = process.env['SCREENSHOTS']
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const PATIENCE = { timeout: 90_000 }

/** Writes the generated file of a format. Its generator needs engines, which a test of this kind cannot load. */
function generate(format: 'mp4' | 'mp3', path: string): void {
  const program = `
    import { writeFileSync } from 'node:fs'
    import { GENERATORS } from './test/support/generators.ts'
    writeFileSync(${JSON.stringify(path)}, await GENERATORS.${format}[0].make())`
  execFileSync(process.execPath, ['--import', './tools/wasm-hook.ts', '--input-type=module', '-e', program], { cwd: ROOT })
}

describe.skipIf(!existsSync(CHROMIUM))('a visitor without an account', () => {
  let service: Running
  let browser: Browser
  let folder: string
  let film: string
  let sound: string
  const errors: string[] = []

  beforeAll(async () => {
    await buildSite()
    folder = mkdtempSync(join(tmpdir(), 'guests-'))
    film = join(folder, 'holiday.mp4')
    sound = join(folder, 'song.mp3')
    generate('mp4', film)
    generate('mp3', sound)
    service = await startService(undefined, 0, { GUESTS: 'on' })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    errors.length = 0
    const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', serviceWorkers: 'block', ...options })
    const page = await context.newPage()
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => void (/Content.Security.Policy/.test(message.text()) && errors.push(message.text())))
    await page.goto(service.baseUrl)
    await page.locator('#app[data-ready]').waitFor()
    return page
  }

  const give = (page: Page, ...paths: string[]) => page.locator('input[type=file][multiple]').first().setInputFiles(paths)
  const row = (page: Page, name: string) => page.locator('li.file', { hasText: name })
  const sentBy = (page: Page) => {
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(new URL(request.url()).pathname)))
    return sent
  }

  async function look(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(AXE)
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run()
        return violations.map(({ id }) => id)
      })
      expect(found, `${name} ${colorScheme}`).toEqual([])
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `guests-${name}-${colorScheme}.png`), fullPage: true })
    }
  }

  it('is asked first, then gets both files back with receipts whose signature was checked', async () => {
    const page = await open()
    const sent = sentBy(page)
    await give(page, join(ROOT, 'docs/photo.jpg'), film, sound)
    await page.getByRole('heading', { name: 'Send 2 files to the service?' }).waitFor()
    await row(page, 'photo.jpg')
      .getByRole('button', { name: /^Download/ })
      .waitFor(PATIENCE)
    expect(sent, 'nothing has left').toEqual([])
    await page.getByText('Your files did not leave this device.').waitFor()
    await look(page, 'asks-1280')
    await page.getByRole('button', { name: 'Send 2 files' }).click()
    for (const name of ['holiday.mp4', 'song.mp3'])
      await row(page, name)
        .getByRole('button', { name: /^Download/ })
        .waitFor(PATIENCE)
    expect(sent).toEqual(['/guests', '/v1/compress', '/v1/compress'])
    await page.getByText('Files sent to localhost').waitFor()
    await row(page, 'holiday.mp4')
      .getByRole('button', { name: /^Details/ })
      .click()
    await page.locator('.receipt .stub__seal:not(.stub__seal--open)').waitFor()
    await page.getByText(/^Signed by localhost/).waitFor()
    const player = page.locator('video.player')
    await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBe(64)
    await look(page, 'receipt-1280')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row(page, 'holiday.mp4')
        .getByRole('button', { name: /^Download/ })
        .click(),
    ])
    const bytes = readFileSync(await download.path())
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')
    expect(bytes.length).toBeLessThan(readFileSync(film).length)
    expect(errors).toEqual([])
    await page.context().close()
  })

  it('sees an open seal if the published keys do not confirm the signature', async () => {
    const page = await open()
    const wrong = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'GXXg_s_6LuFtmQ9Wg_BVguTlGVYYPYraXWcyKXo_K98', kid: 'other' }] }
    await page.route('**/.well-known/jwks.json', (route: Route) => route.fulfill({ json: wrong }))
    await give(page, sound)
    await page.getByRole('button', { name: 'Send it' }).click()
    await row(page, 'song.mp3')
      .getByRole('button', { name: /^Download/ })
      .waitFor(PATIENCE)
    const details = row(page, 'song.mp3').getByRole('button', { name: 'Details of song.mp3', exact: true })
    if (await details.isVisible()) await details.click()
    await page.getByText('Measured by the service').waitFor()
    expect(await page.locator('.receipt .stub__seal:not(.stub__seal--open)').count()).toBe(0)
    await page.context().close()
  })

  it('says no, reads Chinese, or uses a phone', async () => {
    const page = await open({ viewport: PHONE, locale: 'zh-CN' })
    const sent = sentBy(page)
    await give(page, film, sound)
    await page.getByRole('heading', { name: '将 2 个文件发送至服务？' }).waitFor()
    await look(page, 'asks-390-zh')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await page.getByRole('button', { name: '暂不' }).click()
    await row(page, 'song.mp3')
      .getByRole('button', { name: /^发送至服务/ })
      .waitFor()
    expect(sent).toEqual([])
    await row(page, 'song.mp3')
      .getByRole('button', { name: /^发送至服务/ })
      .click()
    await row(page, 'song.mp3').getByRole('button', { name: /^下载/ }).waitFor(PATIENCE)
    await look(page, 'declined-390-zh')
    expect(sent).toEqual(['/guests', '/v1/compress'])
    await page.context().close()
  })
})
