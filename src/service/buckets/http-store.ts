/** A bucket over HTTP, for services whose requests differ only in signatures, lists and the headers of a new object. */
import { bodyOf, etagOf, factsIn, rangeHeaders } from './answers.ts'
import { type BucketAccess, BucketClient, type BucketRequest, type Protocol } from './client.ts'
import { keyPath } from './encode.ts'
import {
  BucketError,
  type ListOptions,
  type ObjectBody,
  type ObjectFacts,
  type ObjectHeaders,
  type ObjectPage,
  type ObjectStore,
  type ReadRange,
} from './object-store.ts'

export interface StoreProtocol extends Protocol {
  /** Address of the bucket, without a slash at its end. */
  readonly address: string
  /** Address of a page of the list. */
  listUrl(prefix: string, options: ListOptions): string
  /** Reads a page of the list. @throws BucketError `malformed` */
  pageOf(text: string): ObjectPage
  /** Request headers that store an object. */
  writeHeaders(headers: ObjectHeaders): Readonly<Record<string, string>>
}

export class HttpStore implements ObjectStore {
  readonly #protocol: StoreProtocol
  readonly #client: BucketClient

  constructor(protocol: StoreProtocol, access: BucketAccess) {
    this.#protocol = protocol
    this.#client = new BucketClient(protocol, access)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ObjectPage> {
    const page = this.#protocol.pageOf(
      await this.#client.text({ method: 'GET', url: this.#protocol.listUrl(prefix, options), subject: 'bucket' }),
    )
    // A cursor that stays the same would make the caller read the same page for ever.
    if (page.next !== undefined && page.next === options.cursor) throw new BucketError('malformed')
    return page
  }

  async head(key: string): Promise<ObjectFacts | undefined> {
    const response = await unlessMissing(this.#client.open(this.#object('HEAD', key)))
    return response && factsIn(response.headers)
  }

  async read(key: string, range?: ReadRange): Promise<ObjectBody> {
    return bodyOf(await this.#client.open(this.#object('GET', key, rangeHeaders(range))), range)
  }

  async write(key: string, body: ReadableStream<Uint8Array>, size: number, headers: ObjectHeaders): Promise<{ readonly etag: string }> {
    const response = await this.#client.upload(this.#object('PUT', key, this.#protocol.writeHeaders(headers)), { stream: body, size })
    await response.body?.cancel()
    return { etag: etagOf(response.headers.get('etag')) }
  }

  async remove(key: string): Promise<void> {
    const response = await unlessMissing(this.#client.open(this.#object('DELETE', key)))
    await response?.body?.cancel()
  }

  #object(method: BucketRequest['method'], key: string, headers: Readonly<Record<string, string>> = {}): BucketRequest {
    return { method, url: `${this.#protocol.address}/${keyPath(key)}`, headers, subject: 'object' }
  }
}

/** Returns `undefined` instead of an error if the object does not exist. */
async function unlessMissing(answer: Promise<Response>): Promise<Response | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof BucketError && error.trouble === 'missing_object') return undefined
    throw error
  }
}
