/** A fake service for CLI tests: each upload is a task whose result has half the size. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeService {
  readonly baseUrl: string
  /** Names of the uploaded files. */
  readonly received: string[]
  /** Form fields of the uploads, in the same order. */
  readonly wishes: Record<string, string>[]
  /** Ids of deleted tasks. */
  readonly removed: string[]
  /** Requests so far. */
  readonly requests: string[]
  /** Value of `RateLimit` in the next responses, after each of which nothing is accepted for 0.9 s. `undefined`: no limit. */
  rateLimit: string | undefined
  stop(): Promise<void>
}

/** A sync of the service. */
const SYNC = {
  ...{
    sync_id: 'syn_a',
    found: 3,
    skipped: 1,
    compressed: 1,
    unchanged: 0,
    failed: 1,
    original_size: 2_000_000,
    compressed_size: 1_000_000,
  },
  ...{
    estimated_size: 1_500_000,
    estimated_cpu_seconds: 2.4,
    errors: [{ key: 'photos/a.tif', error: 'It is too large.', type: 'file_too_large' }],
  },
}

/** Connections of the account, with more than the API says of them. */
const CONNECTIONS = [
  {
    ...{ name: 'shop', type: 's3', endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'photos', path_style: true },
    ...{ access_key_id: 'AKIA…', secret_access_key: 'never', saved_at: '2026-11-20T10:00:00.000Z' },
  },
  {
    ...{ name: 'vault', type: 'azure', endpoint: 'https://a.blob.core.windows.net', container: 'scans', account_name: 'a' },
    ...{ account_key: 'never', saved_at: '2026-11-20T10:00:00.000Z' },
  },
]

/** Time in milliseconds for which the rate limit refuses requests. */
const WINDOW_MS = 900

/** Starts the service. Files named `*.bin` are refused as unknown. */
export async function fakeService(): Promise<FakeService> {
  const [received, wishes, removed] = [[] as string[], [] as Record<string, string>[], [] as string[]]
  const results = new Map<string, Buffer>()
  const requests: string[] = []
  const state = { rateLimit: undefined as string | undefined }
  let opensMs = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    requests.push(`${request.method} ${request.url}`)
    if (state.rateLimit !== undefined && Date.now() < opensMs) return response.writeHead(429, { 'retry-after': '1' }).end('{}')
    if (state.rateLimit !== undefined) {
      response.setHeader('ratelimit', state.rateLimit)
      opensMs = Date.now() + WINDOW_MS
    }
    const respond = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const [, , what, id = ''] = (request.url ?? '').split('/')
    if (request.headers.authorization !== 'Bearer whl_live_test') return respond(401, { error: { code: 401, message: 'No such key.' } })
    if (request.url?.endsWith('/events')) {
      // The first stream breaks off before the sync has ended.
      const end = `event: completed\nid: 2.1\ndata: ${JSON.stringify({ ...SYNC, status: 'completed' })}\n\n`
      const progress = `retry: 1000\n\nevent: progress\nid: 1.0\ndata: ${JSON.stringify({ ...SYNC, status: 'running' })}\n\n:\n\n`
      const isFirst = requests.filter((earlier) => earlier.endsWith('/events')).length === 1
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      return response.end(progress + (isFirst ? end.slice(0, 40) : end))
    }
    if (what === 'connections') return respond(200, { connections: CONNECTIONS })
    if (request.url?.startsWith('/v1/syncs?')) return respond(200, { syncs: [{ ...SYNC, status: 'running' }], next_cursor: null })
    if (what?.startsWith('syncs')) {
      const body = request.method === 'POST' && id === '' ? (JSON.parse(Buffer.concat(chunks).toString()) as object) : {}
      return respond(200, {
        ...SYNC,
        ...body,
        status: request.method === 'DELETE' ? 'cancelled' : request.method === 'GET' ? 'completed' : 'running',
      })
    }
    if (request.method === 'DELETE') {
      removed.push(id)
      return respond(200, { freed_bytes: 10 })
    }
    const [path = '', query = ''] = (request.url ?? '').split('?')
    if (path === '/v1/usage') return respond(200, { plan: 'free', storage_used: 1234567, by_format: {} })
    if (path === '/v1/formats') return respond(200, { formats: FORMATS })
    if (path === '/v1/tasks') return respond(200, tasksAfter(new URLSearchParams(query).get('cursor')))
    if (what === 'tasks' && !path.endsWith('/download')) return respond(200, taskOf(id, results.get(id) ?? RESULT))
    if (what === 'tasks') return response.writeHead(200).end(results.get(id) ?? RESULT)
    const isJson = request.headers['content-type'] === 'application/json'
    const { name, content, fields: sent } = (isJson ? readJson : readForm)(Buffer.concat(chunks))
    const { response: kind, retention, ...fields } = sent
    received.push(name)
    wishes.push(fields)
    if (name.endsWith('.bin')) return respond(400, { error: { code: 400, message: `${name} has no format that Whittle knows.` } })
    const taskId = `tsk_${results.size}`
    const result = content.subarray(0, content.length >> 1)
    results.set(taskId, result)
    const outputName = fields['format'] === undefined ? name : name.replace(/[^.]+$/, fields['format'])
    const task = {
      ...taskOf(taskId, result),
      original_size: content.length,
      file_name: name,
      output_name: outputName,
      ...deliveryOf(fields),
    }
    if (kind !== 'file' || retention !== '0') return respond(200, task)
    if (name.startsWith('slow')) return respond(202, { ...task, status: 'processing', progress: 0.5 })
    const cut = name.startsWith('cut') && received.filter((other) => other === name).length === 1
    response.writeHead(200, headersOf(task, result))
    if (!cut) return response.end(result)
    return response.write(result.subarray(0, 10), () => response.destroy())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    baseUrl,
    received,
    wishes,
    removed,
    requests,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  })
}

