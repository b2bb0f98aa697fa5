/** Parts that the doubles of S3 and Azure share. They answer requests in this process, and check each signature themselves. */

/** Bytes of a text in UTF-8. */
export const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text))

export interface StoredObject {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly modified: Date
  readonly headers: Readonly<Record<string, string>>
}

export abstract class BucketDouble {
  /** Objects by key. */
  readonly objects = new Map<string, StoredObject>()
  /** Requests in the order of their arrival, such as `PUT a/b.txt`. Lists have no key. */
  readonly requests: string[] = []
  /** Answers instead of the double. `undefined`: the double answers. */
  trouble: ((request: Request, key: string) => Response | undefined | Promise<Response | undefined>) | undefined
  /** False: the credentials were revoked. */
  isAuthorised = true

  /** Answers a request, as `fetch` does. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    const key = this.keyOf(new URL(url).pathname)
    this.requests.push(`${request.method} ${key}`.trim())
    const trouble = await this.trouble?.(request, key)
    if (trouble) return trouble
    const body = new Uint8Array(await request.arrayBuffer())
    if ((request.headers.get('content-length') ?? String(body.length)) !== String(body.length))
      return this.error(400, 'IncompleteBody', 'InvalidInput')
    const refused = this.isAuthorised
      ? await this.refuse(request, body.length)
      : this.error(403, 'InvalidAccessKeyId', 'AuthenticationFailed')
    if (refused) return refused
    return key === '' ? this.list(new URL(url).searchParams) : await this.answer(request, key, body)
  }

  /** Stores an object without a request. */
  async put(key: string, content: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Promise<StoredObject> {
    const bytes = typeof content === 'string' ? utf8(content) : content
    const etag = (await hexDigest(bytes)).slice(0, 32)
    const stored = { bytes, etag, modified: new Date(Math.floor(Date.now() / 1000) * 1000), headers }
    this.objects.set(key, stored)
    return stored
  }

  /** Key of a path. `''`: the path is that of the bucket. */
  protected abstract keyOf(pathname: string): string
  /** Checks signature and bucket. `undefined`: the request is allowed. */
  protected abstract refuse(request: Request, bytes: number): Promise<Response | undefined>
  protected abstract list(query: URLSearchParams): Response
  protected abstract error(status: number, s3Code: string, azureCode: string): Response

  /** Keys that begin with `prefix` and come after `after`, in order of their bytes. */
  protected page(prefix: string, after: string, limit: number): { keys: string[]; isTruncated: boolean } {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort(byBytes)
    const rest = after === '' ? keys : keys.filter((key) => byBytes(key, after) > 0)
    return { keys: rest.slice(0, limit), isTruncated: rest.length > limit }
  }

  protected async answer({ method, headers }: Request, key: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
    if (method === 'PUT') {
      const kept = [...headers].filter(([name]) => /^(x-ms-blob-)?content-(type|disposition)$/.test(name))
      const { etag } = await this.put(key, body, Object.fromEntries(kept))
      return new Response(null, { status: 200, headers: { etag: `"${etag}"` } })
    }
    const stored = this.objects.get(key)
    if (method === 'DELETE') return this.objects.delete(key) ? new Response(null, { status: 204 }) : this.missing()
    if (!stored) return method === 'HEAD' ? bodiless(this.missing()) : this.missing()
    const expected = headers.get('if-match')
    if (expected !== null && expected !== `"${stored.etag}"`) return this.error(412, 'PreconditionFailed', 'ConditionNotMet')
    return this.content(stored, method, headers.get('range'))
  }

  protected missing(): Response {
    return this.error(404, 'NoSuchKey', 'BlobNotFound')
  }

  private content({ bytes, etag, modified, headers: kept }: StoredObject, method: string, range: string | null): Response {
    const offset = range === null ? 0 : Number(/^bytes=(\d+)-$/.exec(range)?.[1])
    const headers = new Headers({ etag: `"${etag}"`, 'last-modified': modified.toUTCString(), ...kept })
    headers.set('content-length', String(bytes.length - offset))
    if (range !== null) headers.set('content-range', `bytes ${offset}-${bytes.length - 1}/${bytes.length}`)
    return new Response(method === 'HEAD' ? null : bytes.slice(offset), { status: range === null ? 200 : 206, headers })
  }
}

const bodiless = ({ status, headers }: Response) => new Response(null, { status, headers })

const byBytes = (a: string, b: string) => {
  const [first, second] = [a, b].map((text) => hex(utf8(text))) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}

export const hex = (bytes: ArrayBuffer | Uint8Array) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

export const hexDigest = async (content: string | Uint8Array<ArrayBuffer>) =>
  hex(await crypto.subtle.digest('SHA-256', typeof content === 'string' ? utf8(content) : content))

export async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(text)))
}

export const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
