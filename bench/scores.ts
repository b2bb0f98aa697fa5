/** `npm run bench -- scores`: what SSIMULACRA2 the receipts of each level say, over the files of a corpus. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { files } from './harness.ts'

const LEVELS = ['high', 'medium', 'low'] as const
/** Documents stand for the pictures inside them: the worst of each. */
const KINDS = [
  { kind: 'JPEG', folder: 'image', extensions: ['jpg', 'jpeg'], format: undefined },
  { kind: 'JPEG as WebP', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'webp' },
  { kind: 'JPEG as AVIF', folder: 'image', extensions: ['jpg', 'jpeg'], format: 'avif' },
  { kind: 'PNG', folder: 'image', extensions: ['png'], format: undefined },
  { kind: 'BMP', folder: 'image', extensions: ['bmp'], format: undefined },
  { kind: 'DOCX, PPTX', folder: 'document', extensions: ['docx', 'pptx'], format: undefined },
  { kind: 'PDF', folder: 'document', extensions: ['pdf'], format: undefined },
] as const

export interface Scores {
  readonly kind: string
  readonly level: (typeof LEVELS)[number]
  /** Files that came back with a score; others lost nothing, or have no still picture of 64 × 64. */
  readonly files: number
  readonly median: number
  readonly worst: number
}

export async function benchScores(corpus: string): Promise<Scores[]> {
  const all: Scores[] = []
  console.log('\nSSIMULACRA2 of receipts: files with one, median, worst')
  for (const { kind, folder, extensions, format } of KINDS) {
    const paths = files(join(corpus, folder), ...extensions)
    for (const level of LEVELS) {
      const sorted = paths.length > 0 ? scoresOf(paths, level, format).sort((a, b) => a - b) : []
      if (sorted.length === 0) continue
      const median = sorted[Math.floor(sorted.length / 2)]!
      const row = { kind, level, files: sorted.length, median, worst: sorted[0]! }
      console.log(`  ${kind.padEnd(14)} ${level.padEnd(7)} ${String(row.files).padStart(3)}  ${median.toFixed(1)}  ${row.worst.toFixed(1)}`)
      all.push(row)
    }
  }
  return all
}

/** Of all files in one process. */
function scoresOf(paths: readonly string[], level: string, format: string | undefined): number[] {
  const wishes = ['-q', level, ...(format === undefined ? [] : ['-f', format])]
  const args = ['--import', './scripts/wasm-hook.ts', 'scripts/try.ts', ...paths, ...wishes]
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  const lines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { ssimulacra2?: number | null })
  return lines.flatMap(({ ssimulacra2 }) => ssimulacra2 ?? [])
}
