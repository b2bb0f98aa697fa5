/**
 * `npm run bench -- scores`: what each level comes to over the files of a corpus: bytes, CPU, the SSIMULACRA2 of receipts, and of
 * pictures the worst tile and the most that colours are off, measured here.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { files } from './harness.ts'
import { seenAsPng, seenOf } from './seen-of.ts'

const LEVELS = ['high', 'medium', 'low'] as const
/** Documents stand for the pictures inside them: the worst of each. `drawn`: ImageMagick draws both, of animations the first frame. */
const KINDS = [
  { kind: 'JPEG', folder: 'image', extensions: ['jpg', 'jpeg'], format: undefined, picture: { input: 'jpg', output: 'jpg' } },
  { kind: 'JPEG as WebP', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'webp', picture: { input: 'jpg', output: 'webp' } },
  { kind: 'JPEG as AVIF', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'avif', picture: { input: 'jpg', output: 'avif' } },
  { kind: 'PNG', folder: 'image', extensions: ['png'], format: undefined, picture: { input: 'png', output: 'png' } },
  { kind: 'BMP', folder: 'image', extensions: ['bmp'], format: undefined, picture: 'drawn' },
  { kind: 'GIF', folder: 'image', extensions: ['gif'], format: undefined, picture: 'drawn' },
  { kind: 'TIFF', folder: 'image', extensions: ['tif', 'tiff'], format: undefined, picture: 'drawn' },
  { kind: 'DOCX, PPTX', folder: 'document', extensions: ['docx', 'pptx'], format: undefined, picture: undefined },
  { kind: 'PDF', folder: 'document', extensions: ['pdf'], format: undefined, picture: undefined },
] as const

type Kind = (typeof KINDS)[number]
type Level = (typeof LEVELS)[number]

export interface Scores {
  readonly kind: string
  readonly level: Level
  readonly files: number
  /** Of all of them. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly cpuSeconds: number
  /** Files whose receipt has a score; others lost nothing, or have no still picture of 64 × 64. */
  readonly scored: number
  readonly median?: number
  readonly worst?: number
  /** Of pictures that lost something. */
  readonly worstTile?: number
  readonly mostCast?: number
}

/** `only`: kinds by name, so that a long run can be made in portions. */
export async function benchScores(corpus: string, only: readonly string[] = []): Promise<Scores[]> {
  const all: Scores[] = []
  console.log(
    '\nkind, level, files, Σ bytes, CPU seconds; SSIMULACRA2 of receipts (with one: median, worst); worst tile, most cast (ΔE of a and b)',
  )
  for (const kind of KINDS.filter((one) => only.length === 0 || only.includes(one.kind))) {
    const paths = files(join(corpus, kind.folder), ...kind.extensions)
    for (const level of paths.length > 0 ? LEVELS : []) {
      const row = await scoresOf(kind, level, paths)
      const { bytesIn, bytesOut, cpuSeconds, scored, median, worst, worstTile, mostCast } = row
      const figures = [median, worst, worstTile, mostCast].map((figure) => (figure?.toFixed(1) ?? '–').padStart(6)).join(' ')
      const sums = `${String(bytesOut).padStart(9)} B ${(bytesOut / bytesIn).toFixed(3)} ${cpuSeconds.toFixed(1).padStart(6)} s`
      console.log(
        `  ${kind.kind.padEnd(14)} ${level.padEnd(7)} ${String(row.files).padStart(3)} ${sums}  ${String(scored).padStart(3)} ${figures}`,
      )
      all.push(row)
    }
  }
  return all
}

interface Line {
  readonly path: string
  readonly in: number
  readonly out: number
  readonly cpuSeconds: number
  readonly ssimulacra2?: number | null
}

/** Of all files in one process. */
async function scoresOf({ kind, format, picture }: Kind, level: Level, paths: readonly string[]): Promise<Scores> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scores-'))
  const wishes = ['-q', level, '-o', folder, ...(format === undefined ? [] : ['-f', format])]
  const args = ['--import', './scripts/wasm-hook.ts', 'scripts/try.ts', ...paths, ...wishes]
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  const lines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ in: bytes }) => bytes > 0)
  const scores = lines.flatMap(({ ssimulacra2 }) => ssimulacra2 ?? []).sort((a, b) => a - b)
  const seen = picture ? await worstOf(lines, folder, format, picture) : {}
  rmSync(folder, { recursive: true })
  const sum = (of: (line: Line) => number) => lines.reduce((all, line) => all + of(line), 0)
  return {
    kind,
    level,
    files: lines.length,
    bytesIn: sum((line) => line.in),
    bytesOut: sum((line) => line.out),
    cpuSeconds: sum((line) => line.cpuSeconds),
    scored: scores.length,
    ...(scores.length > 0 && { median: scores[Math.floor(scores.length / 2)]!, worst: scores[0]! }),
    ...seen,
  }
}

async function worstOf(
  lines: readonly Line[],
  folder: string,
  format: string | undefined,
  picture: NonNullable<Kind['picture']>,
): Promise<{ worstTile?: number; mostCast?: number }> {
  let worst: { worstTile: number; mostCast: number } | undefined
  for (const { path, ssimulacra2 } of lines) {
    const result = join(folder, basename(path) + (format === undefined ? '' : `.${format}`))
    if ((ssimulacra2 == null && picture !== 'drawn') || !existsSync(result)) continue
    const seen = await (picture === 'drawn' ? seenAsPng(path, result) : seenOf(path, picture.input, result, picture.output))
    if (!seen) continue
    worst = {
      worstTile: Math.min(worst?.worstTile ?? 100, seen.worstTile ?? 100),
      mostCast: Math.max(worst?.mostCast ?? 0, seen.cast),
    }
  }
  return worst ?? {}
}
