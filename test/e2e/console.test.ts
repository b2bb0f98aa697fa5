/**
 * A person walks through the console in a real browser: invitation and passkey (virtual authenticator), an application, its
 * key, a photo, reset and disable, usage, a callback and its replay. Skipped where no Chromium is installed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inviteDeveloper } from '../../src/local/development-account.ts'
import { document, drawing } from '../support/office.ts'
import type { Parts } from '../support/packages.ts'
import { bucketsPageTests } from './console-buckets.ts'
import { type Running, startService } from './running.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SCREENSHOTS = process.env['SCREENSHOTS']
const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')

const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const SCHEMES = [
  ['light', ''],
  ['dark', '-dark'],
] as const

/** Deflated, all of it. */
async function zipped(parts: Parts): Promise<Buffer> {
  const zip = new ZipWriter(new Uint8ArrayWriter())
  for (const [name, part] of Object.entries(parts)) {
    await zip.add(name, new Uint8ArrayReader(typeof part === 'string' ? new TextEncoder().encode(part) : part))
  }
  return Buffer.from(await zip.close())
}

/** Of the local headers, in their order. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = []
  for (let at = zip.indexOf('PK\x03\x04'); at >= 0; at = zip.indexOf('PK\x03\x04', at + 4)) {
    names.push(zip.subarray(at + 30, at + 30 + zip.readUInt16LE(at + 26)).toString())
  }
  return names
}

const PAGES_AND_WHAT_IS_THERE = [
  ['Keys', /whl_live_/],
  ['Tasks', 'photo.jpg'],
  ['Buckets', 'No origins yet'],
  ['Callbacks', 'thank you'],
  ['People', 'Passkey'],
] as const

/** Runs in the page. `options`: of axe.run. */
const findViolations = `async (options) => {
  const { violations } = await axe.run(document, options)
  return JSON.stringify(violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html)]))
}`
/** Options of axe.run for each colour scheme. The schemes differ in nothing but colours, so only the first one needs all rules. */
const RULES = { light: {}, dark: { runOnly: ['color-contrast'] } } as const

