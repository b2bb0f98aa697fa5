/** The built front page on a port of its own, with the headers of the service, and a list of what browsers asked for. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { PAGE_POLICY, SITE_POLICY } from '../../src/service/http/page-policies.ts'

const PUBLIC = join(import.meta.dirname, '../../console/public')

const TYPES: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' },
  ...{ '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.jpg': 'image/jpeg', '.png': 'image/png', '.woff2': 'font/woff2' },
  ...{ '.webmanifest': 'application/manifest+json' },
}

export class SiteServer {
  readonly #server: Server
  /** Paths that were asked for, in their order. */
  readonly asked: string[] = []
  /** True: the server answers nothing, as if the network were gone. */
  isGone = false

  private constructor() {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      this.asked.push(pathname)
      if (this.isGone) return void request.socket.destroy()
      const isChinese = /^zh/.test(request.headers['accept-language'] ?? '')
      const path = join(PUBLIC, pathname === '/' ? (isChinese ? 'index.zh.html' : 'index.html') : pathname)
      if (!path.startsWith(PUBLIC) || !existsSync(path)) return void response.writeHead(404).end()
      response.writeHead(200, {
        'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
        'Content-Security-Policy': pathname.startsWith('/console/') ? PAGE_POLICY : SITE_POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'no-cache',
      })
      response.end(readFileSync(path))
    })
  }

  static async start(): Promise<SiteServer> {
    const server = new SiteServer()
    await new Promise<void>((ready) => server.#server.listen(0, '127.0.0.1', ready))
    return server
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }
}
