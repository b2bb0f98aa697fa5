/**
 * `npm run cost -- [-q low] FILES…`: estimates what 1000 files like these cost on Cloudflare, by format. CPU time is measured on this
 * machine. The operations per file are those that test/service/http/operations.test.ts counts.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { QUICK_FILE } from '../release/operations.ts'

/**
 * Prices in dollars beyond the paid plan's included amounts, November 2026 (developers.cloudflare.com, pricing of Workers, R2, Queues
 * and Durable Objects).
 */
const PRICE = {
  request: 0.3e-6,
  cpuMs: 0.02e-6,
  objectRequest: 0.15e-6,
  /** One GB of a Durable Object's memory for one second. */
  objectGbSecond: 12.5e-6,
  /** One row written to SQLite, including alarms and indexes. */
  objectRow: 1e-6,
  bucketWrite: 4.5e-6,
  bucketRead: 0.36e-6,
  /** One GB in R2 for one day. */
  gbDay: 0.015 / 30,
  queueOperation: 0.4e-6,
}

/** Operations per file: upload, download and deletion. A queued job also writes, reads and deletes a queue message. */
const FILE = { ...QUICK_FILE, requests: 3, queueOperations: 3 }
/** GB-seconds of three Durable Objects (key, account, task) of 128 MB, 20 ms each. Idle objects that can hibernate are not billed. */
const OBJECT_GB_SECONDS = 3 * 0.02 * 0.128

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quality: { type: 'string', short: 'q', default: 'medium' } },
})
if (positionals.length === 0) throw new Error('Usage: npm run cost -- [-q low] FILES…')

interface Measurement {
  readonly format: string
  readonly in?: number
  readonly out?: number
  readonly cpuSeconds?: number
}

const options = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', '-q', values.quality]
const cwd = join(import.meta.dirname, '../..')
const measurements: Required<Measurement>[] = []
// One process per file, so that each measurement includes the start of its codec, as the first file in an isolate.
for (const path of positionals) {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, path], { cwd, maxBuffer: 64e6 })
  const line = JSON.parse(stdout) as Measurement
  const { format, in: original, out, cpuSeconds } = line
  if (original !== undefined && out !== undefined && cpuSeconds !== undefined) measurements.push({ format, in: original, out, cpuSeconds })
}

const mean = (pick: (one: Required<Measurement>) => number, rows: Required<Measurement>[]) =>
  rows.reduce((sum, row) => sum + pick(row), 0) / rows.length
const dollars = (perFile: number) => `$${(perFile * 1000).toFixed(3)}`
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2)
const operations =
  FILE.requests * PRICE.request +
  FILE.objectRequests * PRICE.objectRequest +
  FILE.objectRows * PRICE.objectRow +
  OBJECT_GB_SECONDS * PRICE.objectGbSecond +
  FILE.bucketWrites * PRICE.bucketWrite +
  FILE.bucketReads * PRICE.bucketRead +
  FILE.queueOperations * PRICE.queueOperation

console.log('| format | files | MB, mean | saved | CPU s, mean | CPU | operations | storage | 1000 files |')
console.log('|---|---|---|---|---|---|---|---|---|')
for (const format of [...new Set(measurements.map((one) => one.format))].sort()) {
  const rows = measurements.filter((one) => one.format === format)
  const cpuSeconds = mean((one) => one.cpuSeconds, rows)
  const cpu = cpuSeconds * 1000 * PRICE.cpuMs
  const [before, after] = [mean((one) => one.in, rows), mean((one) => one.out, rows)]
  const storage = (after / 1e9) * PRICE.gbDay
  const cells = [format, rows.length, megabytes(before), `${Math.round(100 * (1 - after / before))} %`, cpuSeconds.toFixed(2)]
  console.log(`| ${[...cells, ...[cpu, operations, storage, cpu + operations + storage].map(dollars)].join(' | ')} |`)
}
