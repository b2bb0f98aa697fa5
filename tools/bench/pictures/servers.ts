/** Servers of the benchmark of pictures on the fly: Whittle, sharp behind a bare route, and imgproxy. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { imageUrl } from '../../../packages/clients/typescript/src/images.ts'
import { startService } from '../../../test/e2e/running.ts'
import { installPackages } from '../libraries/install.ts'
import { childrenOf } from './tree-memory.ts'

export const WIDTH = 640
/** Qualities of the peers that enclose the scores of Whittle's results. */
export const QUALITIES = { webp: [60, 70, 80, 88, 94], avif: [40, 50, 60, 70, 80], jpg: [60, 70, 80, 88, 94] } as const
export type Format = keyof typeof QUALITIES
/** sharp's name of each format, and its default quality. */
const SHARP = { webp: ['webp', 80], avif: ['avif', 50], jpg: ['jpeg', 80] } as const
const START_TRIES = 100
const START_POLL_MS = 100

export interface Server {
  readonly name: string
  /** Address of a small picture. `quality`: 0 is a lossless PNG; `undefined`: the default of the server. */
  addressOf(path: string, format: Format, quality?: number): Promise<string>
  /** Ids of the server's processes that have no parent among them. */
  processes(): readonly number[]
}

/** Starts Whittle. Its processes are the children of this one that are there afterwards and not before. */
export async function startWhittle(origin: string, cleanUp: AsyncDisposableStack): Promise<Server> {
  const before = childrenOf(process.pid)
  const service = await startService()
  cleanUp.defer(() => service.stop())
  const others = new Set(before)
  const headers = { Authorization: `Bearer ${service.keys.enterprise}`, 'Content-Type': 'application/json' }
  const setting = { method: 'PUT', headers, body: JSON.stringify({ origin }) }
  const answer = await fetch(`${service.baseUrl}/v1/image-origins/photos`, setting)
  const { image_key: key = '', image_secret: secret = '' } = (await answer.json()) as Record<string, string>
  return {
    name: 'Whittle',
    addressOf: (path, format) => imageUrl(service.baseUrl, { key, secret }, `photos/${path}`, `w_${WIDTH},f_${format}`),
    processes: () => childrenOf(process.pid).filter((pid) => !others.has(pid)),
  }
}

export async function startSharp(folder: string, origin: string, cleanUp: AsyncDisposableStack): Promise<Server> {
  const packages = join(folder, 'packages')
  installPackages(packages, { sharp: '0.35.5' })
  const route = spawn(process.execPath, [join(import.meta.dirname, 'route.ts'), packages, origin], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanUp.defer(() => void route.kill())
  const [port] = (await once(route.stdout, 'data')) as [Buffer]
  return {
    name: 'sharp',
    addressOf: async (path, format, quality = SHARP[format][1]) =>
      `http://127.0.0.1:${String(port).trim()}/${quality === 0 ? 'png' : SHARP[format][0]}/${quality}/${WIDTH}/${encodeURIComponent(path)}`,
    processes: () => (route.pid === undefined ? [] : [route.pid]),
  }
}

/** Starts imgproxy (measured: 4.0). It keeps no results, so its repeated requests compute again. @param program its path, or name in `PATH` */
export async function startImgproxy(program: string, origin: string, cleanUp: AsyncDisposableStack): Promise<Server> {
  const port = await freePort()
  const environment = {
    PATH: process.env['PATH'] ?? '',
    IMGPROXY_BIND: `127.0.0.1:${port}`,
    IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES: 'true',
  }
  const server = spawn(program, [], { stdio: ['ignore', 'ignore', 'inherit'], env: environment })
  cleanUp.defer(() => void server.kill())
  await isReady(server, `http://127.0.0.1:${port}/health`)
  return {
    name: 'imgproxy',
    async addressOf(path, format, quality) {
      const source = encodeURIComponent(origin + encodeURIComponent(path))
      const option = quality === undefined || quality === 0 ? '' : `q:${quality}/`
      return `http://127.0.0.1:${port}/insecure/rs:fit:${WIDTH}:0/${option}plain/${source}@${quality === 0 ? 'png' : format}`
    },
    processes: () => (server.pid === undefined ? [] : [server.pid]),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** @throws Error if the server cannot be started, ends, or does not answer within ten seconds */
async function isReady(server: ChildProcess, address: string): Promise<void> {
  let failure: Error | undefined
  server.once('error', (error) => (failure = error))
  for (let attempt = 0; attempt < START_TRIES; attempt++) {
    if (failure) throw failure
    if (server.exitCode !== null) throw new Error(`imgproxy ended with exit code ${server.exitCode}`)
    const answer = await fetch(address).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((wake) => setTimeout(wake, START_POLL_MS))
  }
  throw new Error(`imgproxy does not answer at ${address}`)
}
