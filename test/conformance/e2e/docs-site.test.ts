/**
 * The documentation site as it is built, and in a real browser: links, policy, search, tabs, both colour schemes, phone, and a request
 * from the API reference. The browser part is skipped where no Chromium is installed. `SCREENSHOTS=FOLDER` keeps pictures.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDocsSite, isDocsSiteFresh, SITE } from '../../../pages/docs/build.ts'
import { type Running, startService } from '../../e2e/running.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SCREENSHOTS = process.env['SCREENSHOTS']
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const site = join(ROOT, SITE)
const MOST_SCRIPT_BYTES = 400_000

beforeAll(async () => void (await buildDocsSite(ROOT)), 300_000)

const pages = () => globSync('**/*.html', { cwd: site }).map((file) => ({ file, html: readFileSync(join(site, file), 'utf8') }))

describe('the built site', () => {
  it('is not built again while nothing has changed', async () => {
    expect(isDocsSiteFresh(ROOT)).toBe(true)
    expect(await buildDocsSite(ROOT)).toBe(false)
  })

  it('has only links that lead to a page, and to a heading where they name one', () => {
    const ids = new Map(pages().map(({ file, html }) => [file, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))]))
    const broken: string[] = []
    for (const { file, html } of pages()) {
      for (const [, href = ''] of html.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
        const { pathname, hash } = new URL(href, `http://site/docs/${file}`)
        if (/^https?:/.test(href) || !pathname.startsWith('/docs')) continue
        const path = pathname.replace(/^\/docs\/?/, '').replace(/^$|(?<=\/)$/, 'index')
        const target = path.endsWith('.html') ? path : `${path}.html`
        const known = ids.get(target)
        if (!known || (hash !== '' && !known.has(decodeURIComponent(hash.slice(1))))) broken.push(`${file}: ${href}`)
      }
    }
    expect(pages().length).toBeGreaterThan(50)
    expect(broken).toEqual([])
  })

  it('has no script, style or event handler inside of a page, and nothing of another host', () => {
    for (const { file, html } of pages()) {
      expect(html, file).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/)
      expect(html, file).not.toMatch(/<style|\sstyle="|\son\w+="/)
      for (const [, address = ''] of html.matchAll(/<(?:script|img|link)[^>]*\s(?:src|href)="([^"]+)"/g))
        expect(address, file).toMatch(/^\/(?!\/)/)
    }
    // VitePress writes functions of its configuration as text, which the policy forbids to compile.
    for (const file of globSync('assets/**/*.js', { cwd: site }))
      expect(readFileSync(join(site, file), 'utf8'), file).not.toContain('_vp-fn_')
  })

  it('has a search index with the text of its pages', () => {
    const [index] = globSync('assets/chunks/@localSearchIndexroot*.js', { cwd: site })
    const text = readFileSync(join(site, index ?? 'missing'), 'utf8')
    const [chinese] = globSync('assets/chunks/@localSearchIndexzh*.js', { cwd: site })
    expect(readFileSync(join(site, chinese ?? 'missing'), 'utf8')).toContain('续传')
    for (const word of ['receipts', 'idempotency_mismatch', 'kubernetes', 'ssimulacra']) expect(text.toLowerCase()).toContain(word)
  })

  it('has an edit link to the file in the repository', () => {
    const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { repository: { url: string } }
    const base = repository.url.replace(/^git\+|\.git$/g, '')
    expect(readFileSync(join(site, 'kept.html'), 'utf8')).toContain(`${base}/edit/main/docs/users/kept.md`)
    expect(readFileSync(join(site, 'python.html'), 'utf8')).toContain(`${base}/edit/main/packages/clients/python/README.md`)
  })

  it('loads few scripts for its first page', () => {
    const html = readFileSync(join(site, 'index.html'), 'utf8')
    const files = new Set([...html.matchAll(/(?:src|href)="\/docs\/([^"]+\.js)"/g)].map(([, file = '']) => file))
    expect([...files].reduce((sum, file) => sum + readFileSync(join(site, file)).length, 0)).toBeLessThan(MOST_SCRIPT_BYTES)
  })
})

