/** The n8n node, packed and loaded as n8n loads it, over files of a running service. Its packages' own types: `npm run conformance -- n8n`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveBucket } from '../support/bucket-server.ts'
import { execute, type Item, installNode, sha256 } from '../support/n8n.ts'
import { S3Double } from '../support/s3-double.ts'
import type { Running } from './running.ts'

const PHOTO = readFileSync(resolve(import.meta.dirname, '../../docs/photo.jpg'))
/** What the node takes of n8n while it runs. */
const DOUBLE = `exports.NodeOperationError = class NodeOperationError extends Error {
  constructor(node, error, options) { super(error.message); Object.assign(this, { node, context: options }) }
}`

/** Saves the connection `n8n` to a bucket on this machine, and deletes it at the end. */
async function saveConnection({ baseUrl, keys }: Running, endpoint: string, { settings }: S3Double): Promise<AsyncDisposable> {
  const url = `${baseUrl}/v1/connections/n8n`
  const headers = { Authorization: `Bearer ${keys.enterprise}`, 'Content-Type': 'application/json' }
  const { region, bucket, accessKeyId, secretAccessKey } = settings
  const secret = { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
  const { status } = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ type: 's3', endpoint, region, bucket, ...secret }) })
  expect(status).toBe(200)
  return { [Symbol.asyncDispose]: async () => void (await fetch(url, { method: 'DELETE', headers })) }
}

/** In a `describe` of their own. */
export function n8nTests(running: () => Running): void {
  let folder: string
  let installed: ReturnType<typeof installNode>
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'whittle-n8n-'))
    mkdirSync(join(folder, 'node_modules/n8n-workflow'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/n8n-workflow/index.js'), DOUBLE)
    installed = installNode(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const credentials = () => ({ server: running().baseUrl, key: running().keys.enterprise })

  it('is packed with all that it needs, and nothing else', () => {
    expect(installed.files).toEqual([
      'LICENSE',
      'README.md',
      'dist/credentials/WhittleApi.credentials.js',
      'dist/credentials/whittle.svg',
      'dist/nodes/Whittle/Whittle.node.js',
      'dist/nodes/Whittle/whittle.svg',
      'package.json',
    ])
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/n8n-nodes-whittle/package.json'), 'utf8')) as object
    expect(manifest).not.toHaveProperty('dependencies')
    expect(installed.node.description.credentials).toEqual([{ name: installed.credentials.name, required: true }])
  })

  it('gives each file back smaller, with its receipt as JSON', async () => {
    const items = [
      { json: {}, binary: { data: { data: PHOTO, fileName: 'photo.jpg' } } },
      { json: {}, binary: { data: { data: Buffer.from('words '.repeat(1000)), fileName: 'notes.txt' } } },
    ]
    const [results = []] = await execute(installed.node, items, credentials(), { quality: 'low' })
    expect(results.map(({ binary, pairedItem }) => [binary?.['data']?.fileName, pairedItem])).toEqual([
      ['photo.jpg', { item: 0 }],
      ['notes.txt.zst', { item: 1 }],
    ])
    const [photo] = results
    const bytes = photo!.binary!['data']!.data
    expect(bytes.length).toBeLessThan(PHOTO.length / 2)
    const receipt = { outcome: 'compressed', verified: true, sha256: sha256(bytes), original_sha256: sha256(PHOTO) }
    expect(photo!.json).toMatchObject({ original_size: PHOTO.length, compressed_size: bytes.length, receipt })
  })

  it('says which item failed, and goes on where it is told to', async () => {
    const items = [{ json: { id: 1 } }, { json: {}, binary: { data: { data: PHOTO, fileName: 'photo.jpg' } } }]
    const asked = { quality: 'low', options: { format: 'webp' } }
    await expect(execute(installed.node, items, credentials(), asked)).rejects.toMatchObject({
      name: 'Error',
      message: "item 0 has no file 'data'",
      context: { itemIndex: 0 },
    })
    const [results = []] = await execute(installed.node, items, credentials(), asked, true)
    expect(results[0]).toEqual({ json: { id: 1, error: "item 0 has no file 'data'" }, pairedItem: { item: 0 } })
    expect(results[1]?.binary?.['data']?.fileName).toBe('photo.webp')
  })

  it('compresses from and to buckets, and starts and shows syncs', async () => {
    const double = new S3Double()
    await using bucket = await serveBucket(double)
    await using _ = await saveConnection(running(), bucket.endpoint, double)
    await double.put('in/notes.txt', 'words '.repeat(1000))
    const run = async (parameters: Record<string, unknown>, items: readonly Item[] = [{ json: {} }]) =>
      (await execute(installed.node, items, credentials(), parameters))[0]?.[0]
    const object = { operation: 'compressObject', sourceConnection: 'n8n', sourceKey: 'in/notes.txt' }
    const fetched = await run(object)
    expect(fetched).toMatchObject({ json: { original_size: 6000, receipt: { outcome: 'compressed' } }, pairedItem: { item: 0 } })
    expect(fetched?.binary?.['data']?.fileName).toBe('notes.txt.zst')
    const options = { destinationConnection: 'n8n', destinationPrefix: 'out/' }
    const sent = await run({ ...object, options })
    expect(sent).toMatchObject({ json: { delivery: { status: 'delivered' }, output_name: 'notes.txt.zst' } })
    expect(sent).not.toHaveProperty('binary')
    expect(sha256(Buffer.from(double.objects.get('out/notes.txt.zst')!.bytes))).toBe((sent?.json['receipt'] as { sha256: string }).sha256)
    const file = { json: {}, binary: { data: { data: PHOTO, fileName: 'photo.jpg' } } }
    expect(await run({ quality: 'low', options }, [file])).toMatchObject({ json: { delivery: { status: 'delivered' } } })
    expect(double.objects.get('out/photo.jpg')!.bytes.length).toBeLessThan(PHOTO.length / 2)
    const places = { sourceConnection: 'n8n', sourcePrefix: 'in/', destinationConnection: 'n8n', destinationPrefix: 'small/' }
    const begun = await run({ operation: 'startSync', ...places })
    expect(begun?.json).toMatchObject({ dry_run: true, source: { connection: 'n8n', prefix: 'in/' } })
    const shown = async () => (await run({ operation: 'getSync', syncId: begun?.json['sync_id'] }))?.json
    await expect.poll(shown, { timeout: 20_000 }).toMatchObject({ status: 'completed', found: 1 })
    expect([...double.objects.keys()].filter((key) => key.startsWith('small/'))).toEqual([])
  })
}
