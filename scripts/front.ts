/**
 * The door of the local service, before `wrangler dev`. wrangler forwards over connections that it keeps; workerd drops one that
 * was idle for 5 s, and while a codec keeps its thread busy that may be the one a request was just written to: wrangler then
 * answers 500 in the Worker's name. Such a request was never seen by the Worker, and is sent once more.
 */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'

/** Bodies up to this many bytes are held, so that they can be sent again; longer ones are streamed, once. */
const MOST_HELD_BYTES = 16 * 1024 * 1024
const ATTEMPTS = 5
const RETRY_PAUSE_MS = 100
/** Every answer of the Worker has it; wrangler's own answers have not. */
const MARK = 'x-request-id'
/** Of one connection, not of the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding'])

/** Listens on loopback and forwards to `upstreamPort`. */
export function openFront(port: number, upstreamPort: number): Promise<Server> {
  const agent = new Agent({ keepAlive: false })
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    void forward(incoming, outgoing, upstreamPort, agent).catch(() => outgoing.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number, agent: Agent): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const length = 'transfer-encoding' in incoming.headers ? Number.POSITIVE_INFINITY : Number(incoming.headers['content-length'] ?? 0)
  const held = length <= MOST_HELD_BYTES ? Buffer.concat(await incoming.toArray()) : undefined
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(incoming, held, port, agent, gone.signal)
    if (answer.statusCode === 500 && !(MARK in answer.headers) && held && attempt < ATTEMPTS) {
      answer.resume()
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * attempt))
      continue
    }
    outgoing.sendDate = false
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders))
    answer.once('error', () => outgoing.destroy())
    answer.pipe(outgoing)
    return
  }
}

function ask(
  incoming: IncomingMessage,
  held: Buffer | undefined,
  port: number,
  agent: Agent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = endToEnd(incoming.rawHeaders)
    if (!held && 'transfer-encoding' in incoming.headers) headers.push('Transfer-Encoding', 'chunked')
    const options = { host: '127.0.0.1', port, agent, method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers, signal }
    const upstream = request(options, resolve)
    upstream.once('error', reject)
    if (held) upstream.end(held)
    else incoming.pipe(upstream)
  })
}

/** Names and values in turn, as they came. */
function endToEnd(raw: readonly string[]): string[] {
  return raw.flatMap((name, i) => (i % 2 === 0 && !HOP_BY_HOP.has(name.toLowerCase()) ? [name, raw[i + 1] ?? ''] : []))
}
