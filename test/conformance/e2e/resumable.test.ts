/** Uploads in chunks, against lines that break and a service that is killed. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provisionDevelopmentAccount } from '../../../src/local/development-account.ts'
import { loadSecrets } from '../../../src/local/secrets.ts'
import { Service } from '../../../src/local/service.ts'
import { watchHeap } from '../../e2e/memory.ts'
import { type Running, startService } from '../../e2e/running.ts'

const MB = 1_000_000
const TUS = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream' }

/** A TIFF of 8-bit grey, as large as a file may be: made as it is read, because the test must not need the memory. */
class LargeTiff {
  static readonly WIDTH = 20_000
  static readonly HEIGHT = 24_990
  static readonly ROWS = 30
  readonly #head: Buffer
  readonly #row: Buffer
  readonly size: number

  constructor() {
    const { WIDTH, HEIGHT, ROWS } = LargeTiff
    const strips = Math.ceil(HEIGHT / ROWS)
    const [ifdAt, entries] = [8, 10]
    const offsetsAt = ifdAt + 2 + entries * 12 + 4
    const countsAt = offsetsAt + 4 * strips
    const pixelsAt = countsAt + 4 * strips
    const head = Buffer.alloc(pixelsAt)
    head.write('II*\0', 'latin1')
    head.writeUInt32LE(ifdAt, 4)
    head.writeUInt16LE(entries, ifdAt)
    const fields = [
      [256, 4, 1, WIDTH],
      [257, 4, 1, HEIGHT],
      [258, 3, 1, 8],
      [259, 3, 1, 1],
      [262, 3, 1, 1],
      [273, 4, strips, offsetsAt],
      [277, 3, 1, 1],
      [278, 4, 1, ROWS],
      [279, 4, strips, countsAt],
      [284, 3, 1, 1],
    ] as const
    for (const [place, [tag, type, count, value]] of fields.entries()) {
      const at = ifdAt + 2 + place * 12
      head.writeUInt16LE(tag, at)
      head.writeUInt16LE(type, at + 2)
      head.writeUInt32LE(count, at + 4)
      head.writeUInt32LE(value, at + 8)
    }
    for (let strip = 0; strip < strips; strip++) {
      head.writeUInt32LE(pixelsAt + strip * ROWS * WIDTH, offsetsAt + 4 * strip)
      head.writeUInt32LE(Math.min(ROWS, HEIGHT - strip * ROWS) * WIDTH, countsAt + 4 * strip)
    }
    this.#head = head
    this.#row = Buffer.from(Array.from({ length: WIDTH }, (_, x) => (x >> 6) & 0xff))
    this.size = pixelsAt + WIDTH * HEIGHT
  }

