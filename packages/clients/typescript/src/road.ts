/** The way to the service and back: lines break, services are busy or started again, and both pass. */
import { errorOf, UnreachableError, type WhittleError } from './errors.ts'

export interface Settings {
  /** `https://…`, without a path. */
  readonly baseUrl: string
  /** `whl_…` */
  readonly key: string
  /** Another `fetch` than the runtime's: a service binding, a proxy, a test. */
  readonly fetch?: typeof fetch
  /** How long a service that has answered before may be silent; default 120 000: as long as it takes to be started again. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 120_000
/** For a service that never answered. */
const FIRST_PATIENCE_MS = 6000
const LONGEST_PAUSE_MS = 5000
/** Refusals that pass: 429, 503 and their like. */
const MAX_REFUSALS = 10
/** No service listens at this address, or it has no address. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND'])

/** How often one thing was tried in vain. */
export class Patience {
  silentSinceMs = Date.now()
  refusals = 0

  /** It goes on. */
  renew(): void {
    this.silentSinceMs = Date.now()
    this.refusals = 0
  }
}

export class Road {
  readonly baseUrl: string
  readonly #settings: Settings
  /** Whether the service ever answered: one that did is waited for, an address where nobody listens is told at once. */
  #reached = false

  constructor(settings: Settings) {
    this.baseUrl = settings.baseUrl.replace(/\/+$/, '')
    this.#settings = settings
  }

  /** Tries until the service takes it, or refuses for good. `init` is called for each try. */
  async send(path: string, init: () => RequestInit = () => ({}), expected: readonly number[] = []): Promise<Response> {
    const patience = new Patience()
    for (;;) {
      const answer = await this.attempt(path, init(), patience, expected)
      if (answer) return answer
    }
  }

  async json<T>(path: string, init?: () => RequestInit): Promise<T> {
    return (await (await this.send(path, init)).json()) as T
  }

  /**
   * One try.
   * @returns undefined: it is worth another one, and the time for it has come
   * @throws ApiError where it is refused, UnreachableError where nobody answers
   */
  async attempt(path: string, init: RequestInit, patience: Patience, expected: readonly number[] = []): Promise<Response | undefined> {
    let answer: Response
    try {
      answer = await this.#ask(path, init)
    } catch (error) {
      init.signal?.throwIfAborted()
      await this.lost(error, patience, init.signal ?? undefined)
      return undefined
    }
    this.#reached = true
    if (answer.ok || expected.includes(answer.status)) return answer
    const error = await errorOf(answer)
    if (!error.isPassing || ++patience.refusals >= MAX_REFUSALS) throw error
    await pause((error.retryAfterSeconds ?? 2) * 1000, init.signal ?? undefined)
    return undefined
  }

  /** Waits before the next try. @throws UnreachableError where there is no use in one */
  async lost(cause: unknown, patience: Patience, signal?: AbortSignal): Promise<void> {
    const silenceMs = Date.now() - patience.silentSinceMs
    const patienceMs = this.#reached ? (this.#settings.patienceMs ?? PATIENCE_MS) : FIRST_PATIENCE_MS
    if (silenceMs > patienceMs || (!this.#reached && NOBODY.has(codeOf(cause) ?? ''))) throw this.#unreachable(cause)
    await pause(Math.min(LONGEST_PAUSE_MS, 200 + silenceMs / 4), signal)
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#settings.key}` }
    const ask = this.#settings.fetch ?? fetch
    return ask(this.baseUrl + path, { ...init, headers })
  }

  #unreachable(cause: unknown): WhittleError {
    const reason = cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause)
    return new UnreachableError(`${this.baseUrl} cannot be reached: ${reason}`, { cause })
  }
}

const codeOf = (error: unknown) => (error instanceof Error ? (error.cause as { code?: string } | undefined)?.code : undefined)

function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
