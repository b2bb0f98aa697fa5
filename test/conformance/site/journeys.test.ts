/**
 * Visitors of the front page in Chromium: ten mixed files, a phone, without a network, with the keyboard. Skipped where no Chromium is
 * installed. `SCREENSHOTS=FOLDER` keeps pictures of all states in both themes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../../site/build.ts'
import { SiteServer } from '../../support/site-server.ts'
import { fileOf, mixedFiles, soundFile } from '../../support/visitor-files.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SCREENSHOTS = process.env['SCREENSHOTS']
const ROOT = join(import.meta.dirname, '../../..')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync']
const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }

describe.skipIf(!existsSync(CHROMIUM))('the front page in a browser', () => {
  let server: SiteServer
  let browser: Browser
  let folder: string
  let context: BrowserContext | undefined
  let problems: string[] = []
  let foreign: string[] = []

  beforeAll(async () => {
    if (!existsSync(fileOf('console/public/console/pdf'))) execFileSync(process.execPath, ['console/build.ts'], { cwd: ROOT })
    await buildSite()
    folder = mkdtempSync(join(tmpdir(), 'front-page-'))
    server = await SiteServer.start()
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  })
  afterEach(async () => {
    await context?.close()
    expect(problems).toEqual([])
    expect(foreign).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Opens the page. Everything that leaves for another origin, and every error of the page, is noted. */
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    problems = []
    foreign = []
    context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', serviceWorkers: 'block', ...options })
    const page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (/Content.Security.Policy/.test(message.text())) problems.push(message.text())
    })
    context.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url())) foreign.push(request.url())
      if (request.method() !== 'GET') foreign.push(`${request.method()} ${request.url()}`)
    })
    await page.goto(server.url)
    await page.locator('#app[data-ready]').waitFor()
    return page
  }

  const give = (page: Page, paths: readonly string[]) =>
    page
      .locator('input[type=file][multiple]')
      .first()
      .setInputFiles([...paths])
  const finished = (page: Page) => page.locator('.bar--all').waitFor({ state: 'detached', timeout: 90_000 })
  const row = (page: Page, name: string) => page.locator('li.file', { hasText: name })

  async function accessible(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours that are still changing have another contrast.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(AXE)
      const found = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]))`,
      )
      expect(found, colorScheme).toEqual([])
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 'width beyond the screen').toBeLessThanOrEqual(0)
  }

  async function shot(page: Page, name: string): Promise<void> {
    if (!SCREENSHOTS) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${page.viewportSize()?.width}-${colorScheme}.png`), fullPage: true })
    }
    await page.emulateMedia({ colorScheme: null })
  }

  const mixed = () => mixedFiles(folder)

  it('compresses ten mixed files, says what became of each, and gives them back as one ZIP', async () => {
    const page = await open()
    await shot(page, 'empty')
    await accessible(page)
    await give(page, mixed())
    await page.getByRole('heading', { name: /of 10 done/ }).waitFor()
    await finished(page)
    await page.getByRole('heading', { name: /saved$/ }).waitFor()
    await row(page, 'photo.jpg').getByText('No visible difference at normal size').waitFor()
    await row(page, 'measurements.csv').getByText('As Zstandard').waitFor()
    await row(page, 'scan.png').getByText('Damaged').waitFor()
    await row(page, 'film.mp4').getByRole('link', { name: 'Sign in' }).waitFor()
    await row(page, 'user-password.pdf').getByText('encrypted').waitFor()
    await shot(page, 'mixed')
    await accessible(page)
    await row(page, 'kitchen.sketch')
      .getByRole('button', { name: /Pack as zst/ })
      .click()
    await row(page, 'kitchen.sketch')
      .getByText(/As Zstandard|Unchanged/)
      .waitFor()
    const [zip] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download all' }).click()])
    expect(zip.suggestedFilename()).toBe('whittle.zip')
    const names = readFileSync(await zip.path()).toString('latin1')
    for (const name of ['photo.jpg', 'coffee.png', 'growth.svg', 'measurements.csv.zst']) expect(names).toContain(name)
    expect(names).not.toContain('scan.png')
  })

  it('shows three levels, the comparison, the receipt and the code, and checks the receipt again', async () => {
    const page = await open()
    await give(page, [fileOf('docs/photo.jpg')])
    await finished(page)
    const sizes = page.locator('.level__size')
    await page.locator('.level__size .skel').first().waitFor({ state: 'detached', timeout: 60_000 })
    await expect.poll(() => sizes.allTextContents(), { timeout: 60_000 }).toEqual([...Array(3)].map(() => expect.stringMatching(/kB$/)))
    const bytes = (await sizes.allTextContents()).map((text) => Number.parseFloat(text))
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b))
    await page.getByRole('article', { name: 'Receipt for photo.jpg' }).getByText('Measured on this device').waitFor()
    await page.getByText('Not signed').waitFor()
    await page.locator('.kept', { hasText: 'EXIF tags' }).waitFor()
    await shot(page, 'done')
    await accessible(page)
    await page.locator('.level', { hasText: 'Looks clean' }).first().click()
    await page.locator('.code', { hasText: 'quality=low' }).waitFor()
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.locator('.code', { hasText: 'quality="low"' }).waitFor()
    await page.getByRole('radio', { name: '200 %' }).check()
    await page.getByLabel('Before and after: move the divider').press('ArrowLeft')
    expect(await page.getByLabel('Before and after: move the divider').inputValue()).toBe('49')
    await page.getByRole('button', { name: 'Check it' }).click()
    await page.getByText('This receipt is true').waitFor({ timeout: 60_000 })
    await shot(page, 'checked')
    await accessible(page)
  })

  it('finds a result below a maximum size, and offers the smallest one where there is none', async () => {
    const page = await open()
    await give(page, [fileOf('docs/photo.jpg')])
    await finished(page)
    await page.locator('.opts--own').getByLabel('Maximum size').fill('5')
    await page.locator('.opts--own').getByLabel('Maximum size').press('Tab')
    await page.getByText('Cannot get that small').first().waitFor({ timeout: 60_000 })
    await shot(page, 'unreachable')
    await page.getByRole('button', { name: /^Take / }).click()
    await page.getByRole('button', { name: 'Download photo.jpg' }).waitFor({ timeout: 60_000 })
    await page.locator('.opts--own').getByLabel('Output format').selectOption('webp')
    await row(page, 'photo.jpg').getByText('As WebP').waitFor({ timeout: 60_000 })
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download photo.webp' }).click()])
    expect(
      readFileSync(await saved.path())
        .subarray(8, 12)
        .toString(),
    ).toBe('WEBP')
  })

  it('takes dropped and pasted files', async () => {
    const page = await open()
    await page.evaluate(`(async () => {
      const data = new DataTransfer()
      data.items.add(new File(['a,b\\n'.repeat(2000)], 'dropped.csv'))
      dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await page.getByText('Drop to start').waitFor()
    await shot(page, 'dragging')
    await page.evaluate(`(async () => {
      const data = new DataTransfer()
      data.items.add(new File(['a,b\\n'.repeat(2000)], 'dropped.csv'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await row(page, 'dropped.csv').waitFor()
    await page.evaluate(`(async () => {
      const picture = await new Promise((done) => Object.assign(document.createElement('canvas'), { width: 9, height: 9 }).toBlob(done))
      const data = new DataTransfer()
      data.items.add(new File([picture], 'image.png', { type: 'image/png' }))
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
    await row(page, 'pasted.png').waitFor()
  })

  it('draws the first page of a PDF in the list', async () => {
    const page = await open()
    await give(page, [fileOf('test/fixtures/pdf/aes-256.pdf'), fileOf('test/fixtures/pdf/user-password.pdf')])
    await finished(page)
    await row(page, 'aes-256.pdf').locator('canvas:not([hidden])').waitFor()
    const shades = await page.evaluate(`(() => {
      const canvas = document.querySelector('.thumb canvas:not([hidden])')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return new Set(new Uint32Array(data.buffer)).size
    })()`)
    expect(shades, 'colours of the thumbnail').toBeGreaterThan(2)
    // A page that needs a password stays a sheet.
    expect(await row(page, 'user-password.pdf').locator('.thumb--doc').count()).toBe(1)
  })

  it('plays a sound of the list, and shows an icon for one that the browser cannot decode', async () => {
    const page = await open()
    await give(page, [soundFile(folder, 'tone.wav', 1), soundFile(folder, 'unknown.wav', 0x7fff)])
    await row(page, 'tone.wav').getByRole('link', { name: 'Sign in' }).waitFor()
    await page.getByRole('button', { name: 'Play tone.wav' }).click()
    await page.getByRole('button', { name: 'Pause tone.wav' }).waitFor()
    await shot(page, 'sound')
    await page.getByRole('button', { name: 'Pause tone.wav' }).click()
    await page.getByRole('button', { name: 'Play tone.wav' }).waitFor()
    await page.getByRole('button', { name: 'Play unknown.wav' }).click()
    await page.getByRole('button', { name: 'Play unknown.wav' }).waitFor({ state: 'detached' })
    await row(page, 'unknown.wav').locator('.thumb svg').waitFor()
  })

  it('works on a phone, also for a camera', async () => {
    const page = await open({ viewport: PHONE, hasTouch: true, isMobile: true })
    await page.getByRole('button', { name: 'Take a photo' }).waitFor()
    expect(await page.locator('input[capture]').getAttribute('accept')).toBe('image/*')
    await shot(page, 'empty')
    await accessible(page)
    await page.locator('.menu summary').click()
    await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Sign in' }).waitFor()
    await page.locator('.menu summary').click()
    await give(page, mixed().slice(0, 4))
    await finished(page)
    await shot(page, 'mixed')
    await accessible(page)
    await row(page, 'photo.jpg')
      .getByRole('button', { name: /^Details/ })
      .tap()
    await page.getByRole('article', { name: 'Receipt for photo.jpg' }).waitFor()
    await page.locator('.compare img.after').waitFor()
    await shot(page, 'done')
    await accessible(page)
    const small = await page.evaluate(
      `[...document.querySelectorAll('main button, main select, main summary')].filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 120))`,
    )
    expect(small, 'targets below 44 pixels').toEqual([])
  })

  it('works without a network after the first visit, also with formats that were not used before', async () => {
    const page = await open({ serviceWorkers: 'allow' })
    await page.locator('html[data-saved]').waitFor({ timeout: 60_000 })
    server.isGone = true
    try {
      await context!.setOffline(true)
      await page.reload()
      await page.locator('#app[data-ready]').waitFor()
      await give(page, [fileOf('docs/photo.jpg'), fileOf('docs/contributors/growth.svg'), fileOf('test/fixtures/difficult/coffee.png')])
      await finished(page)
      await page.getByText('You are offline.').waitFor()
      expect(await page.locator('.file--good').count()).toBe(3)
      await shot(page, 'offline')
    } finally {
      server.isGone = false
    }
  })

  it('takes files that another app shares with it', async () => {
    const page = await open({ serviceWorkers: 'allow' })
    await page.evaluate('navigator.serviceWorker.ready')
    await page.reload()
    // As browsers do it: a form is sent to the address in the manifest.
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['a,b\\n'.repeat(2000)], 'shared file.csv', { type: 'text/csv' }))
      const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share', enctype: 'multipart/form-data' })
      form.append(Object.assign(document.createElement('input'), { type: 'file', name: 'files', files: data.files }))
      document.body.append(form)
      form.submit()
    })()`)
    await row(page, 'shared file.csv').getByText('As Zstandard').waitFor({ timeout: 60_000 })
    // The service worker answers the share itself.
    expect(foreign).toEqual([`POST ${server.url}share`])
    foreign = []
    expect(server.asked).not.toContain('/share')
  })

  it('speaks Chinese, also where the browser says so', async () => {
    const page = await open({ locale: 'zh-CN' })
    await page.getByText('将文件拖到此处').waitFor()
    await shot(page, 'chinese')
    await accessible(page)
    await give(page, [fileOf('docs/photo.jpg')])
    await finished(page)
    await page.getByText('正常大小下看不出差别').first().waitFor()
    await accessible(page)
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByText('No visible difference at normal size').first().waitFor()
  })

  it('obeys reduced motion and forced colours, and is used by keyboard alone', async () => {
    const page = await open({ reducedMotion: 'reduce', forcedColors: 'active' })
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await shot(page, 'forced-colours')
    await give(page, [fileOf('docs/photo.jpg')])
    await finished(page)
    await page.getByRole('radio', { name: /^Medium/ }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.code', { hasText: 'quality=low' }).waitFor()
    const moving = await page.evaluate(`document.getAnimations().filter(({ playState }) => playState === 'running').length`)
    expect(moving).toBe(0)
    await shot(page, 'forced-colours-done')
  })

  it('shows the figures of its example before the script runs, and no scale without a place on it (scale-before-script)', async () => {
    const plain = await browser.newContext({ viewport: DESKTOP, javaScriptEnabled: false })
    try {
      const page = await plain.newPage()
      await page.goto(server.url)
      expect(await page.locator('.scale__value b').isVisible()).toBe(true)
      expect(await page.locator('.scale__track').first().isVisible()).toBe(false)
    } finally {
      await plain.close()
    }
    const scripted = await open()
    expect(await scripted.locator('.scale__track').first().isVisible()).toBe(true)
  })

  it('is ready within a second on a processor that is four times slower', async () => {
    const page = await open()
    const session = await context!.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const times: number[] = []
    for (let i = 0; i < 5; i++) {
      await page.goto(server.url)
      await page.locator('#app[data-ready]').waitFor()
      times.push(Number(await page.evaluate('performance.getEntriesByName("ready")[0].startTime')))
    }
    console.log(`ready after ${times.map(Math.round).join(', ')} ms`)
    // Other programs of the machine only add to a time.
    expect(Math.min(...times)).toBeLessThan(1000)
  })
})
