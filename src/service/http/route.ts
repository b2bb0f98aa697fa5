/** A route as data: the app serves it, `/openapi.json` describes it. */
import type * as z from 'zod'
import type { ActionName } from '../store/audit.ts'
import type { Role } from '../store/people.ts'
import type { Access, AppContext } from './context.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** OpenAPI's way: `/v1/tasks/{task_id}`. */
  readonly path: string
  readonly access: Access
  readonly handle: (c: AppContext) => Promise<Response>
  /** Parameters of the query, where it takes any. */
  readonly query?: z.ZodObject
  /** A POST without a body; no DELETE has one. */
  readonly bodyless?: true
  /** Of a session: what somebody must be at least. Absent: anybody who is signed in. */
  readonly role?: Role
  /** What the account notes when it succeeded; its answer is JSON. */
  readonly audit?: ActionName
  /** On every answer at this path, refusals as well. */
  readonly headers?: Readonly<Record<string, string>>
  /** What OPTIONS tells beside the methods. */
  readonly preflight?: Readonly<Record<string, string>>
  /** Absent: not part of the documented API. */
  readonly doc?: RouteDoc
}

export type RequestHeader =
  | 'Prefer'
  | 'Idempotency-Key'
  | 'Range'
  | 'If-Match'
  | 'If-None-Match'
  | 'If-Range'
  | 'Tus-Resumable'
  | 'Upload-Length'
  | 'Upload-Offset'
  | 'Upload-Metadata'
  | 'Upload-Checksum'

export interface RouteDoc {
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** multipart/form-data: text fields, and the name under which files come. */
  readonly form?: { readonly fields: z.ZodObject; readonly file: string; readonly several: boolean }
  /** Request headers that mean something here. */
  readonly headers?: readonly RequestHeader[]
  /** Media type of a body that is neither a form nor JSON. */
  readonly body?: string
  /** JSON of a 200; 'binary' for file bytes, 'html' for pages; `jws`: signed text, or this JSON; 'created' and 'empty' for what stands in headers alone. */
  readonly answer: z.ZodType | 'binary' | 'html' | 'json' | 'created' | 'empty' | { readonly jws: z.ZodType }
  /** Statuses of errors, beside those of authentication. */
  readonly errors: readonly number[]
}

export function json(body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  })
}
