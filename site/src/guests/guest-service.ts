/** The service, for visitors without an account: makes tokens, sends files, follows their tasks, and checks their receipts. */

import { eventsOf } from '../../../packages/clients/typescript/src/event-stream.ts'
import { language, t } from '../language.ts'
import type { Answer, Compressed, Receipt, Settings } from '../model/protocol.ts'
import { sha256, verifiedPayload } from '../shared/signature.ts'

/** What guests may send. */
export interface GuestFacts {
  /** Largest file in bytes. */
  readonly maxBytes: number
  /** Seconds for which the service keeps files and results. */
  readonly keptSeconds: number
}

/** Refusal by the service, with its message in the language of the page. */
export class GuestRefused extends Error {
  /** HTTP status. 0: the service cannot be reached. */
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface GuestOptions {
  readonly signal: AbortSignal
  onStart(): void
  /** @param share share of the work that is done, 0 to 1 */
  onProgress(share: number): void
}

/** The fields of a task that the page reads. */
interface Task {
  readonly task_id: string
  readonly status: 'pending' | 'processing' | 'completed' | 'failed'
  readonly progress?: number
  readonly output_name?: string
  readonly error?: { readonly message: string; readonly code: number }
  readonly error_detail?: { readonly type: string; readonly best_size?: number }
}

interface Token {
  readonly text: string
  readonly expiresAt: number
  /** Files that it can still send. */
  left: number
}

/** Shown while a task waits or has just begun, so that the page no longer says that the file is being sent. */
const LEAST_SHARE = 0.01
/** Milliseconds before an ended stream is opened again. */
const PAUSE_MS = 1000

export class GuestService {
  #token: Token | undefined
  /** Ends when the file before has its result. Files go one after the other, as the service takes them. */
  #last: Promise<unknown> = Promise.resolve()

  /** Asks what guests may send. `null`: the service has no guests, or cannot be reached. */
  async facts(): Promise<GuestFacts | null> {
    const answer = await fetch('/guests').catch(() => undefined)
    if (!answer?.ok) return null
    const { guests } = (await answer.json()) as { guests: { max_bytes: number; kept_seconds: number } | null }
    return guests && { maxBytes: guests.max_bytes, keptSeconds: guests.kept_seconds }
  }

  /**
   * Sends a file and waits for its result.
   * @throws GuestRefused if the service refuses the file
   */
  compress(file: File, settings: Settings, options: GuestOptions): Promise<Answer> {
    const run = this.#last.then(() => {
      options.signal.throwIfAborted()
      options.onStart()
      return this.#compress(file, settings, options)
    })
    this.#last = run.catch(() => undefined)
    return run
  }

  async #compress(file: File, settings: Settings, { signal, onProgress }: GuestOptions): Promise<Answer> {
    const { task, token } = await this.#send(file, settings, signal)
    const call = new Caller(token.text, signal)
    const ended = await followed(call, task, (share) => onProgress(Math.max(LEAST_SHARE, share)))
    if (ended.status === 'completed') return resultOf(call, file, ended)
    const { type, best_size: bestSize } = ended.error_detail ?? {}
    if (type === 'target_unreachable' && bestSize !== undefined) return { type: 'unreachable', bestSize }
    throw new GuestRefused(ended.error?.code ?? 0, ended.error?.message ?? '')
  }

  /** Creates the task of a file. A token that no longer works is replaced once. */
  async #send(file: File, settings: Settings, signal: AbortSignal): Promise<{ task: Task; token: Token }> {
    for (let isFirst = true; ; isFirst = false) {
      const token = await this.#usableToken(signal)
      try {
        const task = await new Caller(token.text, signal).json<Task>('/v1/compress', {
          method: 'POST',
          headers: { Prefer: 'respond-async' },
          body: formOf(file, settings),
        })
        token.left--
        return { task, token }
      } catch (error) {
        if (!(error instanceof GuestRefused) || !isFirst || error.status !== 401) throw error
        this.#token = undefined
      }
    }
  }

  async #usableToken(signal: AbortSignal): Promise<Token> {
    if (this.#token && this.#token.left > 0 && this.#token.expiresAt > Date.now()) return this.#token
    const made = await new Caller(undefined, signal).json<{ token: string; expires_at: string; max_files: number }>('/guests', {
      method: 'POST',
    })
    this.#token = { text: made.token, expiresAt: Date.parse(made.expires_at), left: made.max_files }
    return this.#token
  }
}

