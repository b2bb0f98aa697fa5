/** Sends tus requests for one account member. */
import { call, type Member } from './client.ts'

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
export const idOf = (answer: Response) => answer.headers.get('Location')!.split('/').at(-1)!

export class Tus {
  readonly #who: Member
  constructor(who: Member) {
    this.#who = who
  }

  request(method: string, path: string, headers: Record<string, string>, body?: BodyInit): Promise<Response> {
    const init: RequestInit = { method, headers: { 'Tus-Resumable': '1.0.0', ...headers }, ...(body === undefined ? {} : { body }) }
    if (body instanceof ReadableStream) Object.assign(init, { duplex: 'half' })
    return call(this.#who, `/v1/uploads${path}`, init)
  }

  create(size: number | string, metadata: Record<string, string> = {}, headers: Record<string, string> = {}, body?: BodyInit) {
    const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${base64(value)}`)
    const chunk: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/offset+octet-stream' }
    return this.request('POST', '', { 'Upload-Length': String(size), 'Upload-Metadata': pairs.join(','), ...chunk, ...headers }, body)
  }

  /** Creates an upload and returns its id. */
  async begun(size: number, metadata: Record<string, string> = { filename: 'a.txt' }): Promise<string> {
    const answer = await this.create(size, metadata)
    if (answer.status !== 201) throw new Error(await answer.text())
    return idOf(answer)
  }

  patch(id: string, offset: number | string, body: BodyInit, headers: Record<string, string> = {}) {
    const own = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) }
    return this.request('PATCH', `/${id}`, { ...own, ...headers }, body)
  }

  head = (id: string) => this.request('HEAD', `/${id}`, {})
  remove = (id: string) => this.request('DELETE', `/${id}`, {})

  async offset(id: string): Promise<number> {
    return Number((await this.head(id)).headers.get('Upload-Offset'))
  }

  /** Uploads all bytes in chunks of `chunkBytes` and returns the upload id. */
  async whole(bytes: Uint8Array<ArrayBuffer>, metadata?: Record<string, string>, chunkBytes = bytes.length): Promise<string> {
    const id = await this.begun(bytes.length, metadata)
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const answer = await this.patch(id, at, bytes.slice(at, at + chunkBytes))
      if (answer.status !== 204) throw new Error(await answer.text())
    }
    return id
  }
}

/** Body that ends early, after these bytes. */
export function cutAfter(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = false
  return new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new Error('the line broke'))
      sent = true
      controller.enqueue(bytes)
    },
  })
}