describe.skipIf(!existsSync(CHROMIUM))('the console in a browser', () => {
  let service: Running
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let receiver: Server
  const received: { id: string; body: string }[] = []
  let base: string
  const violations: string[] = []

  beforeAll(async () => {
    service = await startService()
    base = service.baseUrl.replace('127.0.0.1', 'localhost')
    receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        received.push({ id: String(request.headers['webhook-id']), body })
        response.end('thank you')
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync']
    browser = await chromium.launch({ executablePath: CHROMIUM, args: flags })
    // Without motion, colours do not fade from one scheme into the other while axe looks.
    context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', permissions: ['clipboard-write'], reducedMotion: 'reduce' })
    page = await context.newPage()
    page.on('console', (message) => {
      if (/Content Security Policy|Content-Security-Policy/.test(message.text())) violations.push(message.text())
    })
    const session = await context.newCDPSession(page)
    await session.send('WebAuthn.enable')
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    receiver?.close()
    await service?.stop()
  })

  const shot = async (name: string) => {
    if (!SCREENSHOTS) return
    for (const [scheme, ending] of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}${ending}.png`), fullPage: true })
      await page.setViewportSize(PHONE)
      await page.screenshot({ path: join(SCREENSHOTS, `${name}${ending}-phone.png`), fullPage: true })
      await page.setViewportSize(DESKTOP)
    }
    await page.emulateMedia({ colorScheme: null })
  }
  /** The page as it stands fits a phone, and axe finds nothing, by day and by night. */
  const accessible = async () => {
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    await page.setViewportSize(DESKTOP)
    const session = await context.newCDPSession(page)
    // Through the protocol, because the page's own policy lets no script in.
    await session.send('Runtime.evaluate', { expression: AXE })
    for (const [scheme] of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme })
      const expression = `(${findViolations})(${JSON.stringify(RULES[scheme])})`
      const found = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      expect(JSON.parse(String(found.result.value)), scheme).toEqual([])
    }
    await page.emulateMedia({ colorScheme: null })
  }
  const go = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  const askApi = (key: string) => fetch(`${service.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })

  it('lets an invited person in with a passkey, once', async () => {
    const invitation = await inviteDeveloper(service.baseUrl, service.adminToken, service.accountId, 'Ada')
    await page.goto(invitation)
    await page.getByRole('heading', { name: 'Welcome, Ada' }).waitFor()
    await shot('welcome')
    const weight = 'performance.getEntriesByType("resource").reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)'
    expect(await page.evaluate(weight), 'what the page fetches, as it is sent').toBeLessThan(90_000)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const cookies = await context.cookies(`${base}/console`)
    expect(cookies.find((cookie) => cookie.name === 'whittle_session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Whittle' }).waitFor()
    await accessible()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    const again = await fetch(`${service.baseUrl}/console/api/register/options`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invitation: invitation.split('=')[1] }),
    })
    expect(again.status).toBe(401)
    await shot('overview-empty')
  })

  it('says what to do next when an invitation was used', async () => {
    const other = await browser.newContext({ viewport: PHONE, locale: 'en-GB' })
    const guest = await other.newPage()
    const invitation = await inviteDeveloper(service.baseUrl, service.adminToken, service.accountId, 'Bo')
    const used = invitation.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    await guest.goto(used)
    await guest.getByRole('heading', { name: 'This invitation no longer works' }).waitFor()
    await guest.getByText('sign in with your passkey').waitFor()
    await guest.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await other.close()
  })

  it('lets a key in on this machine, with what the key may do', async () => {
    const other = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB' })
    const guest = await other.newPage()
    await guest.goto(`${base}/console`)
    await guest.getByLabel('API key').fill('whl_live_5L50x')
    await guest.getByRole('button', { name: 'Sign in', exact: true }).click()
    await guest.getByText('A key begins with whl_live_').waitFor()
    await guest.getByLabel('API key').fill(service.keys.enterprise)
    await guest.getByRole('button', { name: 'Sign in', exact: true }).click()
    await guest.getByRole('heading', { name: 'Overview' }).waitFor()
    const pages = await guest.getByRole('navigation', { name: 'Console' }).getByRole('link').allInnerTexts()
    expect(pages, 'nothing of the account').toEqual(['Overview', 'Compress', 'Tasks', 'Buckets', 'Usage'])
    await guest.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Compress' }).click()
    await guest.locator('input[type=file]').setInputFiles(join(import.meta.dirname, '../../docs/photo.jpg'))
    await guest.getByText(/^Signed by localhost/).waitFor({ timeout: 60_000 })
    const [file] = await Promise.all([guest.waitForEvent('download'), guest.getByRole('button', { name: 'Download' }).click()])
    expect(file.suggestedFilename()).toBe('photo.jpg')
    expect(await other.cookies(), 'no session').toEqual([])
    await guest.reload()
    await guest.getByRole('article', { name: 'photo.jpg', exact: true }).waitFor()
    await guest.getByRole('button', { name: 'Sign out' }).click()
    await guest.getByRole('heading', { name: 'Sign in to Whittle' }).waitFor()
    expect(await guest.evaluate('sessionStorage.getItem("whittle-key")')).toBeNull()
    await other.close()
  })

  it('makes a dropped photo smaller and shows the receipt', async () => {
    await page.locator('input[type=file]').setInputFiles(join(import.meta.dirname, '../../docs/photo.jpg'))
    await page.getByRole('heading', { name: 'Compress' }).waitFor()
    await page.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 })
    const receipt = page.getByRole('article', { name: /^Receipt for/ })
    await receipt.getByText('No visible difference at normal size').waitFor()
    await receipt.getByRole('img', { name: /^Score [\d.]+, goal \d+, best 100$/ }).waitFor()
    await receipt.getByRole('img', { name: /^SSIM [\d.]+, floor/ }).waitFor()
    await receipt.getByText(/^Signed by localhost/).waitFor()
    await receipt.getByRole('button', { name: 'Check it' }).click()
    await receipt.getByText('This receipt is true').waitFor()
    expect(await receipt.locator('.checks li').count(), 'signature, result, file').toBe(3)
    const slider = page.getByRole('slider', { name: /^Before and after/ })
    await slider.waitFor()
    await accessible()
    await shot('compress')

    const stage = page.locator('.compare__stage')
    await stage.scrollIntoViewIfNeeded()
    const box = (await stage.boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 4, box.y + 50)
    await page.mouse.up()
    expect(Math.abs(Number(await slider.inputValue()) - 25), 'the handle follows the pointer').toBeLessThan(3)
    await page.getByRole('radio', { name: '200 %' }).check()
    const moved = () => page.evaluate("document.querySelector('.compare__stage').scrollLeft")
    await page.mouse.move(box.x + box.width * 0.8, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 50)
    await page.mouse.up()
    expect(await moved(), 'a zoomed picture follows the pointer').toBeGreaterThan(50)
    await shot('compress-zoomed')
    await page.getByText('Check it elsewhere').click()
    await accessible()
  })

  it('shows no filled seal over a signature that is wrong', async () => {
    await page.route('**/v1/tasks/*/receipt', async (route) => {
      const answer = await route.fetch()
      const jws = await answer.text()
      const [head, body, signature = ''] = jws.split('.')
      await route.fulfill({ response: answer, body: `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}` })
    })
    await page.reload()
    await page.getByText('Signature not confirmed').waitFor()
    expect(await page.locator('.stub__seal--open').count()).toBe(1)
    await page.unroute('**/v1/tasks/*/receipt')
  })

  it('has a sample photo once the list is clear, and figures on the first page', async () => {
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    await accessible()
    await shot('empty')
    await go('Overview')
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await steps.first().waitFor()
    expect(await steps.allTextContents()).toEqual([
      'Compress a file (done)',
      'Create an application and a key (done)',
      'Call the API with the key (done)',
      'Receive a callback',
    ])
    await page
      .getByRole('row', { name: /photo\.jpg/ })
      .first()
      .waitFor()
    expect(await page.locator('.figure dt').allTextContents()).toEqual(['Saved', 'Files', 'Failed', 'Storage left'])
    await page.locator('.task-name canvas:not([hidden])').first().waitFor()
    await accessible()
    await shot('overview')
    await go('Compress')
    await page.getByRole('button', { name: 'Use a sample photo' }).click()
    await page
      .getByRole('article', { name: 'sample.jpg', exact: true })
      .getByRole('link', { name: 'Download' })
      .waitFor({ timeout: 60_000 })
  })

  it('takes many files at a drop, and keeps them when another page is looked at', async () => {
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      for (let i = 0; i < 12; i++) data.items.add(new File([('dropped ' + i + ' ').repeat(999)], 'dropped-' + i + '.txt'))
      return data
    })()`)
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data })
    await go('Usage')
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await go('Compress')
    const dropped = page.getByRole('article', { name: /^dropped-/ })
    await expect.poll(() => dropped.getByRole('link', { name: 'Download' }).count(), { timeout: 60_000 }).toBe(12)
    await page.getByText(/13 files · .* % smaller/).waitFor()
    const names = await page.locator('.file-card').getByRole('heading', { level: 2 }).allInnerTexts()
    expect(names, 'in the order in which they came').toEqual(['sample.jpg', ...Array.from({ length: 12 }, (_, i) => `dropped-${i}.txt`)])
    await accessible()
    await shot('many')
    const [zip] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download all as ZIP' }).click()])
    expect(zip.suggestedFilename()).toBe('whittle.zip')
    expect(namesInZip(readFileSync(await zip.path()))).toEqual(names.map((name) => (name === 'sample.jpg' ? name : `${name}.zst`)))
  })

  it('knows after a reload what was sent', async () => {
    await page.reload()
    await page.getByText(/13 files · .* % smaller/).waitFor()
    await page
      .getByRole('article', { name: 'sample.jpg', exact: true })
      .getByRole('button', { name: /^Details/ })
      .click()
    await page.getByRole('article', { name: /^Receipt for/ }).waitFor()
    await page.getByRole('button', { name: 'Remove from the list: dropped-3.txt' }).click()
    expect(await page.locator('.file-card').count()).toBe(12)
  })

  it('sends nothing that is larger than the plan takes', async () => {
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      const file = new File(['small'], 'huge.txt')
      Object.defineProperty(file, 'size', { value: 1e12 })
      data.items.add(new File(['x'], 'huge.txt'))
      const fake = { webkitGetAsEntry: () => ({ isFile: true, isDirectory: false }), getAsFile: () => file }
      for (const [name, value] of Object.entries(fake)) Object.defineProperty(DataTransferItem.prototype, name, { value, configurable: true })
      return data
    })()`)
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data })
    await page
      .getByRole('article', { name: 'huge.txt', exact: true })
      .getByText(/your plan allows \d+\sMB per file/)
      .waitFor()
    await page.reload()
  })

  it('sends a large file in chunks, and goes on after a lost line', { timeout: 180_000 }, async () => {
    const asked: string[] = []
    let isLost = false
    await page.route('**/v1/uploads/**', async (route) => {
      const method = route.request().method()
      asked.push(method)
      if (method === 'PATCH' && asked.filter((other) => other === 'PATCH').length === 1) {
        isLost = true
        setTimeout(() => {
          isLost = false
        }, 2000)
      }
      await (isLost ? route.abort('internetdisconnected') : route.continue())
    })
    const data = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([('a line of a large file\\n').repeat(1_600_000)], 'large.txt'))
      return data
    })()`)
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data })
    const article = page.locator('.file-card').filter({ hasText: 'large.txt' })
    await article.getByRole('link', { name: 'Download' }).waitFor({ timeout: 150_000 })
    expect(asked.filter((method) => method === 'HEAD').length).toBeGreaterThan(0)
    expect(asked.filter((method) => method === 'PATCH').length).toBeGreaterThan(3)
    await page.unroute('**/v1/uploads/**')
  })

  it('asks to sign in again when the session is over, and shows nothing of before', async () => {
    await context.clearCookies()
    await go('Usage')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await go('Compress')
    await page.getByRole('heading', { name: 'Compress' }).waitFor()
    expect(await page.locator('.file-card').count()).toBe(0)
  })

  it('says that the service cannot be reached instead of nothing', async () => {
    await page.route('**/console/api/me', (route) => route.abort())
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
    await page.unroute('**/console/api/me')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Compress' }).waitFor()
  })

  it('makes a PDF smaller', async () => {
    const content = Array.from(
      { length: 400 },
      (_, i) => `BT /F1 9 Tf 40 ${800 - (i % 80) * 9} Td (Line ${i} of a long report) Tj ET`,
    ).join('\n')
    const objects = [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ]
    let pdf = '%PDF-1.7\n'
    const offsets = objects.map((object, i) => {
      const at = pdf.length
      pdf += `${i + 1} 0 obj\n${object}\nendobj\n`
      return at
    })
    const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
    pdf += `xref\n0 6\n0000000000 65535 f \n${rows}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf, 'latin1') })
    const article = page.locator('.file-card').filter({ hasText: 'report.pdf' })
    await article.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 })
    await article.getByRole('slider', { name: /^Before and after/ }).waitFor({ timeout: 30_000 })
  })

  it('compares the pictures inside of a Word document, largest saving first', async () => {
    const photo = readFileSync(join(import.meta.dirname, '../../docs/photo.jpg'))
    const parts = document(
      `${drawing('rId2', 6, 4)}${drawing('rId3', 3, 2)}`,
      [
        ['rId2', 'media/a.jpeg'],
        ['rId3', 'media/b.jpeg'],
      ],
      {
        'word/media/a.jpeg': photo,
        'word/media/b.jpeg': photo,
      },
    )
    const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    await page.locator('input[type=file]').setInputFiles({ name: 'letter.docx', mimeType, buffer: await zipped(parts) })
    const article = page.locator('.file-card').filter({ hasText: 'letter.docx' })
    await article.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 })
    await article.getByRole('button', { name: /^Details/ }).click()
    await article.getByText('Picture 1 of 2: ').waitFor()
    await article.getByText(new RegExp(`^Before ${Math.round(photo.length / 1000)}.kB$`)).waitFor()
    await article.getByRole('button', { name: 'Next' }).click()
    await article.getByText('Picture 2 of 2: ').waitFor()
    await article.getByRole('slider', { name: /^Before and after/ }).waitFor()
    await accessible()
    await shot('document')
  })

  it('holds files while the options are open, and offers the outputs that fit them', async () => {
    await page.getByText('Options', { exact: true }).click()
    const outputs = () => page.getByLabel('Output format').locator('option').allInnerTexts()
    const usual = await outputs()
    expect(usual, 'those that take any file').toHaveLength(4)
    const buffer = readFileSync(join(import.meta.dirname, '../../docs/photo.jpg'))
    await page.locator('input[type=file]').setInputFiles({ name: 'small.jpg', mimeType: 'image/jpeg', buffer })
    await page.getByText('1 file chosen').waitFor()
    expect(await outputs()).toContain('WebP')
    expect(await outputs(), 'a point cloud').not.toContain('LAZ')
    await page.getByLabel('Maximum size').fill('nothing')
    await page.getByText('Enter a number such as 250').waitFor()
    await page.getByLabel('Maximum size').fill('0.5')
    await accessible()
    await page.getByRole('button', { name: 'Compress 1 file' }).click()
    await page.getByLabel('Maximum size').fill('')
    await page.getByText('Options', { exact: true }).click()
    const article = page.locator('.file-card').filter({ hasText: 'small.jpg' })
    await article.getByRole('alert').filter({ hasText: 'Cannot get that small' }).waitFor({ timeout: 60_000 })
    expect(await article.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await article.getByRole('button', { name: /^Take [\d.]+.kB$/ }).click()
    await article.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 })
  })

  it('packs a file of an unknown type when asked to', async () => {
    const buffer = Buffer.from(Array.from({ length: 6000 }, (_, i) => (i % 50) + 128))
    await page.locator('input[type=file]').setInputFiles({ name: 'kitchen.sketch', mimeType: '', buffer })
    const article = page.getByRole('article', { name: 'kitchen.sketch', exact: true })
    await article.getByText('Not supported yet').waitFor({ timeout: 60_000 })
    await shot('mixed')
    await accessible()
    await article.getByRole('button', { name: 'Pack as zst' }).click()
    await article.getByRole('link', { name: 'Download' }).waitFor({ timeout: 60_000 })
  })

  it('keeps other sites out: no header, no answer', async () => {
    const answer = await page.evaluate(async () => (await fetch('/console/api/logout', { method: 'POST' })).status)
    expect(answer).toBe(401)
  })

  it('manages applications and keys; a disabled key is refused within a second', async () => {
    await go('Keys')
    await page.getByRole('button', { name: 'New application' }).click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: 'Create' }).click()
    const section = page.getByRole('group', { name: 'Shop' })
    await section.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Checkout')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const key = (await page.locator('pre.secret').innerText()).trim()
    expect(key).toMatch(/^whl_live_/)
    expect((await askApi(key)).status).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.content()).not.toContain(key)
    await accessible()
    await shot('applications')

    await section.getByRole('button', { name: 'Disable' }).click()
    await section.getByText('Disabled').waitFor()
    expect((await askApi(key)).status).toBe(401)
    await section.getByRole('button', { name: 'Enable' }).click()
    await section.getByText('Active').waitFor()
    expect((await askApi(key)).status).toBe(200)

    await section.getByRole('table').getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog').getByLabel('compress files').uncheck()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await section.getByText('read tasks, delete tasks, read usage').waitFor()

    await section.getByRole('button', { name: 'Reset' }).click()
    expect(await page.getByRole('dialog').locator('select').inputValue(), 'a day is the default').toBe('86400')
    await page.getByRole('dialog').locator('select').selectOption('0')
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    const fresh = (await page.locator('pre.secret').innerText()).trim()
    expect(fresh).not.toBe(key)
    expect((await askApi(key)).status).toBe(401)
    expect((await askApi(fresh)).status).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    const stopped = section.getByRole('row').filter({ hasText: 'Disabled' })
    await stopped.getByRole('rowheader', { name: /Checkout/ }).waitFor()
    await stopped.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alert').filter({ hasText: 'was within the last minute' }).waitFor()
  })

  it('lists the task and shows usage', async () => {
    await go('Tasks')
    await page
      .getByRole('rowheader', { name: /photo\.jpg/ })
      .first()
      .waitFor()
    await accessible()
    await shot('tasks')
    await page.getByLabel('Filter by name, format or state').fill('no such file')
    await page.getByText('No task matches.').waitFor()
    await page.getByLabel('Filter by name, format or state').fill('dropped-1')
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') })
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('button', { name: 'File', exact: true }).click()
    expect(await rows.getByRole('rowheader').allInnerTexts()).toEqual(
      ['1', '10', '11'].map((number) => expect.stringMatching(new RegExp(`^dropped-${number}\\.txt\\s+TXT, medium$`))),
    )
    await page.getByLabel('Choose all').check()
    await page.getByText('3 chosen').locator('..').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => rows.count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows.count()).toBe(3)
    await rows.first().getByRole('button', { name: 'Receipt' }).click()
    await page.getByRole('dialog').getByText('Nothing lost').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await rows.first().getByRole('button', { name: 'Delete' }).click()
    expect(await page.title()).toBe('Tasks · Whittle')
    const isGone = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.ok())
    await go('Usage')
    await isGone
    const plot = page.getByRole('img', { name: /API calls by day/ })
    await plot.waitFor()
    for (const label of await plot.locator('text').allTextContents()) expect(label, 'whole numbers').toMatch(/^[\d,]+$/)
    await page.getByRole('rowheader', { name: 'JPEG' }).waitFor()
    await page
      .getByRole('row', { name: /Checkout .* Shop/ })
      .first()
      .waitFor()
    await page.getByText(/you will have sent about \d+ files/).waitFor()
    await accessible()
    await shot('usage')
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()])
    expect(csv.suggestedFilename()).toMatch(/^whittle-\d{4}-\d\d\.csv$/)
    const lines = readFileSync(await csv.path(), 'utf8').split('\r\n')
    expect(lines[0]).toBe('what,name,application,api_calls,tasks,original_size,compressed_size')
    expect(lines).toContainEqual(expect.stringMatching(/^key,Checkout,Shop,\d+,,,$/))
    expect(lines).toContainEqual(expect.stringMatching(/^format,jpg,,,\d+,\d+,\d+$/))
    const year = String(new Date().getUTCFullYear() - 1)
    const oldest = page.getByLabel('Month').locator('option').last()
    expect(await oldest.innerText()).toContain(year)
    await page.getByLabel('Month').selectOption(String(await oldest.getAttribute('value')))
    await page.getByText('No files in this month.').waitFor()
    await accessible()
  })

  it('shows deliveries, their payload, and sends one again', async () => {
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    const form = new FormData()
    form.append('file', new Blob(['a callback '.repeat(300)]), 'callback.txt')
    form.append('callback_url', `http://127.0.0.1:${port}/hook`)
    const headers = { authorization: `Bearer ${service.keys.enterprise}` }
    expect((await fetch(`${service.baseUrl}/v1/compress`, { method: 'POST', headers, body: form })).status).toBe(200)
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
    await go('Callbacks')
    await page.getByRole('cell', { name: /thank you/ }).waitFor()
    await page.getByRole('button', { name: 'Payload' }).click()
    await page.getByRole('dialog').getByText('task.completed').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await accessible()
    await shot('callbacks')
    await page.getByLabel('Address for alerts').fill(`http://127.0.0.1:${port}/alerts`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.reload()
    expect(await page.getByLabel('Address for alerts').inputValue()).toBe(`http://127.0.0.1:${port}/alerts`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(2)
    expect(received[1]).toEqual(received[0])
  })

  describe('buckets', () => bucketsPageTests(() => ({ page, service, accessible, shot, go })))

  it('keeps test keys, and what they did, apart', async () => {
    await go('Keys')
    await page.getByRole('complementary').getByLabel('Test keys').check()
    await page.getByText('Test keys have separate tasks, usage and storage').waitFor()
    await page.getByText('No applications yet').waitFor()
    await page.getByRole('button', { name: 'New application' }).click()
    await page.getByLabel('Name').fill('Shop in CI')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('group', { name: 'Shop in CI' }).getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    expect(await page.locator('pre.secret').innerText()).toMatch(/^whl_test_/)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await accessible()
    await shot('test-keys')
    await go('Tasks')
    await page.getByText('No tasks yet').waitFor()
    await page.getByRole('complementary').getByLabel('Test keys').uncheck()
    await page
      .getByRole('rowheader', { name: /photo\.jpg/ })
      .first()
      .waitFor()
  })

  it('lists who can get in, and ends a session', async () => {
    await go('People')
    const ada = page.getByRole('group', { name: 'Ada' })
    await ada.getByRole('rowheader', { name: 'This session' }).waitFor()
    const sessions = ada.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Session', exact: true }) })
    const before = await sessions.count()
    expect(before, 'of the sign-ins before').toBeGreaterThan(0)
    await accessible()
    await shot('people')
    await sessions.first().getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => sessions.count()).toBe(before - 1)
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Vi')
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog').getByText('#invitation=acc_').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('region', { name: 'Invitations' }).getByText('viewer').waitFor()
    await ada.getByLabel('Role').selectOption('member')
    await page.getByRole('alert').filter({ hasText: 'the only owner of the account' }).waitFor()
    expect(await ada.getByLabel('Role').inputValue()).toBe('owner')
  })

  it('shows nobody a button that their role may not use', async () => {
    const buttons = [
      'New application',
      'New key',
      'Change',
      'Reset',
      'Disable',
      'Delete',
      'Send',
      'Replay',
      'Invite a person',
      'New connection',
    ]
    const seen = async (role: string) => {
      await page.route('**/console/api/me', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ json: { ...((await answer.json()) as object), role } })
      })
      await page.reload()
      const found: string[] = []
      for (const [name, what] of PAGES_AND_WHAT_IS_THERE) {
        await go(name)
        await page.getByText(what).first().waitFor()
        for (const button of buttons) {
          if ((await page.getByRole('button', { name: button, exact: true }).count()) > 0) found.push(`${name}: ${button}`)
        }
      }
      await page.unroute('**/console/api/me')
      return found
    }
    expect(await seen('viewer')).toEqual([])
    await accessible()
    expect(await seen('member')).toEqual(['Tasks: Delete', 'Callbacks: Send', 'Callbacks: Replay'])
    expect(await seen('admin')).toEqual([
      ...['New application', 'New key', 'Change', 'Reset', 'Disable', 'Delete'].map((button) => `Keys: ${button}`),
      ...['Tasks: Delete', 'Buckets: New connection', 'Callbacks: Send', 'Callbacks: Replay', 'People: Invite a person'],
    ])
    await page.reload()
  })

  it('tells in sentences who did what', async () => {
    await go('Activity')
    const entry = (text: string) => page.getByRole('listitem').filter({ hasText: text }).first()
    await entry('Ada created the key Checkout.').waitFor()
    await entry('Ada disabled the key Checkout.').waitFor()
    await entry('Ada ended a session.').waitFor()
    await entry('Ada invited Vi.').getByText('Role: viewer').waitFor()
    expect(await page.locator('.log').innerText()).not.toMatch(/[{}"]/)
    await accessible()
    await shot('activity')
  })

  it('has all pages in the menu of a phone, and labels every value of a table', async () => {
    await page.setViewportSize(PHONE)
    await page.getByLabel('Menu', { exact: true }).click()
    const names = await page.getByRole('navigation', { name: 'All pages' }).getByRole('link').allInnerTexts()
    expect(names).toEqual([
      'Overview',
      'Compress',
      'Tasks',
      'Buckets',
      'Usage',
      'Keys',
      'Callbacks',
      'People',
      'Activity',
      'Docs',
      'Status',
    ])
    await shot('menu')
    await page.setViewportSize(PHONE)
    await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Tasks' }).click()
    await page.locator('tbody tr').first().waitFor()
    const unlabelled = `[...document.querySelectorAll('tbody tr:first-child td:not(.pick, .acts)')].filter((cell) => !cell.dataset.label).length`
    expect(await page.evaluate(unlabelled)).toBe(0)
    await page.setViewportSize(DESKTOP)
  })

  it('says at once whether the service works, and names what others wrote', async () => {
    await page.goto(`${base}/status`)
    await page.getByRole('heading', { name: 'Status' }).waitFor()
    await page.getByText('All components respond').waitFor()
    await accessible()
    await page.goto(`${base}/licences`)
    await page.getByRole('rowheader', { name: 'preact' }).waitFor()
    await page.getByText('GNU GENERAL PUBLIC LICENSE').first().waitFor()
    await accessible()
  })

  it('stands beside a front page that compresses without an account', async () => {
    const front = await page.goto(base)
    expect(front?.headers()['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval'")
    await page.getByRole('heading', { name: 'Make any file smaller' }).waitFor()
    await page.locator('input[type=file][multiple]').setInputFiles(join(import.meta.dirname, '../../docs/photo.jpg'))
    await page.getByRole('heading', { name: /saved$/ }).waitFor()
    expect(await page.locator('.file--good').count(), 'a photo compressed on the page').toBe(1)
    expect((await fetch(base)).status, 'a program at the address alone').toBe(404)
    const shared = await fetch(`${base}/share`, { method: 'POST', body: 'a file', redirect: 'manual' })
    expect([shared.status, shared.headers.get('Location')]).toEqual([303, '/'])
    await page.getByRole('link', { name: 'Sign in' }).first().click()
    await page.getByRole('navigation', { name: 'Console' }).waitFor()
    expect(new URL(page.url()).pathname, 'a signed-in person who follows "Sign in"').toBe('/console')
    await page.goto(`${base}/console#callbacks`)
  })

  it('speaks Chinese, and breaks no rule of its content policy', async () => {
    await page.getByRole('complementary').getByLabel('Language').selectOption('zh')
    await page.getByRole('heading', { name: '回调' }).waitFor()
    await page.getByRole('heading', { name: '投递记录' }).waitFor()
    const pages = page.getByRole('navigation', { name: '控制台' }).getByRole('link')
    const count = await pages.count()
    expect(count).toBeGreaterThan(6)
    for (let i = 0; i < count; i++) {
      await pages.nth(i).click()
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
      await accessible()
      await shot(`chinese-${i + 1}`)
    }
    expect(violations).toEqual([])
  })
})