  /** At most to the end of a row. */
  read(offset: number, length: number): Buffer {
    if (offset < this.#head.length) return this.#head.subarray(offset, offset + length)
    const at = (offset - this.#head.length) % LargeTiff.WIDTH
    return this.#row.subarray(at, Math.min(LargeTiff.WIDTH, at + length))
  }

  *chunks(offset: number, end: number): Generator<Buffer> {
    for (let at = offset; at < end; ) {
      const bytes: Buffer[] = []
      for (let some = 0; some < 1 << 18 && at < end; ) {
        const piece = this.read(at, end - at)
        bytes.push(piece)
        some += piece.length
        at += piece.length
      }
      yield Buffer.concat(bytes)
    }
  }

  sha256(): string {
    const hash = createHash('sha256')
    for (const chunk of this.chunks(0, this.size)) hash.update(chunk)
    return hash.digest('hex')
  }
}

describe('a TIFF of 500 MB', () => {
  let service: Running
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.stop())

  it('goes up in chunks with ten cuts, is compressed, and comes down, and the edge stays under 60 MB meanwhile', {
    timeout: 1_800_000,
  }, async () => {
    const file = new LargeTiff()
    expect([file.size > 499 * MB, file.size <= 500 * MB]).toEqual([true, true])
    const key = { Authorization: `Bearer ${service.keys.enterprise}` }
    const meter = await watchHeap(service.pid, 'whittle')
    const metadata = `filename ${btoa('large.tif')},compress ${btoa('true')}`
    const made = await fetch(`${service.baseUrl}/v1/uploads`, {
      method: 'POST',
      headers: { ...key, 'Tus-Resumable': '1.0.0', 'Upload-Length': `${file.size}`, 'Upload-Metadata': metadata },
    })
    expect(made.status).toBe(201)
    const path = new URL(made.headers.get('Location')!).pathname
    const url = service.baseUrl + path
    const head = () => fetch(url, { method: 'HEAD', headers: { ...key, 'Tus-Resumable': '1.0.0' } })
    const offsetNow = async () => Number((await head()).headers.get('Upload-Offset'))

    let cuts = 0
    for (let offset = 0; offset < file.size; ) {
      const end = Math.min(file.size, offset + 32 * MB)
      if (cuts < 10) {
        // Two thirds of a chunk, then the line is dead.
        await sendAndCut(new URL(url), { ...key, 'Upload-Offset': `${offset}` }, file.chunks(offset, offset + 21 * MB), end - offset)
        cuts++
        const before = offset
        for (let look = 0; look < 100 && (offset === before || offset !== (await offsetNow())); look++) {
          offset = await offsetNow()
          await new Promise((done) => setTimeout(done, 300))
        }
        expect(offset).toBeGreaterThan(before + 20 * MB)
        expect(offset).toBeLessThanOrEqual(before + 21 * MB)
        continue
      }
      const body = Readable.toWeb(Readable.from(file.chunks(offset, end)))
      const init = { method: 'PATCH', headers: { ...key, ...TUS, 'Upload-Offset': `${offset}` }, body, duplex: 'half' }
      const answer = await fetch(url, init as RequestInit)
      expect(answer.status).toBe(204)
      offset = Number(answer.headers.get('Upload-Offset'))
      expect(offset).toBe(end)
    }
    const peak = await meter.stop()
    console.log(`${file.size / MB} MB with ${cuts} cuts, peak ${(peak.total / MB).toFixed(1)} MB of ${peak.samples} samples`)
    expect(cuts).toBe(10)
    expect(peak.total).toBeLessThan(60 * MB)

    const taskId = (await head()).headers.get('Whittle-Task')
    expect(taskId).toMatch(/^tsk_/)
    type Task = { status: string; original_size: number; compressed_size: number; result: { original_sha256: string; sha256: string } }
    let task: Task
    do {
      task = (await (await fetch(`${service.baseUrl}/v1/tasks/${taskId}`, { headers: { ...key, Prefer: 'wait=50' } })).json()) as Task
    } while (task.status === 'pending' || task.status === 'processing')
    expect(task).toMatchObject({ status: 'completed', original_size: file.size, result: { original_sha256: file.sha256() } })
    const hash = createHash('sha256')
    const result = await fetch(`${service.baseUrl}/v1/tasks/${taskId}/download`, { headers: key })
    for await (const chunk of result.body!) hash.update(chunk)
    expect(hash.digest('hex')).toBe(task.result.sha256)
    console.log(`compressed to ${task.compressed_size / MB} MB`)
  })
})

/** A PATCH whose line dies behind these chunks. */
async function sendAndCut(url: URL, headers: Record<string, string>, chunks: Iterable<Buffer>, length: number): Promise<void> {
  const socket = connect(Number(url.port), url.hostname)
  const lines = Object.entries({ ...TUS, ...headers, Host: url.host, 'Content-Length': `${length}` }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`PATCH ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  for (const chunk of chunks) if (!socket.write(chunk)) await new Promise((done) => socket.once('drain', done))
  await new Promise<void>((done) => socket.end(done))
  socket.destroy()
}

describe('the command line', () => {
  it('goes on after the service was killed and started again', { timeout: 600_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'whittle-resumable-'))
    const state = join(folder, 'state')
    const root = resolve(import.meta.dirname, '../../..')
    await mkdir(state)
    const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
    const open = async (port: number) => {
      const service = new Service({ root, state, port, inspectorPort: 0, secretsFile, verbose: false })
      await service.start()
      return service
    }
    let service = await open(0)
    try {
      const { port } = service
      const baseUrl = `http://127.0.0.1:${port}`
      const { keys } = await provisionDevelopmentAccount(baseUrl, adminToken, undefined)
      const block = Array.from({ length: 40_000 }, (_, i) => `${i} the quick brown fox jumps over the lazy dog\n`).join('')
      const bytes = Buffer.from(block.repeat(Math.ceil((100 * MB) / block.length)))
      await writeFile(join(folder, 'large.txt'), bytes)
      const own = {
        WHITTLE_SERVER: baseUrl,
        WHITTLE_KEY: keys.enterprise,
        XDG_STATE_HOME: join(folder, 'home'),
        XDG_CONFIG_HOME: join(folder, 'home'),
      }
      const command = [join(root, 'packages/cli/bin/whittle.mjs'), 'large.txt', '-f', 'gz', '--json']
      const child = spawn(process.execPath, command, { cwd: folder, env: { ...process.env, ...own } })
      let [out, err] = ['', '']
      child.stdout.on('data', (text) => {
        out += text
      })
      child.stderr.on('data', (text) => {
        err += text
      })
      const ended = new Promise<number | null>((done) => child.once('close', done))
      await untilLogged(service.logFile, '"method":"PATCH"')
      process.kill(-service.pid, 'SIGKILL')
      await service.stop()
      service = await open(port)
      expect(await ended, err).toBe(0)
      const report = JSON.parse(out) as { original_size: number; result: { original_sha256: string } }
      expect(report.original_size).toBe(bytes.length)
      expect(report.result.original_sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
      const log = await readFile(service.logFile, 'utf8')
      // One upload in all, which was asked how far it had come.
      expect(log.match(/"method":"POST","route":"\/v1\/uploads"/g)).toHaveLength(1)
      expect(log).toMatch(/"method":"HEAD","route":"\/v1\/uploads\/\{upload_id\}"/)
    } finally {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

async function untilLogged(file: string, text: string): Promise<void> {
  while (!(await readFile(file, 'utf8').catch(() => '')).includes(text)) await new Promise((done) => setTimeout(done, 50))
}
