/** Large files go up in chunks (tus 1.0.0): a line that breaks, or a service that is started again, costs one chunk at most. */
import { type ByteSource, stretchOf } from './content.ts'
import { WhittleError } from './errors.ts'
import { Patience, type Road } from './road.ts'

/** From this size on. */
export const RESUMABLE_BYTES = 32 * 1024 * 1024
const CHUNK_BYTES = 16 * 1024 * 1024

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined
  /** Path of an upload that had begun before, from `onUpload`; where the service has forgotten it, a new one begins. */
  readonly resume?: string | undefined
  /** Hears the path of the upload, for whoever goes on with it later. */
  readonly onUpload?: ((path: string) => void) | undefined
  /** Hears how many bytes have gone. */
  readonly onSent?: ((bytes: number) => void) | undefined
}

/** @returns the id of the upload, all of whose bytes are there */
export async function upload(road: Road, source: Blob | ByteSource, name: string, options: UploadOptions): Promise<string> {
  let path = options.resume
  let offset = path === undefined ? undefined : await offsetOf(road, path, options)
  if (path === undefined || offset === undefined) {
    path = await create(road, source.size, name, options)
    options.onUpload?.(path)
    offset = 0
  }
  const patience = new Patience()
  while (offset < source.size) {
    const next = await append(road, source, { path, offset, patience }, options)
    if (next > offset) patience.renew()
    offset = next
  }
  return path.split('/').at(-1)!
}

async function create(road: Road, size: number, name: string, { signal }: UploadOptions): Promise<string> {
  const metadata = `filename ${btoa(Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join(''))}`
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': `${size}`, 'upload-metadata': metadata }
  const answer = await road.send('/v1/uploads', () => ({ method: 'POST', headers, signal: signal ?? null }))
  return new URL(answer.headers.get('location')!, 'http://here').pathname
}

/** How far it has come; undefined: it is gone. */
async function offsetOf(road: Road, path: string, { signal }: UploadOptions): Promise<number | undefined> {
  const answer = await road.send(
    path,
    () => ({ method: 'HEAD', headers: { 'tus-resumable': '1.0.0' }, signal: signal ?? null }),
    [404, 410],
  )
  return answer.ok ? Number(answer.headers.get('upload-offset')) : undefined
}

interface Place {
  readonly path: string
  readonly offset: number
  readonly patience: Patience
}

/** @returns where the next chunk begins, whatever came of this one */
async function append(road: Road, source: Blob | ByteSource, { path, offset, patience }: Place, options: UploadOptions): Promise<number> {
  const end = Math.min(source.size, offset + CHUNK_BYTES)
  const stretch = stretchOf(source, offset, end, options.onSent ?? (() => undefined))
  const headers = {
    ...stretch.headers,
    'tus-resumable': '1.0.0',
    'content-type': 'application/offset+octet-stream',
    'upload-offset': `${offset}`,
  }
  const answer = await road.attempt(path, { ...stretch, method: 'PATCH', headers, signal: options.signal ?? null }, patience, [409])
  if (answer?.ok) {
    options.onSent?.(end)
    return Number(answer.headers.get('upload-offset'))
  }
  // What the service has of it, it knows itself.
  await answer?.body?.cancel()
  const now = await offsetOf(road, path, options)
  if (now === undefined) throw new WhittleError('the service has forgotten the upload; it must begin anew')
  return now
}
