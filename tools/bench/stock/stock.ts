/**
 * Compares well-known npm packages with Whittle's engines on files of growing size: `npm run bench -- stock`. Each job has its own
 * process. A package ends where its Wasm memory exceeds the 128 MiB of an isolate, or where it fails. Whittle is measured at the same
 * sizes and at the largest one.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { files, type Measured, type Row } from '../harness.ts'
import { byPackage, byUs, failed, similarityOfJpegs } from './measure.ts'
import { install, nameOf, type Package } from './packages.ts'
import { filtered, photoOf, writeJpeg, writePng } from './pictures.ts'
import { callInWorkers } from './workers.ts'

const ISOLATE_MIB = 128
/** Memory limit of a job in MiB in Whittle's own tests. */
const JOB_MIB = 110
const MEGAPIXELS = [0.1, 1, 2, 3, 4, 5, 6, 8, 12, 24]

interface Task {
  readonly title: string
  /** Job of `jobs.ts`, which uses `packages`. */
  readonly job: string
  readonly packages: readonly Package[]
  readonly input: 'jpg' | 'png'
  /** Flags of `tools/try.ts`. */
  readonly ours: readonly string[]
}

const TASKS: readonly Task[] = [
  {
    title: 'JPEG again: quality 75 (its default) against our medium',
    job: 'jpeg',
    packages: ['@jsquash/jpeg'],
    input: 'jpg',
    ours: ['-q', 'medium'],
  },
  { title: 'PNG again, the same pixels', job: 'png', packages: ['@jsquash/png'], input: 'png', ours: ['-q', 'high'] },
  { title: 'PNG smaller, the same pixels', job: 'oxipng', packages: ['@jsquash/oxipng'], input: 'png', ours: ['-q', 'high'] },
  {
    title: 'PNG to WebP: quality 75 (its default) against our medium',
    job: 'webp',
    packages: ['@jsquash/webp', '@jsquash/png'],
    input: 'png',
    ours: ['-q', 'medium', '-f', 'webp'],
  },
  {
    title: 'PNG to AVIF: quality 50 (its default) against our medium',
    job: 'avif',
    packages: ['@jsquash/avif', '@jsquash/png'],
    input: 'png',
    ours: ['-q', 'medium', '-f', 'avif'],
  },
]

