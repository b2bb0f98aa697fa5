/** Origin of pictures on this machine: every `.jpg` is the same photo, everything else is missing. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export const ORIGIN_PHOTO = readFileSync(join(import.meta.dirname, '../../docs/photo.jpg'))

export interface PictureServer extends AsyncDisposable {
  /** Address for `PUT /v1/image-origins/{name}`. */
  readonly address: string
  /** Paths that were requested so far. */
  readonly asked: readonly string[]
}

export async function servePictures(): Promise<PictureServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (!request.url?.endsWith('.jpg')) return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': ORIGIN_PHOTO.length, ETag: '"one"' }).end(ORIGIN_PHOTO)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pictures/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections()
    },
  }
}
