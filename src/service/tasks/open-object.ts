/** Opens an object of a bucket as a source. After a broken connection it continues, as long as the object is still the same one. */
import { BucketError, type ObjectBody, type ObjectStore } from '../buckets/object-store.ts'
import type { Env } from '../env.ts'
import type { BucketObject } from '../store/sources.ts'
import { openNamedConnection } from './connections.ts'
import { bucketUnreachable, sourceUnreachable } from './source-trouble.ts'

/** Most times that a transfer continues after a broken connection. */
const MAX_RESUMES = 3

export interface OpenObject {
  /** Size in bytes. */
  readonly length: number
  readonly etag: string
  readonly body: ReadableStream<Uint8Array>
}

/**
 * @param signal ends the transfer
 * @throws ApiError `source_unreachable`
 * @throws the reason of `signal`
 */
export async function openObject(env: Env, accountId: string, { connection, key }: BucketObject, signal: AbortSignal): Promise<OpenObject> {
  try {
    const store = await openNamedConnection(env, { accountId, name: connection }, signal)
    const first = await store.read(key)
    return { length: first.size, etag: first.etag, body: new ResumedObject(store, key, first).stream(signal) }
  } catch (error) {
    throw asSourceError(error, signal)
  }
}

function asSourceError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  return error instanceof BucketError ? bucketUnreachable(error) : error
}

class ResumedObject {
  readonly #store: ObjectStore
  readonly #key: string
  readonly #facts: Pick<ObjectBody, 'size' | 'etag'>
  #reader: ReadableStreamDefaultReader<Uint8Array>
  #received = 0
  #resumes = 0

  constructor(store: ObjectStore, key: string, { body, size, etag }: ObjectBody) {
    this.#store = store
    this.#key = key
    this.#facts = { size, etag }
    this.#reader = body.getReader()
  }

  stream(signal: AbortSignal): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const chunk = await this.#next(signal)
            if (chunk) controller.enqueue(chunk)
            else controller.close()
          } catch (error) {
            throw asSourceError(error, signal)
          }
        },
        cancel: (reason) => this.#reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  /** Returns the next bytes. `undefined`: all were read. */
  async #next(signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { size, etag } = this.#facts
    for (;;) {
      const chunk = await this.#reader.read().then(
        ({ value }) => value,
        () => undefined,
      )
      signal.throwIfAborted()
      this.#received += chunk?.length ?? 0
      if (this.#received > size) throw new BucketError('malformed')
      if (chunk || this.#received === size) return chunk
      if (this.#resumes++ === MAX_RESUMES) throw sourceUnreachable('cut_off')
      const rest = await this.#store.read(this.#key, { offset: this.#received, etag })
      this.#reader = rest.body.getReader()
    }
  }
}
