/** A bucket of a real MinIO server behind a proxy that counts what was written. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { freePort } from '../../../src/local/service.ts'
import { keyPath } from '../../../src/service/buckets/encode.ts'

export const USER = 'minio-user'
export const PASSWORD = 'minio-password'
const BUCKET = 'conformance'
const START_MS = 30_000
/** Objects that are written at a time while the bucket is filled. */
const PARALLEL_WRITES = 32

export class CountedBucket {
  readonly name = BUCKET
  /** Address of the proxy. */
  readonly endpoint: string
  /** Successful writes by path, such as `/conformance/out/a.txt`, since `watch`. */
  readonly writes = new Map<string, number>()
  readonly #server: ChildProcess
  readonly #proxy: ReturnType<typeof createServer>
  readonly #client = new AwsClient({ accessKeyId: USER, secretAccessKey: PASSWORD, service: 's3', region: 'us-east-1' })
  readonly #direct: string

  private constructor(server: ChildProcess, direct: string, proxy: ReturnType<typeof createServer>) {
    this.#server = server
    this.#direct = direct
    this.#proxy = proxy
    this.endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  }

  /** Starts MinIO: the program in `WHITTLE_MINIO`, else `minio` of the PATH. @throws Error if it cannot be started */
  static async open(folder: string): Promise<CountedBucket> {
    const port = await freePort()
    const words = ['server', '--quiet', '--address', `127.0.0.1:${port}`, join(folder, 'minio')]
    const env = { ...process.env, MINIO_ROOT_USER: USER, MINIO_ROOT_PASSWORD: PASSWORD }
    const server = spawn(process.env['WHITTLE_MINIO'] ?? 'minio', words, { env, stdio: 'ignore' })
    let problem: Error | undefined
    server.on('error', (error) => {
      problem = error
    })
    const direct = `http://127.0.0.1:${port}`
    for (const end = Date.now() + START_MS; ; await sleep(200)) {
      if (problem) throw problem
      if (server.exitCode !== null || Date.now() > end) throw new Error('MinIO did not start.')
      const answer = await fetch(`${direct}/minio/health/live`).catch(() => undefined)
      if (answer?.ok) break
    }
    const counts: { count?: (path: string) => void } = {}
    const proxy = createServer((incoming, outgoing) => forward(port, incoming, outgoing, (path) => counts.count?.(path)))
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    const bucket = new CountedBucket(server, direct, proxy)
    counts.count = (path) => bucket.writes.set(path, (bucket.writes.get(path) ?? 0) + 1)
    await bucket.#ask(`/${BUCKET}`, { method: 'PUT' })
    return bucket
  }

  /** Writes `count` objects past the proxy. */
  async fill(
    count: number,
    contentOf: (index: number) => { readonly key: string; readonly bytes: Uint8Array<ArrayBuffer> },
  ): Promise<void> {
    let next = 0
    const write = async () => {
      while (next < count) {
        const { key, bytes } = contentOf(next++)
        await this.#ask(`/${BUCKET}/${keyPath(key)}`, {
          method: 'PUT',
          body: bytes,
          headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
        })
      }
    }
    await Promise.all(Array.from({ length: PARALLEL_WRITES }, write))
  }

  /** Number of objects under a prefix, and the sum of their sizes. */
  async sum(prefix: string): Promise<{ objects: number; bytes: number }> {
    let [objects, bytes] = [0, 0]
    for (let token = ''; ; ) {
      const query = new URLSearchParams({ 'list-type': '2', prefix, ...(token ? { 'continuation-token': token } : {}) })
      const page = await (await this.#ask(`/${BUCKET}/?${query}`)).text()
      const sizes = [...page.matchAll(/<Size>(\d+)<\/Size>/g)].map(([, size]) => Number(size))
      objects += sizes.length
      bytes += sizes.reduce((total, size) => total + size, 0)
      token = /<NextContinuationToken>([^<]+)</.exec(page)?.[1] ?? ''
      if (!token) return { objects, bytes }
    }
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await this.#client.fetch(this.#direct + path, init)
    if (!answer.ok) throw new Error(`MinIO answered ${init.method ?? 'GET'} ${path} with ${answer.status}: ${await answer.text()}`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.closeAllConnections()
    this.#proxy.close()
    if (this.#server.exitCode !== null) return
    this.#server.kill()
    await once(this.#server, 'exit')
  }
}

/** Forwards a request unchanged, so that its signature stays valid. `count` gets the path of each successful write. */
function forward(port: number, incoming: IncomingMessage, outgoing: ServerResponse, count: (path: string) => void): void {
  const { method = 'GET', url = '/', headers } = incoming
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    if (method === 'PUT' && answer.statusCode === 200) count(decodeURIComponent(url))
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  sent.on('error', () => outgoing.destroy())
  incoming.on('aborted', () => sent.destroy())
  incoming.pipe(sent)
}
