/** HTTP client of the console. The session is an HttpOnly cookie; a required header protects against requests of other sites. */
import type { Receipt } from '../../site/src/model/protocol.ts'
import { addressOf, apiKey, base, forgetKey, mark, masked } from './connection.ts'

export interface Task {
  task_id: string
  status: 'pending' | 'processing' | 'completed' | 'failed'
  file_name: string
  format: string
  /** Level. `null`: the task has a target score. */
  quality: string | null
  target_score?: number
  created_at: string
  original_size: number
  progress?: number
  compressed_size?: number
  compression_ratio?: string
  output_name?: string
  output_format?: string
  expires_at?: string
  result?: Receipt['result']
  source?: { url?: string; connection?: string; key?: string }
  destination?: { url?: string; connection?: string; prefix?: string; key?: string }
  delivery?: { status: 'pending' | 'delivered' | 'failed'; attempts: number; last_status: number | null }
  error?: { message: string }
  error_detail?: ErrorDetail
}

/** Facts about an error. Their names depend on its type. */
export interface ErrorDetail {
  readonly type?: string
  readonly retry_after_seconds?: number
  /** Type `target_unreachable`: smallest size in bytes that keeps the quality floors. */
  readonly best_size?: number
  /** Type `unsupported_format`: name of the recognised type. */
  readonly detected?: string
  /** Type `invalid_parameter`: name of the field. */
  readonly param?: string
}

export interface Usage {
  month: string
  plan: string
  api_calls: number
  original_size: number
  compressed_size: number
  storage_used: number
  storage_quota: number
  cpu_seconds: number
  cpu_seconds_quota: number | null
  tasks_completed: number
  tasks_failed: number
  by_format: Record<string, { tasks: number; original_size: number; compressed_size: number }>
  by_day: { day: string; api_calls: number; tasks: number; original_size: number; compressed_size: number }[]
}

/** Requests of a month that counted for a key. Without a key: requests of the console. */
export interface CallsOfKey {
  key_id?: string
  masked?: string
  name?: string
  application?: string
  api_calls: number
}

export interface Key {
  key_id: string
  masked: string
  name?: string
  created_at: string
  plan: string
  scopes: string[]
  state: 'active' | 'disabled' | 'expired'
  disabled_by?: 'operator' | 'account'
  expires_at?: string
  last_used_at?: string
}

export interface Application {
  application_id: string
  name: string
  environment: string
  plan: string
  created_at: string
  keys: Key[]
}

export interface Delivery {
  kind: 'task' | 'destination' | 'alert' | 'test'
  task_id: string | null
  message_id: string
  url: string
  attempt: number
  at: string
  status: number
  ms: number
  error?: string
  answer?: string
}

/** Roles in ascending order. Each role includes the permissions of the roles before it. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]
export const isAtLeast = (role: Role, least: Role) => ROLES.indexOf(role) >= ROLES.indexOf(least)

/** An entry of the audit log. */
export interface Action {
  at: string
  by: { kind: 'operator' } | { kind: 'person'; user_id: string; name: string }
  action: string
  to?: string
  called?: string
  asked?: Record<string, unknown>
  request_id: string
}

export interface Person {
  user_id: string
  name: string
  role: Role
  you: boolean
  passkeys: { passkey_id: string; created_at?: string; last_used_at?: string }[]
  sessions: { session_id: string; created_at: string; expires_at: string; current: boolean }[]
}

export interface People {
  people: Person[]
  invitations: { invitation_id: string; name: string; role: Role; expires_at: string }[]
}

/** Signed-in person and their account. */
export interface Me {
  name: string
  role: Role
  account: { name: string; plan: string }
  /** True: signed in with an API key instead of a passkey. `name` is the masked key. */
  isKey?: true
  limits?: Limits
}

export interface Limits {
  max_file_bytes: number
  max_batch_files?: number
  /** Time in seconds for which results are kept. */
  retention_seconds?: number
  /** `null` or `undefined`: the number of requests is unlimited. */
  requests_per_minute?: number | null
  callbacks?: boolean
}

/** Error answer of the service, with its own message. Status 0: the service cannot be reached. */
export class Refusal extends Error {
  readonly status: number
  readonly detail: ErrorDetail
  constructor(status: number, message: string, detail: ErrorDetail = {}) {
    super(message)
    this.status = status
    this.detail = detail
  }
  /** Seconds until the next attempt, for status 429. */
  get retryAfterSeconds(): number | undefined {
    return this.detail.retry_after_seconds
  }
}

/** Event of the window when the session has ended. */
export const SIGNED_OUT = 'whittle-signed-out'

const UNREACHABLE = 'The service cannot be reached.'

export interface Said {
  error?: { message?: string }
  error_detail?: ErrorDetail
}

export function refused(status: number, said: Said | null): Refusal {
  if (status === 401) {
    forgetKey()
    dispatchEvent(new Event(SIGNED_OUT))
  }
  return new Refusal(status, said?.error?.message ?? `The service answered ${status}.`, said?.error_detail)
}

export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(addressOf(path), {
    method,
    headers: body ? { ...mark(), 'Content-Type': 'application/json' } : mark(),
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new Refusal(0, UNREACHABLE)
  })
  const said = (await answer.json().catch(() => ({}))) as T & Said
  if (!answer.ok) throw refused(answer.status, said)
  return said
}

/** Returns the signed-in person, or what the key of this tab may do. */
export async function whoAmI(): Promise<Me> {
  const key = apiKey()
  if (key === undefined) return call<Me>('GET', '/me')
  const { limits } = await call<{ limits: Limits & { plan: string } }>('GET', '/v1/formats')
  return { name: masked(key), role: 'member', isKey: true, account: { name: '', plan: limits.plan }, limits }
}

export const downloadUrl = (taskId: string) => `${base()}/v1/tasks/${taskId}/download`

/** Loads a file or an event stream of the API. @throws Refusal if the service refuses */
export async function load(path: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(`${base()}${path}`, { headers: mark(), signal: signal ?? null }).catch(() => {
    throw new Refusal(0, UNREACHABLE)
  })
  if (!answer.ok) throw refused(answer.status, (await answer.json().catch(() => null)) as Said | null)
  return answer
}

export const resultOf = async (task: Task): Promise<Blob> => (await load(`/v1/tasks/${task.task_id}/download`)).blob()

export interface ActiveUpload {
  /** Share of the bytes that were sent, 0 to 1. */
  readonly progress: (share: number) => void
  /** Cancels the upload. */
  readonly signal: AbortSignal
}

/** Uploads with XMLHttpRequest, because `fetch` reports no upload progress. */
export function upload(file: File, wishes: Readonly<Record<string, string>>, { progress, signal }: ActiveUpload): Promise<Task> {
  return new Promise((resolve, reject) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(wishes)) if (value) form.append(name, value)
    form.append('file', file)
    const request = new XMLHttpRequest()
    request.open('POST', `${base()}/v1/compress`)
    for (const [name, value] of Object.entries({ ...mark(), Prefer: 'respond-async' })) request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.onprogress = (event) => progress(event.loaded / event.total)
    request.onerror = () => reject(new Refusal(0, UNREACHABLE))
    signal.addEventListener('abort', () => {
      request.abort()
      reject(signal.reason as Error)
    })
    request.onload = () => {
      const said = request.response as (Task & Said) | null
      if (request.status === 200 && said) resolve(said)
      else reject(refused(request.status, said))
    }
    request.send(form)
  })
}

export const isOpen = (task: Task) => task.status === 'pending' || task.status === 'processing'
