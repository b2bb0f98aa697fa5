/** All three Workers over HTTP; every answer is held against the served OpenAPI document. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { imageUrl } from '../../packages/clients/typescript/src/images.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'
import { buildPdf, plainDocument } from '../core/formats/pdf/build.ts'
import { serveBucket } from '../support/bucket-server.ts'
import { servePictures } from '../support/picture-origin.ts'
import { S3Double } from '../support/s3-double.ts'
import { Contract, type Document } from './openapi.ts'
import { type Running, startService } from './running.ts'

interface Task {
  task_id: string
  status: string
  compressed_size: number
  original_size: number
  output_format: string
  result: { outcome: string; sha256: string; ssim?: number }
}

let service: Running
let contract: Contract

beforeAll(async () => {
  service = await startService()
  contract = new Contract((await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Document)
})
afterAll(() => service?.stop())

const TEXT = 'the quick brown fox jumps over the lazy dog, again and again\n'.repeat(2000)
const PHOTO = readFileSync(join(import.meta.dirname, '../../docs/photo.jpg'))

type Init = RequestInit & { key?: keyof Running['keys'] | null; params?: Record<string, string> }

/** `template` as in the document; `params` fill it. */
async function call<T = Task>(method: string, template: string, init: Init = {}): Promise<{ status: number; headers: Headers; body: T }> {
  const { key = 'enterprise', params = {}, ...rest } = init
  const headers = new Headers(rest.headers)
  if (key) headers.set('Authorization', `Bearer ${service.keys[key]}`)
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const query = params['?'] ? `?${params['?']}` : ''
  const answer = await fetch(service.baseUrl + path + query, { ...rest, method, headers })
  return { status: answer.status, headers: answer.headers, body: (await contract.hold(method, template, answer)) as T }
}

function upload(content: BlobPart, name: string, fields: Record<string, string> = {}, init: Init = {}) {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([content]), name)
  return call('POST', '/v1/compress', { ...init, body })
}

const waited = async (taskId: string) =>
  (await call('GET', '/v1/tasks/{task_id}', { params: { task_id: taskId }, headers: { Prefer: 'wait=60' } })).body

/** Saves, shows, uses and deletes a connection to a bucket on this machine. */
async function holdConnections(): Promise<void> {
  const double = new S3Double()
  await using bucket = await serveBucket(double)
  const { region, accessKeyId, secretAccessKey } = double.settings
  const place = { type: 's3', endpoint: bucket.endpoint, region, bucket: double.settings.bucket }
  const params = { name: 'own' }
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ ...place, access_key_id: accessKeyId, secret_access_key: secretAccessKey })
  const saved = await call<{ bucket: string }>('PUT', '/v1/connections/{name}', { params, headers, body })
  expect(saved.body).toMatchObject(place)
  await call('GET', '/v1/connections/{name}', { params })
  await call('GET', '/v1/connections')
  await double.put('in/📷 1.txt', TEXT)
  const source = { connection: 'own', key: 'in/📷 1.txt' }
  const sent = JSON.stringify({ source, destination: { connection: 'own', prefix: 'out/' } })
  const { body: task } = await call('POST', '/v1/compress', { headers, body: sent })
  expect((await waited(task.task_id)).status).toBe('completed')
  await expect.poll(() => double.objects.get('out/📷 1.txt.zst')?.bytes.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await holdSyncs(double, headers)
  await call('DELETE', '/v1/connections/{name}', { params })
}

/** Starts a sync that the bucket of the connection refuses, shows it, resumes and cancels it. */
async function holdSyncs(double: S3Double, headers: Readonly<Record<string, string>>): Promise<void> {
  double.isAuthorised = false
  const places = { source: { connection: 'own', prefix: 'in/' }, destination: { connection: 'own', prefix: 'out/' } }
  const body = JSON.stringify({ ...places, quality: 'low' })
  const { body: begun } = await call<{ sync_id: string }>('POST', '/v1/syncs', { headers, body })
  const params = { sync_id: begun.sync_id }
  const status = async () => (await call<{ status: string }>('GET', '/v1/syncs/{sync_id}', { params })).body.status
  await expect.poll(status).toBe('failed')
  const { body: events } = await call<string>('GET', '/v1/syncs/{sync_id}/events', { params })
  expect(events).toMatch(/^retry: 1000\n\nevent: failed\nid: 1\.\d+\ndata: \{"sync_id":/)
  await call('GET', '/v1/syncs')
  expect((await call('POST', '/v1/syncs/{sync_id}/resume', { params })).status).toBe(200)
  await call('DELETE', '/v1/syncs/{sync_id}', { params })
}

/** Allows an origin of pictures, shows a picture, and removes both. */
async function holdPictures(): Promise<void> {
  await using origin = await servePictures()
  const params = { name: 'photos' }
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ origin: origin.address })
  const saved = await call<{ image_key: string; image_secret: string }>('PUT', '/v1/image-origins/{name}', { params, headers, body })
  const { image_key: key, image_secret: secret } = saved.body
  await call('GET', '/v1/image-origins/{name}', { params })
  await call('GET', '/v1/image-origins')
  const address = await imageUrl(service.baseUrl, { key, secret }, 'photos/a.jpg', 'w_160')
  const [signature = '', options = '', ...source] = new URL(address).pathname.split('/').slice(2)
  const shown = { signature, options, source: source.join('/') }
  expect((await call('GET', '/img/{signature}/{options}/{source}', { key: null, params: shown })).status).toBe(200)
  await call('DELETE', '/v1/image-origins/{name}/cache', { params })
  await call('DELETE', '/v1/image-origins/{name}', { params })
}

