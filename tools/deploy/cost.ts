/**
 * `npm run cost -- [-q low] FILES…`: what 1000 files like these would cost on Cloudflare, by format. The CPU time is measured here
 * and now; the operations of a file are those that test/service/http/operations.test.ts counts.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { QUICK_FILE } from '../release/operations.ts'

/** Dollars beyond what the paid plan includes, of 2026-11 (developers.cloudflare.com, pricing of Workers, R2, Queues, Durable Objects). */
const PRICE = {
  request: 0.3e-6,
  cpuMs: 0.02e-6,
  objectRequest: 0.15e-6,
  /** A gigabyte of a Durable Object's memory for a second. */
  objectGbSecond: 12.5e-6,
  /** Into SQLite, alarms and indexes included. */
  objectRow: 1e-6,
  bucketWrite: 4.5e-6,
  bucketRead: 0.36e-6,
  /** A gigabyte in R2 for a day. */
  gbDay: 0.015 / 30,
  queueOperation: 0.4e-6,
}

/** Sent, fetched and deleted; if it was queued a message was written, read and deleted, too. */
const FILE = { ...QUICK_FILE, requests: 3, queueOperations: 3 }
/** Three objects of 128 MB (key, account, task), some 20 ms each: idle ones that can hibernate are not billed. */
const OBJECT_GB_SECONDS = 3 * 0.02 * 0.128

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quality: { type: 'string', short: 'q', default: 'medium' } },
})
if (positionals.length === 0) throw new Error('Which files? npm run cost -- [-q low] FILES…')

interface Tried {
  readonly format: string
  readonly in?: number
  readonly out?: number
  readonly cpuSeconds?: number
}

const options = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', '-q', values.quality]
const cwd = join(import.meta.dirname, '../..')
const tried: Required<Tried>[] = []
// One process a file: each pays for a cold start of its codec, as the first file of an isolate does.
for (const path of positionals) {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, path], { cwd, maxBuffer: 64e6 })
  const line = JSON.parse(stdout) as Tried
  const { format, in: original, out, cpuSeconds } = line
  if (original !== undefined && out !== undefined && cpuSeconds !== undefined) tried.push({ format, in: original, out, cpuSeconds })
}

const mean = (of: (one: Required<Tried>) => number, rows: Required<Tried>[]) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length
const dollars = (each: number) => `$${(each * 1000).toFixed(3)}`
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
for (const format of [...new Set(tried.map((one) => one.format))].sort()) {
  const rows = tried.filter((one) => one.format === format)
  const cpuSeconds = mean((one) => one.cpuSeconds, rows)
  const cpu = cpuSeconds * 1000 * PRICE.cpuMs
  const [before, after] = [mean((one) => one.in, rows), mean((one) => one.out, rows)]
  const storage = (after / 1e9) * PRICE.gbDay
  const cells = [format, rows.length, megabytes(before), `${Math.round(100 * (1 - after / before))} %`, cpuSeconds.toFixed(2)]
  console.log(`| ${[...cells, ...[cpu, operations, storage, cpu + operations + storage].map(dollars)].join(' | ')} |`)
}
