/** What the Worker `whittle-press` holds inside workerd, heap, buffers and Wasm together, while it works on files of each kind. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provisionDevelopmentAccount } from '../../../src/local/development-account.ts'
import { startWranglerDev, type WranglerDev } from '../../../tools/wrangler-dev.ts'
import { type HeapPeak, watchHeap } from '../../e2e/memory.ts'

const MB = 1_000_000
const LIMIT_BYTES = 110 * MB
let service: WranglerDev
let state: string
let key: string

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'whittle-press-memory-'))
  service = await startWranglerDev(state)
  key = (await provisionDevelopmentAccount(service.baseUrl, service.adminToken, undefined)).keys.enterprise
})
afterAll(async () => {
  await service?.stop()
  await rm(state, { recursive: true, force: true, maxRetries: 5 })
})

async function press(
  content: Uint8Array<ArrayBuffer>,
  name: string,
  fields: Record<string, string>,
): Promise<{ peak: HeapPeak; taskId: string }> {
  const meter = await watchHeap(service.pid, 'whittle-press')
  const headers = { Authorization: `Bearer ${key}` }
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([content]), name)
  let answer = await fetch(`${service.baseUrl}/v1/compress`, { method: 'POST', headers, body })
  let task = (await answer.json()) as { task_id: string; status: string; compressed_size: number }
  while (task.status === 'pending' || task.status === 'processing') {
    answer = await fetch(`${service.baseUrl}/v1/tasks/${task.task_id}`, { headers: { ...headers, Prefer: 'wait=30' } })
    task = (await answer.json()) as typeof task
  }
  const peak = await meter.stop()
  expect(task, JSON.stringify(task)).toMatchObject({ status: 'completed' })
  const [total, heap, buffers, wasm] = [peak.total, peak.heap, peak.buffers, peak.wasm].map((bytes) => (bytes / MB).toFixed(1))
  console.log(`${name}: ${content.length} → ${task.compressed_size} B, peak ${total} MB (heap ${heap}, buffers ${buffers}, Wasm ${wasm})`)
  expect(peak.samples).toBeGreaterThan(0)
  expect(peak.total).toBeLessThan(LIMIT_BYTES)
  return { peak, taskId: task.task_id }
}

describe('the press stays under 110 MB', () => {
  it('with 4 MB of text', async () => {
    await press(Buffer.concat(Array.from({ length: 4 }, (_, i) => logLines(MB, i))), 'access.log', {})
  }, 300_000)

  it('with a PNG of 1.6 megapixels, and the JPEG made of it', async () => {
    const { taskId, peak } = await press(photoLikePng(1600, 1000), 'photo.png', { format: 'jpg' })
    expect(peak.wasm).toBeGreaterThan(0)
    const headers = { Authorization: `Bearer ${key}` }
    const answer = await fetch(`${service.baseUrl}/v1/tasks/${taskId}/download`, { headers })
    await press(new Uint8Array(await answer.arrayBuffer()), 'photo.jpg', { quality: 'low' })
  }, 300_000)
})

/** Numerical Recipes' generator: the same bytes on every run. */
function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function logLines(bytes: number, seed: number): Buffer<ArrayBuffer> {
  const random = randoms(seed)
  const lines: string[] = []
  for (let size = 0; size < bytes; size += lines.at(-1)!.length) {
    const [ip, at, path] = [random() * 2 ** 32, random() * 86_400, random() * 500].map(Math.floor)
    lines.push(`${ip! >>> 24}.${(ip! >>> 16) & 255}.0.1 - [${at}] "GET /page/${path}.html HTTP/1.1" 200 ${path! * 37}\n`)
  }
  return Buffer.from(lines.join('')).subarray(0, bytes)
}

/** Smooth colour with fine noise (PNG third edition, RGB 8 bit, filter Sub). */
function photoLikePng(width: number, height: number): Buffer<ArrayBuffer> {
  const random = randoms(7)
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 1
    let [r, g, b] = [0, 0, 0]
    for (let x = 0; x < width; x++) {
      const noise = random() * 2
      const pixel = [128 + 100 * Math.sin(x / 190) + noise, 120 + 90 * Math.cos(y / 130) + noise, (x + y) / 25 + noise].map((v) => v & 255)
      rows[at++] = pixel[0]! - r
      rows[at++] = pixel[1]! - g
      rows[at++] = pixel[2]! - b
      ;[r, g, b] = pixel as [number, number, number]
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 1 })), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
