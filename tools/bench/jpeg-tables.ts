/**
 * Searches better quantisation tables for the JPEG engine: `node --import ./tools/wasm-hook.ts tools/bench/jpeg-tables.ts FILE.jpg …`. It
 * varies MozJPEG's tables by seven parameters, one at a time, and keeps changes that make the pictures smaller at equal SSIMULACRA 2.1.
 * Use about 20 crops of 640 × 512 pixels (`jpegtran -crop`). One try takes 0.2 s per crop; an hour finds savings of 0.1 %.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { concat } from '../../src/core/bytes/concat.ts'
import { LEVELS } from '../../src/core/catalog/levels.ts'
import { ScoreMeter } from '../../src/core/metrics/perceptual.ts'
import { JpegJob, JpegRows } from '../../wasm/jpeg/jpeg.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tries: { type: 'string', default: '60' } } })
const QUALITIES = [35, 55, 75, 85, 91]
const SCORES = [LEVELS.perceptual.low.score, LEVELS.perceptual.medium.score, LEVELS.perceptual.high.score]
/** Number of best and worst pictures that are ignored, because the curves jump where quantisation steps match those of the source. */
const TRIMMED = 2
const LEAST_GAIN = 0.0005

/** MozJPEG's tables tuned for MS-SSIM on a Kodak set, at quality 50, for luma and chroma. */
const BASE = [
  [16, 16, 16, 18, 25, 37, 56, 85],
  [16, 17, 20, 27, 34, 40, 53, 75],
  [16, 20, 24, 31, 43, 62, 91, 135],
  [18, 27, 31, 40, 53, 74, 106, 156],
  [25, 34, 43, 53, 69, 94, 131, 189],
  [37, 40, 62, 74, 94, 124, 169, 238],
  [56, 53, 91, 106, 131, 169, 226, 311],
  [85, 75, 135, 156, 189, 238, 311, 418],
].flat()

/**
 * Logarithms of factors. Luma: DC, linear and quadratic in frequency. Chroma: all coefficients, DC, linear in frequency. Then the trellis
 * error weight.
 */
type TableParameters = readonly [
  lumaDc: number,
  along: number,
  squared: number,
  chroma: number,
  chromaDc: number,
  chromaAlong: number,
  weight: number,
]
const STEPS = [-0.1, 0.4, -0.5, -0.12, -0.1, 0.4, 0.3]

function tables(parameters: TableParameters): Uint32Array {
  const [lumaDc, along, squared, chroma, chromaDc, chromaAlong] = parameters
  const bent = (dc: number, power: (frequency: number) => number) =>
    BASE.map((step, k) => Math.max(1, Math.round(step * Math.exp(power(Math.hypot(k & 7, k >> 3) / 7) + (k === 0 ? dc : 0)))))
  return new Uint32Array([
    ...bent(lumaDc, (frequency) => along * frequency + squared * frequency ** 2),
    ...bent(chromaDc, (frequency) => chroma + chromaAlong * frequency),
  ])
}

interface Piece {
  readonly job: JpegJob
  readonly rows: Uint8Array
}

async function pieceOf(path: string): Promise<Piece> {
  const file = new Uint8Array(readFileSync(path))
  const job = await JpegJob.read(file)
  const halved = job.decimationPsnrDb(1)
  if (halved !== undefined && halved >= LEVELS.halvedChromaPsnrDb.medium) job.decimate()
  const rows = await (await JpegRows.open(file, { colour: 'rgb' })).read(job.info.height)
  if (!rows) throw new Error(`${path} has no rows`)
  return { job, rows }
}

/** Returns the logarithm of the bytes at each score, linearly interpolated between the tried qualities. NaN outside them. */
async function bytesAt({ job, rows }: Piece, parameters: TableParameters): Promise<number[]> {
  const { width, height } = job.info
  job.setTables(tables(parameters), Math.exp(parameters[6]))
  const points: { score: number; bytes: number }[] = []
  for (const quality of QUALITIES) {
    await job.requantise(quality)
    const made = await JpegRows.open(concat(job.write('made', 'sequential', true)), { colour: 'rgb' })
    using meter = new ScoreMeter(width, height, 3)
    meter.push(rows, (await made.read(height)) ?? rows)
    points.push({ score: meter.finish() ?? 0, bytes: Math.log(job.size('made', 'progressive')) })
  }
  points.sort((a, b) => a.score - b.score)
  return SCORES.map((wanted) => {
    const above = points.findIndex(({ score }) => score >= wanted)
    const [a, b] = [points[above - 1], points[above]]
    return a && b ? a.bytes + ((wanted - a.score) / (b.score - a.score)) * (b.bytes - a.bytes) : Number.NaN
  })
}

const pieces: Piece[] = []
for (const path of positionals) pieces.push(await pieceOf(path))
const measured = async (parameters: TableParameters) => {
  const all: number[][] = []
  for (const piece of pieces) all.push(await bytesAt(piece, parameters))
  return all
}

let best: TableParameters = [0, 0, 0, 0, 0, 0, 0]
const before = await measured(best)
let least = 0
const steps = [...STEPS]
for (let tried = 0; tried < Number(values.tries); tried++) {
  const at = tried % steps.length
  const next = best.map((value, index) => value + (index === at ? (steps[at] ?? 0) : 0)) as unknown as TableParameters
  const now = await measured(next)
  const changes = now.flatMap((scores, piece) => scores.map((bytes, score) => bytes - (before[piece]?.[score] ?? Number.NaN)))
  const counted = changes
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
    .slice(TRIMMED * SCORES.length, -TRIMMED * SCORES.length)
  const change = counted.reduce((sum, each) => sum + each, 0) / counted.length
  if (change < least - LEAST_GAIN) {
    best = next
    least = change
    console.log(`${(100 * Math.expm1(change)).toFixed(2)} %`, JSON.stringify(best))
  } else steps[at] = (steps[at] ?? 0) * -0.6
}
const found = tables(best)
for (let row = 0; row < 16; row++) console.log([...found.subarray(row * 8, row * 8 + 8)].join(', '))
