/** Follows a sync by the events of the service. */
import { RetryState, type Transport } from './transport.ts'
import type { Sync } from './types.ts'

/** Options of `waitForSync`. */
export interface SyncWaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the sync whenever its figures have changed, at most twice a second. */
  readonly onProgress?: ((sync: Sync) => void) | undefined
}

/** Longest line of an event stream in characters. */
const MAX_LINE = 1_000_000

/**
 * Waits until a sync ends. The service ends a stream after some minutes; then the client opens another.
 * @throws UnreachableError if the service sends no event for longer than the retry timeout
 */
export async function syncEnd(transport: Transport, path: string, { signal, onProgress }: SyncWaitOptions): Promise<Sync> {
  const retries = new RetryState()
  for (;;) {
    const { body } = await transport.send(path, () => ({ headers: { accept: 'text/event-stream' }, signal: signal ?? null }))
    for await (const { name, data } of body ? eventsOf(body) : []) {
      retries.reset()
      const sync = JSON.parse(data) as Sync
      if (name !== 'progress') return sync
      onProgress?.(sync)
    }
    signal?.throwIfAborted()
    await transport.pauseOrThrow(new Error('the event stream has ended'), retries, signal)
  }
}

/** Yields the events of a stream (WHATWG HTML, 9.2) until it ends or breaks off. Comments and incomplete events are skipped. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ readonly name: string; readonly data: string }> {
  let event = { name: 'message', data: '' }
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (event.data !== '') yield event
      event = { name: 'message', data: '' }
      continue
    }
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'event') event.name = value
    else if (field === 'data') event.data += event.data === '' ? value : `\n${value}`
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const next = () => reader.read().catch(() => ({ done: true, value: undefined }) as const)
  let rest = ''
  try {
    for (let part = await next(); !part.done; part = await next()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) return
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
