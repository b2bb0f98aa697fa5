/** Requests to a bucket: signed, with a time limit until the answer, retries with pauses, and errors of one kind. */
import { jittered } from '../store/retry.ts'
import { readText } from './bounded-text.ts'
import { feed } from './feed.ts'
import { BucketError, type BucketTrouble } from './object-store.ts'
import { readXml } from './xml.ts'

/** Longest time in milliseconds until a bucket answers a request without a body, and of a whole answer in XML. */
export const ANSWER_MS = 60_000
/** Pauses before the 2nd, 3rd and 4th try in milliseconds. They vary at random by half. */
const PAUSES_MS = [200, 1000, 4000] as const
/** Longest pause in milliseconds that a server can demand with `Retry-After`. */
const MAX_PAUSE_MS = 10_000
/** Most bytes of an answer with a list, and of one with an error. */
const MAX_LIST_BYTES = 4 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

export interface BucketAccess {
  /** Sends a request. The address of the bucket has passed the guard of outgoing addresses, which also judges the connection. */
  readonly send: (url: string, request: RequestInit) => Promise<Response>
  /** Ends all requests and transfers. */
  readonly signal: AbortSignal
  /** Pauses before the 2nd, 3rd, … try of a request in milliseconds. Default: `PAUSES_MS`. */
  readonly pausesMs?: readonly number[]
}

export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  readonly url: string
  /** Headers with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** What a status of 404 without an error code means. */
  readonly subject: 'bucket' | 'object'
}

export interface SignedRequest {
  readonly url: string
  readonly headers: Headers
}

export interface Upload {
  readonly stream: ReadableStream<Uint8Array>
  /** Exact number of bytes. */
  readonly size: number
}

/** How a service signs requests and names its errors. */
export interface Protocol {
  /** Returns the request as it is sent. The signature covers the time, so each try has its own. */
  sign(request: BucketRequest, bytes: number): Promise<SignedRequest>
  /** Kinds of trouble by error code. */
  readonly troubles: Readonly<Record<string, BucketTrouble>>
  /** Response header with the error code, for answers without a body. `undefined`: there is none. */
  readonly codeHeader?: string
}

export class BucketClient {
  readonly #protocol: Protocol
  readonly #access: BucketAccess

  constructor(protocol: Protocol, access: BucketAccess) {
    this.#protocol = protocol
    this.#access = access
  }

  /** Sends a request until it succeeds. The caller reads the body. @throws BucketError */
  open(request: BucketRequest): Promise<Response> {
    return this.#retried(() => this.#within((signal) => this.#ask(request, signal)))
  }

  /** Returns the text of a successful answer. @throws BucketError */
  text(request: BucketRequest): Promise<string> {
    return this.#retried(() => this.#within(async (signal) => readText(await this.#ask(request, signal), MAX_LIST_BYTES)))
  }

  /** Sends a body by one request. Only the signal of the store limits its time. @throws BucketError */
  async upload(request: BucketRequest, { stream, size }: Upload): Promise<Response> {
    const { signal } = this.#access
    // The stream of known length makes the request carry a Content-Length.
    const { readable, writable } = new FixedLengthStream(size)
    const stop = new AbortController()
    const pumped = feed(stream, writable, AbortSignal.any([signal, stop.signal])).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    try {
      const response = await this.#caught(signal, () => this.#ask(request, signal, { stream: readable, size }))
      // A server that answers early has the object only when it has taken all bytes.
      const failure = await pumped
      if (failure) throw failure.error
      return response
    } finally {
      stop.abort()
      await pumped
    }
  }

  /** Runs one try, which ends when the answer does not begin, or for texts does not end, in time. */
  async #within<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new BucketError('unreachable')), ANSWER_MS)
    try {
      return await this.#caught(late.signal, () => work(AbortSignal.any([this.#access.signal, late.signal])))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Converts the errors of connections. The reason of an aborted signal goes first. */
  async #caught<Answer>(limit: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work()
    } catch (error) {
      this.#access.signal.throwIfAborted()
      limit.throwIfAborted()
      throw error instanceof BucketError ? error : new BucketError('unreachable')
    }
  }

  async #retried<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const { pausesMs = PAUSES_MS, signal } = this.#access
    for (let tries = 0; ; tries++) {
      try {
        return await work()
      } catch (error) {
        const pauseMs = pausesMs[tries]
        if (!(error instanceof BucketError) || !error.isPassing || pauseMs === undefined) throw error
        await pause(Math.max(jittered(pauseMs), demandedPauseMs(error)), signal)
      }
    }
  }

  /** @throws BucketError if the answer is no success */
  async #ask(request: BucketRequest, signal: AbortSignal, upload?: Upload): Promise<Response> {
    const { url, headers } = await this.#protocol.sign(request, upload?.size ?? 0)
    // Not part of the signature, because networks between may change it.
    headers.set('accept-encoding', 'identity')
    headers.set('user-agent', 'Whittle-Buckets/1.0')
    const response = await this.#access.send(url, {
      method: request.method,
      redirect: 'manual',
      signal,
      headers,
      ...(upload === undefined ? {} : { body: upload.size === 0 ? new Uint8Array(0) : upload.stream }),
    })
    if (response.ok) return response
    throw await this.#errorOf(request, response)
  }

  async #errorOf({ subject }: BucketRequest, response: Response): Promise<BucketError> {
    const { status, headers } = response
    const code = codeIn(await readText(response, MAX_ERROR_BYTES).catch(() => '')) ?? wordOf(headers.get(this.#protocol.codeHeader ?? ''))
    const known = code !== undefined && Object.hasOwn(this.#protocol.troubles, code) ? this.#protocol.troubles[code] : undefined
    return new BucketError(known ?? troubleOf(status, subject), { status, code, retryAfterMs: retryAfterMs(headers) })
  }
}

function troubleOf(status: number, subject: BucketRequest['subject']): BucketTrouble {
  if (status === 401 || status === 403) return 'unauthorised'
  if (status === 404) return subject === 'bucket' ? 'missing_bucket' : 'missing_object'
  if (status === 412) return 'changed'
  return status === 429 || status >= 500 ? 'busy' : 'refused'
}

/** Error code in the body of an answer. Both protocols write `<Error><Code>`. */
function codeIn(text: string): string | undefined {
  try {
    return wordOf(readXml(text, { facts: ['Error/Code'] }).facts.get('Error/Code') ?? null)
  } catch {
    return undefined
  }
}

const wordOf = (text: string | null) => (text !== null && /^[A-Za-z0-9]{1,64}$/.test(text) ? text : undefined)

/** Pause that a header demands, in milliseconds. Dates are not supported. */
function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after')
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : 0
}

const demandedPauseMs = ({ retryAfterMs: demandedMs }: BucketError) => Math.min(demandedMs, MAX_PAUSE_MS)

/** Waits. @throws the reason of `signal` when it aborts */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
