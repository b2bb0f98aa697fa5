/** The service's tasks and blobs, as the parent of the presses reaches them: through the Worker `door.ts`. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { decode, encode } from '../service/remote/wire.ts'
import { PART_BYTES } from '../service/store/blobs.ts'
import type { TaskRecordFace } from '../service/store/tasks.ts'

type Init = { readonly method?: string; readonly body?: string | Uint8Array<ArrayBuffer> }

export class TaskApiClient {
  readonly #address: string
  readonly #secret: string

  constructor(address: string, secret: string) {
    this.#address = address
    this.#secret = secret
  }

  /** The record of a task: its methods, called over HTTP. */
  task(id: string): TaskRecordFace {
    const call = async (method: string, args: unknown[]) =>
      decode(await (await this.#call(`/tasks/${id}?method=${method}`, { method: 'POST', body: encode(args) })).text())
    return new Proxy({} as TaskRecordFace, {
      get:
        (_, method) =>
        (...args: unknown[]) =>
          call(String(method), args),
    })
  }

  /** Writes a blob to a file, which is there only once it is whole. */
  async download(key: string, path: string): Promise<void> {
    const answer = await this.#call(`/blobs/${key}`)
    const growing = `${path}.growing`
    try {
      await pipeline(answer.body as AsyncIterable<Uint8Array>, createWriteStream(growing))
      await rename(growing, path)
    } catch (error) {
      await rm(growing, { force: true })
      throw error
    }
  }

  /** Stores a file as a blob. @returns its SHA-256 (hex) and size, as they were read */
  async upload(path: string, key: string): Promise<{ sha256: string; size: number }> {
    const file = await open(path)
    const hash = createHash('sha256')
    try {
      const { size } = await file.stat()
      const next = async (length: number) => {
        const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, null)
        if (bytesRead !== length) throw new Error(`${path} became shorter while it was read`)
        hash.update(buffer)
        return buffer
      }
      if (size <= PART_BYTES) await this.#call(`/blobs/${key}`, { method: 'PUT', body: await next(size) })
      else await this.#uploadParts(key, size, next)
      return { sha256: hash.digest('hex'), size }
    } finally {
      await file.close()
    }
  }

  async remove(key: string): Promise<void> {
    await this.#call(`/blobs/${key}`, { method: 'DELETE' })
  }

  async #uploadParts(key: string, size: number, next: (length: number) => Promise<Uint8Array<ArrayBuffer>>): Promise<void> {
    const { upload } = (await (await this.#call(`/blobs/${key}`, { method: 'POST' })).json()) as { upload: string }
    const path = `/blobs/${key}?upload=${encodeURIComponent(upload)}`
    try {
      const parts: unknown[] = []
      for (let at = 0; at < size; at += PART_BYTES) {
        const body = await next(Math.min(PART_BYTES, size - at))
        parts.push(await (await this.#call(`${path}&part=${parts.length + 1}`, { method: 'PUT', body })).json())
      }
      await this.#call(path, { method: 'POST', body: JSON.stringify(parts) })
    } catch (error) {
      await this.#call(path, { method: 'DELETE' }).catch(() => undefined)
      throw error
    }
  }

  async #call(path: string, init: Init = {}): Promise<Response> {
    // No connection is kept: workerd drops an idle one, perhaps at the moment in which something is written to it.
    const headers = { authorization: `Bearer ${this.#secret}`, connection: 'close' }
    const answer = await fetch(this.#address + path, { ...init, headers })
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path.split('?')[0]} answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
}