/** Headers of a result in the response to its upload. The receipt of `long…` does not fit into a header. */
function headersOf(task: ReturnType<typeof taskOf>, result: Buffer): Record<string, string> {
  const receipt = ['{}', JSON.stringify(task), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.')
  return {
    'content-length': String(result.length),
    'content-disposition': `attachment; filename="_"; filename*=UTF-8''${encodeURIComponent(task.output_name)}`,
    'repr-digest': `sha-256=:${createHash('sha256').update(result).digest('base64')}:`,
    'whittle-task': task.task_id,
    'whittle-outcome': 'compressed',
    'whittle-original-size': String(task.original_size),
    ...(task.file_name.startsWith('long') ? {} : { 'whittle-receipt': receipt }),
  }
}

const FORMATS = [{ id: 'txt', title: 'Text', extensions: ['txt'], available: true, outputs: ['zst', 'gz'], qualities: ['high'] }]
const RESULT = Buffer.from('a result that was made before')

/** Two pages of tasks. The last task is still processing. */
function tasksAfter(cursor: string | null) {
  const [ids, next_cursor] = cursor === null ? [['tsk_a', 'tsk_b'], 'more'] : [['tsk_c', 'tsk_d'], null]
  return { next_cursor, tasks: ids.map((id) => ({ ...taskOf(id, RESULT), ...(id === 'tsk_d' ? { status: 'processing' } : {}) })) }
}

function taskOf(id: string, result: Buffer) {
  return {
    task_id: id,
    status: 'completed',
    format: 'txt',
    created_at: '2026-11-20T10:00:00Z',
    original_size: 2 * result.length,
    compressed_size: result.length,
    compression_ratio: '50.0%',
    file_name: 'notes.txt',
    output_name: 'notes.txt.zst',
    result: { outcome: 'compressed', sha256: createHash('sha256').update(result).digest('hex') },
  }
}

const deliveryOf = ({ destination }: Record<string, string>) =>
  destination === undefined ? {} : { delivery: { status: 'delivered', attempts: 1, last_status: 200 } }

interface Sent {
  readonly name: string
  readonly content: Buffer
  readonly fields: Record<string, string>
}

/** A request that names an object of a bucket, whose content is 1000 bytes. Objects are JSON texts, as in a form. */
function readJson(body: Buffer): Sent {
  const sent = JSON.parse(body.toString()) as Record<string, unknown>
  const { key } = sent['source'] as { key: string }
  const fields = Object.entries(sent).map(([field, value]) => [field, typeof value === 'object' ? JSON.stringify(value) : String(value)])
  return { name: key.slice(key.lastIndexOf('/') + 1), content: Buffer.alloc(1000, 'o'), fields: Object.fromEntries(fields) }
}

function readForm(form: Buffer): Sent {
  const text = form.toString('latin1')
  const head = /name="file"; filename="([^"]*)"[\s\S]*?\r\n\r\n/.exec(text)
  if (!head) throw new Error('the form has no file')
  const begin = head.index + head[0].length
  const fields = Object.fromEntries([...text.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(([, field, value]) => [field!, value!]))
  return { name: head[1]!, content: form.subarray(begin, form.lastIndexOf('\r\n--')), fields }
}
