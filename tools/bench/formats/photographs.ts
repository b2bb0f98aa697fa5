/** Compares JPEG with other encoders at the same SSIMULACRA 2.1 score. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import '../../wasm-hook.ts'
import { bytesAt, type Point } from '../equal-score.ts'
import { type Bench, files, type Measured, native, ours, type Row } from '../harness.ts'

const { JpegRows } = await import('../../../wasm/jpeg/jpeg.ts')
const { MIN_SCORED_SIDE, PerceptualMeter } = await import('../../../src/core/metrics/perceptual.ts')

const LEVELS = ['low', 'medium', 'high'] as const
const QUALITIES = [20, 30, 40, 50, 60, 70, 78, 85, 90, 95].map(String)
/** Peers: cjpeg of libjpeg-turbo or MozJPEG (whichever is installed), also with two of MozJPEG's tables, and cjpegli. */
const PEERS: { readonly [peer: string]: readonly [command: string, args: (quality: string, made: string, from: string) => string[]] } = {
  cjpeg: ['cjpeg', (quality, made, from) => ['-quality', quality, '-optimize', '-progressive', '-outfile', made, from]],
  'cjpeg, MozJPEG, table 2': ['cjpeg', (quality, made, from) => ['-quality', quality, '-quant-table', '2', '-outfile', made, from]],
  'cjpeg, MozJPEG, table 3': ['cjpeg', (quality, made, from) => ['-quality', quality, '-quant-table', '3', '-outfile', made, from]],
  cjpegli: ['cjpegli', (quality, made, from) => [from, made, '-q', quality]],
}

interface Picture {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8Array
}

export const bench: Bench = {
  title: 'JPEG without metadata against other encoders at our score; not measured: not installed, or it does not reach the score',
  async *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-photographs-'))
    for (const path of files(join(corpus, 'image'), 'jpg', 'jpeg')) yield* rowsOf(path, folder)
    rmSync(folder, { recursive: true })
  },
}

async function* rowsOf(path: string, folder: string): AsyncGenerator<Row> {
  const [plain, pixels] = [join(folder, basename(path)), join(folder, 'pixels.ppm')]
  if (!native('jpegtran', ['-copy', 'none', '-outfile', plain, path], plain)) return
  if (!native('djpeg', ['-rgb', '-pnm', '-outfile', pixels, plain], pixels)) return
  const original = await decoded(plain)
  if (Math.min(original.width, original.height) < MIN_SCORED_SIDE) return
  const curves: Record<string, Point[]> = {}
  for (const [peer, [command, args]] of Object.entries(PEERS)) {
    const points: Point[] = []
    for (const quality of QUALITIES) {
      const made = join(folder, 'peer.jpg')
      rmSync(made, { force: true })
      const measured = native(command, args(quality, made, pixels), made)
      if (!measured) break
      points.push({ score: scoreOf(original, await decoded(made)), measured, file: made })
    }
    curves[peer] = points
  }
  for (const quality of LEVELS) {
    const out = join(folder, 'ours')
    rmSync(out, { recursive: true, force: true })
    const measured = ours(plain, { quality, out })
    const result = join(out, basename(path))
    const score = existsSync(result) ? scoreOf(original, await decoded(result)) : 100
    const peers: Record<string, Measured | undefined> = {}
    for (const [peer, points] of Object.entries(curves)) peers[peer] = bytesAt(points, score)
    yield { name: `${basename(path)} ${quality} ${score.toFixed(1)}`, ours: measured, peers }
  }
}

async function decoded(file: string): Promise<Picture> {
  using rows = await JpegRows.open(new Uint8Array(readFileSync(file)), { colour: 'rgb' })
  const { width, height } = rows
  const strips: Uint8Array[] = []
  for await (const strip of rows.strips(64)) strips.push(strip.slice())
  return { width, height, rgb: Buffer.concat(strips) }
}

function scoreOf({ width, height, rgb }: Picture, other: Picture): number {
  using meter = new PerceptualMeter(width, height, 3)
  meter.push(rgb, other.rgb)
  return meter.finish().score ?? 100
}
