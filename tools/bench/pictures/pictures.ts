/**
 * Pictures on the fly beside sharp behind a bare route of Node: `npm run bench -- pictures [--count 12] [--only 'webp, avif']`. Bytes are
 * compared at the SSIMULACRA 2.1 score of Whittle's result, against a lossless reduction by sharp. Times need an idle machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { imageUrl } from '../../../packages/clients/typescript/src/images.ts'
import { startService } from '../../../test/e2e/running.ts'
import { bytesAt, type Point } from '../equal-score.ts'
import { installPackages } from '../libraries/install.ts'
import { perceptualFiguresOfFiles } from '../seen-of.ts'

const WIDTH = 640
const FORMATS = { webp: [60, 70, 80, 88, 94], avif: [40, 50, 60, 70, 80], jpg: [60, 70, 80, 88, 94] } as const
type Format = keyof typeof FORMATS
/** sharp's name of each format, and its default quality. */
const SHARP = { webp: ['webp', 80], avif: ['avif', 50], jpg: ['jpeg', 80] } as const
const POLL_MS = 25
const [WARM_REQUESTS, WARM_CLIENTS] = [2000, 16]

type Addresses = (path: string, format: Format, quality?: number) => Promise<string>

interface Side {
  readonly cold: number[]
  /** Milliseconds until the small picture was there. */
  readonly small: number[]
  readonly warm: { readonly ms: number[]; readonly perSecond: number }
}

export async function benchPictures({ corpus, count, only }: { corpus: string; count: number; only: readonly string[] | undefined }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pictures-'))
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => rmSync(folder, { recursive: true }))
  const pictures = readdirSync(join(corpus, 'image/jpg'))
    .filter((name) => /\.jpe?g$/i.test(name))
    .slice(0, count)
  const origin = createServer((request, response) => {
    const bytes = readFileSync(join(corpus, 'image/jpg', decodeURIComponent(request.url ?? '').slice(1)))
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length }).end(bytes)
  })
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  cleanUp.defer(() => void origin.close().closeAllConnections())
  const address = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
  const ours = await whittle(address, cleanUp)
  const theirs = await sharpRoute(folder, address, cleanUp)
  for (const format of Object.keys(FORMATS) as Format[]) {
    if (only && !only.includes(format)) continue
    const to = join(folder, format)
    mkdirSync(to)
    show(`${format}, Whittle`, await side(pictures, format, ours, join(to, 'ours')))
    show(`${format}, sharp`, await side(pictures, format, theirs, join(to, 'theirs')))
    await compareBytes(pictures, format, theirs, to)
  }
}

async function whittle(origin: string, cleanUp: AsyncDisposableStack): Promise<Addresses> {
  const service = await startService()
  cleanUp.defer(() => service.stop())
  const headers = { Authorization: `Bearer ${service.keys.enterprise}`, 'Content-Type': 'application/json' }
  const setting = { method: 'PUT', headers, body: JSON.stringify({ origin }) }
  const answer = await fetch(`${service.baseUrl}/v1/image-origins/photos`, setting)
  const { image_key: key = '', image_secret: secret = '' } = (await answer.json()) as Record<string, string>
  return (path, format) => imageUrl(service.baseUrl, { key, secret }, `photos/${path}`, `w_${WIDTH},f_${format}`)
}

async function sharpRoute(folder: string, origin: string, cleanUp: AsyncDisposableStack): Promise<Addresses> {
  const packages = join(folder, 'packages')
  installPackages(packages, { sharp: '0.35.5' })
  const route = spawn(process.execPath, [join(import.meta.dirname, 'route.ts'), packages, origin], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanUp.defer(() => void route.kill())
  const [port] = (await once(route.stdout, 'data')) as [Buffer]
  return async (path, format, quality = SHARP[format][1]) =>
    `http://127.0.0.1:${String(port).trim()}/${quality === 0 ? 'png' : SHARP[format][0]}/${quality}/${WIDTH}/${encodeURIComponent(path)}`
}

/** Requests every picture for the first time, one after the other, then all of them often. */
async function side(pictures: readonly string[], format: Format, addressOf: Addresses, to: string): Promise<Side> {
  const [cold, small]: [number[], number[]] = [[], []]
  mkdirSync(to)
  for (const picture of pictures) {
    const url = await addressOf(picture, format)
    const started = performance.now()
    let got = await get(url)
    cold.push(performance.now() - started)
    while (got.isPending) {
      await new Promise((wake) => setTimeout(wake, POLL_MS))
      got = await get(url)
    }
    small.push(performance.now() - started)
    writeFileSync(join(to, picture), got.bytes)
  }
  return { cold, small, warm: await warm(await Promise.all(pictures.map((picture) => addressOf(picture, format)))) }
}

async function get(url: string): Promise<{ bytes: Buffer; isPending: boolean }> {
  const answer = await fetch(url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}: ${bytes.toString('utf8', 0, 300)}`)
  return { bytes, isPending: answer.headers.get('Whittle-Outcome') === 'pending' }
}

async function warm(urls: readonly string[]): Promise<Side['warm']> {
  const ms: number[] = []
  let next = 0
  const client = async () => {
    while (next < WARM_REQUESTS) {
      const url = urls[next++ % urls.length]!
      const started = performance.now()
      await get(url)
      ms.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: WARM_CLIENTS }, client))
  return { ms, perSecond: (ms.length * 1000) / (performance.now() - started) }
}

function show(name: string, { cold, small, warm }: Side): void {
  const at = (all: readonly number[], share: number) => Math.round(all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? 0)
  const both = (all: readonly number[]) => `p50 ${at(all, 0.5)} ms, p99 ${at(all, 0.99)} ms`
  console.log(
    `${name}: first answer ${both(cold)}; small picture ${both(small)}; warm ${both(warm.ms)}, ${Math.round(warm.perSecond)} a second`,
  )
}

/** Prints the bytes of Whittle's results as a share of sharp's at the same score. */
async function compareBytes(pictures: readonly string[], format: Format, theirs: Addresses, to: string): Promise<void> {
  const sum = { ours: 0, theirs: 0, count: 0 }
  for (const picture of pictures) {
    const reference = join(to, 'reference.png')
    writeFileSync(reference, (await get(await theirs(picture, format, 0))).bytes)
    const result = join(to, 'ours', picture)
    const score = (await perceptualFiguresOfFiles(reference, 'png', result, format))?.score
    if (score === undefined) continue
    const points: Point[] = []
    for (const quality of FORMATS[format]) {
      const file = join(to, 'point')
      const { bytes } = await get(await theirs(picture, format, quality))
      writeFileSync(file, bytes)
      const found = await perceptualFiguresOfFiles(reference, 'png', file, format)
      if (found?.score !== undefined) points.push({ score: found.score, measured: { bytes: bytes.length, cpuSeconds: 0 }, file })
    }
    const peer = bytesAt(points, score)
    if (!peer) continue
    sum.ours += readFileSync(result).length
    sum.theirs += peer.bytes
    sum.count++
  }
  console.log(`${format}: ${(sum.ours / sum.theirs).toFixed(3)} of sharp's bytes at equal score, over ${sum.count} pictures`)
}
