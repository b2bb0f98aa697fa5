/**
 * Compares every memory estimate with the memory of a job at its limit: `npm run bench -- memory [--only 'JPEG, GIF'] [--docs]`. A ratio
 * below 1 is too low; above 1.3, files are refused that would fit. `--docs` writes the table to docs/contributors/memory.md.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../../wasm-hook.ts'
import type { Scans } from '../../../wasm/jpeg/jpeg.ts'
import type { MeasuredJobOptions, MemoryFigures } from './held.ts'
import type { Size } from './pictures.ts'

const { pdf, svg } = await import('./documents.ts')
const { bmp, gif, interlacedPng, jpeg, png, writeChunks } = await import('./pictures.ts')
const { maxOf } = await import('../../../src/core/bytes/min-max.ts')
const { hdf5File } = await import('../../../test/support/science-files.ts')

interface Case {
  readonly name: string
  /** What occupies the memory, in a few words. */
  readonly holds: string
  readonly file: string
  make(path: string): void
  readonly asked?: MeasuredJobOptions
  /** True if the job cannot be sampled while it runs. V8's garbage collection trace then gives the live heap, without buffers and Wasm. */
  readonly inOneGo?: true
}

const size = (width: number, height: number, grain?: 'fine') => ({ width, height, grain })
const page = (path: string, channels: 3 | 4, of: Size) => (channels === 3 ? bmp(path, of) : png(path, of, channels))

const jpegs = (name: string, holds: string, of: Size, scans: Scans, asked?: MeasuredJobOptions): Case => ({
  name,
  holds,
  file: 'a.jpg',
  make: (path) => jpeg(path, of, 96, scans),
  ...(asked && { asked }),
})
const to = (name: string, holds: string, channels: 3 | 4, of: Size, asked: MeasuredJobOptions): Case => ({
  name: `to ${name}`,
  holds,
  file: channels === 3 ? 'a.bmp' : 'a.png',
  make: (path) => page(path, channels, of),
  asked,
})
const gifs = (name: string, holds: string, of: Size, frames: number, asked?: MeasuredJobOptions): Case => ({
  name,
  holds,
  file: 'a.gif',
  make: (path) => gif(path, of, frames),
  ...(asked && { asked }),
})

const CASES: readonly Case[] = [
  jpegs('JPEG', 'coefficients as read and as made', size(4000, 2600), 'sequential'),
  jpegs('JPEG, progressive', 'the same, and once more while it is shown', size(4000, 2000), 'progressive'),
  jpegs('JPEG, large, progressive', 'coefficients of both files when they are compared', size(4000, 4200), 'progressive'),
  jpegs('JPEG, exact', 'coefficients as read, the result', size(5000, 4000), 'sequential', { lossless: true }),
  jpegs('JPEG of a document', 'coefficients at the size that is shown', size(5000, 3000), 'sequential', { fitWithin: size(3500, 2100) }),
  jpegs('JPEG to JPEG XL', 'coefficients, averages of blocks, the file', size(4000, 1800), 'sequential', { output: 'jxl' }),
  to('JPEG', 'coefficients as they come and as made', 3, size(4000, 2600), { output: 'jpg' }),
  to('JPEG, large', 'the result', 3, size(8000, 5000), { output: 'jpg' }),
  to('WebP', 'planes, twice', 3, size(5000, 3600, 'fine'), { output: 'webp' }),
  to('WebP, transparent', 'planes, and alpha as an exact picture', 4, size(1600, 1200, 'fine'), { output: 'webp' }),
  to('WebP, exact', 'pixels, and what they repeat', 3, size(2000, 1400, 'fine'), { output: 'webp', lossless: true }),
  to('AVIF, 3 megapixels', 'a key frame', 3, size(2000, 1500), { output: 'avif' }),
  to('AVIF, 0.8 megapixels', 'a key frame', 3, size(1032, 776), { output: 'avif' }),
  to('AVIF, large', 'bands of tiles', 3, size(14_000, 300), { output: 'avif' }),
  to('AVIF with alpha, 2.2 megapixels', 'two key frames', 4, size(1900, 1150), { output: 'avif' }),
  to('AVIF, transparent', 'bands of tiles', 4, size(12_000, 300), { output: 'avif' }),
  to('JPEG XL', 'samples, and tokens of a group', 3, size(4000, 3000), { output: 'jxl' }),
  to('JPEG XL, transparent', 'samples, tokens and alpha of a group', 4, size(2300, 1600), { output: 'jxl' }),
  to('JPEG XL, exact', 'samples, and tokens of a group', 3, size(2400, 1600), { output: 'jxl', lossless: true }),
  gifs('GIF', 'the canvas', size(2400, 2000), 1, { quality: 'high' }),
  gifs('GIF, animated', 'canvases of two frames', size(2000, 1500), 2, { quality: 'high' }),
  gifs('GIF to WebP', 'the canvas and planes', size(2000, 1500), 1, { output: 'webp' }),
  { name: 'PNG, interlaced', holds: 'the picture', file: 'a.png', make: (path) => interlacedPng(path, size(4800, 3200)) },
  { name: 'SVG', holds: 'trees', file: 'a.svg', make: (path) => svg(path, 6000, 6), inOneGo: true },
  { name: 'SVG, long paths', holds: 'trees', file: 'a.svg', make: (path) => svg(path, 700, 60), inOneGo: true },
  { name: 'PDF', holds: 'tables of objects', file: 'a.pdf', make: (path) => pdf(path, 800_000) },
  { name: 'HDF5', holds: 'what is written in no order', file: 'a.h5', make: (path) => writeChunks(path, [hdf5File(20_000_000, 3)]) },
]

