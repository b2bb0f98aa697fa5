/** Error responses of the local reverse proxy itself, in the format of the API. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

export interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: string
  /** Reason in `error_detail`. `undefined`: none. */
  readonly reason?: string
}
export const DISK_FULL: Refusal = {
  status: 503,
  type: 'overloaded',
  message: 'The disk of this service is almost full, so it accepts no files now. Results can still be downloaded and deleted.',
  reason: 'disk_full',
}
export const BUSY: Refusal = {
  status: 503,
  type: 'overloaded',
  message: 'The service is busy right now; please try again in a few seconds.',
}
export const TOO_MANY_DOWNLOADS: Refusal = {
  status: 503,
  type: 'overloaded',
  message: 'Too many downloads are unfinished. Read those of this key or link to their end or close them, then try again.',
}
export const NOT_FOUND: Refusal = { status: 404, type: 'unknown_route', message: 'This path does not exist.' }
export const UNREADABLE: Refusal = { status: 400, type: 'malformed_request', message: 'The request is not readable HTTP.' }
const LONG_HEADERS: Refusal = { status: 431, type: 'malformed_request', message: 'The request line and headers are longer than 16 KB.' }
export const LATE: Refusal = { status: 408, type: 'malformed_request', message: 'The request did not come in time.' }

export function textOf({ status, type, message, reason }: Refusal, origin: string): { body: string; headers: Record<string, string> } {
  const id = `req_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const body = JSON.stringify({
    error: { code: status, message, request_id: id },
    error_detail: { type, ...(reason === undefined ? {} : { reason }), doc_url: `${origin}/docs#${type}` },
  })
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': id,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    ...(status === 503 ? { 'Retry-After': '5' } : {}),
  }
  return { body, headers }
}

/** Writes the error response by hand, because Node creates no response object for a request that it cannot parse. */
export function rejectUnparsed(error: NodeJS.ErrnoException, socket: Duplex, origin: string): Refusal | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return undefined
  }
  const refusal = error.code === 'HPE_HEADER_OVERFLOW' ? LONG_HEADERS : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? LATE : UNREADABLE
  const { body, headers } = textOf(refusal, origin)
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
  return refusal
}
