/** Compares JPEG converted to WebP and AVIF with the programs of libwebp and libavif at the same SSIMULACRA 2.1 score. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bytesAt, type Point } from '../equal-score.ts'
import { type Bench, files, type Measured, native, ours, type Row } from '../harness.ts'
import { perceptualFiguresOfFiles } from '../seen-of.ts'

const LEVELS = ['low', 'medium', 'high'] as const

interface Peer {
  readonly name: string
  readonly output: 'webp' | 'avif'
  /** Encoder qualities, from the smallest result to the largest. */
  readonly qualities: readonly number[]
  args(quality: number, from: string, made: string): string[]
}

const PEERS: readonly Peer[] = [
  {
    name: 'cwebp',
    output: 'webp',
    qualities: [30, 45, 58, 70, 80, 88, 94],
    args: (quality, from, made) => ['-quiet', '-metadata', 'all', '-m', '6', '-q', `${quality}`, from, '-o', made],
  },
  {
    // avifenc is called with quantiser limits, which older versions support, too.
    name: 'avifenc',
    output: 'avif',
    qualities: [44, 38, 32, 26, 20, 14, 8],
    args: (quality, from, made) => ['-s', '6', '-j', '1', '--min', `${quality}`, '--max', `${quality}`, from, made],
  },
]

export const bench: Bench = {
  title:
    'JPEG as WebP and AVIF against cwebp -m 6 and avifenc -s 6 at our score; not measured: not installed, or it does not reach the score',
  async *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-converted-'))
    for (const path of files(join(corpus, 'image'), 'jpg', 'jpeg')) for (const peer of PEERS) yield* rowsOf(path, peer, folder)
    rmSync(folder, { recursive: true })
  },
}

async function* rowsOf(path: string, peer: Peer, folder: string): AsyncGenerator<Row> {
  const points = await curve(path, peer, folder)
  for (const quality of LEVELS) {
    const out = join(folder, 'ours')
    rmSync(out, { recursive: true, force: true })
    const measured = ours(path, { quality, format: peer.output, out })
    const result = join(out, `${basename(path)}.${peer.output}`)
    const score = existsSync(result) ? (await perceptualFiguresOfFiles(path, 'jpg', result, peer.output))?.score : undefined
    if (score === undefined) continue
    const peers: Record<string, Measured | undefined> = { [peer.name]: bytesAt(points, score) }
    yield { name: `${basename(path)} ${peer.output} ${quality} ${score.toFixed(1)}`, ours: measured, peers }
  }
}

async function curve(path: string, { name, output, qualities, args }: Peer, folder: string): Promise<Point[]> {
  const points: Point[] = []
  for (const quality of qualities) {
    const made = join(folder, `peer.${output}`)
    rmSync(made, { force: true })
    const measured = native(name, args(quality, path, made), made)
    if (!measured) break
    const score = (await perceptualFiguresOfFiles(path, 'jpg', made, output))?.score
    if (score !== undefined) points.push({ score, measured, file: made })
  }
  return points
}
