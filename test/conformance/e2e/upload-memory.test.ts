import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../src/local/service.ts'
import { watchHeap } from '../../e2e/memory.ts'
import { type Running, startService } from '../../e2e/running.ts'

const MB = 1_000_000
let service: Running

beforeAll(async () => {
  service = await startService(undefined, await freePort())
})
afterAll(() => service?.stop())

/** A body that is made while it is sent: the test itself must not need the memory. `pauseMs`: with most of a part in the Worker. */
function multipart(size: number, head: string, pauseMs = 0): { body: ReadableStream<Uint8Array>; sha256: () => string } {
  const hash = createHash('sha256')
  const block = randomBytes(1 << 16)
  let left = size
  let began = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Pauses in which the inspector is heard: a saturated isolate does not answer it.
      if (left % (1 << 20) < block.length) await new Promise((resolve) => setTimeout(resolve, 30))
      if (pauseMs > 0 && Math.floor(left / block.length) === Math.floor((size - 5 * MB) / block.length)) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      if (!began) {
        began = true
        const first = '%PDF-1.4\n'
        hash.update(first)
        left -= first.length
        controller.enqueue(Buffer.from(`--xx\r\nContent-Disposition: form-data; name="file"; filename="${head}"\r\n\r\n${first}`))
        return
      }
      const chunk = block.subarray(0, Math.min(block.length, left))
      left -= chunk.length
      hash.update(chunk)
      controller.enqueue(new Uint8Array(chunk))
      if (left === 0) {
        controller.enqueue(Buffer.from('\r\n--xx--\r\n'))
        controller.close()
      }
    },
  })
  return { body, sha256: () => hash.copy().digest('hex') }
}

describe('a large upload', () => {
  it('of 95 MB stays under 60 MB in the edge', async () => {
    const meter = await watchHeap(service.pid, 'whittle')
    const { body, sha256 } = multipart(95 * MB, 'large.pdf')
    const started = performance.now()
    const answer = await fetch(`${service.baseUrl}/v1/compress`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.keys.pro}`,
        'Content-Type': 'multipart/form-data; boundary=xx',
        Prefer: 'respond-async',
      },
      body,
      duplex: 'half',
    } as RequestInit)
    const seconds = (performance.now() - started) / 1000
    const peak = await meter.stop()
    const task = (await answer.json()) as { task_id: string; original_size: number; format: string }
    console.log(
      `95 MB in ${seconds.toFixed(1)} s, peak ${(peak.total / MB).toFixed(1)} MB (heap ${(peak.heap / MB).toFixed(1)}) of ${peak.samples} samples`,
    )
    expect(answer.status).toBe(200)
    expect(task).toMatchObject({ original_size: 95 * MB, format: 'pdf' })
    expect(peak.samples).toBeGreaterThan(3)
    expect(peak.total).toBeLessThan(60 * MB)
    const headers = { Authorization: `Bearer ${service.keys.pro}` }
    const ended = await fetch(`${service.baseUrl}/v1/tasks/${task.task_id}`, { headers: { ...headers, Prefer: 'wait=60' } })
    expect(await ended.json()).toMatchObject({ status: 'completed', result: { original_sha256: sha256() } })
  })
})

describe('many uploads', () => {
  it('of 16 MB side by side stay under 80 MB in the edge', async () => {
    const meter = await watchHeap(service.pid, 'whittle')
    const headers = { Authorization: `Bearer ${service.keys.enterprise}`, Prefer: 'respond-async' }
    const send = async (number: number): Promise<{ status: number; task: { task_id: string }; sha256: string }> => {
      const { body, sha256 } = multipart(16 * MB, `${number}.pdf`, 3000)
      const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=xx' }, body, duplex: 'half' }
      const answer = await fetch(`${service.baseUrl}/v1/compress`, init as RequestInit)
      // On a machine that is busy the wait may be too long: come again, as it says.
      if (answer.status === 503 && answer.headers.has('Retry-After')) return send(number)
      return { status: answer.status, task: (await answer.json()) as { task_id: string }, sha256: sha256() }
    }
    const sent = await Promise.all(Array.from({ length: 14 }, (_, number) => send(number)))
    const peak = await meter.stop()
    console.log(`14 × 16 MB, peak ${(peak.total / MB).toFixed(1)} MB (heap ${(peak.heap / MB).toFixed(1)}) of ${peak.samples} samples`)
    expect(sent.map(({ status }) => status)).toEqual(Array<number>(14).fill(200))
    expect(peak.samples).toBeGreaterThan(3)
    expect(peak.total).toBeLessThan(80 * MB)
    for (const { task, sha256 } of sent) {
      const ended = await fetch(`${service.baseUrl}/v1/tasks/${task.task_id}`, { headers: { ...headers, Prefer: 'wait=60' } })
      expect(await ended.json()).toMatchObject({ result: { original_sha256: sha256 } })
    }
  })
})