/** Runs all measurements and returns them in print order. `corpus` contains the films. */
export async function benchStock(corpus: string): Promise<Row[]> {
  const folder = install()
  try {
    const rows: Row[] = []
    await callInWorkers(folder)
    await writePictures(folder)
    for (const task of TASKS) rows.push(...(await sweep(task, folder)))
    rows.push(...(await deflate(folder)), ...zstd(folder), ...ffmpeg(folder, corpus))
    return rows
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function writePictures(folder: string): Promise<void> {
  for (const megapixels of MEGAPIXELS) {
    const photo = await photoOf(megapixels)
    await writeJpeg(join(folder, `${megapixels}.jpg`), photo)
    await writePng(join(folder, `${megapixels}.png`), photo)
  }
}

/** Runs one task at growing sizes: the package until it ends, Whittle at the same sizes and at the largest. */
async function sweep(task: Task, folder: string): Promise<Row[]> {
  const stock = task.packages.map(nameOf).join(' + ')
  heading(`${task.title}, ${stock}`)
  const rows: Row[] = []
  let ended = false
  for (const megapixels of MEGAPIXELS) {
    const isLargest = megapixels === MEGAPIXELS.at(-1)
    if (ended && !isLargest) continue
    const path = join(folder, `${megapixels}.${task.input}`)
    let peer: Measured | undefined = ended ? undefined : byPackage(task.job, path, folder)
    if (peer && !failed(peer) && task.input === 'jpg') peer = { ...peer, note: await similarityOfJpegs(path, join(folder, 'out')) }
    const row = { name: `${task.job} ${megapixels} megapixels`, ours: byUs(path, task.ours, folder), peers: { [stock]: peer } }
    print(row)
    rows.push(row)
    ended ||= !peer || failed(peer) || (peer.wasmMiB ?? 0) > ISOLATE_MIB
  }
  console.log(`  ${stock}: ${JOB_MIB} MiB passed at ${firstAbove(rows, JOB_MIB)}, ${ISOLATE_MIB} MiB at ${firstAbove(rows, ISOLATE_MIB)}`)
  return rows
}

function firstAbove(rows: readonly Row[], mib: number): string {
  const above = rows.find(({ peers }) => Object.values(peers).some((peer) => peer && (failed(peer) || (peer.wasmMiB ?? 0) > mib)))
  return above ? above.name : 'none of these sizes'
}

/** Compares Deflate on filtered PNG samples, 2 and 20 MB. */
async function deflate(folder: string): Promise<Row[]> {
  heading('Deflate, the best level of each: samples of a photograph as PNG filters them; ours is libdeflate 12')
  const rows: Row[] = []
  for (const megabytes of [2, 20]) {
    const path = join(folder, `${megabytes}.samples`)
    writeFileSync(path, Buffer.concat([...filtered(await photoOf(megabytes / 3))]))
    const peers = { [nameOf('fflate')]: byPackage('fflate', path, folder), CompressionStream: byPackage('compressionStream', path, folder) }
    const row = { name: `deflate ${megabytes} MB`, ours: byPackage('libdeflate', path, folder), peers }
    print(row)
    rows.push(row)
  }
  return rows
}

/** Compares Zstandard on text: the source of wrangler, which every installation has. */
function zstd(folder: string): Row[] {
  heading('Zstandard 19: text')
  const text = readFileSync('node_modules/wrangler/wrangler-dist/cli.js')
  return [0.1, 0.5, 1, 4, 12].map((megabytes) => {
    const path = join(folder, `${megabytes}.txt`)
    writeFileSync(path, text.subarray(0, megabytes * 1e6))
    const peers = { [nameOf('zstd-codec')]: byPackage('zstdCodec', path, folder) }
    const row = { name: `text ${megabytes} MB`, ours: byUs(path, ['-q', 'medium', '-f', 'zst'], folder), peers }
    print(row)
    return row
  })
}

const FILMS = 3

/** Compares FFmpeg on the smallest films of the corpus. */
function ffmpeg(folder: string, corpus: string): Row[] {
  const module = readFileSync(join(folder, 'node_modules/@ffmpeg/core/dist/esm/ffmpeg-core.wasm'))
  const size = `${module.length} bytes of Wasm, ${gzipSync(module).length} gzipped`
  heading(`Films again: libx264 -preset medium -crf 26 against our medium, ${nameOf('@ffmpeg/core')} (${size})`)
  const films = files(join(corpus, 'video'), 'mp4').sort((a, b) => statSync(a).size - statSync(b).size)
  return films.slice(0, FILMS).map((path, i) => {
    const peers = { [nameOf('@ffmpeg/core')]: byPackage('ffmpeg', path, folder) }
    const row = { name: `film ${i + 1}, ${statSync(path).size} bytes`, ours: byUs(path, ['-q', 'medium'], folder), peers }
    print(row)
    return row
  })
}

function heading(text: string): void {
  console.log(`\n${text}`)
  console.log(`  ${''.padEnd(26)} ${'bytes'.padStart(10)} ${'CPU s'.padStart(8)} ${'Wasm MiB'.padStart(9)} ${'process MiB'.padStart(12)}`)
}

function print({ name, ours, peers }: Row): void {
  for (const [who, what] of [['ours', ours] as const, ...Object.entries(peers)]) {
    if (!what) continue
    const { bytes, cpuSeconds, wasmMiB = 0, peakMiB = 0, note = '' } = what
    const figures = [
      String(bytes).padStart(10),
      cpuSeconds.toFixed(2).padStart(8),
      wasmMiB.toFixed(0).padStart(9),
      String(peakMiB).padStart(12),
    ]
    console.log(`  ${name.padEnd(26)} ${figures.join(' ')}  ${who} ${note}`)
  }
}
