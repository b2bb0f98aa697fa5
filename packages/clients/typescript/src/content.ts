/** What can be sent. */

/** Bytes that can be read from any place, as often as a broken line needs: a file, an object in a bucket. */
export interface ByteSource {
  readonly size: number
  /** From `begin` to before `end`. */
  stream(begin: number, end: number): ReadableStream<Uint8Array>
}

/** Browsers cannot send streams: for them it is a Blob (a `File` is one). */
export type Content = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ByteSource

/** Of a request; `duplex` is what the Fetch standard wants beside a stream, and no type knows yet. */
export interface Body {
  readonly body: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly duplex?: 'half'
}

export const sourceOf = (content: Content): Blob | ByteSource =>
  content instanceof ArrayBuffer || content instanceof Uint8Array ? new Blob([content]) : content

/** The file and what is asked for. `sent` hears how many bytes of the file have gone, where the runtime tells. */
export function formOf(source: Blob | ByteSource, name: string, wishes: object, sent: (bytes: number) => void): Body {
  const fields = Object.entries(wishes).filter(([, value]) => value !== undefined)
  if (source instanceof Blob) {
    const form = new FormData()
    for (const [field, value] of fields) form.append(field, String(value))
    form.append('file', source, name)
    return { body: form }
  }
  const boundary = `whittle-${crypto.randomUUID()}`
  const parts = fields.map(([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
  // RFC 7578 4.2 with the escapes of the WHATWG form encoding.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n`)
  const head = new TextEncoder().encode(`${parts.join('')}Content-Type: application/octet-stream\r\n\r\n`)
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`)
  return {
    body: joined(head, counted(source.stream(0, source.size), 0, sent), tail),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + source.size + tail.length),
    },
    duplex: 'half',
  }
}

/** A stretch of it alone. */
export function stretchOf(source: Blob | ByteSource, begin: number, end: number, sent: (bytes: number) => void): Body {
  if (source instanceof Blob) return { body: source.slice(begin, end) }
  return {
    body: counted(source.stream(begin, end), begin, sent),
    headers: { 'content-length': String(end - begin) },
    duplex: 'half',
  }
}

function counted(stream: ReadableStream<Uint8Array>, begin: number, sent: (bytes: number) => void): ReadableStream<Uint8Array> {
  let count = begin
  const meter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count += chunk.length
      sent(count)
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(meter)
}

function joined(head: Uint8Array, middle: ReadableStream<Uint8Array>, tail: Uint8Array): ReadableStream<Uint8Array> {
  const frame = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(head),
    flush: (controller) => controller.enqueue(tail),
  })
  return middle.pipeThrough(frame)
}
