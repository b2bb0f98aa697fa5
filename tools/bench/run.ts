/**
 * Runs benchmarks: `npm run bench [-- name …] [--corpus DIR] [--json FILE] [--docs] [--set NAME]`. Default: `http` and all of
 * `tools/bench/formats`. Prints ratios of Whittle to a peer program for bytes and CPU time; below 1, Whittle is smaller or faster.
 * `--docs` writes them to docs/contributors/measured.md, into the table of `--set` (`corpus` or `fetched`).
 * Some benchmarks only run by name: `stock`, `libraries` and `pictures` install npm packages and take long. `throughput` and `load` need an idle machine.
 * `scores` measures every level (`--only 'PNG, GIF'`: these kinds; `--resume FILE`: skips files already measured with these sources).
 * `libraries` compares the library with others of npm (`--count 100` pictures a task; `--only 'JPEG; SVG'`: these tasks).
 * `pictures` compares pictures on the fly with sharp behind a bare route, and with imgproxy (`--imgproxy PROGRAM`; `--only 'webp, avif'`:
 * these formats).
 * `collected` measures folders of real files by format at every level (`--only 'webp, flac'`).
 * `memory` compares estimated with measured memory (`--only 'JPEG, GIF'`). `growth` measures files from 1 to 500 MB. `sweep` cleans up
 * ten million blobs.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SETS, type SetName, writeDocs } from './docs.ts'
import type { Bench, Measured, Row } from './harness.ts'
import type { Libraries } from './libraries/tables.ts'
import type { Load } from './load.ts'
import type { Distances } from './scores/distances.ts'
import type { Throughput } from './throughput.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string', default: '../shared/corpus' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    set: { type: 'string', default: 'corpus' },
    minutes: { type: 'string' },
    clients: { type: 'string', default: '200' },
    count: { type: 'string', default: '100' },
    only: { type: 'string' },
    resume: { type: 'string' },
    imgproxy: { type: 'string' },
  },
})

if (!Object.hasOwn(SETS, values.set)) throw new Error(`unknown set '${values.set}' in --set; available: ${Object.keys(SETS).join(', ')}`)

const known = readdirSync(new URL('./formats/', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))
const wanted = positionals.length > 0 ? positionals : ['http', ...known]
const report: Record<string, Row[]> = {}
let throughput: Throughput[] | undefined
let load: Load | undefined
let scores: Distances[] | undefined
let libraries: Libraries | undefined

for (const name of wanted) {
  if (name === 'http') {
    await (await import('./http.ts')).benchHttp()
    continue
  }
  if (name === 'sweep') {
    // `sweep.ts` needs the types of Workers, so its module is imported without a static type.
    await ((await import(`./${name}.ts`)) as { benchSweep(): Promise<unknown> }).benchSweep()
    continue
  }
  if (name === 'memory') {
    const { benchMemory } = await import('./memory/memory.ts')
    benchMemory(values.only?.split(', '), values.docs)
    continue
  }
  if (name === 'collected') {
    await (await import('./collected/collected.ts')).benchCollected(values.corpus, values.only?.split(', '), values.docs)
    continue
  }
  if (name === 'growth') {
    const { benchGrowth } = await import('./growth/growth.ts')
    const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes)
    await benchGrowth({ only: values.only?.split(', '), journal: values.resume, minutes, docs: values.docs })
    continue
  }
  if (name === 'pictures') {
    const { benchPictures } = await import('./pictures/pictures.ts')
    const options = { count: Number(values.count), only: values.only?.split(', '), imgproxy: values.imgproxy, docs: values.docs }
    await benchPictures({ corpus: values.corpus, ...options })
    continue
  }
  if (name === 'libraries') {
    const { benchLibraries } = await import('./libraries/libraries.ts')
    const options = { count: Number(values.count), only: values.only?.split('; '), docs: values.docs }
    libraries = await benchLibraries({ corpus: values.corpus, ...options })
    continue
  }
  if (name === 'stock') {
    report[name] = await (await import('./stock/stock.ts')).benchStock(values.corpus)
    continue
  }
  if (name !== 'throughput' && name !== 'load' && name !== 'scores' && !known.includes(name))
    throw new Error(
      `unknown benchmark '${name}'; available: http, sweep, memory, growth, collected, stock, libraries, pictures, throughput, load, scores, ${known.join(', ')}`,
    )
  if (!existsSync(values.corpus))
    throw new Error(`the corpus folder ${values.corpus} does not exist; pass another folder with --corpus DIR`)
  if (name === 'throughput') {
    throughput = await (await import('./throughput.ts')).benchThroughput(values.corpus)
    continue
  }
  if (name === 'scores') {
    const options = { only: values.only?.split(', '), resume: values.resume, docs: values.docs }
    scores = await (await import('./scores.ts')).benchScores(values.corpus, options)
    continue
  }
  if (name === 'load') {
    load = await (await import('./load.ts')).benchLoad(values.corpus, Number(values.minutes ?? 5), Number(values.clients))
    continue
  }
  const { bench } = (await import(`./formats/${name}.ts`)) as { bench: Bench }
  console.log(`\n${bench.title}`)
  const rows: Row[] = []
  for await (const row of bench.rows(values.corpus)) {
    rows.push(row)
    const peers = Object.entries(row.peers).map(([peer, measured]) => `${peer} ${measured ? ratios(row.ours, measured) : 'not measured'}`)
    console.log(
      `  ${row.name.padEnd(48)} ${String(row.ours.bytes).padStart(10)} B ${row.ours.cpuSeconds.toFixed(2).padStart(7)} s  ${peers.join('  ')}`,
    )
  }
  for (const peer of new Set(rows.flatMap((row) => Object.keys(row.peers)))) console.log(`  Σ against ${peer}: ${sums(rows, peer)}`)
  report[name] = rows
}
if (values.docs) writeDocs(report, values.set as SetName)
if (values.json) writeFileSync(values.json, JSON.stringify({ ...report, throughput, scores, load, libraries }, null, 2))

function ratios(ours: Measured, peer: Measured): string {
  const cpu = peer.cpuSeconds > 0 ? (ours.cpuSeconds / peer.cpuSeconds).toFixed(2) : '–'
  return `bytes ${(ours.bytes / peer.bytes).toFixed(3)} cpu ${cpu}`
}

function sums(rows: Row[], peer: string): string {
  const total = (side: (row: Row) => Measured | undefined) =>
    rows
      .filter((row) => row.peers[peer])
      .reduce((sum, row) => ({ bytes: sum.bytes + (side(row)?.bytes ?? 0), cpuSeconds: sum.cpuSeconds + (side(row)?.cpuSeconds ?? 0) }), {
        bytes: 0,
        cpuSeconds: 0,
      })
  const compared = rows.filter((row) => row.peers[peer])
  const share = (row: Row) => row.ours.bytes / (row.peers[peer]?.bytes ?? Number.POSITIVE_INFINITY)
  const [worst] = compared.toSorted((a, b) => share(b) - share(a))
  return worst === undefined
    ? 'not installed'
    : `${ratios(
        total((row) => row.ours),
        total((row) => row.peers[peer]),
      )} over ${compared.length} rows, the worst ${share(worst).toFixed(3)} (${worst.name})`
}
