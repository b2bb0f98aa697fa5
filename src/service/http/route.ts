/** Routes as data: the app serves them, and `/openapi.json` describes them. */
import type * as z from 'zod'
import type { ActionName } from '../store/audit.ts'
import type { Role } from '../store/people.ts'
import type { Access, AppContext } from './context.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with parameters in the syntax of OpenAPI: `/v1/tasks/{task_id}`. */
  readonly path: string
  /** True if the last parameter of the path may hold slashes. */
  readonly hasLongPath?: true
  readonly access: Access
  readonly handle: (c: AppContext) => Promise<Response>
  /** What a browser token may do here: begin a file, or continue with its own files and tasks. `undefined`: nothing. */
  readonly token?: 'file' | 'own'
  /** Schema of the query parameters. `undefined`: none are allowed. */
  readonly query?: z.ZodObject
  /** True for a POST without a body. DELETE never has one. */
  readonly bodyless?: true
  /** Lowest role for a console session. `undefined`: any signed-in person. */
  readonly role?: Role
  /** Action for the audit log, recorded after success. The answer of the route must be JSON or empty. */
  readonly audit?: ActionName
  /** Headers of every answer at this path, including errors. */
  readonly headers?: Readonly<Record<string, string>>
  /** Additional headers of the answer to OPTIONS. */
  readonly preflight?: Readonly<Record<string, string>>
  /** Documentation for OpenAPI. `undefined`: the route is not part of the documented API. */
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
  | 'Last-Event-ID'

export interface RouteDoc {
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** multipart/form-data: text fields, and the field name of files. */
  readonly form?: { readonly fields: z.ZodObject; readonly file: string; readonly several: boolean }
  /** Request headers that the route uses. */
  readonly headers?: readonly RequestHeader[]
  /** Schema of a JSON body that is not a form. */
  readonly json?: z.ZodType
  /** Media type of a body that is neither a form nor JSON. */
  readonly body?: string
  /** Kind of a successful answer: JSON schema; `binary`: file; `zip`: a ZIP; `picture`: picture; `html`: page; `events`: an event stream; `jws`: signed text or this JSON; `created` and `empty`: headers only. */
  readonly answer: z.ZodType | 'binary' | 'picture' | 'zip' | 'html' | 'json' | 'events' | 'created' | 'empty' | { readonly jws: z.ZodType }
  /** True if the answer can be the result itself (`response=file`). */
  readonly file?: true
  /** True if the answer can be an event stream. */
  readonly events?: true
  /** Error statuses, in addition to those of authentication. */
  readonly errors: readonly number[]
}

/** True if a route needs no key and no session. */
export const isOpen = (access: Access): access is 'public' | 'asset' => access === 'public' || access === 'asset'

export function json(body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  })
}
