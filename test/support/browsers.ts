/** Browsers that run an expression on a page: Chromium through Playwright, and those of `other-browsers.ts`. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Visit } from './browser-library.ts'
import { OTHER_BROWSERS } from './other-browsers.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

export interface Visitor {
  readonly name: string
  /** Why the browser cannot be used. `undefined`: it can. */
  missing(): string | undefined
  readonly visit: Visit
}

async function visitInChromium(url: string, expression: string): Promise<unknown> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    return await page.evaluate(expression)
  } finally {
    await browser.close()
  }
}

export const BROWSERS: readonly Visitor[] = [
  { name: 'Chromium', missing: () => (existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not installed`), visit: visitInChromium },
  ...OTHER_BROWSERS.map(({ name, missing, open }) => ({
    name,
    missing,
    async visit(url: string, expression: string) {
      const page = await open()
      try {
        await page.goto(url)
        return await page.evaluate(expression)
      } finally {
        await page.close()
      }
    },
  })),
]
