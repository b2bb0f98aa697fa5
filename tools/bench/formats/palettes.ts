/** Compares PNG with pngquant at the same SSIMULACRA 2.1 score (the lowest of black, grey and white backgrounds). */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import '../../wasm-hook.ts'
import { bytesAt, interpolate, type Point, pointsAround } from '../equal-score.ts'
import type { Bench, Measured, Row } from '../harness.ts'
import { files, native, ours } from '../harness.ts'

const { decodePng } = await import('../../../wasm/png/png.ts')
const { MIN_SCORED_SIDE, PerceptualMeter } = await import('../../../src/core/metrics/perceptual.ts')

const LEVELS = ['low', 'medium'] as const
/** Numbers of palette colours, dense near 16, because an index needs more bits from 17 colours on. */
const COLOURS = [4, 6, 8, 10, 12, 14, 16, 17, 20, 24, 32, 48, 64, 96, 128, 192, 256]
/** Speeds of pngquant: the slowest search, and its default (4). */
const SPEEDS = { 'pngquant --speed 1': '1', pngquant: '4' } as const
/** Chunk types that decoding the picture needs. */
const PICTURE = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
const PACKED = 'pngquant, oxipng'

interface Picture {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

export const bench: Bench = {
  title: "PNG (and BMP as PNG) against pngquant's bytes at our score; not measured: pngquant does not reach the score with 256 colours",
  async *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-palettes-'))
    for (const path of files(join(corpus, 'image'), 'png', 'bmp')) {
      const file = asPng(path, folder)
      const original = file && (await decoded(file))
      if (!original || Math.min(original.width, original.height) < MIN_SCORED_SIDE) continue
      yield* rowsOf(file, original, basename(path), folder)
    }
    rmSync(folder, { recursive: true })
  },
}

async function* rowsOf(file: string, original: Picture, name: string, folder: string): AsyncGenerator<Row> {
  const curves: Record<string, Point[]> = {}
  for (const [peer, speed] of Object.entries(SPEEDS)) curves[peer] = await curve(file, original, speed, folder)
  for (const quality of LEVELS) {
    const out = join(folder, 'ours')
    rmSync(out, { recursive: true, force: true })
    const measured = ours(file, { quality, out })
    const result = join(out, basename(file))
    const score = existsSync(result) ? scoreOf(original, await decoded(result)) : 100
    const peers: Record<string, Measured | undefined> = {}
    for (const [peer, points] of Object.entries(curves)) peers[peer] = bytesAt(points, score)
    peers[PACKED] = packedAt(Object.values(curves).flat(), score, folder)
    yield { name: `${name} ${quality} ${score.toFixed(1)}`, ours: measured, peers }
  }
}

/** Returns pngquant's results for each number of colours. */
async function curve(file: string, original: Picture, speed: string, folder: string): Promise<Point[]> {
  const points: Point[] = []
  for (const colours of COLOURS) {
    const made = join(folder, `peer-${speed}-${colours}.png`)
    rmSync(made, { force: true })
    const measured = native('pngquant', ['--speed', speed, '--force', '--output', made, String(colours), file], made)
    if (measured) points.push({ score: scoreOf(original, await decoded(made)), measured, file: made })
  }
  return points
}

/** Returns pngquant's size at `score` after oxipng. `undefined`: oxipng is not installed, or no result reaches the score. */
function packedAt(points: readonly Point[], score: number, folder: string): Measured | undefined {
  const sides = pointsAround(points, score)
  if (!sides) return undefined
  const packed = sides.map((point) => {
    const made = join(folder, 'packed.png')
    const measured = native('oxipng', ['-q', '-o', '4', '--strip', 'none', '--out', made, point.file], made)
    return measured && { ...point, measured: { ...measured, cpuSeconds: measured.cpuSeconds + point.measured.cpuSeconds } }
  })
  const [from, to] = packed
  return from && to && interpolate(sides[0] === sides[1] ? [to, to] : [from, to], score)
}

/**
 * Returns the file as PNG without metadata, because pngquant drops it and Whittle keeps it. `undefined`: an animation, or a BMP without
 * ImageMagick.
 */
function asPng(path: string, folder: string): string | undefined {
  const png = join(folder, `${basename(path).replace(/\.\w+$/, '')}.png`)
  if (!path.endsWith('.png') && spawnSync('convert', [path, `PNG24:${png}`]).status !== 0) return undefined
  const bytes = readFileSync(path.endsWith('.png') ? path : png)
  if (bytes.includes('acTL')) return undefined
  const kept = [bytes.subarray(0, 8)]
  for (let at = 8, end = 8; at + 12 <= bytes.length; at = end) {
    end = at + 12 + bytes.readUInt32BE(at)
    if (PICTURE.has(bytes.toString('latin1', at + 4, at + 8))) kept.push(bytes.subarray(at, end))
  }
  writeFileSync(png, Buffer.concat(kept))
  return png
}

async function decoded(file: string): Promise<Picture> {
  const rows: Uint8Array[] = []
  const { header } = await decodePng(chunksOf(file), 'rgba8', (row) => void rows.push(row.slice()))
  return { width: header.width, height: header.height, rgba: Buffer.concat(rows) }
}

async function* chunksOf(file: string) {
  yield new Uint8Array(readFileSync(file))
}

function scoreOf({ width, height, rgba }: Picture, other: Picture): number {
  const meter = new PerceptualMeter(width, height, 4)
  const stride = width * 4
  for (let at = 0; at < rgba.length; at += stride) meter.push(rgba.subarray(at, at + stride), other.rgba.subarray(at, at + stride))
  return meter.finish().score ?? 100
}
