/** Resumable uploads of large files in chunks (tus 1.0.0). A network error or a restart of the service costs at most one chunk. */
import { type ByteSource, rangeBody } from './content.ts'
import { WhittleError } from './errors.ts'
import { RetryState, type Transport } from './transport.ts'

/** Files larger than this many bytes are sent in chunks. */
export const RESUMABLE_BYTES = 32 * 1024 * 1024
const CHUNK_BYTES = 16 * 1024 * 1024

/** Options of a resumable upload. */
export interface UploadOptions {
  readonly signal?: AbortSignal | undefined
  /** Path of an earlier upload, from `onUpload`. If it has expired, a new upload starts. */
  readonly resume?: string | undefined
  /** Called with the path of a new upload, so that another process can resume it. */
  readonly onUpload?: ((path: string) => void) | undefined
  /** Called with the number of bytes sent so far. */
  readonly onSent?: ((bytes: number) => void) | undefined
}

/** Uploads a file in chunks. @returns the id of the completed upload */
export async function upload(transport: Transport, source: Blob | ByteSource, name: string, options: UploadOptions): Promise<string> {
  let path = options.resume
  let offset = path === undefined ? undefined : await offsetOf(transport, path, options)
  if (path === undefined || offset === undefined) {
    path = await create(transport, source.size, name, options)
    options.onUpload?.(path)
    offset = 0
  }
  const retries = new RetryState()
  while (offset < source.size) {
    const next = await append(transport, source, { path, offset, retries }, options)
    if (next > offset) retries.reset()
    offset = next
  }
  return path.split('/').at(-1)!
}

async function create(transport: Transport, size: number, name: string, { signal }: UploadOptions): Promise<string> {
  const metadata = `filename ${btoa(Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join(''))}`
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': `${size}`, 'upload-metadata': metadata }
  const response = await transport.send('/v1/uploads', () => ({ method: 'POST', headers, signal: signal ?? null }))
  return new URL(response.headers.get('location')!, 'http://here').pathname
}

/** Bytes that the service has received. `undefined`: the upload has expired. */
async function offsetOf(transport: Transport, path: string, { signal }: UploadOptions): Promise<number | undefined> {
  const response = await transport.send(
    path,
    () => ({ method: 'HEAD', headers: { 'tus-resumable': '1.0.0' }, signal: signal ?? null }),
    [404, 410],
  )
  return response.ok ? Number(response.headers.get('upload-offset')) : undefined
}

interface UploadPosition {
  readonly path: string
  readonly offset: number
  readonly retries: RetryState
}

/** Sends one chunk. @returns the offset of the next chunk, as reported by the service */
async function append(
  transport: Transport,
  source: Blob | ByteSource,
  { path, offset, retries }: UploadPosition,
  options: UploadOptions,
): Promise<number> {
  const end = Math.min(source.size, offset + CHUNK_BYTES)
  const body = rangeBody(source, offset, end, options.onSent ?? (() => undefined))
  const headers = {
    ...body.headers,
    'tus-resumable': '1.0.0',
    'content-type': 'application/offset+octet-stream',
    'upload-offset': `${offset}`,
  }
  const response = await transport.attempt(path, { ...body, method: 'PATCH', headers, signal: options.signal ?? null }, retries, [409])
  if (response?.ok) {
    options.onSent?.(end)
    return Number(response.headers.get('upload-offset'))
  }
  // Ask the service how many bytes of the chunk it has received.
  await response?.body?.cancel()
  const received = await offsetOf(transport, path, options)
  if (received === undefined) throw new WhittleError('the upload has expired on the service; start a new upload')
  return received
}
