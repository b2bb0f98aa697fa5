/** The part of the HTTP contract that the command line needs. Uploads and downloads are streamed. */
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Server } from './config.ts'
import { type Chunks, RESUMABLE_BYTES, uploadInChunks } from './resumable.ts'
import { Trouble } from './trouble.ts'

export interface Task {
  task_id: string
  status: 'pending' | 'processing' | 'completed' | 'failed'
  original_size: number
  file_name: string
  format: string
  quality: string
  created_at: string
  progress?: number
  compressed_size?: number
  compression_ratio?: string
  output_name?: string
  result?: { outcome: string; reason?: string; detail?: string; ssim?: number; psnr_db?: number; sha256: string; steps?: string[] }
  error?: { code: number; message: string }
  error_detail?: { type: string }
}

export interface Wishes {
  quality?: string
  format?: string
  password?: string
  target_size?: string
  usage_rights?: string
}

/** The part of `GET /v1/formats` that is shown. */
export interface FormatFacts {
  id: string
  title: string
  extensions: string[]
  available: boolean
  outputs: string[]
  qualities: string[]
}

/** What an earlier run left, and this one leaves. */
export interface Attempt {
  readonly key: string
  /** Path of a resumable upload that had begun. */
  readonly upload: string | undefined
  begun(upload: string): void
}

const MAX_TRIES = 6
/** No service listens at this address, or it has no address. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND'])

export class Client {
  readonly #server: Server
  /** Whether the service ever answered: one that did is waited for, an address where nobody listens is told at once. */
  #reached = false
  constructor(server: Server) {
    this.#server = server
  }

  /** Sends a file; the key of the attempt makes a repeated upload find the same task. */
  async compress(path: string, wishes: Wishes, attempt: Attempt, sent: (bytes: number) => void): Promise<Task> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      if (size > RESUMABLE_BYTES) return await this.#compressInChunks({ file, size, name: basename(path) }, wishes, attempt, sent)
      const boundary = `whittle-${crypto.randomUUID()}`
      const head = formHead(boundary, wishes, basename(path))
      const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
      return await this.#json<Task>('/v1/compress', () => {
        let count = 0
        async function* body() {
          yield head
          for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 })) {
            count += (chunk as Buffer).length
            sent(count)
            yield chunk as Buffer
          }
          yield tail
        }
        return {
          method: 'POST',
          body: Readable.toWeb(Readable.from(body(), { objectMode: false })) as BodyInit,
          duplex: 'half',
          headers: {
            'content-type': `multipart/form-data; boundary=${boundary}`,
            'content-length': String(head.length + size + tail.length),
            'idempotency-key': `"${attempt.key}"`,
            prefer: 'wait=10',
          },
        } as RequestInit
      })
    } finally {
      await file.close()
    }
  }

  async #compressInChunks(from: Pick<Chunks, 'file' | 'size' | 'name'>, wishes: Wishes, attempt: Attempt, sent: (bytes: number) => void) {
    const { key, upload: known, begun } = attempt
    const id = await uploadInChunks({ ...from, known, begun, sent, ask: (path, init) => this.#ask(path, init) }).catch((error: unknown) => {
      throw error instanceof Trouble ? error : new Trouble('service', `${this.#server.baseUrl} cannot be reached: ${reason(error)}`)
    })
    const headers = { 'content-type': 'application/json', 'idempotency-key': `"${key}"`, prefer: 'wait=10' }
    return this.#json<Task>('/v1/compress', () => ({ method: 'POST', headers, body: JSON.stringify({ ...wishes, upload: id }) }))
  }

  task(taskId: string, waitSeconds = 0): Promise<Task> {
    return this.#json(`/v1/tasks/${taskId}`, () => (waitSeconds > 0 ? { headers: { prefer: `wait=${waitSeconds}` } } : {}))
  }

  tasks(limit: number, cursor?: string): Promise<{ tasks: Task[]; next_cursor: string | null }> {
    return this.#json(`/v1/tasks?limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
  }

  usage(): Promise<Record<string, unknown>> {
    return this.#json('/v1/usage')
  }

  formats(): Promise<{ formats: FormatFacts[] }> {
    return this.#json('/v1/formats')
  }

  remove(taskId: string): Promise<{ freed_bytes: number }> {
    return this.#json(`/v1/tasks/${taskId}`, () => ({ method: 'DELETE' }))
  }

  async download(taskId: string, path: string, received: (bytes: number) => void): Promise<void> {
    const answer = await this.#send(`/v1/tasks/${taskId}/download`)
    let count = 0
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        count += chunk.length
        received(count)
        done(null, chunk)
      },
    })
    await pipeline(Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream), meter, createWriteStream(path))
  }

  async #json<T>(path: string, init?: () => RequestInit): Promise<T> {
    return (await (await this.#send(path, init)).json()) as T
  }

  #ask(path: string, options: RequestInit): Promise<Response> {
    const headers = { ...(options.headers as Record<string, string>), authorization: `Bearer ${this.#server.key}` }
    return fetch(this.#server.baseUrl + path, { ...options, headers })
  }

  /** Waits where the service says so (429, 503) and tries again when the line breaks; other refusals are told. */
  async #send(path: string, init: () => RequestInit = () => ({})): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const options = init()
      let answer: Response
      try {
        answer = await this.#ask(path, options)
      } catch (error) {
        if (attempt >= MAX_TRIES || (!this.#reached && NOBODY.has(codeOf(error) ?? '')))
          throw new Trouble('service', `${this.#server.baseUrl} cannot be reached: ${reason(error)}`)
        await pause(2 ** attempt * 100)
        continue
      }
      this.#reached = true
      if (answer.ok) return answer
      const again = answer.status === 429 || answer.status === 503 || (answer.status === 409 && path === '/v1/compress')
      if (again && attempt < MAX_TRIES) {
        await answer.body?.cancel()
        await pause(Number(answer.headers.get('retry-after') ?? 2) * 1000)
        continue
      }
      const said = (await answer.json().catch(() => undefined)) as { error?: { message?: string } } | undefined
      const message = said?.error?.message ?? `the service answered ${answer.status}`
      throw new Trouble(answer.status === 401 || answer.status === 403 || answer.status >= 500 ? 'service' : 'failed', message)
    }
  }
}

function formHead(boundary: string, wishes: Wishes, fileName: string): Buffer {
  const fields = Object.entries(wishes).filter(([, value]) => value !== undefined)
  const parts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  // RFC 7578 4.2 with the escapes of the WHATWG form encoding.
  const escaped = fileName.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  parts.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  )
  return Buffer.from(parts.join(''))
}

const codeOf = (error: unknown) => (error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined)
const reason = (error: unknown) => (error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
