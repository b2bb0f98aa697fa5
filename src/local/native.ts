/**
 * Runs FFmpeg for a press process. FFmpeg parses untrusted streams outside of Wasm. So it has limits for memory, CPU time and file
 * size, no environment, and no network where the system supports that, and it ends with its job. Its arguments are built here from
 * numbers only. A press process chooses frames and quality, never a program, file or option.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { ExternalEncodeRequest, ExternalMeasureRequest, TimeRange } from '../core/model/external-encoder.ts'
import { LUMA, ORIGINAL, OUT_OF_MEMORY, RESULT, SQUARED_ERRORS, STALLED } from './native-files.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { readUsage } from './usage.ts'
import { Watchdog } from './watchdog.ts'

export type FfmpegRequest =
  | { readonly kind: 'encode'; readonly wanted: ExternalEncodeRequest }
  | { readonly kind: 'measure'; readonly wanted: ExternalMeasureRequest }

export interface FfmpegProgram {
  readonly path: string
  /** Name and version, for example `FFmpeg 5.1.9`. */
  readonly name: string
  /** Command line prefix: the wrapper that removes network access, or empty. */
  readonly commandPrefix: readonly string[]
}

const NEEDED = ['libx264', 'libx265']

/**
 * Finds FFmpeg at `path`, or the first `ffmpeg` on the PATH. `"none"` disables it.
 * @returns `undefined` if there is none
 * @throws Error if the program at `path` lacks libx264 or libx265
 */
export function findFfmpegSync(path: string | undefined): FfmpegProgram | undefined {
  const found = candidateOf(path)
  return programOf(path, found, found === undefined ? undefined : spawnSync(found, LIST_ENCODERS, { encoding: 'utf8' }))
}

/** Asynchronous `findFfmpegSync`, which does not block the event loop. */
export async function findFfmpeg(path: string | undefined): Promise<FfmpegProgram | undefined> {
  const found = candidateOf(path)
  const output = found === undefined ? undefined : await promisify(execFile)(found, LIST_ENCODERS).catch(() => ({ stdout: '', stderr: '' }))
  return programOf(path, found, output)
}

/** Arguments that list the encoders. The version is on stderr. */
const LIST_ENCODERS = ['-encoders']

function candidateOf(path: string | undefined): string | undefined {
  if (path === 'none') return undefined
  const candidates = path === undefined ? (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'ffmpeg')) : [path]
  return candidates.find(isProgram)
}

interface ProgramOutput {
  readonly stdout: string
  readonly stderr: string
}

