/** Types of content that can be sent, and request bodies made of it. */

/** Bytes that can be read repeatedly from any offset, for example a file or an object in a bucket. Retries read a range again. */
export interface ByteSource {
  readonly size: number
  /** Streams the bytes from `begin` to before `end`. */
  stream(begin: number, end: number): ReadableStream<Uint8Array>
}

/** Object in a bucket of the account. */
export interface BucketObject {
  /** Name of a connection of the account. */
  readonly connection: string
  readonly key: string
}

/**
 * Content to send. In browsers it must be a Blob (such as a `File`) or bytes, because browsers cannot send streams.
 * A `URL` and an object in a bucket are fetched by the service itself.
 */
export type Content = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ByteSource | URL | BucketObject

/** Body and headers of a request. The Fetch standard requires `duplex` for a stream body; TypeScript's types lack it. */
export interface Body {
  readonly body: NonNullable<RequestInit['body']>
  readonly headers?: Readonly<Record<string, string>>
  readonly duplex?: 'half'
}

/** True for content that the service fetches itself. A source of bytes may have a field `connection`, too. */
export const isFetched = (content: Content): content is URL | BucketObject =>
  content instanceof URL || ('connection' in content && !('stream' in content))

/** Field of the API that names such content. */
export const fieldOf = (content: URL | BucketObject) =>
  content instanceof URL ? { url: content.href } : { source: { connection: content.connection, key: content.key } }

export const sourceOf = (content: Exclude<Content, URL | BucketObject>): Blob | ByteSource =>
  content instanceof ArrayBuffer || content instanceof Uint8Array ? new Blob([content]) : content

/** Form with the options and the file. `sent` is called with the number of bytes sent so far, if the runtime reports it. */
export function formOf(source: Blob | ByteSource, name: string, options: object, sent: (bytes: number) => void): Body {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const)
  if (source instanceof Blob) {
    const form = new FormData()
    for (const [field, value] of fields) form.append(field, value)
    form.append('file', source, name)
    return { body: form }
  }
  const boundary = `whittle-${crypto.randomUUID()}`
  const parts = fields.map(([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
  // File name escapes of RFC 7578 section 4.2 and the WHATWG form encoding.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n`)
  const head = new TextEncoder().encode(`${parts.join('')}Content-Type: application/octet-stream\r\n\r\n`)
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`)
  return {
    body: concatenate(head, withCounter(source.stream(0, source.size), 0, sent), tail),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + source.size + tail.length),
    },
    duplex: 'half',
  }
}

/** Body with the bytes from `begin` to before `end`. */
export function rangeBody(source: Blob | ByteSource, begin: number, end: number, sent: (bytes: number) => void): Body {
  if (source instanceof Blob) return { body: source.slice(begin, end) }
  return {
    body: withCounter(source.stream(begin, end), begin, sent),
    headers: { 'content-length': String(end - begin) },
    duplex: 'half',
  }
}

function withCounter(stream: ReadableStream<Uint8Array>, begin: number, sent: (bytes: number) => void): ReadableStream<Uint8Array> {
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

function concatenate(head: Uint8Array, middle: ReadableStream<Uint8Array>, tail: Uint8Array): ReadableStream<Uint8Array> {
  const frame = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(head),
    flush: (controller) => controller.enqueue(tail),
  })
  return middle.pipeThrough(frame)
}
