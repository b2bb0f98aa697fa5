/** HTTP requests to the service, with retries after network errors and temporary refusals. */
import { errorOf, UnreachableError, type WhittleError } from './errors.ts'
import { Pace } from './pace.ts'

/** Options of the `Whittle` client. */
export interface ClientOptions {
  /** Origin of the service, for example `https://whittle.example.com`. */
  readonly baseUrl: string
  /** API key, `whl_…`. */
  readonly key: string
  /** Replacement for the global `fetch`: a service binding, a proxy or a test double. */
  readonly fetch?: typeof fetch
  /** Milliseconds in which a service that has responded before may fail to respond. Default: 120 000, enough for a restart. */
  readonly retryTimeoutMs?: number
  /** @deprecated Use `retryTimeoutMs`. Removed in the next version. */
  readonly patienceMs?: number
}

/** @deprecated Use `ClientOptions`. Removed in the next version. */
export type Settings = ClientOptions

const RETRY_TIMEOUT_MS = 120_000
/** Retry timeout in milliseconds for a service that has never responded. */
const FIRST_RETRY_TIMEOUT_MS = 6000
const MAX_PAUSE_MS = 5000
/** Most temporary refusals (429, 503 and similar) of one request. */
const MAX_REFUSALS = 10
/** Error codes that mean that no service listens at the address, or the name does not exist. */
const NO_SERVICE_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND'])

/** Failed attempts of one operation. */
export class RetryState {
  lastProgressMs = Date.now()
  refusals = 0

  /** Resets the state after progress. */
  reset(): void {
    this.lastProgressMs = Date.now()
    this.refusals = 0
  }
}

/** Sends requests to one service. */
export class Transport {
  readonly baseUrl: string
  readonly #options: ClientOptions
  /** True if the service has ever responded. Only then is a refused connection retried. */
  #hasResponded = false
  readonly #pace = new Pace()

  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '')
    this.#options = options
  }

  /**
   * Sends a request with retries. `init` is called for each attempt. `expected`: statuses besides 2xx that are no errors.
   * @throws ApiError if the service refuses the request
   * @throws UnreachableError if it does not respond
   */
  async send(path: string, init: () => RequestInit = () => ({}), expected: readonly number[] = []): Promise<Response> {
    const retries = new RetryState()
    for (;;) {
      const response = await this.attempt(path, init(), retries, expected)
      if (response) return response
    }
  }

  async json<T>(path: string, init?: () => RequestInit): Promise<T> {
    return (await (await this.send(path, init)).json()) as T
  }

  /**
   * Sends a request once.
   * @returns `undefined` if the request may be repeated now, after a pause
   * @throws ApiError if the service refuses the request
   * @throws UnreachableError if the retry timeout is over
   */
  async attempt(path: string, init: RequestInit, retries: RetryState, expected: readonly number[] = []): Promise<Response | undefined> {
    let response: Response
    await this.#turn(init.signal ?? undefined)
    try {
      response = await this.#fetch(path, init)
      this.#pace.end(response.headers.get('ratelimit'), Date.now())
    } catch (error) {
      this.#pace.end(null, Date.now())
      init.signal?.throwIfAborted()
      await this.pauseOrThrow(error, retries, init.signal ?? undefined)
      return undefined
    }
    this.#hasResponded = true
    if (response.ok || expected.includes(response.status)) return response
    const error = await errorOf(response)
    if (!error.isRetryable || ++retries.refusals >= MAX_REFUSALS) throw error
    await pause((error.retryAfterSeconds ?? 2) * 1000, init.signal ?? undefined)
    return undefined
  }

  /** Waits before the next attempt. @throws UnreachableError if another attempt is pointless */
  async pauseOrThrow(cause: unknown, retries: RetryState, signal?: AbortSignal): Promise<void> {
    const elapsedMs = Date.now() - retries.lastProgressMs
    const timeoutMs = this.#hasResponded
      ? (this.#options.retryTimeoutMs ?? this.#options.patienceMs ?? RETRY_TIMEOUT_MS)
      : FIRST_RETRY_TIMEOUT_MS
    if (elapsedMs > timeoutMs || (!this.#hasResponded && NO_SERVICE_CODES.has(codeOf(cause) ?? ''))) throw this.#unreachable(cause)
    await pause(Math.min(MAX_PAUSE_MS, 200 + elapsedMs / 4), signal)
  }

  /** Waits while the rate limit of the key is used up. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    for (let waitMs = this.#pace.begin(Date.now()); waitMs > 0; waitMs = this.#pace.begin(Date.now())) {
      signal?.throwIfAborted()
      await pause(waitMs, signal)
    }
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#options.key}` }
    const fetchFunction = this.#options.fetch ?? fetch
    return fetchFunction(this.baseUrl + path, { ...init, headers })
  }

  #unreachable(cause: unknown): WhittleError {
    const reason = cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause)
    return new UnreachableError(`${this.baseUrl} cannot be reached: ${reason}`, { cause })
  }
}

const codeOf = (error: unknown) => (error instanceof Error ? (error.cause as { code?: string } | undefined)?.code : undefined)

/** Waits. @throws the reason of `signal`, if it aborts meanwhile */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
