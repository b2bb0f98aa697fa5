/** Chunks of many resumable uploads that arrive byte by byte: uploads of other accounts must still be accepted, and memory stays. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, MB } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { Target } from './target.ts'

const ACCOUNTS = 3
const UPLOADS = 60
const UPLOAD_BYTES = 15 * MB
const BYTES_PER_SECOND = 400
const SECONDS = 45
const MOST_BYTES = 100 * MB
const TUS = { 'Tus-Resumable': '1.0.0' }

export const slowChunks: Attack = {
  name: 'slow-chunks',
  title: `chunks of ${UPLOADS} resumable uploads of ${ACCOUNTS} accounts at ${BYTES_PER_SECOND} byte/s`,
  async run() {
    await using target = await Target.start()
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => target.account('enterprise')))
    const paths: string[] = []
    for (let at = 0; at < UPLOADS; at++) {
      const headers = { ...TUS, 'Upload-Length': String(UPLOAD_BYTES) }
      const made = await target.call(accounts[at % ACCOUNTS]!.key, '/v1/uploads', { method: 'POST', headers })
      paths.push(new URL(made.headers.get('Location')!, target.baseUrl).pathname)
    }
    const rest = target.workerdBytes()
    const sockets = paths.map((path, at) =>
      target.open([
        `PATCH ${path} HTTP/1.1`,
        `Authorization: Bearer ${accounts[at % ACCOUNTS]!.key}`,
        'Tus-Resumable: 1.0.0',
        'Upload-Offset: 0',
        'Content-Type: application/offset+octet-stream',
        `Content-Length: ${UPLOAD_BYTES}`,
      ]),
    )
    for (const socket of sockets) socket.resume()
    const neighbour = await Neighbour.beside(target)
    let peak = 0
    for (const until = Date.now() + SECONDS * 1000; Date.now() < until; await sleep(500)) {
      for (const socket of sockets) if (!socket.closed) socket.write(Buffer.alloc(BYTES_PER_SECOND / 2, 'a'))
      peak = Math.max(peak, target.workerdBytes() - rest)
    }
    const figures = await neighbour.leave()
    return [...figures, { what: 'memory of workerd beyond its rest', value: peak / MB, unit: 'MB', most: MOST_BYTES / MB }]
  },
}
