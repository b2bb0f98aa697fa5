/** Compression in one request: the response is the result itself, and the service keeps nothing. */
import { DamagedError } from './errors.ts'
import type { Task } from './types.ts'

/** Result of a request with `response=file` and `retention=0`. */
export interface DirectResult {
  readonly kind: 'file'
  readonly taskId: string
  readonly outcome: 'compressed' | 'unchanged'
  /** File name of the result. */
  readonly name: string
  readonly originalSize: number
  readonly size: number
  /** SHA-256 of the result in hex. */
  readonly sha256: string
  /** Signed receipt, a compact JWS. `undefined`: it is too long for a header, or the service does not sign. */
  readonly receipt: string | undefined
  /** The result. The service deletes it when the last byte is sent. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Task that takes longer than the service waits. Its result then remains for one download, at most an hour. */
export interface StillRunning {
  readonly kind: 'task'
  readonly task: Task
}

/** Fields of the request. */
export const DIRECT = { response: 'file', retention: 0 } as const

/** @throws DamagedError if a proxy has removed the headers of the service */
export async function directResultOf(response: Response, fallbackName: string): Promise<DirectResult | StillRunning> {
  if (response.status === 202) return { kind: 'task', task: (await response.json()) as Task }
  const { headers, body } = response
  const [taskId, digest] = [headers.get('whittle-task'), /sha-256=:([^:]+):/.exec(headers.get('repr-digest') ?? '')?.[1]]
  if (taskId === null || digest === undefined || !body) throw new DamagedError('the response has no result, or no digest of it')
  return {
    ...{ kind: 'file', taskId, body: body as DirectResult['body'], name: nameOf(headers) ?? fallbackName },
    outcome: headers.get('whittle-outcome') === 'unchanged' ? 'unchanged' : 'compressed',
    originalSize: Number(headers.get('whittle-original-size')),
    size: Number(headers.get('content-length')),
    sha256: Array.from(atob(digest), (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join(''),
    receipt: headers.get('whittle-receipt') ?? undefined,
  }
}

/** File name in `Content-Disposition` (RFC 6266). */
function nameOf(headers: Headers): string | undefined {
  const value = headers.get('content-disposition') ?? ''
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(value)?.[1]
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1')
}