interface MemoryRow extends MemoryFigures {
  readonly name: string
  readonly holds: string
  readonly fileBytes: number
}

/** @param docs true: writes each row to the document as soon as it is measured */
export function benchMemory(only: readonly string[] | undefined, docs: boolean): void {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-memory-'))
  try {
    for (const one of CASES.filter(({ name }) => only?.some((word) => name.includes(word)) ?? true)) {
      const row = measured(one, folder)
      if (docs) writeRow(row)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function measured({ name, holds, file, make, asked = {}, inOneGo }: Case, folder: string): MemoryRow {
  const path = join(folder, file)
  make(path)
  const script = [
    ...(inOneGo ? COLLECTING : ['--expose-gc']),
    '--import',
    './tools/wasm-hook.ts',
    'tools/bench/memory/held.ts',
    path,
    JSON.stringify(asked),
  ]
  const done = spawnSync(process.execPath, script, { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`)
  const row = { name, holds, fileBytes: statSync(path).size, ...parseOutput(done.stdout) }
  console.log(cellsOf(row).join('  '))
  return row
}

/** Node flags that collect garbage after each allocated megabyte and print the live heap. */
const COLLECTING = ['--expose-gc', '--trace-gc', '--gc-global', '--max-semi-space-size=1']

/** Parses the output of the process. If it contains a collection trace, the peak is taken from there. */
function parseOutput(text: string): MemoryFigures {
  const output = JSON.parse(text.split('\n').find((line) => line.startsWith('{')) ?? '{}') as MemoryFigures
  const alive = [...text.matchAll(/Mark-Compact.* -> ([\d.]+) \(/g)].map(([, found]) => Number(found) * 2 ** 20)
  return alive.length > 0 ? { ...output, peakBytes: maxOf(alive) - alive.at(-1)!, stage: 'compressing' } : output
}

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 1 : 0)

function cellsOf({ name, holds, fileBytes, kind, estimatedBytes: reckoned, peakBytes: held, stage }: MemoryRow): string[] {
  const what = kind === 'compressed' ? holds : `${holds} (${kind})`
  return [name, what, megabytes(fileBytes), megabytes(reckoned), megabytes(held), (reckoned / held).toFixed(2), stage]
}

const FILE = 'docs/contributors/memory.md'
const [FROM, TO] = ['<!-- npm run bench -- memory -->\n', '<!-- end -->']

/** Replaces one row of the table and keeps the others. */
function writeRow(row: MemoryRow): void {
  const text = readFileSync(FILE, 'utf8')
  const [from, to] = [text.indexOf(FROM) + FROM.length, text.indexOf(TO)]
  if (from < FROM.length || to < from) throw new Error(`${FILE} lacks the markers of the table (${FROM.trim()} … ${TO})`)
  const lines = new Map(
    text
      .slice(from, to)
      .split('\n')
      .slice(2, -1)
      .map((line) => [line.split(' | ')[0], line]),
  )
  lines.set(`| ${row.name}`, `| ${cellsOf(row).join(' | ')} |`)
  const ordered = CASES.flatMap(({ name }) => lines.get(`| ${name}`) ?? [])
  const head = '| job | holds | file, MB | estimated | measured | ratio | phase of the peak |\n|---|---|---|---|---|---|---|\n'
  writeFileSync(FILE, `${text.slice(0, from)}${head}${ordered.join('\n')}\n${text.slice(to)}`)
}
