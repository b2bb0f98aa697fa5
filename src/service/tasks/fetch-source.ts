/** Fetches a file from its place into the bucket, in bounded memory and time. After a failure, nothing stays stored. */
import { type Env, outgoingRules } from '../env.ts'
import type { Plan } from '../store/plans.ts'
import type { SourcePlace } from '../store/sources.ts'
import { ApiError } from './api-error.ts'
import { type BodyLimits, type ChunkReader, chunkReaderOf, FETCH_READ_BYTES, limitedBody } from './body-stream.ts'
import { egressSender } from './egress.ts'
import { cleanFileName } from './file-name.ts'
import { fileTooLarge, type IngestedFile, receiveFile, storeFile } from './ingest.ts'
import { openObject } from './open-object.ts'
import { openSource } from './open-source.ts'
import { sourceFileName } from './source-name.ts'
import { FETCH_MS, FIRST_BYTE_MS, SILENCE_MS, sourceUnreachable } from './source-trouble.ts'
import { storageQuotaError } from './submit.ts'
import { TimeLimits } from './time-limits.ts'
import { withUploadMemory } from './upload-memory.ts'

export interface SourceRequest {
  readonly place: SourcePlace
  readonly taskId: string
  readonly accountId: string
  readonly uploadKey: string
  readonly plan: Plan
  /** True if the requested output is one that any file can become, so that an unknown type is no reason to stop early. */
  readonly mayBePacked: boolean
  /** Signal that aborts when the task is removed. */
  readonly signal: AbortSignal
  /** Called with the id of a multipart upload as soon as it exists, so that the next attempt can remove it after a restart. */
  readonly onMultipart: (uploadId: string) => void
}

/**
 * Fetches and stores the file of a task. Problems of the source or of the file become the refusal of the returned file.
 * @throws ApiError `overloaded` if the isolate has no memory for it now
 * @throws other errors of the platform, and the reason of `signal`
 */
export async function fetchSource(env: Env, request: SourceRequest): Promise<IngestedFile> {
  using limits = new TimeLimits(request.signal, FETCH_MS, () => sourceUnreachable('too_slow'))
  limits.expect(FIRST_BYTE_MS, () => sourceUnreachable('no_answer'))
  try {
    return await fetchWithin(env, request, limits)
  } catch (error) {
    const why = limits.timedOut ?? error
    if (!(why instanceof ApiError) || why.type === 'overloaded') throw why
    return { taskId: request.taskId, fileName: nameOf(request.place), size: 0, sha256: '', outcome: { refusal: why } }
  }
}

async function fetchWithin(env: Env, request: SourceRequest, limits: TimeLimits): Promise<IngestedFile> {
  const { accountId, plan, taskId, uploadKey, mayBePacked, onMultipart } = request
  const opened = await open(env, request, limits.signal)
  try {
    const { length, fileName } = opened
    if (length !== undefined && length > plan.maxFileBytes) throw fileTooLarge(plan.maxFileBytes)
    const admit = async (id: string, bytes: number) => {
      const answer = await env.ACCOUNTS.getByName(accountId).admit(id, bytes)
      if (!answer.ok) throw storageQuotaError(answer)
    }
    if (length !== undefined) await admit(taskId, length)
    return await withUploadMemory({ accountId, bytes: length }, async (place) => {
      const reader = place.watch(chunkReaderOf(opened.body, FETCH_READ_BYTES, 1))
      const received = await receiveFile(env, fileName, sourceBody(reader, { length, limits, maxBytes: plan.maxFileBytes }), {
        ...{ accountId, maxFileBytes: plan.maxFileBytes, retentionMs: plan.retentionMs, isAlone: true },
        mayBePacked: () => mayBePacked,
        place: { taskId, uploadKey, onMultipart },
      })
      return await storeFile(received, length === undefined ? admit : undefined)
    })
  } finally {
    await close(opened)
  }
}

interface OpenFile {
  readonly fileName: string
  /** Announced length in bytes. `undefined`: none. */
  readonly length: number | undefined
  readonly body: ReadableStream<Uint8Array>
}

async function open(env: Env, { place, accountId }: SourceRequest, signal: AbortSignal): Promise<OpenFile> {
  if ('object' in place) return { fileName: nameOf(place), ...(await openObject(env, accountId, place.object, signal)) }
  const send = egressSender(env.EGRESS, { stream: true })
  const { url, headers, length, body } = await openSource(place.url, { send, rules: outgoingRules(env), signal })
  return { fileName: sourceFileName(url, headers.get('Content-Disposition')), length, body }
}

const nameOf = (place: SourcePlace) => ('url' in place ? sourceFileName(place.url, null) : cleanFileName(place.object.key))

type SourceBodyLimits = Omit<BodyLimits, 'errors' | 'silenceMs'> & {
  /** Longest silence in milliseconds. Default: `SILENCE_MS`. */
  readonly silenceMs?: number
}

/** Yields the body of a source. @throws ApiError if it is silent, ends early or exceeds the plan's limit */
export function sourceBody(reader: ChunkReader, limits: SourceBodyLimits): AsyncGenerator<Uint8Array> {
  const errors = {
    tooLarge: () => fileTooLarge(limits.maxBytes),
    stalled: () => sourceUnreachable('stalled'),
    cutOff: () => sourceUnreachable('cut_off'),
  }
  return limitedBody(reader, { silenceMs: SILENCE_MS, ...limits, errors })
}

/** Ends the connection, unless the body was read to its end. */
async function close({ body }: OpenFile): Promise<void> {
  if (!body.locked) await body.cancel().catch(() => undefined)
}
