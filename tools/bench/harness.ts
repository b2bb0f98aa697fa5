/**
 * Measuring side by side: our room in a fresh Node (`tools/try.ts`) and the native peer, on the same file in one run.
 * What counts are ratios; seconds of one machine say little.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Measured {
  readonly bytes: number
  /** User and system time without start-up: ours once modules are loaded, the engines' compilation included; peers' without an idle run. */
  readonly cpuSeconds: number
  /** Ours where the same job was done before in the same process: engines are compiled. Jobs of more than a second are done once. */
  readonly warmCpuSeconds?: number
  /** Peak resident memory, MiB; undefined where the machine has no GNU time. */
  readonly peakMiB?: number
  /** All Wasm memories together, where they were counted (`tools/bench/stock/count-memories.ts`). */
  readonly wasmMiB?: number
  readonly note?: string
}

export interface Row {
  /** What was measured: file and setting. */
  readonly name: string
  readonly ours: Measured
  /** By name of the peer; undefined where it is not installed. */
  readonly peers: Readonly<Record<string, Measured | undefined>>
}

/** One file of `tools/bench/`: what it compares, and its rows. `corpus` is a folder of real files. */
export interface Bench {
  readonly title: string
  rows(corpus: string): AsyncGenerator<Row> | Generator<Row>
}

/** Runs our room on one file. */
export function ours(
  path: string,
  options: { quality?: string; format?: string; out?: string; lossless?: boolean } = {},
): Measured & { outcome: string } {
  const { quality = 'medium', format, out, lossless = false } = options
  const flags = ['-q', quality, ...(format ? ['-f', format] : []), ...(out ? ['-o', out] : []), ...(lossless ? ['--lossless'] : [])]
  const done = spawnSync(process.execPath, ['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, '--warm', ...flags], {
    encoding: 'utf8',
  })
  const said = JSON.parse(done.stdout) as {
    out: number
    cpuSeconds: number
    warmCpuSeconds?: number
    rssMB: number
    kind?: string
    reason?: string
    outcome?: string
  }
  return {
    bytes: said.out,
    cpuSeconds: said.cpuSeconds,
    ...(said.warmCpuSeconds === undefined ? {} : { warmCpuSeconds: said.warmCpuSeconds }),
    peakMiB: said.rssMB,
    outcome: said.kind ?? said.outcome ?? 'crashed',
    ...(said.reason ? { note: said.reason } : {}),
  }
}

const GNU_TIME = '/usr/bin/time'
/** GNU time has hundredths of a second: it tells the memory, the shell around it the time. */
const TIMED = 'TIMEFORMAT=$\'\\n%3U %3S\'; time "$@"'

/** A damaged file can keep a program busy for ever. */
const TIMEOUT = '/usr/bin/timeout'
const LONGEST_SECONDS = '300'

interface Run {
  readonly good: boolean
  readonly cpuSeconds: number
  readonly peakMiB?: number
}

function run(command: string, args: readonly string[]): Run {
  const limited = [...(existsSync(TIMEOUT) ? [TIMEOUT, '-s', 'KILL', LONGEST_SECONDS] : []), command, ...args]
  const line = existsSync(GNU_TIME) ? [GNU_TIME, '-f', '\nKiB %M', ...limited] : limited
  const done = spawnSync('bash', ['-c', TIMED, 'bash', ...line], { encoding: 'utf8', maxBuffer: 1 << 28 })
  const [user = 0, system = 0] = (done.stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number)
  const kib = /\nKiB (\d+)/.exec(done.stderr)?.[1]
  return { good: done.status === 0, cpuSeconds: user + system, ...(kib ? { peakMiB: Math.round(Number(kib) / 1024) } : {}) }
}

const idle = new Map<string, number>()

/** What a command takes to say its version: the least of three. */
function startUpSeconds(command: string): number {
  const known = idle.get(command) ?? Math.min(...[1, 2, 3].map(() => run(command, ['--version']).cpuSeconds))
  idle.set(command, known)
  return known
}

/** Runs a native command and measures it; `output` is the file it writes. undefined: not installed, or it failed. */
export function native(command: string, args: readonly string[], output: string): Measured | undefined {
  const { good, cpuSeconds, ...rest } = run(command, args)
  if (!good || !existsSync(output)) return undefined
  return { ...rest, bytes: statSync(output).size, cpuSeconds: Math.max(0, cpuSeconds - startUpSeconds(command)) }
}

/** Of the settings of a peer, the one that came out smallest. */
export function smallest(measured: readonly (Measured | undefined)[]): Measured | undefined {
  return measured.filter((one) => one !== undefined).sort((a, b) => a.bytes - b.bytes)[0]
}

/** Files below `folder` with one of the extensions, sorted; none where the folder is missing. */
export function files(folder: string, ...extensions: string[]): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`)))
    .map((name) => join(folder, name))
    .sort()
}
