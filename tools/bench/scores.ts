/**
 * Measures every level over the files of a corpus: `npm run bench -- scores`. Reports bytes, CPU time and the SSIMULACRA 2 of the receipts.
 * For pictures it also measures the worst tile and the largest colour cast.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { files } from './harness.ts'
import { Journal } from './journal.ts'
import { perceptualFiguresOfFiles, perceptualFiguresOfRenderings } from './seen-of.ts'

const LEVELS = ['high', 'medium', 'low'] as const
/**
 * Kinds of files. Documents are scored by their worst picture. `drawn`: ImageMagick renders both files (of animations, the first frame).
 */
const KINDS = [
  { kind: 'JPEG', folder: 'image', extensions: ['jpg', 'jpeg'], format: undefined, picture: { input: 'jpg', output: 'jpg' } },
  { kind: 'JPEG as WebP', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'webp', picture: { input: 'jpg', output: 'webp' } },
  { kind: 'JPEG as AVIF', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'avif', picture: { input: 'jpg', output: 'avif' } },
  { kind: 'PNG', folder: 'image', extensions: ['png'], format: undefined, picture: { input: 'png', output: 'png' } },
  { kind: 'BMP', folder: 'image', extensions: ['bmp'], format: undefined, picture: 'drawn' },
  { kind: 'GIF', folder: 'image', extensions: ['gif'], format: undefined, picture: 'drawn' },
  { kind: 'TIFF', folder: 'image', extensions: ['tif', 'tiff'], format: undefined, picture: 'drawn' },
  { kind: 'DOCX and PPTX', folder: 'document', extensions: ['docx', 'pptx'], format: undefined, picture: undefined },
  { kind: 'PDF', folder: 'document', extensions: ['pdf'], format: undefined, picture: undefined },
] as const

type Kind = (typeof KINDS)[number]
type Level = (typeof LEVELS)[number]

export interface Scores {
  readonly kind: string
  readonly level: Level
  readonly files: number
  /** Bytes of all files. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly cpuSeconds: number
  /** Number of files whose receipt has a score. Other files are lossless or have no still picture of 64 × 64 pixels. */
  readonly scored: number
  readonly median?: number
  readonly worst?: number
  /** Lowest tile score of all lossy pictures. `undefined`: none was measured. */
  readonly worstTile?: number
  readonly mostCast?: number
}

/**
 * @param only kinds by name, to split a long run; default: all
 * @param resume file that stores measurements per file, so that an interrupted run can continue
 */
export async function benchScores(corpus: string, only: readonly string[] = [], resume?: string): Promise<Scores[]> {
  const all: Scores[] = []
  const journal = new Journal<Found>(resume)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  console.log(
    '\nkind, level, files, Σ bytes, CPU seconds; SSIMULACRA2 of receipts (with one: median, worst); worst tile, most cast (ΔE of a and b)',
  )
  for (const kind of KINDS.filter((one) => only.length === 0 || only.includes(one.kind))) {
    const paths = files(join(corpus, kind.folder), ...kind.extensions)
    for (const level of paths.length > 0 ? LEVELS : []) {
      const found: Found[] = []
      for (const path of paths)
        found.push(await journal.getOrMeasure(`${commit} ${kind.kind} ${level} ${path}`, () => measured(kind, level, path)))
      const row = sumOf(kind, level, found)
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

/** Figures of one file, and of its picture if it is lossy. */
interface Found {
  readonly line: Line
  readonly figures?: { readonly worstTile: number; readonly cast: number }
}

async function measured({ format, picture }: Kind, level: Level, path: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scores-'))
  try {
    const flags = ['-q', level, '-o', folder, ...(format === undefined ? [] : ['-f', format])]
    const args = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, ...flags]
    const line = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 })) as Line
    const result = join(folder, basename(path) + (format === undefined ? '' : `.${format}`))
    if (!picture || (line.ssimulacra2 == null && picture !== 'drawn') || !existsSync(result)) return { line }
    const figures = await (picture === 'drawn'
      ? perceptualFiguresOfRenderings(path, result)
      : perceptualFiguresOfFiles(path, picture.input, result, picture.output))
    return { line, ...(figures && { figures: { worstTile: figures.worstTile ?? 100, cast: figures.cast } }) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sumOf({ kind }: Kind, level: Level, all: readonly Found[]): Scores {
  const found = all.filter(({ line }) => line.in > 0)
  const scores = found.flatMap(({ line }) => line.ssimulacra2 ?? []).sort((a, b) => a - b)
  const perceptual = found.flatMap((one) => one.figures ?? [])
  const sum = (of: (line: Line) => number) => found.reduce((sums, { line }) => sums + of(line), 0)
  return {
    kind,
    level,
    files: found.length,
    bytesIn: sum((line) => line.in),
    bytesOut: sum((line) => line.out),
    cpuSeconds: sum((line) => line.cpuSeconds),
    scored: scores.length,
    ...(scores.length > 0 && { median: scores[Math.floor(scores.length / 2)]!, worst: scores[0]! }),
    ...(perceptual.length > 0 && {
      worstTile: perceptual.reduce((worst, { worstTile }) => Math.min(worst, worstTile), 100),
      mostCast: perceptual.reduce((most, { cast }) => Math.max(most, cast), 0),
    }),
  }
}
