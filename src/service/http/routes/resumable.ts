/** /v1/uploads: resumable uploads (tus 1.0.0). */
import { apiMessage } from '../../i18n/message.ts'
import { newId } from '../../store/ids.ts'
import { PLANS } from '../../store/plans.ts'
import { regionOf } from '../../store/regions.ts'
import { ChecksumMismatch, ChunkWriter, finishUpload, UploadLockLost, uploadBufferBytes } from '../../store/resumable.ts'
import type { UploadRecordApi, UploadState } from '../../store/upload-records.ts'
import { ApiError, invalidParameter } from '../../tasks/api-error.ts'
import { chunkReaderOf } from '../../tasks/body-stream.ts'
import { cleanFileName } from '../../tasks/file-name.ts'
import { presetFor, presetOptions } from '../../tasks/presets.ts'
import { createTaskOfUpload, createUpload, UPLOAD_LIFETIME_MS, unknownUpload, uploadRecord } from '../../tasks/resumable.ts'
import { checkCallback } from '../../tasks/submit.ts'
import { checkTokenField, tokenRefusal } from '../../tasks/token-rules.ts'
import { type UploadPlace, withUploadMemory } from '../../tasks/upload-memory.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { malformed } from '../multipart-disposition.ts'
import { json, type Route } from '../route.ts'
import { parseUploadOptions } from '../schemas/requests.ts'
import { upload as uploadShape } from '../schemas/tasks.ts'
import {
  CHUNK_TYPE,
  contentLength,
  isChunk,
  parseChecksum,
  parseMetadata,
  requireVersion,
  TUS_FACTS,
  TUS_HEADERS,
  wholeNumber,
} from '../tus.ts'

const READ_BYTES = 256 * 1024
const PATH = '/v1/uploads'
const ONE = '/v1/uploads/{upload_id}'
const common = { access: 'compress', token: 'own', headers: TUS_HEADERS, preflight: TUS_FACTS } as const

export const createUploadRoute: Route = {
  ...common,
  token: 'file',
  method: 'POST',
  path: PATH,
  async handle(c) {
    requireVersion(c)
    const made = await create(c)
    const headers = { Location: `${baseUrl(c)}${c.get('url').pathname.replace(/\/$/, '')}/${made.uploadId}` }
    // An upload of 0 bytes is complete at once.
    if (!isChunk(c)) return answer(201, await settle(c, c.env.UPLOADS.getByName(made.uploadId), made), headers)
    try {
      return answer(201, await append(c, made.uploadId, 0), headers)
    } catch (error) {
      // The client has no address to continue with after a refusal here, so the upload is removed.
      await c.env.UPLOADS.getByName(made.uploadId).remove()
      throw error
    }
  },
  doc: {
    id: 'createUpload',
    summary: 'Begin a resumable upload (tus 1.0.0)',
    description:
      'Works with any tus client. `Upload-Metadata` accepts `filename`, `filetype`, and the fields of `/v1/compress`: `quality`, `format`, `password`, `target_size`, `target_score`, `max_width`, `max_height`, `dpi`, `effort`, `metadata`, `usage_rights`, `callback_url`, `preset`; with `compress`, the task starts automatically after the last byte. The body may contain the first bytes. Unfinished uploads are deleted after 24 hours and count towards the storage until then.',
    headers: ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Checksum'],
    answer: 'created',
    errors: [400, 403, 412, 460],
  },
}

export const getUploadRoute: Route = {
  ...common,
  method: 'GET',
  path: ONE,
  async handle(c) {
    if (c.req.method === 'HEAD') requireVersion(c)
    const { record, upload } = await ownUpload(c)
    const now = await settle(c, record, upload)
    return json(view(now), { ...headersOf(now), 'Upload-Length': String(now.size), 'Upload-Metadata': now.metadata })
  },
  doc: {
    id: 'getUpload',
    summary: 'Progress of an upload',
    description: 'HEAD returns the same in tus headers such as `Upload-Offset`. The password in the metadata is never shown.',
    headers: ['Tus-Resumable'],
    answer: uploadShape,
    errors: [404, 412],
  },
}

