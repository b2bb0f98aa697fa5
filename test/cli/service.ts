/** A service that answers like Whittle's, for the command line alone: every upload is a task that halves it. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeService {
  readonly baseUrl: string
  /** Names of the files that were sent. */
  readonly received: string[]
  stop(): Promise<void>
}

/** Files called `*.bin` are refused, as the service refuses what it does not know. */
export async function fakeService(): Promise<FakeService> {
  const received: string[] = []
  const results = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const [, , what, id = ''] = (request.url ?? '').split('/')
    if (request.method === 'DELETE') return answer(200, { freed_bytes: 0 })
    if (what === 'tasks') return response.writeHead(200).end(results.get(id))
    const { name, content } = readForm(Buffer.concat(chunks))
    received.push(name)
    if (name.endsWith('.bin')) return answer(400, { error: { code: 400, message: `${name} has no format that Whittle knows.` } })
    const taskId = `tsk_${results.size}`
    const result = content.subarray(0, content.length >> 1)
    results.set(taskId, result)
    const sha256 = createHash('sha256').update(result).digest('hex')
    return answer(200, {
      task_id: taskId,
      status: 'completed',
      original_size: content.length,
      compressed_size: result.length,
      compression_ratio: '50.0%',
      file_name: name,
      output_name: name,
      result: { outcome: 'compressed', sha256 },
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, received, stop: () => new Promise((done) => server.close(() => done())) }
}

function readForm(form: Buffer): { name: string; content: Buffer } {
  const head = /name="file"; filename="([^"]*)"[\s\S]*?\r\n\r\n/.exec(form.toString('latin1'))
  if (!head) throw new Error('the form has no file')
  const begin = head.index + head[0].length
  return { name: head[1]!, content: form.subarray(begin, form.lastIndexOf('\r\n--')) }
}
