/**
 * `node tools/visual-review/first-minutes.ts`: writes a tutorial of a new user's first minutes, with screenshots, to
 * `docs/users/first-minutes/`. It uses a real browser (CHROMIUM, default /usr/bin/chromium) and a real service, and fails if an
 * element is missing.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { inviteDeveloper } from '../../src/local/development-account.ts'
import { type Running, startService } from '../../test/e2e/running.ts'

const root = resolve(import.meta.dirname, '../..')
const out = join(root, 'docs/users/first-minutes')
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync']
const VIEW = { width: 1100, height: 760 }

const story: string[] = []
let pictures = 0

/** Takes a screenshot and adds it to the tutorial with its text, which describes it also for those who do not see it. */
async function addStep(page: Page, name: string, text: string): Promise<void> {
  const file = `${String(++pictures).padStart(2, '0')}-${name}.png`
  await page.screenshot({ path: join(out, file) })
  story.push(`${text}\n\n![](${file})\n`)
}

async function takeTour(page: Page, service: Running): Promise<void> {
  await page.goto(await inviteDeveloper(service.baseUrl, service.adminToken, service.accountId, 'Ada'))
  await page.getByRole('heading', { name: 'Welcome, Ada' }).waitFor()
  await addStep(
    page,
    'welcome',
    'The first `npm start` prints an invitation to the console. It opens here. You sign in with a passkey of this browser, without a password.',
  )
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByRole('button', { name: 'Use a sample photo' }).waitFor()
  await addStep(page, 'empty', 'The first page takes files at once. It shows what was saved, what failed, and what is left of the limits.')
  await page.getByRole('button', { name: 'Use a sample photo' }).click()
  await page
    .getByRole('article', { name: /^Receipt/ })
    .getByText(/^Signed by/)
    .waitFor({ timeout: 120_000 })
  await page.getByRole('slider', { name: /^Before and after/ }).waitFor()
  await addStep(page, 'photo', 'A moment later, the photo has a third of its size. The receipt shows the measured figures.')
  await page.locator('.compare__stage').scrollIntoViewIfNeeded()
  await addStep(
    page,
    'compared',
    'Before and after lie over each other. The handle moves the border between them, enlarged up to four times.',
  )
  const go = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await go('Keys')
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByLabel('Name').fill('Web shop')
  await page.getByRole('button', { name: 'Create' }).click()
  const section = page.getByRole('group', { name: 'Web shop' })
  await section.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Product photos')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const key = (await page.locator('pre.secret').innerText()).trim()
  await addStep(page, 'key', 'Create an application and its first key. The key is shown once, with a command that uses it.')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const responseText = await compress(service, key)
  story.push(
    `The same from a program:\n\n\`\`\`console\n$ curl -H "Authorization: Bearer $KEY" -F file=@docs/photo.jpg $BASE/v1/compress\n${responseText}\n\`\`\`\n`,
  )
  await go('Tasks')
  await page.getByRole('rowheader', { name: /photo\.jpg/ }).waitFor()
  await addStep(page, 'tasks', 'Both tasks are in the list, with the saved bytes.')
  await go('Usage')
  await page.getByRole('row', { name: /Product photos/ }).waitFor()
  await addStep(page, 'usage', 'The usage of the month is shown by day, by key and by format.')
}

/** Compresses the photo over HTTP. @returns the response without values that differ each time */
async function compress(service: Running, key: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([readFileSync(join(root, 'docs/photo.jpg'))]), 'photo.jpg')
  const response = await fetch(`${service.baseUrl}/v1/compress`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  if (!response.ok) throw new Error(`POST /v1/compress failed with HTTP ${response.status}: ${await response.text()}`)
  const { status, original_size, compressed_size, compression_ratio, result } = (await response.json()) as Record<string, unknown>
  return JSON.stringify({ task_id: 'tsk_…', status, original_size, compressed_size, compression_ratio, result }, null, 2)
}

mkdirSync(out, { recursive: true })
const service = await startService()
const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS })
try {
  const context = await browser.newContext({ viewport: VIEW, locale: 'en-GB' })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const authenticator = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...authenticator, automaticPresenceSimulation: true } })
  await takeTour(page, service)
  const text = `# The first minutes\n\nMade by \`node tools/visual-review/first-minutes.ts\`, with a fresh service and a real browser.\n\n${story.join('\n')}`
  writeFileSync(join(out, 'README.md'), text)
  console.log(`${story.length} steps, ${statSync(join(out, 'README.md')).size} bytes of text in docs/users/first-minutes/`)
} finally {
  await browser.close()
  await service.stop()
}
