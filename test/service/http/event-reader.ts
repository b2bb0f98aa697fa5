/** Reads event streams of the service. */

interface Received {
  readonly name: string
  readonly id: string
  readonly data: Record<string, unknown>
}

/** Reads events one by one. `undefined`: the stream has ended. */
export function reading(answer: Response) {
  const reader = answer.body!.getReader()
  let text = ''
  const next = async (): Promise<Received | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const lines = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/:\s?(.*)/s) as [string, string]),
        )
        text = text.slice(end + 2)
        if (lines.has('event')) return { name: lines.get('event')!, id: lines.get('id')!, data: JSON.parse(lines.get('data')!) }
        continue
      }
      const { value, done: ended } = await reader.read()
      if (ended) return undefined
      text += new TextDecoder().decode(value)
    }
  }
  return { next, leave: () => reader.cancel() }
}

export async function all(answer: Response): Promise<Received[]> {
  const { next } = reading(answer)
  const events: Received[] = []
  for (let event = await next(); event; event = await next()) events.push(event)
  return events
}
