/**
 * Measures every level over the files of a corpus: `npm run bench -- scores`. Reports bytes, CPU time, the distance of each score to its
 * goal, the limit that stopped the search, and the score of a program that shares no code with Whittle.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { FILE, when } from './docs.ts'
import { files } from './harness.ts'
import { Journal } from './journal.ts'
import { type Distances, distancesOf } from './scores/distances.ts'
import { figuresOfRenderings } from './scores/figures.ts'
import { type Found, KINDS, type Kind, LEVELS, type Level, type Line } from './scores/kinds.ts'
import { lineOfDistances, withScores } from './scores/tables.ts'

export interface ScoresOptions {
  /** Kinds by name, to split a long run. `undefined`: all. */
  readonly only?: readonly string[] | undefined
  /** File that stores measurements per file, so that an interrupted run can continue. */
  readonly resume?: string | undefined
  /** True if the table is written to docs/contributors/measured.md. */
  readonly docs: boolean
}

/** Files that one process compresses, so that its engines are warm for all but the first. */
const FILES_PER_PROCESS = 6

export async function benchScores(corpus: string, { only, resume, docs }: ScoresOptions): Promise<Distances[]> {
  const journal = new Journal<Found>(resume)
  const sources = execFileSync('git', ['rev-parse', 'HEAD:src', 'HEAD:wasm'], { encoding: 'utf8' }).trim().replace('\n', ' ')
  const all: Distances[] = []
  console.log('\nkind, level: pictures, bytes, CPU seconds a picture; score − goal: quartiles, least; gates; receipt − ssimulacra2_rs')
  for (const kind of KINDS.filter((one) => only?.includes(one.kind) ?? true)) {
    const paths = files(join(corpus, kind.folder), ...kind.extensions)
    const levels: Partial<Record<Level, readonly Found[]>> = {}
    for (const level of paths.length > 0 ? LEVELS : []) {
      const found: Found[] = []
      for (let at = 0; at < paths.length; at += FILES_PER_PROCESS) {
        const some = paths.slice(at, at + FILES_PER_PROCESS)
        found.push(
          ...(await journal.getOrMeasureAll(
            some,
            (path) => `${sources} ${kind.kind} ${level} ${path}`,
            (missing) => measured(kind, level, missing),
          )),
        )
      }
      levels[level] = found
      const row = distancesOf(kind, level, levels)
      console.log(lineOfDistances(row))
      all.push(row)
    }
  }
  if (docs) writeFileSync(FILE, withScores(readFileSync(FILE, 'utf8'), all, when()))
  return all
}

async function measured({ format, steering }: Kind, level: Level, paths: readonly string[]): Promise<Found[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scores-'))
  try {
    const flags = ['-q', level, '-o', folder, ...(format === undefined ? [] : ['-f', format])]
    const args = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', ...paths, ...flags]
    const lines = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
      .trim()
      .split('\n')
    const found: Found[] = []
    for (const line of lines.map((each) => JSON.parse(each) as Line)) {
      const result = join(folder, basename(line.path) + (format === undefined ? '' : `.${format}`))
      const isLossy = steering !== undefined && line.ssimulacra2 != null && existsSync(result)
      const figures = isLossy ? await figuresOfRenderings(line.path, result) : undefined
      found.push({ line, ...(figures && { figures }) })
    }
    return found
  } finally {
    rmSync(folder, { recursive: true })
  }
}
