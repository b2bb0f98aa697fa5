/** The service under attack: a process of its own on loopback, with fresh state, and what an attacker and a neighbour need. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../src/local/service.ts'
import { readUsage } from '../../../../src/local/usage.ts'
import { Processes, residentBytes } from '../victims.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const START_MS = 180_000

export interface TargetOptions {
  /** State folder. Default: a new folder that is deleted at the end. */
  readonly state?: string
  /** False: as an operator starts it. It then writes `.dev/keys.json`. Default: true, as the CLI starts it. */
  readonly embedded?: boolean
}

export class Target implements AsyncDisposable {
  readonly state: string
  readonly port: number
  readonly baseUrl: string
  readonly #ownState: boolean
  readonly #flags: readonly string[]
  readonly #sockets = new Set<Socket>()
  #child!: ChildProcess
  #gone: Promise<unknown> = Promise.resolve()

  private constructor(port: number, { state, embedded = true }: TargetOptions) {
    this.#ownState = state === undefined
    this.state = state ?? mkdtempSync(join(tmpdir(), 'whittle-attack-'))
    this.port = port
    this.baseUrl = `http://127.0.0.1:${port}`
    this.#flags = embedded ? ['--embedded'] : []
  }

  static async start(options: TargetOptions = {}): Promise<Target> {
    const target = new Target(await freePort(), options)
    await target.restart()
    return target
  }

  /** Starts the service on the same port and state. Resolves when its keys exist. */
  async restart(): Promise<void> {
    const flags = ['--port', `${this.port}`, '--state', this.state, '--workers', '1', '--ffmpeg', 'none', ...this.#flags]
    const child = spawn(process.execPath, [join(ROOT, 'src/local/start.ts'), ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.#gone = once(child, 'exit')
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk))
    for (const deadline = Date.now() + START_MS; !printed.includes('Whittle is ready'); await sleep(100)) {
      if (!this.isRunning || Date.now() > deadline) throw new Error(`The service did not start:\n${printed}`)
    }
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Sends a signal to the service. Resolves when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal)
    await this.#gone
  }

  /** Resident bytes of all workerd processes of the service. */
  workerdBytes(): number {
    const workerds = new Processes().below(this.pid).filter(({ command }) => /^\S*workerd(\.exe)? serve /.test(command))
    return workerds.reduce((sum, { pid }) => sum + residentBytes(pid), 0)
  }

  /** Largest CPU time of a press process, in seconds. */
  async pressSeconds(): Promise<number> {
    const used = await Promise.all(this.#presses().map(({ pid }) => readUsage(pid)))
    return used.reduce((most, usage) => Math.max(most, (usage?.processorMs ?? 0) / 1000), 0)
  }

  /** Resident bytes of the largest press process. */
  pressBytes(): number {
    return Math.max(0, ...this.#presses().map(({ pid }) => residentBytes(pid)))
  }

  #presses() {
    return new Processes().below(this.pid).filter(({ command }) => /\/press\.mjs$/.test(command))
  }

  /** Creates an account with one key. */
  async account(plan: string): Promise<{ accountId: string; key: string }> {
    const { account_id: accountId } = await this.operator<{ account_id: string }>('/admin/accounts', { name: 'Attack', plan })
    const application = await this.operator<{ application_id: string }>(`/admin/accounts/${accountId}/applications`, {
      name: 'Attack',
      environment: 'test',
    })
    return { accountId, key: await this.key(accountId, application.application_id, plan) }
  }

  async key(accountId: string, applicationId: string, plan: string): Promise<string> {
    const body = { application_id: applicationId, name: 'Attack', plan }
    return (await this.operator<{ key: string }>(`/admin/accounts/${accountId}/keys`, body)).key
  }

  async operator<T>(path: string, body: unknown): Promise<T> {
    const token = /^ADMIN_TOKEN=(.+)$/m.exec(readFileSync(join(this.state, 'secrets.env'), 'utf8'))![1]
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const response = await fetch(this.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} failed with HTTP ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

  call(key: string, path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.baseUrl + path, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } })
  }

  /** Compresses a file, as one request. */
  upload(key: string, bytes: Uint8Array<ArrayBuffer>, name: string, headers: Record<string, string> = {}): Promise<Response> {
    const body = new FormData()
    body.append('file', new Blob([bytes]), name)
    return this.call(key, '/v1/compress', { method: 'POST', body, headers })
  }

  /** Id of a completed task whose result has `bytes` bytes: a PDF that cannot be read, so that the upload is the result. */
  async result(key: string, bytes: number): Promise<string> {
    const file = randomBytes(bytes)
    file.write('%PDF-1.4\n')
    const response = await this.upload(key, new Uint8Array(file), 'noise.pdf', { Prefer: 'wait=60' })
    const task = (await response.json()) as { task_id: string; status: string }
    for (let left = 60; left > 0; left--) {
      const seen = (await (await this.call(key, `/v1/tasks/${task.task_id}`)).json()) as { status: string }
      if (seen.status === 'completed') return task.task_id
      await sleep(1000)
    }
    throw new Error(`The task ${task.task_id} did not complete.`)
  }

  /** Opens a connection and sends the head of a request. Nothing is read unless the caller resumes the socket. */
  open(head: readonly string[]): Socket {
    const socket = connect(this.port, '127.0.0.1')
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(`${head.join('\r\n')}\r\nHost: 127.0.0.1\r\n\r\n`)
    return socket
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (this.isRunning) await this.end('SIGKILL')
    if (this.#ownState) rmSync(this.state, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 })
  }
}