export const patchUploadRoute: Route = {
  ...common,
  method: 'PATCH',
  path: ONE,
  async handle(c) {
    requireVersion(c)
    if (!isChunk(c)) throw malformed(apiMessage('content_type_must_be', { type: CHUNK_TYPE }))
    return answer(204, await append(c, c.req.param('upload_id') ?? '', wholeNumber(c, 'Upload-Offset')))
  },
  doc: {
    id: 'appendToUpload',
    summary: 'Send the next chunk of an upload',
    description:
      'A chunk has 1 byte to `max_body_bytes` of `/v1/formats`. If the connection ends, the received part of the chunk is kept, unless the chunk has a checksum. If the metadata has `compress`, the answer to the last chunk has the header `Whittle-Task`.',
    headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Checksum'],
    body: CHUNK_TYPE,
    answer: 'empty',
    errors: [400, 404, 409, 412, 460],
  },
}

export const deleteUploadRoute: Route = {
  ...common,
  method: 'DELETE',
  path: ONE,
  async handle(c) {
    requireVersion(c)
    const { record, upload } = await ownUpload(c)
    if (!(await record.remove())) throw unknownUpload(upload.uploadId)
    return new Response(null, { status: 204 })
  },
  doc: {
    id: 'deleteUpload',
    summary: 'Cancel an upload',
    description: 'The bytes are deleted before the answer. A task that uses the upload is kept.',
    headers: ['Tus-Resumable'],
    answer: 'empty',
    errors: [404, 412],
  },
}

const BY_METHOD: Readonly<Record<string, Route>> = { HEAD: getUploadRoute, PATCH: patchUploadRoute, DELETE: deleteUploadRoute }

/** POST with `X-HTTP-Method-Override`, for clients that cannot send other methods (tus 1.0.0). */
export const overrideUploadRoute: Route = {
  ...common,
  method: 'POST',
  path: ONE,
  async handle(c) {
    const wanted = c.req.header('X-HTTP-Method-Override')?.toUpperCase() ?? ''
    const route = BY_METHOD[wanted]
    if (!route) throw new ApiError('method_not_allowed', 'post_only_as_override', {}, { Allow: 'GET, HEAD, PATCH, DELETE, OPTIONS' })
    return route.handle(c)
  },
}

async function create(c: AppContext): Promise<UploadState> {
  for (const name of ['Upload-Defer-Length', 'Upload-Concat']) {
    if (c.req.header(name) !== undefined) throw invalidParameter(name, apiMessage('tus_extension_not_spoken', { name }))
  }
  const size = wholeNumber(c, 'Upload-Length')
  const { values, shown } = parseMetadata(c.req.header('Upload-Metadata'), 'password')
  const { password, compress, presetName, ...wishes } = parseUploadOptions(values)
  const { accountId, plan } = c.get('key')
  const token = c.get('token')
  if (token?.isGuest) throw tokenRefusal('request', 'guests_send_whole_files')
  if (token) for (const [name, value] of values) checkTokenField(token, name, value)
  const found = presetName === undefined ? undefined : await presetOptions(c.env, accountId, presetName)
  const preset = found && presetFor(found, wishes, { plan: PLANS[plan], several: false })
  const callbackUrl = wishes.callbackUrl === undefined ? undefined : checkCallback(c.env, PLANS[plan], wishes.callbackUrl)
  if (!isChunk(c) && (contentLength(c) ?? 0) > 0) throw malformed(apiMessage('body_needs_content_type', { type: CHUNK_TYPE }))
  const createdAt = Date.now()
  const upload = {
    uploadId: newId('upl', regionOf(accountId)),
    accountId,
    plan,
    size,
    fileName: cleanFileName(values.get('filename') ?? values.get('name') ?? ''),
    metadata: shown,
    wishes: {
      ...wishes,
      ...(callbackUrl === undefined ? {} : { callbackUrl }),
      ...(preset ? { preset } : {}),
      ...(token?.quality === undefined ? {} : { quality: token.quality }),
    },
    compress,
    createdAt,
    expiresAt: createdAt + UPLOAD_LIFETIME_MS,
    baseUrl: baseUrl(c),
    requestId: c.get('requestId'),
    ...(c.get('traceparent') === undefined ? {} : { traceparent: c.get('traceparent')! }),
    ...(token === undefined ? {} : { token }),
  }
  return createUpload(c.env, upload, password)
}

/** Returns the caller's own upload. For uploads of other accounts, or of others than the caller's token, the answer is "not found". */
async function ownUpload(c: AppContext): Promise<{ record: UploadRecordApi; upload: UploadState }> {
  const id = c.req.param('upload_id') ?? ''
  const record = uploadRecord(c.env, id)
  const upload = await record.read()
  if (!upload || upload.accountId !== c.get('key').accountId) throw unknownUpload(id)
  const token = c.get('token')
  if (token && upload.token?.id !== token.id) throw unknownUpload(id)
  return { record, upload }
}

