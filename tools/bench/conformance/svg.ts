/**
 * Compares SVG results in Chromium: `npm run conformance -- svg [FILE-OR-FOLDER …]`. Renders original and result at three levels in light
 * and dark mode, with the mouse at several positions, and for print. Both must look alike and have the same click targets. Default: the
 * cases of `test/support/svg-cases.ts` and the corpus. Without Chromium, nothing is checked.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { OUTSIDE_SHEET, svgCases } from '../../../test/support/svg-cases.ts'
import { CHROMIUM } from './browser.ts'

const LEVELS = ['low', 'medium', 'high'] as const
/** Lowest PSNR in dB over RGB of the whole page. Below it, the difference is visible. */
const LEAST_DB = 30
const VIEWPORT = { width: 640, height: 480 }
/** Mouse positions as shares of the page. */
const PLACES = [
  [0.5, 0.5],
  [0.2, 0.3],
  [0.8, 0.7],
] as const
const GRID = 24
/** Largest number of click positions that may differ, because rounded coordinates move edges. */
const MOST_OTHER_CLICKS = 0.01 * GRID * GRID

interface State {
  readonly name: string
  readonly media: { readonly media?: 'print' | 'screen'; readonly colorScheme?: 'light' | 'dark' }
  readonly mouse?: readonly [number, number]
}

const STATES: readonly State[] = [
  { name: 'light', media: { media: 'screen', colorScheme: 'light' } },
  { name: 'dark', media: { media: 'screen', colorScheme: 'dark' } },
  { name: 'print', media: { media: 'print', colorScheme: 'light' } },
  ...PLACES.map((mouse) => ({ name: `mouse at ${mouse.join(', ')}`, media: { media: 'screen', colorScheme: 'light' } as const, mouse })),
]

const CLICKS = `(grid, width, height) => Array.from({ length: grid * grid }, (_, i) => {
  const hit = document.elementFromPoint(((i % grid) + 0.5) * width / grid, (Math.floor(i / grid) + 0.5) * height / grid)
  if (!hit || hit === document.documentElement) return ''
  const link = hit.closest('a')
  return link ? 'link ' + (link.getAttribute('href') ?? link.getAttribute('xlink:href')) : 'area'
})`

const MEAN_SQUARE = `async (...pictures) => {
  const pixels = await Promise.all(pictures.map(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data
  }))
  let sum = 0
  for (let i = 0; i < pixels[0].length; i++) if (i % 4 !== 3) sum += (pixels[0][i] - pixels[1][i]) ** 2
  return sum / (pixels[0].length * 0.75)
}`

if (!existsSync(CHROMIUM)) {
  console.log(`SVG: nothing was checked, because ${CHROMIUM} does not exist. Set CHROMIUM to its path.`)
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'conformance-svg-'))
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
let [compared, bad] = [0, 0]
try {
  writeFileSync(join(folder, 'theme.css'), OUTSIDE_SHEET)
  for (const path of files()) bad += await check(browser, path)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${compared} results in ${STATES.length} states, ${bad} differences`)
process.exit(bad > 0 ? 1 : 0)

function files(): string[] {
  const given = process.argv.slice(2)
  const corpus = resolve(import.meta.dirname, '../../../shared/corpus/vector/svg')
  const own = Object.entries(svgCases()).map(([name, text]) => {
    const path = join(folder, `${name}.svg`)
    writeFileSync(path, text)
    return path
  })
  const paths = given.length > 0 ? given : [...own, ...(existsSync(corpus) ? [corpus] : [])]
  return paths.flatMap((path) =>
    statSync(path).isFile()
      ? [path]
      : readdirSync(path)
          .filter((name) => name.endsWith('.svg'))
          .map((name) => join(path, name)),
  )
}

/** Checks one file at all levels. Returns the number of differences. */
async function check(browser: Browser, path: string): Promise<number> {
  const before = readFileSync(path)
  const page = await browser.newPage({ viewport: VIEWPORT })
  let found = 0
  try {
    const original = await drawn(page, before)
    for (const quality of LEVELS) {
      const after = await compressed(before, quality)
      if (!after) continue
      const result = await drawn(page, after)
      const decibels = await Promise.all(original.pictures.map((picture, i) => likeness(page, picture, result.pictures[i]!)))
      const worst = decibels.map((value, i) => ({ value, name: STATES[i]!.name })).filter(({ value }) => value < LEAST_DB)
      const clicks = original.clicks.filter((target, i) => target !== result.clicks[i]).length
      const wrong = [
        ...worst.map(({ value, name }) => `${name}: ${value.toFixed(1)} dB`),
        ...(clicks > MOST_OTHER_CLICKS ? [`${clicks} positions have another click target`] : []),
      ]
      const least = Math.min(...decibels)
      console.log(
        `${basename(path)} ${quality}: ${before.length} → ${after.length}, worst ${least.toFixed(1)} dB${wrong.length > 0 ? `; WRONG ${wrong.join('; ')}` : ''}`,
      )
      compared++
      found += wrong.length
    }
  } finally {
    await page.close()
  }
  return found
}

async function compressed(bytes: Uint8Array, quality: (typeof LEVELS)[number]): Promise<Uint8Array | undefined> {
  const job = openJob(svg, memorySource(bytes, 'a.svg'), PRESS_CODECS, { quality })
  const { result } = await job.whole(async () => memorySink(bytes.length, 'a.svg'))
  return result && readAll(result)
}

interface Drawn {
  /** PNG screenshots, one per state. */
  readonly pictures: readonly Buffer[]
  /** Target of a click at each position of the grid. */
  readonly clicks: readonly string[]
}

async function drawn(page: Page, bytes: Uint8Array): Promise<Drawn> {
  const path = join(folder, 'drawn.svg')
  writeFileSync(path, bytes)
  await page.mouse.move(0, 0)
  await page.goto(`file://${path}`)
  const pictures: Buffer[] = []
  for (const { media, mouse } of STATES) {
    await page.emulateMedia(media)
    await page.mouse.move((mouse?.[0] ?? 0) * VIEWPORT.width, (mouse?.[1] ?? 0) * VIEWPORT.height)
    pictures.push(await page.screenshot({ animations: 'disabled' }))
  }
  return { pictures, clicks: (await page.evaluate(`(${CLICKS})(${GRID}, ${VIEWPORT.width}, ${VIEWPORT.height})`)) as string[] }
}

/** Returns the PSNR in dB over RGB; `Infinity` if both are equal. */
async function likeness(page: Page, a: Buffer, b: Buffer): Promise<number> {
  if (a.equals(b)) return Number.POSITIVE_INFINITY
  const mse = (await page.evaluate(`(${MEAN_SQUARE})('${a.toString('base64')}', '${b.toString('base64')}')`)) as number
  return 10 * Math.log10(255 ** 2 / mse)
}
