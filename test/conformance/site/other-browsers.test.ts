/**
 * Visitors of the front page in stock Firefox and WebKit: ten mixed files, the details of a photo, dropped and pasted files, a phone, and
 * no network. A browser that is not installed is skipped by name. `SCREENSHOTS=FOLDER` keeps pictures.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { buildSite } from '../../../site/build.ts'
import { OTHER_BROWSERS, type OtherPage, until } from '../../support/other-browsers.ts'
import { SiteServer } from '../../support/site-server.ts'
import { fileOf, mixedFiles } from '../../support/visitor-files.ts'

const SCREENSHOTS = process.env['SCREENSHOTS']
const AXE = readFileSync(fileOf('node_modules/axe-core/axe.min.js'), 'utf8')
const DESKTOP = [1280, 900] as const
const PHONE = [390, 844] as const

const INPUT = '//input[@type="file"][@multiple]'
const rowOf = (name: string) => `//li[contains(@class, "file") and .//*[@title="${name}"]]`
/** Text of the row of a file, as an expression of the page. */
const textOf = (name: string) => `document.querySelector('[title="${name}"]')?.closest('li')?.innerText ?? ''`
const FINISHED = `document.querySelector('.file') && !document.querySelector('.bar--all')`

/** Notes errors and violations of the page's policy, and the last file that the page saves. */
const WATCH = `(() => {
  globalThis.problems = []
  const note = (text) => problems.push(String(text))
  addEventListener('error', (event) => note(event.message))
  addEventListener('unhandledrejection', (event) => note(event.reason))
  addEventListener('securitypolicyviolation', (event) => note(event.violatedDirective + ' ' + event.blockedURI))
  const create = URL.createObjectURL
  URL.createObjectURL = (blob) => create.call(URL, (globalThis.lastBlob = blob))
  HTMLAnchorElement.prototype.click = function () { globalThis.saved = { name: this.download, blob: lastBlob } }
})()`

let server: SiteServer
let folder: string