function programOf(path: string | undefined, found: string | undefined, output: ProgramOutput | undefined): FfmpegProgram | undefined {
  const missing = NEEDED.filter((name) => !output?.stdout?.includes(name))
  if (found && output && missing.length === 0) return { path: found, name: nameOf(output.stderr), commandPrefix: isolationPrefix() }
  if (path === undefined || path === 'none') return undefined
  throw new Error(found ? `${path} cannot be used: it has no encoder ${missing.join(' and no ')}` : `${path} is not an executable file`)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const nameOf = (output: string) => `FFmpeg ${/version n?([\d.]+)/.exec(output)?.[1] ?? 'of its own version'}`

/** Command prefix that gives the program its own user and network namespace. Empty: the system does not allow it. */
function isolationPrefix(): string[] {
  const unshare = ['unshare', '--user', '--net', '--']
  return spawnSync(unshare[0]!, [...unshare.slice(1), 'true']).status === 0 ? unshare : []
}

export interface NativeLimits {
  readonly memoryBytes: number
  readonly processorMs: number
  /** Milliseconds by the clock in which the program sleeps and uses no CPU time. */
  readonly stalledMs: number
}

/** Measurements per `stalledMs`. */
const SAMPLES_PER_LIMIT = 4

/** Size limit of a file that FFmpeg writes, in bytes. The luma of a few seconds of 10-bit 4K needs several GB. */
const MAX_FILE_BYTES = 8 * 1024 ** 3

/** One run of FFmpeg in the folder of a press process. `ended` resolves with `undefined` or the error message. */
export class FfmpegRun {
  readonly #child: ChildProcess
  readonly ended: Promise<string | undefined>

  constructor({ path, commandPrefix: within }: FfmpegProgram, request: FfmpegRequest, folder: string, limits: NativeLimits) {
    const arguments_ = request.kind === 'encode' ? encodeArguments(request.wanted) : measureArguments(request.wanted)
    const bounds = [
      `ulimit -d ${Math.floor(limits.memoryBytes / 1024)}`,
      `ulimit -t ${Math.ceil(limits.processorMs / 1000)}`,
      // `ulimit -f` counts blocks of 512 bytes, in some shells of 1024.
      `ulimit -f ${Math.floor(MAX_FILE_BYTES / 512)}`,
      'ulimit -c 0',
      'echo 900 > /proc/self/oom_score_adj 2>/dev/null',
      'exec "$@"',
    ]
    // The parent death signal comes last: the kernel clears it when a program changes its user.
    const program = [...within, ...withParentDeathSignal(), path, ...COMMON, ...arguments_]
    this.#child = spawn('/bin/sh', ['-c', bounds.join('; '), 'native', ...program], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_STDERR_CHARS)
    })
    // If an encoder thread gets no memory, the others may wait for it for ever. The watchdog ends them. The kernel enforces the
    // other limits.
    const limits_ = { stalledMs: limits.stalledMs, idleShare: 0 }
    const watchdog = new Watchdog({ sample: () => this.#sample() }, { limits: limits_, everyMs: limits.stalledMs / SAMPLES_PER_LIMIT })
    let stalled = false
    void watchdog.verdict.then(() => {
      stalled = true
      this.kill()
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('close', () => watchdog.stop())
      this.#child.once('error', (error) => resolve(error.message))
      this.#child.once('close', (code, signal) =>
        resolve(stalled ? STALLED : code === 0 ? undefined : errorFrom(output) || `it ended with ${signal ?? code}`),
      )
    })
  }

  /** A process that is ready to run, but waits for a CPU, does not count as stalled. */
  async #sample() {
    const usage = await readUsage(this.#child.pid ?? 0)
    return usage && { ...usage, isWaiting: !usage.isSleeping }
  }

  /** `undefined`: it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Ends FFmpeg immediately. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const MAX_STDERR_CHARS = 4000

/** Error message from stderr: a line about memory if there is one, because later errors only follow from it. Otherwise the last line. */
function errorFrom(output: string): string | undefined {
  const lines = output.trim().split('\n')
  return lines.find((line) => OUT_OF_MEMORY.test(line)) ?? lines.at(-1)
}

/** Common FFmpeg options: one thread, because parts of a film run in parallel; no prompt; stop at the first error. */
const COMMON = [
  '-hide_banner',
  '-nostdin',
  '-loglevel',
  'error',
  '-xerror',
  '-y',
  '-copyts',
  '-filter_threads',
  '1',
  '-filter_complex_threads',
  '1',
]
const INPUT = ['-protocol_whitelist', 'file', '-threads', '1', '-noautorotate', '-f', 'mov', '-err_detect', 'explode', '-i']

function encodeArguments({ encoder, bits, crf, mostBetweenKeys, lookahead, timescale, shown, hdr = {} }: ExternalEncodeRequest): string[] {
  const ahead = ['rc-lookahead', number(lookahead, 4, 250)]
  const common = ['crf', number(crf, 1, 51), 'keyint', number(mostBetweenKeys, 1, 10_000), 'bframes', '3', ...ahead]
  const settings =
    encoder === 'x264'
      ? ['-c:v', 'libx264', '-preset', 'medium', '-x264-params', pairs([...common, ...X264])]
      : ['-c:v', 'libx265', '-preset', 'medium', '-tag:v', 'hvc1', '-x265-params', pairs([...common, ...X265, ...hdrPairs(hdr)])]
  return [
    ...[...INPUT, ORIGINAL, '-map', '0:v:0', '-vf', `select='${withinSpan(shown)}'`, '-vsync', 'passthrough', '-enc_time_base', '-1'],
    ...[...settings, '-pix_fmt', bits === 10 ? 'yuv420p10le' : '+', '-threads', '1', '-map_metadata', '-1'],
    ...['-video_track_timescale', number(timescale, 1, 2 ** 31 - 1), '-f', 'mp4', RESULT],
  ]
}

/** Encoder settings without psychovisual tuning, because quality levels are defined by SSIM and PSNR. Parts must share parameter sets. */
const X264 = ['psy', '0', 'aq-mode', '2', 'stitchable', '1', 'open-gop', '0', 'threads', '1']
const X265 = [
  ...['psy-rd', '0', 'psy-rdoq', '0', 'aq-mode', '2', 'open-gop', '0', 'info', '0', 'pools', 'none', 'frame-threads', '1', 'wpp', '0'],
  ...['log-level', 'error'],
]

function hdrPairs({ masteringDisplay: display, lightLevel: light }: NonNullable<ExternalEncodeRequest['hdr']>): string[] {
  const at = (i: number) => number(display![i]!, 0, 2 ** 32 - 1)
  const [g, b, r, white] = [0, 2, 4, 6].map((i) => (display ? `(${at(i)},${at(i + 1)})` : ''))
  return [
    ...(display ? ['master-display', `G${g}B${b}R${r}WP${white}L(${at(8)},${at(9)})`] : []),
    ...(light ? ['max-cll', `${number(light[0]!, 0, 65_535)},${number(light[1]!, 0, 65_535)}`] : []),
  ]
}

/** Arguments of a comparison: squared errors of all frames to one file, luma of sampled frames of both films to another. */
function measureArguments({ bits, original, result, sampled }: ExternalMeasureRequest): string[] {
  const chosen = sampled.map((frame) => `eq(n,${number(frame, 0, 1e7)})`).join('+') || '0'
  const format = bits === 10 ? 'yuv420p10le' : 'yuv420p|yuvj420p'
  // Frames are paired by their order, so each gets its number as time stamp.
  const side = (input: 0 | 1, span: TimeRange, name: string) =>
    `[${input}:v:0]select='${withinSpan(span)}',settb=1/1000,setpts=N,format=${format},split[${name}1][${name}2]`
  const luma = (name: string) => `[${name}2]select='${chosen}',extractplanes=y[${name}y]`
  const graph = [
    side(0, original, 'a'),
    side(1, result, 'b'),
    `[a1][b1]psnr=stats_file=${SQUARED_ERRORS}:eof_action=endall,nullsink`,
    ...[luma('a'), luma('b'), '[ay][by]vstack[out]'],
  ]
  const output = ['-map', '[out]', '-vsync', 'passthrough', '-c:v', 'rawvideo', '-threads', '1', '-f', 'rawvideo', LUMA]
  return [...INPUT, ORIGINAL, ...INPUT, RESULT, '-filter_complex', graph.join(';'), ...output]
}

const withinSpan = ({ from, to }: TimeRange) => `gte(pts,${number(from, -(2 ** 53), 2 ** 53)})*lt(pts,${number(to, -(2 ** 53), 2 ** 53)})`
const pairs = (list: readonly string[]) => Array.from({ length: list.length / 2 }, (_, i) => `${list[2 * i]}=${list[2 * i + 1]}`).join(':')

/** Formats a number that a press process sent. @throws Error if it is no number from `least` to `most` */
function number(value: unknown, least: number, most: number): string {
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw new Error(`expected a number from ${least} to ${most}, got ${String(value)}`)
  return String(value)
}
