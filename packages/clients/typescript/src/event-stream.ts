/** Reads an event stream (WHATWG HTML, 9.2). `EventSource` cannot be used, because it sends no API key or token. */

export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/** Longest line of an event in characters. */
const MAX_LINE = 1_000_000

/** Yields the events of an answer. Comments and incomplete events are skipped. @throws Error if a line is too long */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
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
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new Error('an event is too long')
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
