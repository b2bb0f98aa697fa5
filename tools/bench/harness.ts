/**
 * Measures Whittle (in a new Node process, `tools/try.ts`) and a native peer on the same file. Only ratios are meaningful, because seconds
 * depend on the machine.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Measured {
  readonly bytes: number
  /**
   * User and system CPU seconds without start-up. Whittle: after loading modules, including engine compilation. Peer: minus an idle run.
   */
  readonly cpuSeconds: number
  /**
   * CPU seconds of the same job when it runs a second time in the same process. `undefined`: not measured (jobs of more than a second).
   */
  readonly warmCpuSeconds?: number
  /** Peak resident memory in MiB. `undefined`: GNU time is not installed. */
  readonly peakMiB?: number
  /** Size of all Wasm memories in MiB. `undefined`: not counted (`tools/bench/stock/count-memories.ts` counts them). */
  readonly wasmMiB?: number
  readonly note?: string
}

export interface Row {
  /** Measured file and setting. */
  readonly name: string
  readonly ours: Measured
  /** Results by peer. `undefined`: not installed, or it failed. */
  readonly peers: Readonly<Record<string, Measured | undefined>>
}

/** A benchmark of `tools/bench/`: its title and its rows. `corpus`: folder of real files. */
export interface Bench {
  readonly title: string
  rows(corpus: string): AsyncGenerator<Row> | Generator<Row>
}

/** Compresses one file with Whittle and measures it. */
export function ours(
  path: string,
  options: { quality?: string; format?: string; out?: string; lossless?: boolean } = {},
): Measured & { outcome: string } {
  const { quality = 'medium', format, out, lossless = false } = options
  const flags = ['-q', quality, ...(format ? ['-f', format] : []), ...(out ? ['-o', out] : []), ...(lossless ? ['--lossless'] : [])]
  const done = spawnSync(process.execPath, ['--import', './tools/wasm-hook.ts', 'tools/try.ts', path, '--warm', ...flags], {
    encoding: 'utf8',
  })
  const report = JSON.parse(done.stdout) as {
    out: number
    cpuSeconds: number
    warmCpuSeconds?: number
    rssMB: number
    kind?: string
    reason?: string
    outcome?: string
  }
  return {
    bytes: report.out,
    cpuSeconds: report.cpuSeconds,
    ...(report.warmCpuSeconds === undefined ? {} : { warmCpuSeconds: report.warmCpuSeconds }),
    peakMiB: report.rssMB,
    outcome: report.kind ?? report.outcome ?? 'crashed',
    ...(report.reason ? { note: report.reason } : {}),
  }
}

const GNU_TIME = '/usr/bin/time'
/** Bash command that prints user and system time. GNU time only measures memory, because its resolution is 0.01 s. */
export const TIMED = 'TIMEFORMAT=$\'\\n%3U %3S\'; time "$@"'

/** Kills a peer that hangs on a damaged file. */
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

/** Returns the CPU seconds that a command needs to print its version, the least of three runs. */
function startUpSeconds(command: string): number {
  const known = idle.get(command) ?? Math.min(...[1, 2, 3].map(() => run(command, ['--version']).cpuSeconds))
  idle.set(command, known)
  return known
}

/** Runs a native command and measures it. `output`: the file that it writes. `undefined`: not installed, or it failed. */
export function native(command: string, args: readonly string[], output: string): Measured | undefined {
  const { good, cpuSeconds, ...rest } = run(command, args)
  if (!good || !existsSync(output)) return undefined
  return { ...rest, bytes: statSync(output).size, cpuSeconds: Math.max(0, cpuSeconds - startUpSeconds(command)) }
}

/** Returns the smallest result of a peer's settings. */
export function smallest(measured: readonly (Measured | undefined)[]): Measured | undefined {
  return measured.filter((one) => one !== undefined).sort((a, b) => a.bytes - b.bytes)[0]
}

/** Returns the files below `folder` with one of the extensions, sorted. Returns none if the folder is missing. */
export function files(folder: string, ...extensions: string[]): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`)))
    .map((name) => join(folder, name))
    .sort()
}
