/** HTTP client of the task API (Worker `door.ts`), through which the pool process reaches tasks and blobs. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { decodeWire, encodeWire } from '../service/remote/wire.ts'
import { PART_BYTES } from '../service/store/blobs.ts'
import type { TaskRecordApi } from '../service/store/tasks.ts'

type Init = { readonly method?: string; readonly body?: string | Uint8Array<ArrayBuffer> }

export class TaskApiClient {
  readonly #address: string
  readonly #secret: string

  constructor(address: string, secret: string) {
    this.#address = address
    this.#secret = secret
  }

  /** Remote task record: each method is one HTTP call. */
  task(id: string): TaskRecordApi {
    const call = async (method: string, args: unknown[]) =>
      decodeWire(await text(await this.#call(`/tasks/${id}?method=${method}`, { method: 'POST', body: encodeWire(args) })))
    return new Proxy({} as TaskRecordApi, {
      get:
        (_, method) =>
        (...args: unknown[]) =>
          call(String(method), args),
    })
  }

  /** Downloads a blob to a file. The file appears at `path` only when it is complete. */
  async download(key: string, path: string): Promise<void> {
    const response = await this.#call(`/blobs/${key}`)
    const temporary = `${path}.temporary`
    try {
      await pipeline(response, createWriteStream(temporary))
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  /**
   * Uploads a file as a blob. @returns its SHA-256 (hex) and size, computed during the upload
   * @throws Error if the file shrinks meanwhile
   */
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
      if (size <= PART_BYTES) await this.#send(`/blobs/${key}`, { method: 'PUT', body: await next(size) })
      else await this.#uploadParts(key, size, next)
      return { sha256: hash.digest('hex'), size }
    } finally {
      await file.close()
    }
  }

  async remove(key: string): Promise<void> {
    await this.#send(`/blobs/${key}`, { method: 'DELETE' })
  }

  async #uploadParts(key: string, size: number, next: (length: number) => Promise<Uint8Array<ArrayBuffer>>): Promise<void> {
    const { upload } = (await json(await this.#call(`/blobs/${key}`, { method: 'POST' }))) as { upload: string }
    const path = `/blobs/${key}?upload=${encodeURIComponent(upload)}`
    try {
      const parts: unknown[] = []
      for (let at = 0; at < size; at += PART_BYTES) {
        const body = await next(Math.min(PART_BYTES, size - at))
        parts.push(await json(await this.#call(`${path}&part=${parts.length + 1}`, { method: 'PUT', body })))
      }
      await this.#send(path, { method: 'POST', body: JSON.stringify(parts) })
    } catch (error) {
      await this.#send(path, { method: 'DELETE' }).catch(() => undefined)
      throw error
    }
  }

  /** Makes a call whose response has no content. */
  async #send(path: string, init: Init): Promise<void> {
    await text(await this.#call(path, init))
  }

  /**
   * Makes a call. Not with `fetch`: Miniflare replaces its connections by those of the package undici, which ends the process if a response
   * ends before it is read (nodejs/undici#5360).
   */
  async #call(path: string, { method = 'GET', body }: Init = {}): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.#secret}`,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      }
      // No connection is reused: workerd closes idle ones, possibly while a request is being written.
      const outgoing = request(this.#address + path, { agent: false, method, headers }, resolve)
      outgoing.once('error', reject).end(body)
    })
    const { statusCode = 0 } = response
    if (statusCode < 200 || statusCode > 299)
      throw new Error(`${method} ${path.split('?')[0]} failed with HTTP ${statusCode}: ${await text(response)}`)
    return response
  }
}
