/**
 * Stock Firefox and WebKitGTK, which Playwright cannot drive. Firefox speaks WebDriver BiDi with Puppeteer; the MiniBrowser of WebKitGTK
 * obeys WebKitWebDriver through Selenium, on a screen of Xvfb. The drivers are no dependencies: they are installed when they are needed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../src/local/service.ts'
import { programOf } from './runtimes.ts'

/** A page of such a browser. An `xpath` names the first element that matches. */
export interface OtherPage {
  goto(url: string): Promise<void>
  /** Value of an expression of the page. A promise is awaited. */
  evaluate(expression: string): Promise<unknown>
  click(xpath: string): Promise<void>
  press(xpath: string, key: keyof typeof KEYS): Promise<void>
  /** Chooses files in an input. */
  choose(xpath: string, paths: readonly string[]): Promise<void>
  /** Size of what the page sees, in CSS pixels. */
  resize(width: number, height: number): Promise<void>
  screenshot(path: string): Promise<void>
  close(): Promise<void>
}

export interface OtherBrowser {
  readonly name: string
  /** Why the browser cannot be used. `undefined`: it can. */
  missing(): string | undefined
  /** @param isPhone true: a finger is the pointer, where the browser can be told so */
  open(isPhone?: boolean): Promise<OtherPage>
}

/** Keys and their code points in WebDriver (W3C, section 17.4.2). */
const KEYS = { ArrowLeft: '\uE012', Tab: '\uE004', Enter: '\uE007' } as const
const SCRIPT_MS = 300_000

const FIREFOX = process.env['FIREFOX'] ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync) ?? '/usr/bin/firefox'
const WEBKIT_DRIVER = process.env['WEBKIT_DRIVER'] ?? '/usr/bin/WebKitWebDriver'
const MINI_BROWSER = process.env['MINI_BROWSER'] ?? globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').sort().at(-1)
const XVFB = '/usr/bin/Xvfb'

const puppeteer = () => programOf('puppeteer-core@24.43.1', 'puppeteer-core/lib/esm/puppeteer/puppeteer-core.js')
const selenium = () => programOf('selenium-webdriver@4.46.0', 'selenium-webdriver/index.js')

/** The parts of Puppeteer that are used. */
interface Puppeteer {
  launch(options: object): Promise<{ newPage(): Promise<PuppeteerPage>; close(): Promise<void> }>
}
interface PuppeteerPage {
  goto(url: string): Promise<unknown>
  evaluate(expression: string): Promise<unknown>
  setViewport(size: { width: number; height: number }): Promise<void>
  screenshot(options: { path: `${string}.png`; fullPage: boolean }): Promise<unknown>
  setDefaultTimeout(milliseconds: number): void
  waitForSelector(selector: string): Promise<{
    click(): Promise<void>
    press(key: string): Promise<void>
    uploadFile(...paths: string[]): Promise<void>
  } | null>
}

/** The parts of Selenium that are used. */
interface Selenium {
  readonly Builder: new () => { usingServer(url: string): { withCapabilities(capabilities: object): { build(): Promise<WebDriver> } } }
  readonly By: { xpath(path: string): unknown }
}
interface WebDriver {
  get(url: string): Promise<void>
  findElement(by: unknown): Promise<{ click(): Promise<void>; sendKeys(text: string): Promise<void> }>
  executeAsyncScript(script: string): Promise<unknown>
  takeScreenshot(): Promise<string>
  quit(): Promise<void>
  manage(): {
    setTimeouts(timeouts: { script: number }): Promise<void>
    window(): { setRect(size: { width: number; height: number }): Promise<unknown> }
  }
}

async function moduleOf<Module>(program: ReturnType<typeof programOf>): Promise<Module> {
  if ('missing' in program) throw new Error(program.missing)
  return (await import(/* @vite-ignore */ pathToFileURL(program.path).href)) as Module
}
const reasonOf = (program: ReturnType<typeof programOf>) => ('missing' in program ? program.missing : undefined)

const firefox: OtherBrowser = {
  name: 'Firefox',
  missing: () => (existsSync(FIREFOX) ? reasonOf(puppeteer()) : `${FIREFOX} is not installed`),
  async open(isPhone = false) {
    const { launch } = await moduleOf<Puppeteer>(puppeteer())
    // 1: a coarse pointer that cannot hover. 6: a fine one that can.
    const pointer = isPhone ? 1 : 6
    const browser = await launch({
      browser: 'firefox',
      executablePath: FIREFOX,
      headless: true,
      protocolTimeout: SCRIPT_MS,
      extraPrefsFirefox: {
        'ui.primaryPointerCapabilities': pointer,
        'ui.allPointerCapabilities': pointer,
        'intl.accept_languages': 'en-GB',
        'ui.prefersReducedMotion': 1,
      },
    })
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const element = async (xpath: string) => (await page.waitForSelector(`xpath/${xpath}`))!
    return {
      goto: async (url) => void (await page.goto(url)),
      evaluate: (expression) => page.evaluate(expression),
      click: async (xpath) => (await element(xpath)).click(),
      press: async (xpath, key) => (await element(xpath)).press(key),
      choose: async (xpath, paths) => (await element(xpath)).uploadFile(...paths),
      resize: (width, height) => page.setViewport({ width, height }),
      screenshot: async (path) => void (await page.screenshot({ path: `${path}.png`, fullPage: true })),
      close: () => browser.close(),
    }
  },
}