/** Stores the body of the request after `offset`. */
async function append(c: AppContext, id: string, offset: number): Promise<UploadState> {
  const checksum = parseChecksum(c.req.header('Upload-Checksum'))
  const record = uploadRecord(c.env, id)
  // `open` takes the write lock of the upload, so a token is checked before.
  if (c.get('token')) await ownUpload(c)
  const { upload, turn } = await opened(c, record, id, offset)
  const left = upload.size - offset
  const most = contentLength(c) ?? left
  if (most > left) throw beyond(left)
  try {
    await withUploadMemory({ accountId: upload.accountId, bytes: uploadBufferBytes(upload, most) }, async (place) => {
      using writer = new ChunkWriter({ bucket: c.env.BLOBS, record, lock: turn, upload, maxBytes: most, ...(checksum ? { checksum } : {}) })
      const failure = await pump(c.req.raw, writer, upload.size, place)
      const isCut = failure !== undefined || writer.offset - offset < (contentLength(c) ?? 0)
      const kept = writer.end(isCut)
      // The sender was too slow, so it learns that, and not that the cut chunk does not match its checksum.
      if (failure instanceof ApiError)
        throw await kept.then(
          () => failure,
          () => failure,
        )
      await kept
      if (isCut) throw malformed('it_breaks_off')
    })
  } catch (error) {
    if (error instanceof UploadLockLost) throw mismatch(id, (await record.read())?.offset)
    if (error instanceof ChecksumMismatch)
      throw new ApiError('checksum_mismatch', apiMessage('chunk_not_kept', { why: apiMessage('other_bytes_came') }), { offset })
    throw error
  }
  const now = await record.read()
  if (!now) throw unknownUpload(id)
  return settle(c, record, now)
}

async function opened(c: AppContext, record: UploadRecordApi, id: string, offset: number) {
  const known = await record.open(c.get('key').accountId, offset)
  if (known.kind === 'unknown') throw unknownUpload(id)
  if (known.kind === 'elsewhere') throw mismatch(id, known.offset)
  return known
}

function mismatch(id: string, offset: number | undefined): ApiError {
  if (offset === undefined) return unknownUpload(id)
  return new ApiError('offset_mismatch', apiMessage('upload_stands_at', { offset }), { offset })
}

const beyond = (left: number) => malformed(apiMessage('beyond_upload_length', { left }))

/** @returns the error if the body ended early. ApiError: the client sent too slowly */
async function pump(request: Request, writer: ChunkWriter, size: number, place: UploadPlace): Promise<unknown> {
  if (!request.body) return undefined
  const { pull } = place.watch(chunkReaderOf(request.body, READ_BYTES, 1))
  for (;;) {
    let chunk: Uint8Array | undefined
    try {
      chunk = await pull()
    } catch (error) {
      return error ?? new Error('The body ended early.')
    }
    if (!chunk) return undefined
    if (writer.offset + chunk.length > size) throw beyond(size - writer.offset)
    await writer.write(chunk)
  }
}

/**
 * Completes an upload after its last byte. Every later request repeats it, because the client of the last chunk may have disconnected.
 * An error here does not fail the request that triggered it.
 */
async function settle(c: AppContext, record: UploadRecordApi, upload: UploadState): Promise<UploadState> {
  if (upload.offset < upload.size || upload.taskId !== undefined) return upload
  try {
    await finishUpload(c.env.BLOBS, record, upload)
    if (!upload.compress) return upload
    const task = await createTaskOfUpload(c.env, record, upload)
    if (!task) return (await record.read()) ?? upload
    c.get('logged').taskIds = [task.taskId]
    return { ...upload, taskId: task.taskId }
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', event: 'upload_not_settled', upload_id: upload.uploadId, error: String(error) }))
    return upload
  }
}

function headersOf(upload: UploadState): Record<string, string> {
  return {
    'Upload-Offset': String(upload.offset),
    'Upload-Expires': new Date(upload.expiresAt).toUTCString(),
    ...(upload.taskId === undefined ? {} : { 'Whittle-Task': upload.taskId }),
  }
}

const answer = (status: 201 | 204, upload: UploadState, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers: { 'Cache-Control': 'no-store', ...headersOf(upload), ...headers } })

const view = (upload: UploadState) => ({
  upload_id: upload.uploadId,
  file_name: upload.fileName,
  size: upload.size,
  offset: upload.offset,
  expires_at: new Date(upload.expiresAt).toISOString(),
  task_id: upload.taskId ?? null,
})
