/**
 * Proxy to the service that simulates every network failure once: a rate limit, and lost connections after an upload, within a chunk and
 * within a download. Results of files called `damaged…` contain a wrong byte.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FailingProxy {
  readonly baseUrl: string
  /** Failures so far. */
  readonly mishaps: readonly string[]
  /** Requests that arrived before the time of their Retry-After header. */
  readonly tooSoon: readonly string[]
  stop(): Promise<void>
}

const WAIT_SECONDS = 1
/** Bytes of a request body after which the connection is cut. */
const CUT_BYTES = 1_000_000
const CUT_RESULT_BYTES = 1000
/** Tolerance in milliseconds, because timers are inexact. */
const SLACK_MS = 20

const OVER = {
  error: { code: 429, message: 'Over the requests per minute of the plan.', request_id: 'req_rough' },
  error_detail: { type: 'rate_limited', retry_after_seconds: WAIT_SECONDS, doc_url: 'http://127.0.0.1/docs' },
}

export async function failingProxy(target: string): Promise<FailingProxy> {
  const mishaps: string[] = []
  const tooSoon: string[] = []
  const damaged = new Set<string>()
  let notBeforeMs = 0
  const once = (what: string) => !mishaps.includes(what) && mishaps.push(what) > 0

  const server = createServer(async (asked, answer) => {
    const path = asked.url ?? ''
    const isSubmission = asked.method === 'POST' && path === '/v1/compress'
    if (isSubmission && performance.now() < notBeforeMs - SLACK_MS) tooSoon.push(path)
    if (isSubmission && once('told to wait')) {
      for await (const _ of asked);
      notBeforeMs = performance.now() + WAIT_SECONDS * 1000
      answer.writeHead(429, { 'content-type': 'application/json', 'retry-after': String(WAIT_SECONDS) }).end(JSON.stringify(OVER))
      return
    }
    if (asked.method === 'PATCH' && once('a chunk broke off')) return cutUpload(target, asked)
    const from = await forward(target, asked).catch(() => undefined)
    if (!from || (isSubmission && once('the answer was lost'))) return void asked.socket.destroy()
    const isDownload = path.endsWith('/download') && asked.method === 'GET'
    if (isDownload && from.statusCode === 200 && once('a download broke off')) return cutDownload(from, answer)
    const chunks: Buffer[] = []
    for await (const chunk of from) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (isSubmission) noteDamaged(body, damaged)
    if (isDownload && damaged.has(path.split('/')[3] ?? '')) body[body.length >> 1]! ^= 1
    answer.writeHead(from.statusCode ?? 502, from.headers).end(body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const stop = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, mishaps, tooSoon, stop }
}

function noteDamaged(body: Buffer, damaged: Set<string>) {
  const task = JSON.parse(body.toString()) as { task_id?: string; file_name?: string }
  if (task.task_id && task.file_name?.startsWith('damaged')) damaged.add(task.task_id)
}

function ask(target: string, asked: IncomingMessage) {
  return request(target + asked.url, {
    method: asked.method,
    headers: { ...asked.headers, host: new URL(target).host, 'accept-encoding': 'identity' },
  })
}

function forward(target: string, asked: IncomingMessage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onward = ask(target, asked).once('response', resolve).once('error', reject)
    asked.pipe(onward)
  })
}

/** Forwards the first bytes of an upload and then cuts both connections. */
function cutUpload(target: string, asked: IncomingMessage) {
  const onward = ask(target, asked).on('error', () => undefined)
  const { socket } = asked
  let count = 0
  asked.on('data', (chunk: Buffer) => {
    onward.write(chunk)
    count += chunk.length
    if (count < CUT_BYTES) return
    onward.destroy()
    socket.destroy()
  })
}

function cutDownload(from: IncomingMessage, answer: ServerResponse) {
  answer.writeHead(200, from.headers)
  from.once('data', (chunk: Buffer) => {
    from.destroy()
    answer.write(chunk.subarray(0, CUT_RESULT_BYTES), () => answer.destroy())
  })
}
