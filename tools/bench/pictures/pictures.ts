/**
 * Pictures on the fly beside sharp behind a bare route of Node, and imgproxy if `--imgproxy PROGRAM` names it:
 * `npm run bench -- pictures [--count 12] [--only 'webp, avif'] [--imgproxy PROGRAM] [--docs]`. Bytes are compared at the SSIMULACRA 2.1
 * score of Whittle's result, against a lossless reduction by the peer. Times need an idle machine.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILE, when } from '../docs.ts'
import { bytesAt, type Point } from '../equal-score.ts'
import { perceptualFiguresOfFiles } from '../seen-of.ts'
import { type Format, QUALITIES, type Server, startImgproxy, startSharp, startWhittle } from './servers.ts'
import { cellsOf, type PictureRow, withPictures } from './tables.ts'
import { watchMemory } from './tree-memory.ts'

/** Beginnings of colour profiles in WebP, AVIF and JPEG. Whittle's results have one if the picture is not in sRGB. */
const PROFILES = ['ICCP', 'colrprof', 'ICC_PROFILE']
const POLL_MS = 25
const WARM_CLIENTS = 16
/** Repeated requests end at this number or after this time, whichever comes first. */
const [WARM_REQUESTS, WARM_MS] = [2000, 20_000]

interface Options {
  readonly corpus: string
  readonly count: number
  readonly only: readonly string[] | undefined
  /** Path of imgproxy, or its name in `PATH`. `undefined`: it is left out. */
  readonly imgproxy: string | undefined
  readonly docs: boolean
}

export async function benchPictures({ corpus, count, only, imgproxy, docs }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pictures-'))
  await using cleanUp = new AsyncDisposableStack()
  cleanUp.defer(() => rmSync(folder, { recursive: true }))
  const pictures = readdirSync(join(corpus, 'image/jpg'))
    .filter((name) => /\.jpe?g$/i.test(name))
    .slice(0, count)
  const origin = await serveFolder(join(corpus, 'image/jpg'), cleanUp)
  const ours = await startWhittle(origin, cleanUp)
  const peers = [await startSharp(folder, origin, cleanUp)]
  if (imgproxy !== undefined) peers.push(await startImgproxy(imgproxy, origin, cleanUp))
  const others = new Set(peers.flatMap((peer) => peer.processes()))
  const own = { ...ours, processes: () => ours.processes().filter((pid) => !others.has(pid)) }
  const rows: PictureRow[] = []
  for (const format of Object.keys(QUALITIES) as Format[]) {
    if (only && !only.includes(format)) continue
    const to = join(folder, format)
    mkdirSync(to)
    rows.push(shown({ format, server: ours.name, compared: 0, ...(await measured(pictures, format, own, to)) }))
    for (const peer of peers) {
      const figures = await measured(pictures, format, peer, undefined)
      rows.push(shown({ format, server: peer.name, ...figures, ...(await compareBytes(pictures, format, peer, to)) }))
    }
  }
  if (docs) writeFileSync(FILE, withPictures(readFileSync(FILE, 'utf8'), rows, when()))
}

function shown(row: PictureRow): PictureRow {
  console.log(cellsOf(row).join(' | '))
  return row
}

async function serveFolder(folder: string, cleanUp: AsyncDisposableStack): Promise<string> {
  const origin = createServer((request, response) => {
    const bytes = readFileSync(join(folder, decodeURIComponent(request.url ?? '').slice(1)))
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': bytes.length }).end(bytes)
  })
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  cleanUp.defer(() => void origin.close().closeAllConnections())
  return `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
}

/**
 * Requests every picture for the first time, one after the other, then all of them often.
 * @param to folder for the results. `undefined`: they are not kept
 */
async function measured(pictures: readonly string[], format: Format, server: Server, to: string | undefined) {
  const [cold, small]: [number[], number[]] = [[], []]
  const stopWatching = watchMemory(server.processes)
  for (const picture of pictures) {
    const url = await server.addressOf(picture, format)
    const started = performance.now()
    let got = await get(url)
    cold.push(performance.now() - started)
    while (got.isPending) {
      await new Promise((wake) => setTimeout(wake, POLL_MS))
      got = await get(url)
    }
    small.push(performance.now() - started)
    if (to !== undefined) writeFileSync(join(to, picture), got.bytes)
  }
  const repeated = await warm(await Promise.all(pictures.map((picture) => server.addressOf(picture, format))))
  return { cold, small, ...repeated, peakBytes: stopWatching() }
}

async function get(url: string): Promise<{ bytes: Buffer; isPending: boolean }> {
  const answer = await fetch(url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}: ${bytes.toString('utf8', 0, 300)}`)
  return { bytes, isPending: answer.headers.get('Whittle-Outcome') === 'pending' }
}

async function warm(urls: readonly string[]): Promise<{ warm: number[]; perSecond: number }> {
  const times: number[] = []
  const startedMs = performance.now()
  let next = 0
  const client = async () => {
    while (next < WARM_REQUESTS && performance.now() - startedMs < WARM_MS) {
      const url = urls[next++ % urls.length]!
      const sentMs = performance.now()
      await get(url)
      times.push(performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: WARM_CLIENTS }, client))
  return { warm: times, perSecond: (times.length * 1000) / (performance.now() - startedMs) }
}

/** Compares the bytes of Whittle's results in `to` with a peer's at the same score. */
async function compareBytes(
  pictures: readonly string[],
  format: Format,
  peer: Server,
  to: string,
): Promise<Pick<PictureRow, 'ratio' | 'compared'>> {
  const sum = { ours: 0, theirs: 0, count: 0 }
  const [reference, file] = [join(to, 'reference.png'), join(to, 'point')]
  for (const picture of pictures) {
    const result = join(to, picture)
    const ours = readFileSync(result)
    // Peers convert such colours to sRGB, so that scores would compare different samples.
    if (PROFILES.some((mark) => ours.includes(mark))) continue
    writeFileSync(reference, (await get(await peer.addressOf(picture, format, 0))).bytes)
    const score = (await perceptualFiguresOfFiles(reference, 'png', result, format))?.score
    if (score === undefined) continue
    const points: Point[] = []
    for (const quality of QUALITIES[format]) {
      const { bytes } = await get(await peer.addressOf(picture, format, quality))
      writeFileSync(file, bytes)
      const found = await perceptualFiguresOfFiles(reference, 'png', file, format)
      if (found?.score !== undefined) points.push({ score: found.score, measured: { bytes: bytes.length, cpuSeconds: 0 }, file })
    }
    const compared = bytesAt(points, score)
    if (!compared) continue
    sum.ours += ours.length
    sum.theirs += compared.bytes
    sum.count++
  }
  return sum.count === 0 ? { compared: 0 } : { compared: sum.count, ratio: sum.ours / sum.theirs }
}