beforeAll(async () => {
  if (!existsSync(fileOf('console/public/console/pdf'))) execFileSync(process.execPath, ['console/build.ts'], { cwd: fileOf('') })
  await buildSite()
  folder = mkdtempSync(join(tmpdir(), 'other-browsers-'))
  server = await SiteServer.start()
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A browser without graphics hardware on a busy machine needs more than a minute for a page. */
const PATIENCE = { timeout: 400_000 }

describe.each(OTHER_BROWSERS)('the front page in $name', PATIENCE, ({ name, missing, open: start }) => {
  let page: OtherPage | undefined

  afterEach(async () => {
    const problems = page && (await page.evaluate('globalThis.problems'))
    await page?.close()
    page = undefined
    expect(problems ?? []).toEqual([])
  })

  async function open(context: TestContext, [width, height]: readonly [number, number], isPhone = false): Promise<OtherPage> {
    const reason = missing()
    if (reason !== undefined) context.skip(reason)
    server.isGone = false
    page = await start(isPhone)
    await page.resize(width, height)
    await load(page)
    expect(await page.evaluate('innerWidth'), 'width of the page').toBe(width)
    return page
  }

  async function load(page: OtherPage): Promise<void> {
    await page.goto(server.url)
    await until(page, `document.querySelector('#app[data-ready]')`)
    await page.evaluate(WATCH)
  }

  async function accessible(page: OtherPage): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 'width beyond the screen').toBeLessThanOrEqual(0)
    const isThere = (await page.evaluate('"axe" in globalThis')) === true
    if (!isThere) await page.evaluate(`(() => { ${AXE}\n })()`)
    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]))',
    )
    expect(found).toEqual([])
  }

  const shot = async (page: OtherPage, what: string) => {
    if (SCREENSHOTS) await page.screenshot(join(SCREENSHOTS, `${name.toLowerCase()}-${what}`))
  }

  it('compresses ten mixed files, says what became of each, and gives them back as one ZIP', async (context) => {
    const page = await open(context, DESKTOP)
    await accessible(page)
    await shot(page, 'empty')
    await page.choose(INPUT, mixedFiles(folder))
    await until(page, FINISHED)
    await until(page, `/ saved$/.test(document.querySelector('h1').innerText)`)
    const words = {
      ...{ 'photo.jpg': 'No visible difference at normal size', 'measurements.csv': 'As Zstandard', 'scan.png': 'Damaged' },
      ...{ 'film.mp4': 'Sign in', 'user-password.pdf': 'encrypted', 'empty.jpg': 'no bytes' },
    }
    for (const [file, text] of Object.entries(words)) expect(await page.evaluate(textOf(file)), file).toContain(text)
    await accessible(page)
    await shot(page, 'mixed')
    await page.click(`${rowOf('kitchen.sketch')}//button[contains(., "Pack as zst")]`)
    await until(page, `/As Zstandard|Unchanged/.test(${textOf('kitchen.sketch')})`)
    await page.click('//button[contains(., "Download all")]')
    await until(page, 'globalThis.saved')
    expect(await page.evaluate('saved.name')).toBe('whittle.zip')
    const names = String(await page.evaluate('saved.blob.text()'))
    for (const file of ['photo.jpg', 'coffee.png', 'growth.svg', 'measurements.csv.zst']) expect(names).toContain(file)
    expect(names).not.toContain('scan.png')
  })

  it('shows three levels, the comparison and the receipt, and checks the receipt again', async (context) => {
    const page = await open(context, DESKTOP)
    await page.choose(INPUT, [fileOf('docs/photo.jpg')])
    await until(page, FINISHED)
    const sizes = `[...document.querySelectorAll('.level__size')].map((one) => Number.parseFloat(one.innerText))`
    await until(page, `${sizes}.length === 3 && ${sizes}.every((size) => size > 0)`)
    const bytes = (await page.evaluate(sizes)) as number[]
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b))
    await until(page, `document.querySelector('.compare img.after')?.naturalWidth > 0`)
    expect(await page.evaluate(`document.querySelector('.receipt').innerText`)).toMatch(/Measured on this device[\s\S]*Not signed/)
    await accessible(page)
    await shot(page, 'done')
    await page.press('//input[contains(@class, "compare__range")]', 'ArrowLeft')
    expect(await page.evaluate(`document.querySelector('.compare__range').value`)).toBe('49')
    await page.click('//button[contains(., "Check it")]')
    await until(page, `document.body.innerText.includes('This receipt is true')`)
    await accessible(page)
  })

  it('shows a page of a PDF before and after', async (context) => {
    const page = await open(context, DESKTOP)
    await page.choose(INPUT, [fileOf('test/fixtures/pdf/aes-256.pdf')])
    await until(page, FINISHED)
    await until(page, `document.querySelector('.compare img.after')?.naturalWidth > 0`)
    expect(await page.evaluate(`document.querySelector('.compare img.after').naturalWidth`)).toBe(1200)
    await shot(page, 'pdf')
  })

  it('takes dropped and pasted files', async (context) => {
    const page = await open(context, DESKTOP)
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['a,b\\n'.repeat(2000)], 'dropped.csv'))
      for (const type of ['dragover', 'drop']) dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
    await until(page, `${textOf('dropped.csv')}.includes('As Zstandard')`)
    await page.evaluate(`(async () => {
      const picture = await new Promise((done) => Object.assign(document.createElement('canvas'), { width: 9, height: 9 }).toBlob(done))
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([picture], 'image.png', { type: 'image/png' }))
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      // WebKit makes an empty clipboard of its own for such an event.
      if (!event.clipboardData?.files.length) Object.defineProperty(event, 'clipboardData', { value: clipboardData })
      dispatchEvent(event)
    })()`)
    await until(page, `document.querySelector('[title="pasted.png"]')`)
  })

  it('works at the size of a phone', async (context) => {
    const page = await open(context, PHONE, true)
    await accessible(page)
    await shot(page, 'phone-empty')
    await page.click('//details[contains(@class, "menu")]/summary')
    await until(page, `document.querySelector('.menu__sheet').getBoundingClientRect().height > 100`)
    await page.click('//details[contains(@class, "menu")]/summary')
    await page.choose(INPUT, mixedFiles(folder).slice(0, 4))
    await until(page, FINISHED)
    await accessible(page)
    await page.click(`${rowOf('photo.jpg')}//button[contains(@aria-label, "Details")]`)
    await until(page, `document.querySelector('.compare img.after')?.naturalWidth > 0`)
    await accessible(page)
    await shot(page, 'phone-done')
    const small = await page.evaluate(
      `!matchMedia('(pointer: coarse)').matches ? [] : [...document.querySelectorAll('main button, main select, main summary')].filter((one) => one.offsetParent && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 120))`,
    )
    expect(small, 'targets below 44 pixels').toEqual([])
  })

  it('works without a network after the first visit', async (context) => {
    const page = await open(context, DESKTOP)
    await until(page, 'document.documentElement.dataset.saved !== undefined')
    server.isGone = true
    try {
      await load(page)
      await page.choose(INPUT, [
        fileOf('docs/photo.jpg'),
        fileOf('docs/contributors/growth.svg'),
        fileOf('test/fixtures/difficult/coffee.png'),
      ])
      await until(page, FINISHED)
      const states = await page.evaluate(`[...document.querySelectorAll('li.file')].map((one) => one.innerText.replaceAll('\\n', ' '))`)
      expect(states).toEqual(['photo.jpg', 'growth.svg', 'coffee.png'].map((name) => expect.stringMatching(`^${name} .*Download\\s*$`)))
    } finally {
      server.isGone = false
    }
  })
})
