/** Compares photographs stored as PNG and converted to JPEG XL with cjxl at the same SSIMULACRA 2.1 score. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bytesAt, type Point } from '../equal-score.ts'
import { type Bench, files, type Measured, native, ours, type Row } from '../harness.ts'
import { perceptualFiguresOfFiles } from '../seen-of.ts'

const LEVELS = ['low', 'medium', 'high'] as const
/** Butteraugli distances, from the smallest result to the largest. */
const DISTANCES = ['5', '4', '3.2', '2.5', '2', '1.5', '1.1', '0.8', '0.5']

export const bench: Bench = {
  title: 'PNG as JPEG XL against cjxl -e 7 at our score; not measured: not installed, or it does not reach the score',
  async *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-jxl-pictures-'))
    for (const path of files(join(corpus, 'image'), 'jpg', 'jpeg')) {
      const [pixels, picture] = [join(folder, 'pixels.ppm'), join(folder, `${basename(path).replace(/\.\w+$/, '')}.png`)]
      if (!native('djpeg', ['-rgb', '-pnm', '-outfile', pixels, path], pixels)) continue
      if (!native('convert', [pixels, picture], picture)) continue
      yield* rowsOf(picture, folder)
    }
    rmSync(folder, { recursive: true })
  },
}

async function* rowsOf(path: string, folder: string): AsyncGenerator<Row> {
  const points: Point[] = []
  for (const distance of DISTANCES) {
    const made = join(folder, 'peer.jxl')
    rmSync(made, { force: true })
    const measured = native('cjxl', ['--quiet', '-e', '7', '--num_threads=0', '-d', distance, path, made], made)
    if (!measured) break
    const score = (await perceptualFiguresOfFiles(path, 'png', made, 'jxl'))?.score
    if (score !== undefined) points.push({ score, measured, file: made })
  }
  for (const quality of LEVELS) {
    const out = join(folder, 'ours')
    rmSync(out, { recursive: true, force: true })
    const measured = ours(path, { quality, format: 'jxl', out })
    const result = join(out, `${basename(path)}.jxl`)
    const score = existsSync(result) ? (await perceptualFiguresOfFiles(path, 'png', result, 'jxl'))?.score : undefined
    if (score === undefined) continue
    const peers: Record<string, Measured | undefined> = { cjxl: bytesAt(points, score) }
    yield { name: `${basename(path)} ${quality} ${score.toFixed(1)}`, ours: measured, peers }
  }
}
