/** The HTTP client of the task API, in a process that has loaded Miniflare, as the service process has. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'miniflare'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TaskApiClient } from '../../src/local/task-api-client.ts'

let folder: string
let server: Server | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-task-api-'))
})
afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true })
})

async function clientOf(opened: Server): Promise<TaskApiClient> {
  server = opened
  await once(opened.listen(0, '127.0.0.1'), 'listening')
  return new TaskApiClient(`http://127.0.0.1:${(opened.address() as AddressInfo).port}`, 'secret')
}

/** A server that sends `bytes` of an announced length and closes at once, before the client has read them. */
const closing = (announced: number, bytes: Buffer) =>
  createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${announced}\r\nConnection: close\r\n\r\n`)
      socket.end(bytes)
    })
  })

it('downloads a blob whose connection ends before it is read (ended-before-read)', async () => {
  const blob = Buffer.alloc(4_000_000, 'a line of text\n')
  const client = await clientOf(closing(blob.length, blob))
  await client.download('blob', join(folder, 'blob'))
  expect(readFileSync(join(folder, 'blob')).equals(blob)).toBe(true)
})

it('leaves no file of a download that is cut off', async () => {
  const client = await clientOf(closing(2000, Buffer.alloc(1000)))
  await expect(client.download('blob', join(folder, 'blob'))).rejects.toThrow()
  expect(readdirSync(folder)).toEqual([])
})

it('uploads in one piece or in parts, and removes what it could not finish', async () => {
  const calls: string[] = []
  let refused = ''
  const client = await clientOf(
    createHttpServer(async (request, response) => {
      let bytes = 0
      for await (const chunk of request) bytes += (chunk as Buffer).length
      const path = `${request.method} ${request.url}`
      calls.push(`${path} ${bytes}`)
      if (path === refused) return void response.writeHead(500).end('no space')
      response.end(JSON.stringify({ upload: 'u 1' }))
    }),
  )
  const file = join(folder, 'file')
  writeFileSync(file, 'text')
  expect(await client.upload(file, 'key')).toMatchObject({ size: 4 })
  expect(calls.splice(0)).toEqual(['PUT /blobs/key 4'])
  writeFileSync(file, Buffer.alloc(6_000_000))
  await client.upload(file, 'key')
  const [begun, ...parts] = calls.splice(0)
  expect([begun, parts.at(-1)]).toEqual(['POST /blobs/key 0', expect.stringMatching(/^POST \/blobs\/key\?upload=u%201 /)])
  refused = 'PUT /blobs/key?upload=u%201&part=1'
  await expect(client.upload(file, 'key')).rejects.toThrow('PUT /blobs/key failed with HTTP 500: no space')
  expect(calls.at(-1)).toBe('DELETE /blobs/key?upload=u%201 0')
})