describe.skipIf(!existsSync(CHROMIUM))('the site in a browser', () => {
  const PHONE = { width: 390, height: 844 }
  const DESKTOP = { width: 1280, height: 800 }
  let service: Running
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let base: string
  const problems: string[] = []
  const MISSING = '/docs/nothing-here'
  const IS_MISSING = /nothing-here$/
  const requests: { url: string; authorization: string | undefined }[] = []

  beforeAll(async () => {
    service = await startService()
    base = service.baseUrl.replace('127.0.0.1', 'localhost')
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB' })
    page = await context.newPage()
    page.on('console', (message) => {
      // The browser reports the status of the page that is missing on purpose.
      const isMeant = IS_MISSING.test(message.location().url)
      if (message.type() === 'error' && !isMeant) problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => requests.push({ url: request.url(), authorization: request.headers()['authorization'] }))
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const violations = async (): Promise<unknown[]> => {
    const session = await context.newCDPSession(page)
    // Through the protocol, because the page's policy lets no script in.
    await session.send('Runtime.evaluate', { expression: AXE })
    const expression = `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html)])))`
    const found = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    await session.detach()
    return JSON.parse(String(found.result.value)) as unknown[]
  }

  it.each([
    '/docs/',
    '/docs/quick-start',
    '/docs/formats',
    '/docs/errors',
    '/docs/decisions/png',
    '/docs/zh/',
    '/docs/zh/quick-start',
    '/docs/zh/formats',
    '/docs/zh/inventory',
    '/docs/api',
    MISSING,
    '/docs/zh/nothing-here',
  ])('shows %s in both colour schemes and on a phone, without a finding of axe', async (path) => {
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(base + path, { waitUntil: 'networkidle' })
        await page.locator('h1').first().waitFor()
        const name = `${path.replaceAll('/', '-').replace(/^-|-$/g, '')}-${viewport.width}-${colorScheme}`
        if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) })
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(viewport.width)
        expect(await violations(), name).toEqual([])
      }
    }
    await page.setViewportSize(DESKTOP)
  }, 120_000)

  it('shows a page on a phone without its scripts, and presses the first button again when they have started', async () => {
    const phone = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true, locale: 'en-GB' })
    try {
      const reader = await phone.newPage()
      const isRunning = () => reader.evaluate(`'__VITEPRESS__' in globalThis`)
      for (const [button, shown] of [
        [reader.getByRole('button', { name: 'Menu' }), reader.locator('.VPSidebar.open')],
        [reader.getByRole('button', { name: /search/i }), reader.getByRole('searchbox')],
        [reader.getByRole('button', { name: 'On this page' }), reader.getByRole('link', { name: 'Batches' }).last()],
        // Last, because a page with remembered tabs starts its scripts at once.
        [reader.locator('.vp-code-group label', { hasText: 'Python' }).first(), reader.getByText('whittle = Whittle(os.environ').first()],
      ] as const) {
        await reader.goto(`${base}/docs/quick-start`, { waitUntil: 'networkidle' })
        expect(await isRunning()).toBe(false)
        await button.tap()
        await shown.waitFor()
        expect(await isRunning()).toBe(true)
      }
    } finally {
      await phone.close()
    }
  })

  it('finds a page by a word of its text', async () => {
    await page.goto(`${base}/docs/`)
    await page.getByRole('button', { name: /search/i }).click()
    await page.getByRole('searchbox').fill('idempotency')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/.+/)
  })

  it('finds a Chinese page by a part of a word, and shows it', async () => {
    await page.goto(`${base}/docs/zh/`)
    await page.getByRole('button', { name: '搜索文档' }).click()
    await page.getByRole('searchbox').fill('存储提醒')
    await page
      .getByRole('option', { name: /存储提醒/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/zh\/callbacks/)
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans')
  })

  it('leads to the same page in the other language and back', async () => {
    await page.goto(`${base}/docs/receipts`)
    expect(await page.locator('link[hreflang="zh-Hans"]').getAttribute('href')).toBe(`${base}/docs/zh/receipts`)
    await page.getByRole('link', { name: '中文' }).click()
    await page.getByRole('heading', { level: 1, name: '凭据' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-Hans')
    await page.getByRole('link', { name: 'English', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Receipts' }).waitFor()
    await page.goto(`${base}/docs/decisions/png`)
    await page.getByRole('link', { name: '中文' }).click()
    await page.getByRole('heading', { level: 1, name: 'Whittle 文档' }).waitFor()
  })

  it('opens a Chinese page from the keyboard, and moves nothing if the reader wants no motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${base}/docs/zh`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Tab')
    const focused = async () => String(await page.evaluate('document.activeElement.textContent.trim()'))
    expect(await focused()).toBe('跳到内容')
    for (let i = 0; i < 20 && (await focused()) !== '快速开始'; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: '快速开始' }).waitFor()
    const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').length`
    expect(await page.evaluate(moving)).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
  })

  it('remembers the language of code from page to page', async () => {
    await page.goto(`${base}/docs/quick-start`)
    await page.locator('.vp-code-group label', { hasText: 'Python' }).first().click()
    await page.getByText('whittle = Whittle(os.environ').waitFor()
    await page.goto(`${base}/docs/callbacks`)
    await page.getByText('verify_callback(secret, request.headers').waitFor()
  })

  it('leads from the address of an error to its remedy', async () => {
    await page.goto(`${base}/docs#rate_limited`)
    await page.waitForURL(`${base}/docs/errors#rate_limited`)
    await page.getByRole('heading', { name: /^rate_limited/ }).waitFor()
  })

  it('sends a request from the API reference to this service, with the key that was typed', async () => {
    await page.goto(`${base}/docs/api`, { waitUntil: 'networkidle' })
    await page.getByPlaceholder(/token/i).first().fill(service.keys.enterprise)
    await page.goto(`${base}/docs/api#tag/account/GET/v1/usage`)
    await page
      .getByRole('button', { name: /test request/i })
      .first()
      .waitFor()
    await page
      .locator('[id*="v1/usage"]')
      .getByRole('button', { name: /test request/i })
      .first()
      .click()
    const answer = page.waitForResponse((response) => response.url().startsWith(`${base}/v1/usage`))
    await page.getByRole('button', { name: /^send/i }).first().click()
    expect((await answer).status()).toBe(200)
    expect(requests.find(({ url }) => url.startsWith(`${base}/v1/usage`))?.authorization).toBe(`Bearer ${service.keys.enterprise}`)
  })

  it('asks no other host, and breaks no rule of its policy', () => {
    expect(requests.map(({ url }) => url).filter((url) => !url.startsWith(base) && !/^(data|blob):/.test(url))).toEqual([])
    expect(problems).toEqual([])
  })
})
