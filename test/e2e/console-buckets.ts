/** The page of buckets in a browser: connections, syncs, origins of pictures. `console.test.ts` starts the service and signs in. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BucketServer, serveBucket } from '../support/bucket-server.ts'
import { S3Double } from '../support/s3-double.ts'
import type { Running } from './running.ts'

interface Console {
  readonly page: Page
  readonly service: Running
  /** Expects that the page fits a phone, and that axe finds nothing, in both colour schemes. */
  accessible(): Promise<void>
  shot(name: string): Promise<void>
  go(name: string): Promise<void>
}

const TEXT = 'the quick brown fox jumps over the lazy dog\n'.repeat(400)
const BUSY = () => new Response(null, { status: 503 })

/** @param here the console, once it is started */
export function bucketsPageTests(here: () => Console): void {
  const double = new S3Double()
  let bucket: BucketServer
  let page: Page
  let asked: string[]

  beforeAll(async () => {
    bucket = await serveBucket(double)
  })
  afterAll(() => bucket[Symbol.asyncDispose]())

  const dialog = () => page.getByRole('dialog')
  const row = (name: string | RegExp) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name }) })
      .first()
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  /** Fills the form of a connection to the bucket. */
  const fill = async (secret: string) => {
    await dialog().getByLabel('Service').selectOption('other')
    await dialog().getByLabel('Endpoint').fill(bucket.endpoint)
    await dialog().getByLabel('Region').fill(double.settings.region)
    await dialog().getByLabel('Bucket', { exact: true }).fill(double.settings.bucket)
    await dialog().getByLabel('Access key ID').fill(double.settings.accessKeyId)
    await dialog().getByLabel('Secret access key').fill(secret)
    await button('Check and save').click()
  }
  /** Starts a sync from `in/`, and waits for its estimate. */
  const estimate = async (destination: string) => {
    await button('New sync').click()
    await dialog().getByRole('group', { name: 'From' }).getByRole('textbox').fill('in/')
    await dialog().getByRole('group', { name: 'To' }).getByRole('textbox').fill(destination)
    await button('Estimate').click()
    await dialog().getByRole('status').filter({ hasText: 'become about' }).waitFor()
  }

  it('connects a bucket only if its check succeeds, and never shows the secret again', async () => {
    page = here().page
    await here().go('Buckets')
    await page.getByText('No connections yet').waitFor()
    await page.getByText('No syncs yet').waitFor()
    await page.getByText('No origins yet').waitFor()
    expect(await button('New sync').count(), 'without a connection').toBe(0)
    await here().accessible()
    await here().shot('buckets-empty')
    await button('New connection').focus()
    await page.keyboard.press('Enter')
    await dialog().getByLabel('Name').fill('shop')
    await dialog().getByLabel('Service').selectOption('azure')
    await dialog().getByLabel('Shared access signature (SAS)').check()
    await dialog().getByLabel('SAS token').waitFor()
    await here().accessible()
    await here().shot('connection-azure')
    await fill('wrong')
    await dialog().getByRole('alert').filter({ hasText: 'refused the credentials' }).waitFor()
    await here().accessible()
    await here().shot('connection-refused')
    const { secretAccessKey } = double.settings
    await fill(secretAccessKey)
    await row('shop').getByText('MinIO or another S3 service').waitFor()
    await button('Change shop').click()
    expect(await dialog().getByLabel('Endpoint').inputValue()).toBe(bucket.endpoint)
    expect(await dialog().getByLabel('Secret access key').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(secretAccessKey)
    await button('New connection').click()
    await dialog().getByLabel('Name').fill('shop')
    await fill(secretAccessKey)
    await dialog().getByRole('alert').filter({ hasText: 'a connection with this name already' }).waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  })

  it('estimates a sync, runs it, follows it by its events, and lists the objects that failed', async () => {
    for (const name of ['a', 'b', 'closed']) await double.put(`in/${name}.txt`, `${name}\n${TEXT}`)
    await double.put('in/notes', 'of no known format')
    double.trouble = ({ method }, key) =>
      method === 'GET' && key === 'in/closed.txt'
        ? new Response('<Error><Code>InvalidObjectState</Code></Error>', { status: 403 })
        : undefined
    asked = []
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname.replace(/syn_\w+/, 'ID')}`))
    await estimate('out/')
    await dialog().getByRole('row').filter({ hasText: 'Unknown, copied' }).waitFor()
    expect(
      [...double.objects.keys()].filter((key) => key.startsWith('out/')),
      'nothing is written yet',
    ).toEqual([])
    await here().accessible()
    await here().shot('sync-estimate')
    await button('Compress 4 objects').click()
    const sync = row(/^shop: in\/ → shop: out\/(?!.*Estimate only)/)
    await sync.getByText('completed').waitFor({ timeout: 30_000 })
    await sync.getByText('4 of 4').waitFor()
    await button('Details: shop: in/ → shop: out/').first().click()
    await dialog().getByText('in/closed.txt').waitFor()
    await here().accessible()
    await here().shot('sync-details')
    await page.keyboard.press('Escape')
    await here().shot('buckets')
    expect(asked).toContain('GET /console/api/v1/syncs/ID/events')
    expect(asked, 'no polling').not.toContain('GET /console/api/v1/syncs/ID')
    double.trouble = undefined
  })

  it('shows why a sync waits, resumes it, and stops another after a question', async () => {
    double.trouble = ({ method }) => (method === 'PUT' ? BUSY() : undefined)
    await estimate('later/')
    await button(/^Compress \d objects$/).click()
    const sync = row(/later\/(?!.*Estimate only)/)
    await sync.getByText('paused').waitFor({ timeout: 30_000 })
    await sync.getByText(/overloaded/).waitFor()
    await here().accessible()
    await here().shot('sync-paused')
    double.trouble = undefined
    await sync.getByRole('button', { name: /^Resume/ }).click()
    await sync.getByText('completed').waitFor({ timeout: 30_000 })
    double.trouble = ({ method }) => (method === 'PUT' ? BUSY() : undefined)
    await estimate('never/')
    await button(/^Compress \d objects$/).click()
    const other = row(/never\/(?!.*Estimate only)/)
    await other.getByText('paused').waitFor({ timeout: 30_000 })
    await other.getByRole('button', { name: /^Stop/ }).click()
    await dialog().getByRole('button', { name: 'Stop', exact: true }).click()
    await other.getByText('cancelled').waitFor()
    double.trouble = undefined
  })

  it('lists origins of pictures, and deletes one, and a connection', async () => {
    const { service } = here()
    const headers = { authorization: `Bearer ${service.keys.enterprise}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ bucket: { connection: 'shop', prefix: 'photos/' } })
    expect((await fetch(`${service.baseUrl}/v1/image-origins/web`, { method: 'PUT', headers, body })).status).toBe(200)
    await page.reload()
    await row('web').getByText('shop: photos/').waitFor()
    await button('Delete web').click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No origins yet').waitFor()
    await button('Delete shop').click()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await button('Delete shop').click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No connections yet').waitFor()
  })

  it('says that connections cannot be loaded, and shows the rest', async () => {
    await page.route('**/v1/connections', (route) => route.abort())
    await page.reload()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
    await page.getByRole('region', { name: 'Syncs' }).waitFor()
    await here().accessible()
    await page.unroute('**/v1/connections')
  })
}