describe('the service', () => {
  it('makes the photo of the README smaller, measured and verified', async () => {
    const { body } = await upload(PHOTO, 'photo.jpg')
    const task = body.status === 'completed' ? body : await waited(body.task_id)
    expect(task).toMatchObject({ status: 'completed', output_format: 'jpg', result: { outcome: 'compressed', verified: true } })
    expect(task.compressed_size).toBeLessThan(PHOTO.length * 0.6)
    expect(task.result.ssim).toBeGreaterThanOrEqual(0.9)
    const { body: bytes } = await call<ArrayBuffer>('GET', '/v1/tasks/{task_id}/download', { params: { task_id: task.task_id } })
    expect(bytes.byteLength).toBe(task.compressed_size)
    expect(Buffer.from(bytes).subarray(0, 3).toString('hex')).toBe('ffd8ff')
  })

  it('gives smaller files for lower levels', async () => {
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high']) {
      const { body } = await upload(PHOTO, 'photo.jpg', { quality })
      sizes.push((body.status === 'completed' ? body : await waited(body.task_id)).compressed_size)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('queues what is not quick, and batches', async () => {
    const wav = silence(300_000)
    const slow = await upload(wav, 'a.wav')
    expect(slow.body.status).toMatch(/pending|processing/)
    expect((await waited(slow.body.task_id)).status).toBe('completed')
    const form = new FormData()
    form.append('files[]', new Blob([TEXT]), 'a.md')
    form.append('files[]', new Blob(['\0\x01\x02'.repeat(900)]), 'b.bin')
    const batch = await call<{ batch_id: string; tasks: Task[] }>('POST', '/v1/batch/compress', { body: form })
    const ended = await Promise.all(batch.body.tasks.map((task) => waited(task.task_id)))
    expect(ended.map((task) => task.status)).toEqual(['completed', 'failed'])
    await call('GET', '/v1/batches/{batch_id}', { params: { batch_id: batch.body.batch_id } })
    await call('GET', '/v1/batches/{batch_id}/download', { params: { batch_id: batch.body.batch_id } })
  })

  it('wraps a result in an archive under a password', async () => {
    const { body } = await upload(TEXT, 'secret.md', { password: 'pass word' })
    expect(body).toMatchObject({ status: 'completed', output_format: 'zst', output_name: 'secret.md.zst.zip' })
  })

  it('compresses a PDF with usage rights without them where that is asked for, and else says so', async () => {
    const pdf = new Uint8Array(buildPdf(plainDocument(3, ['<</ByteRange [0 1 2 3]/Contents<00>>>'], '/Perms<</UR3 9 0 R>>')))
    const kept = await upload(pdf, 'form.pdf')
    expect(kept.body.result).toMatchObject({ outcome: 'unchanged', reason: 'signed', detail: expect.stringContaining('usage_rights=drop') })
    const dropped = await upload(pdf, 'form.pdf', { usage_rights: 'drop' })
    expect(dropped.body).toMatchObject({ status: 'completed', result: { outcome: 'compressed', verified: true } })
    const form = new FormData()
    form.append('usage_rights', 'drop')
    form.append('files[]', new Blob([pdf]), 'form.pdf')
    const batch = await call<{ tasks: Task[] }>('POST', '/v1/batch/compress', { body: form })
    expect((await waited(batch.body.tasks[0]!.task_id)).result.outcome).toBe('compressed')
  })

  it('answers as documented when it refuses', async () => {
    const statuses = [
      (await upload('', 'empty.txt')).status,
      (await upload(TEXT, 'a.txt', { quality: 'best' })).status,
      (await upload(TEXT, 'a.txt', {}, { key: 'read_only' })).status,
      (await upload(TEXT, 'a.txt', {}, { key: 'expired' })).status,
      (await call('GET', '/v1/tasks/{task_id}', { params: { task_id: 'none' } })).status,
      (await call('GET', '/v1/batches/{batch_id}', { params: { batch_id: 'none' } })).status,
      (await call('GET', '/v1/usage', { key: 'disabled' })).status,
      (await call('GET', '/v1/usage', { params: { '?': 'month=13' } })).status,
      (await call('GET', '/v1/tasks', { params: { '?': 'limit=0' } })).status,
      (await call('DELETE', '/v1/tasks/{task_id}', { params: { task_id: 'none' } })).status,
    ]
    expect(statuses).toEqual([400, 400, 403, 401, 404, 404, 401, 400, 400, 404])
  })

  it('answers as documented everywhere else, too', async () => {
    const { body } = await upload(TEXT, 'a.txt')
    await call('GET', '/v1/tasks', { params: { '?': 'limit=3' } })
    await call('GET', '/v1/usage')
    await call('GET', '/v1/usage', { params: { '?': 'month=2020-01' } })
    const { body: known } = await call<{ formats: { id: string; available: boolean }[] }>('GET', '/v1/formats')
    expect(known.formats.map(({ id }) => id).toSorted()).toEqual(Object.keys(FORMATS).toSorted())
    expect(known.formats.find((format) => format.id === 'jpg')?.available).toBe(true)
    await call('GET', '/v1/tasks/{task_id}/receipt', { params: { task_id: body.task_id, '?': 'decoded=1' } })
    await call('GET', '/v1/tasks/{task_id}/receipt', { params: { task_id: body.task_id } })
    const fields = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ quality: 'low' }) }
    for (const method of ['PUT', 'GET', 'DELETE'] as const)
      await call(method, '/v1/presets/{name}', { params: { name: 'own' }, ...(method === 'PUT' ? fields : {}) })
    await holdConnections()
    await holdPictures()
    const link = await call<{ url: string }>('POST', '/v1/tasks/{task_id}/links', {
      params: { task_id: body.task_id },
      headers: fields.headers,
      body: '{}',
    })
    await call('GET', '/d/{token}', { key: null, params: { token: link.body.url.split('/').at(-1) ?? '' } })
    await call('POST', '/v1/tasks/{task_id}/deliveries', {
      params: { task_id: body.task_id },
      headers: fields.headers,
      body: JSON.stringify({ destination_url: 'http://127.0.0.1:9/result' }),
    })
    const origin = 'https://app.example.com'
    const { body: made } = await call<{ token: string }>('POST', '/v1/upload-tokens', {
      headers: fields.headers,
      body: JSON.stringify({ origin, formats: ['text'] }),
    })
    const page = { key: null, headers: { Authorization: `Bearer ${made.token}`, Origin: origin } }
    expect([(await upload(TEXT, 'a.txt', {}, page)).status, (await upload(TEXT, 'a.txt', {}, page)).status]).toEqual([200, 403])
    await call('GET', '/.well-known/jwks.json', { key: null })
    await call('GET', '/healthz', { key: null })
    await call('GET', '/status', { key: null })
    await call('GET', '/docs', { key: null })
    await call('GET', '/openapi.json', { key: null })
    await call('DELETE', '/v1/tasks/{task_id}', { params: { task_id: body.task_id } })
    const tus = { 'Tus-Resumable': '1.0.0' }
    const created = await call('POST', '/v1/uploads', { headers: { ...tus, 'Upload-Length': '4' } })
    const params = { upload_id: created.headers.get('Location')?.split('/').at(-1) ?? '' }
    const chunk = { ...tus, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
    await call('PATCH', '/v1/uploads/{upload_id}', { params, headers: chunk, body: 'four' })
    await call('GET', '/v1/uploads/{upload_id}', { params, headers: tus })
    await call('DELETE', '/v1/uploads/{upload_id}', { params, headers: tus })
    const held = new Set([...contract.seen].filter((entry) => / 20\d$/.test(entry)).map((entry) => entry.slice(0, -4)))
    // The pages of the documentation are built while the service runs.
    expect(contract.operations.filter((operation) => !held.has(operation) && operation !== 'GET /docs')).toEqual([])
  })

  it('lives on when a client leaves in the middle of its upload', async () => {
    const { hostname, port } = new URL(service.baseUrl)
    for (const sent of [0, 1000, 6_000_000]) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          const head = `POST /v1/compress HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.keys.pro}\r\n`
          socket.write(`${head}Content-Type: multipart/form-data; boundary=q\r\nContent-Length: 99000000\r\n\r\n`)
          socket.write('--q\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
          socket.write('a'.repeat(sent), () => setTimeout(() => socket.destroy(), 200))
        })
        socket.on('error', reject)
        socket.on('close', () => resolve())
      })
    }
    expect((await call('GET', '/healthz', { key: null })).status).toBe(200)
    const { body } = await upload(TEXT, 'after.txt', {}, { key: 'pro' })
    expect(body.status).toBe('completed')
  })

  it('writes neither keys nor passwords nor names into its log', async () => {
    const log = readFileSync(service.logFile, 'utf8')
    expect(log).toContain('"route":"/v1/compress"')
    for (const secret of [...Object.values(service.keys), 'pass word', 'secret.md', service.adminToken]) expect(log).not.toContain(secret)
  })
})

/** A 16-bit mono WAV of nothing (RIFF, WAVEFORMATEX). */
function silence(bytes: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(44 + bytes)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + bytes, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8000, 24)
  file.writeUInt32LE(16000, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(bytes, 40)
  return file
}
