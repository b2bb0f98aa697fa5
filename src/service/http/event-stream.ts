/** Server-sent events (WHATWG HTML, 9.2): a response that sends events until its work ends, its client leaves or its time is over. */

/** Longest time of a stream in milliseconds. The client then comes again with the id of its last event. */
const MAX_STREAM_MS = 300_000
/** Milliseconds between comments, which keep the connection open in proxies. */
export const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client comes again. */
const RETRY_MS = 1000

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  // nginx would otherwise collect events before it sends them.
  'X-Accel-Buffering': 'no',
  Vary: 'Accept, Accept-Language',
}

/** True if `Accept` prefers an event stream to JSON. */
export function wantsEvents(accept: string | undefined): boolean {
  const quality = { events: 0, json: 0 }
  for (const item of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    const kind = type === 'text/event-stream' ? 'events' : /^(application\/(json|\*)|\*\/\*)$/.test(type) ? 'json' : undefined
    if (kind && q <= 1) quality[kind] = Math.max(quality[kind], q)
  }
  return quality.events > quality.json
}

/** Names and data of an event. `data` is JSON. */
export interface ServerEvent {
  readonly name: string
  readonly id: string
  readonly data: unknown
}

/** Sends events to one client. Its methods resolve when the client has taken the bytes, so a client that does not read stops the work. */
export class EventWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>

  constructor(writable: WritableStream<Uint8Array>) {
    this.#writer = writable.getWriter()
  }

  async send({ name, id, data }: ServerEvent): Promise<void> {
    await this.#write(`event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  async begin(): Promise<void> {
    await this.#write(`retry: ${RETRY_MS}\n\n`)
  }

  async beat(): Promise<void> {
    await this.#write(':\n\n')
  }

  async end(): Promise<void> {
    await this.#writer.close()
  }

  /** Ends the connection, even if the client does not read. */
  async abort(): Promise<void> {
    await this.#writer.abort().catch(() => undefined)
  }

  async #write(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text))
  }
}

export interface StreamWork {
  /** Sends the events. The signal aborts when the time of the stream is over. */
  run(events: EventWriter, signal: AbortSignal): Promise<void>
  /** Called once when the stream has ended, for whatever reason. */
  ended(): Promise<void>
}

export interface StreamLimits {
  /** Longest time of a stream in milliseconds. */
  readonly maxMs: number
  /** Further milliseconds until the connection of a client that does not read is closed. */
  readonly graceMs: number
}

const LIMITS: StreamLimits = { maxMs: MAX_STREAM_MS, graceMs: HEARTBEAT_MS }

/** @param keepAlive lets the work go on after the response */
export function eventStream(work: StreamWork, keepAlive: (work: Promise<unknown>) => void, limits = LIMITS): Response {
  const { readable, writable } = new IdentityTransformStream()
  keepAlive(pump(new EventWriter(writable), work, limits))
  return new Response(readable, { headers: HEADERS })
}

/** Headers of an event stream without its body, for HEAD. */
export const eventStreamHead = () => new Response(null, { headers: HEADERS })

async function pump(events: EventWriter, work: StreamWork, { maxMs, graceMs }: StreamLimits): Promise<void> {
  const over = new AbortController()
  // A client that reads nothing at all keeps `run` waiting, so the connection itself is ended a little later.
  const timers = [setTimeout(() => over.abort(), maxMs), setTimeout(() => void events.abort(), maxMs + graceMs)]
  try {
    await events.begin()
    await work.run(events, over.signal)
    await events.end()
  } catch (error) {
    // If the client left, nobody needs the error. Otherwise the connection breaks off, and the client comes again.
    await events.abort()
    if (!(error instanceof TypeError)) console.warn(JSON.stringify({ level: 'warn', event: 'event_stream_broke', error: String(error) }))
  } finally {
    for (const timer of timers) clearTimeout(timer)
    await work.ended().catch(() => undefined)
  }
}