const webkit: OtherBrowser = {
  name: 'WebKit',
  missing: () => {
    if (!existsSync(WEBKIT_DRIVER)) return `${WEBKIT_DRIVER} is not installed`
    if (!MINI_BROWSER) return 'the MiniBrowser of WebKitGTK is not installed'
    return existsSync(XVFB) ? reasonOf(selenium()) : `${XVFB} is not installed`
  },
  async open() {
    const { Builder, By } = await moduleOf<Selenium>(selenium())
    const machine = await startWebKit()
    const capabilities = {
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] },
    }
    const driver = await new Builder()
      .usingServer(machine.url)
      .withCapabilities(capabilities)
      .build()
      .catch(async (error: unknown) => {
        machine.stop()
        throw error
      })
    await driver.manage().setTimeouts({ script: SCRIPT_MS })
    const element = (xpath: string) => driver.findElement(By.xpath(xpath))
    const evaluate = async (expression: string) => {
      // As JSON, because WebDriver makes `null` of what is undefined.
      const script = `const done = arguments[arguments.length - 1]
        Promise.resolve().then(() => (${expression})).then((value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) + ' ' + error?.stack })))`
      const { value, error } = JSON.parse(String(await driver.executeAsyncScript(script))) as { value?: unknown; error?: string }
      if (error !== undefined) throw new Error(error)
      return value
    }
    return {
      evaluate,
      goto: (url) => driver.get(url),
      click: async (xpath) => (await element(xpath)).click(),
      press: async (xpath, key) => (await element(xpath)).sendKeys(KEYS[key]),
      choose: async (xpath, paths) => (await element(xpath)).sendKeys(paths.join('\n')),
      async resize(width, height) {
        // The window is larger than the page by its bars.
        await driver.manage().window().setRect({ width, height })
        const [innerWidth, innerHeight] = (await evaluate('[innerWidth, innerHeight]')) as [number, number]
        await driver
          .manage()
          .window()
          .setRect({ width: 2 * width - innerWidth, height: 2 * height - innerHeight })
      },
      screenshot: async (path) => writeFileSync(`${path}.png`, Buffer.from(await driver.takeScreenshot(), 'base64')),
      async close() {
        await driver.quit().catch(() => undefined)
        machine.stop()
      },
    }
  },
}

/** Starts a screen and the driver of WebKit on it, with an empty home folder. */
async function startWebKit(): Promise<{ url: string; stop(): void }> {
  const home = mkdtempSync(join(tmpdir(), 'whittle-webkit-'))
  // With small buttons, the window can be as narrow as a phone.
  mkdirSync(join(home, '.config/gtk-3.0'), { recursive: true })
  writeFileSync(join(home, '.config/gtk-3.0/gtk.css'), '* { padding: 0; margin: 0; min-width: 0; font-size: 2px }')
  const screen = spawn(XVFB, ['-displayfd', '3', '-screen', '0', '1600x1400x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    screen.on('exit', () => reject(new Error('Xvfb did not start')))
    const answers = screen.stdio[3] as Readable
    answers.once('data', (data) => resolve(String(data).trim()))
  })
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${number}`, HOME: home, XDG_RUNTIME_DIR: home, LANG: 'en_GB.UTF-8', LANGUAGE: 'en_GB' }
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], { stdio: 'ignore', env })
  const stop = () => {
    for (const child of [driver, screen] satisfies ChildProcess[]) child.kill()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(`${url}/status`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, stop }
    await new Promise((later) => setTimeout(later, 100))
  }
  stop()
  throw new Error('WebKitWebDriver did not start')
}

export const OTHER_BROWSERS: readonly OtherBrowser[] = [firefox, webkit]

/** Waits until an expression of the page is true. @throws Error with what the page shows, after `milliseconds` */
export async function until(page: OtherPage, expression: string, milliseconds = 90_000): Promise<void> {
  const end = Date.now() + milliseconds
  while (Date.now() < end) {
    if (await page.evaluate(`!!(${expression})`)) return
    await new Promise((later) => setTimeout(later, 250))
  }
  throw new Error(`never true: ${expression}\n${String(await page.evaluate('document.body.innerText')).slice(0, 2000)}`)
}
