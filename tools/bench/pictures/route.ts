/**
 * Bare route that makes small pictures with sharp and keeps them in memory: `node tools/bench/pictures/route.ts PACKAGES ORIGIN`. It answers
 * `/{format}/{quality}/{width}/{path}` and prints its port. `png` is lossless.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Pipeline {
  resize(size: { readonly width: number; readonly withoutEnlargement: true }): Pipeline
  rotate(): Pipeline
  toFormat(format: string, options: { readonly quality?: number }): { toBuffer(): Promise<Buffer> }
}

const [packages = '', origin = ''] = process.argv.slice(2)
const folder = join(packages, 'node_modules/sharp')
const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly main: string }
const { default: sharp } = (await import(pathToFileURL(join(folder, main)).href)) as { readonly default: (file: Buffer) => Pipeline }
const made = new Map<string, Promise<Buffer>>()

async function make(url: string): Promise<Buffer> {
  const [, format = '', quality = '', width = '', ...path] = url.split('/')
  const source = Buffer.from(await (await fetch(origin + path.join('/'))).arrayBuffer())
  const options = format === 'png' ? {} : { quality: Number(quality) }
  return sharp(source)
    .rotate()
    .resize({ width: Number(width), withoutEnlargement: true })
    .toFormat(format, options)
    .toBuffer()
}

const server = createServer(async (request, response) => {
  const url = request.url ?? ''
  const work = made.get(url) ?? make(url)
  made.set(url, work)
  const bytes = await work
  response.writeHead(200, { 'Content-Type': `image/${url.split('/')[1]}`, 'Content-Length': bytes.length }).end(bytes)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
