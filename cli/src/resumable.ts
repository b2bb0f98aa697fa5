/** Large files go up in chunks (tus 1.0.0): a line that breaks, a service that is started again, or a command that is killed costs one chunk at most. */
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Trouble } from './trouble.ts'

/** From this size on. */
export const RESUMABLE_BYTES = 32 * 1024 * 1024
const CHUNK_BYTES = 16 * 1024 * 1024
/** A service that is started again is there within this time. */
const MOST_SILENCE_MS = 120_000
const LONGEST_PAUSE_MS = 5000

export interface Chunks {
  readonly file: FileHandle
  readonly size: number
  readonly name: string
  /** Where an earlier run had come to, if there was one. */
  readonly known: string | undefined
  /** One try; throws when nobody answers. */
  readonly ask: (path: string, init: RequestInit) => Promise<Response>
  /** Tells the upload's path, to be known by the next run. */
  readonly begun: (path: string) => void
  /** Bytes so far. */
  readonly sent: (bytes: number) => void
}

/** @returns the id of the upload, all of whose bytes are there */
export async function uploadInChunks(job: Chunks): Promise<string> {
  const upload = new Upload(job)
  let path = job.known
  let offset = path === undefined ? undefined : await upload.offset(path)
  if (path === undefined || offset === undefined) {
    path = await upload.create()
    job.begun(path)
    offset = 0
  }
  while (offset < job.size) offset = await upload.append(path, offset)
  return path.split('/').at(-1)!
}

class Upload {
  readonly #job: Chunks
  #heardMs = Date.now()

  constructor(job: Chunks) {
    this.#job = job
  }

  async create(): Promise<string> {
    const { size, name } = this.#job
    const metadata = `filename ${Buffer.from(name).toString('base64')}`
    const answer = await this.#persist(() => [
      '/v1/uploads',
      { method: 'POST', headers: { 'upload-length': `${size}`, 'upload-metadata': metadata } },
    ])
    return new URL(answer.headers.get('location')!, 'http://here').pathname
  }

  /** How far it has come; undefined: it is gone. */
  async offset(path: string): Promise<number | undefined> {
    const answer = await this.#persist(() => [path, { method: 'HEAD' }], [404, 410])
    return answer.ok ? Number(answer.headers.get('upload-offset')) : undefined
  }

  /** @returns where the next chunk begins, whatever came of this one */
  async append(path: string, offset: number): Promise<number> {
    const answer = await this.#try(path, () => this.#chunk(offset))
    if (answer?.ok) return Number(answer.headers.get('upload-offset'))
    // What the service has of it, it knows itself.
    if (answer && answer.status !== 409) await refuse(answer)
    const now = await this.offset(path)
    if (now === undefined) throw new Trouble('failed', 'the service has forgotten the upload; the same command begins anew')
    return now
  }

  #chunk(offset: number): RequestInit {
    const { file, size, sent } = this.#job
    const end = Math.min(size, offset + CHUNK_BYTES)
    async function* body() {
      let at = offset
      for await (const bytes of file.createReadStream({ start: offset, end: end - 1, autoClose: false, highWaterMark: 256 * 1024 })) {
        at += (bytes as Buffer).length
        sent(at)
        yield bytes as Buffer
      }
    }
    const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': `${offset}`, 'content-length': `${end - offset}` }
    const init = {
      method: 'PATCH',
      headers,
      body: Readable.toWeb(Readable.from(body(), { objectMode: false })) as BodyInit,
      duplex: 'half',
    }
    return init as RequestInit
  }

  /** Goes on until the service answers. */
  async #persist(request: () => [path: string, init: RequestInit], expected: readonly number[] = []): Promise<Response> {
    for (;;) {
      const [path, init] = request()
      const answer = await this.#try(path, () => init)
      if (!answer) continue
      if (answer.ok || expected.includes(answer.status)) return answer
      await refuse(answer)
    }
  }

  /** undefined: it is worth another try. Waits before it says so. */
  async #try(path: string, init: () => RequestInit): Promise<Response | undefined> {
    let failure: unknown
    try {
      const request = init()
      const answer = await this.#job.ask(path, {
        ...request,
        headers: { 'tus-resumable': '1.0.0', ...(request.headers as Record<string, string>) },
      })
      if (answer.status !== 429 && answer.status < 500) {
        this.#heardMs = Date.now()
        return answer
      }
      await answer.body?.cancel()
      failure = new Error(`it answers ${answer.status}`)
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1000)
      if (answer.status === 429) this.#heardMs = Date.now()
    } catch (error) {
      failure = error
    }
    const silenceMs = Date.now() - this.#heardMs
    if (silenceMs > MOST_SILENCE_MS) throw failure
    await pause(Math.min(LONGEST_PAUSE_MS, 100 + silenceMs / 4))
    return undefined
  }
}

async function refuse(answer: Response): Promise<never> {
  const said = (await answer.json().catch(() => undefined)) as { error?: { message?: string } } | undefined
  throw new Trouble(
    answer.status === 401 || answer.status === 403 ? 'service' : 'failed',
    said?.error?.message ?? `the service answered ${answer.status}`,
  )
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