/** Sends requests with one token. */
class Caller {
  readonly #token: string | undefined
  readonly #signal: AbortSignal

  constructor(token: string | undefined, signal: AbortSignal) {
    this.#token = token
    this.#signal = signal
  }

  /** @throws GuestRefused if the service refuses the request or cannot be reached */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('Accept-Language', language() === 'zh' ? 'zh-Hans' : 'en')
    if (this.#token !== undefined) headers.set('Authorization', `Bearer ${this.#token}`)
    const answer = await fetch(path, { ...init, headers, signal: this.#signal }).catch((error: unknown) => {
      this.#signal.throwIfAborted()
      throw new GuestRefused(0, error instanceof TypeError ? t('The service cannot be reached.') : String(error))
    })
    if (answer.ok) return answer
    const said = (await answer.json().catch(() => undefined)) as { error?: { message?: string } } | undefined
    throw new GuestRefused(answer.status, said?.error?.message ?? t('The service answered {status}.', { status: answer.status }))
  }

  async json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await (await this.fetch(path, init)).json()) as T
  }
}

function formOf(file: File, { quality, output, targetSize, metadata }: Settings): FormData {
  const form = new FormData()
  form.append('quality', quality)
  if (output !== undefined) form.append('format', output)
  if (targetSize !== undefined) form.append('target_size', String(targetSize))
  if (metadata !== 'keep') form.append('metadata', metadata)
  form.append('file', file)
  return form
}

const isOpen = ({ status }: Task) => status === 'pending' || status === 'processing'

/** Follows a task by its events until it ends. The service ends a stream after some minutes; then the page opens another. */
async function followed(call: Caller, started: Task, onProgress: (share: number) => void): Promise<Task> {
  const path = `/v1/tasks/${started.task_id}`
  let task = started
  while (isOpen(task)) {
    const { body } = await call.fetch(path, { headers: { Accept: 'text/event-stream' } })
    for await (const { name, data } of body ? eventsOf(body) : []) {
      const told = JSON.parse(data) as Task
      if (name === 'progress') onProgress(told.progress ?? 0)
      else if (name === 'completed' || name === 'failed') return told
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    task = await call.json<Task>(path)
  }
  return task
}

/** Receipt as the service signs it. */
type SignedReceipt = Receipt & { readonly iss: string; readonly task_id: string }

async function resultOf(call: Caller, file: File, task: Task): Promise<Compressed> {
  const path = `/v1/tasks/${task.task_id}`
  const receipt = await call.json<SignedReceipt>(`${path}/receipt?decoded=1`)
  const isSame = receipt.result.outcome === 'unchanged'
  const result = isSame ? file : await (await call.fetch(`${path}/download`)).blob()
  const signer = await signerOf(call, receipt, file, result).catch(() => undefined)
  return {
    ...{ type: 'compressed', result, name: task.output_name ?? file.name, receipt, usedMore: false },
    service: signer === undefined ? {} : { signer },
  }
}

/**
 * Host that signed the receipt, after its signature and the hashes of both files were checked here.
 * @throws Error if the receipt is not signed, or is about other files
 */
async function signerOf(call: Caller, receipt: SignedReceipt, file: File, result: Blob): Promise<string> {
  const jws = await (await call.fetch(`/v1/tasks/${receipt.task_id}/receipt`)).text()
  const signed = (await verifiedPayload(jws)) as SignedReceipt
  const [before, after] = await Promise.all([sha256(file), sha256(result)])
  if (JSON.stringify(signed) !== JSON.stringify(receipt)) throw new Error('the receipt says something else')
  if (signed.result.original_sha256 !== before || signed.result.sha256 !== after) throw new Error('the receipt is about other files')
  return new URL(signed.iss).host
}
