/**
 * FFmpeg beside a press: it parses strangers' streams outside of Wasm, so it has limits of its own (memory, processor time, size of
 * files, and no network where the system can take that away), no environment, and is ended with its job. What it is told is made here,
 * of numbers alone: a press says which pictures and how fine, never which program, file or option.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { NativeEncode, NativeMeasure, Span } from '../core/model/external-encoder.ts'
import { ERRORS, LUMA, NO_MEMORY, ORIGINAL, RESULT, STALLED } from './native-files.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { usageOf } from './usage.ts'
import { Watchdog } from './watchdog.ts'

export type NativeRequest =
  | { readonly kind: 'encode'; readonly wanted: NativeEncode }
  | { readonly kind: 'measure'; readonly wanted: NativeMeasure }

export interface NativeProgram {
  readonly path: string
  /** `FFmpeg 5.1.9`. */
  readonly name: string
  /** What its command line begins with: the program, within what this system has for walls. */
  readonly within: readonly string[]
}

const NEEDED = ['libx264', 'libx265']

/**
 * The program at `path`, or the first on the PATH.
 * @throws Error where the one that was asked for cannot encode what it is for
 */
export function findNative(path: string | undefined): NativeProgram | undefined {
  const found = candidateOf(path)
  return programOf(path, found, found === undefined ? undefined : spawnSync(found, ASKED, { encoding: 'utf8' }))
}

/** The same, while others go on. */
export async function searchNative(path: string | undefined): Promise<NativeProgram | undefined> {
  const found = candidateOf(path)
  const said = found === undefined ? undefined : await promisify(execFile)(found, ASKED).catch(() => ({ stdout: '', stderr: '' }))
  return programOf(path, found, said)
}

/** It says which encoders it has, and before that, elsewhere, who it is. */
const ASKED = ['-encoders']

function candidateOf(path: string | undefined): string | undefined {
  if (path === 'none') return undefined
  const candidates = path === undefined ? (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'ffmpeg')) : [path]
  return candidates.find(isProgram)
}

interface Said {
  readonly stdout: string
  readonly stderr: string
}

function programOf(path: string | undefined, found: string | undefined, said: Said | undefined): NativeProgram | undefined {
  const missing = NEEDED.filter((name) => !said?.stdout?.includes(name))
  if (found && said && missing.length === 0) return { path: found, name: nameOf(said.stderr), within: wall() }
  if (path === undefined || path === 'none') return undefined
  throw new Error(found ? `${path} has no ${missing.join(' and no ')}` : `${path} is no program`)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const nameOf = (said: string) => `FFmpeg ${/version n?([\d.]+)/.exec(said)?.[1] ?? 'of its own version'}`

/** A network and a user of its own, without rights, where that can be had. */
function wall(): string[] {
  const unshare = ['unshare', '--user', '--net', '--']
  return spawnSync(unshare[0]!, [...unshare.slice(1), 'true']).status === 0 ? unshare : []
}

export interface NativeLimits {
  readonly memoryBytes: number
  readonly processorMs: number
  /** By the clock: it sleeps, and computes nothing. */
  readonly stalledMs: number
}

/** How often it is measured for that, within `stalledMs`. */
const SAMPLES = 4

/** Most bytes of a file that it writes: the luma of some seconds of 4K in ten bits. */
const MOST_FILE_BYTES = 8 * 1024 ** 3

/** Runs it in the folder of a press. @returns undefined, or what it said was wrong */
export class NativeRun {
  readonly #child: ChildProcess
  readonly ended: Promise<string | undefined>

  constructor({ path, within }: NativeProgram, request: NativeRequest, folder: string, limits: NativeLimits) {
    const arguments_ = request.kind === 'encode' ? encodeArguments(request.wanted) : measureArguments(request.wanted)
    const bounds = [
      `ulimit -d ${Math.floor(limits.memoryBytes / 1024)}`,
      `ulimit -t ${Math.ceil(limits.processorMs / 1000)}`,
      // In blocks of 512 bytes, or of 1024 where the shell is another.
      `ulimit -f ${Math.floor(MOST_FILE_BYTES / 512)}`,
      'ulimit -c 0',
      'echo 900 > /proc/self/oom_score_adj 2>/dev/null',
      'exec "$@"',
    ]
    // The signal is set last: a program that gets other rights loses it.
    const program = [...within, ...withParentDeathSignal(), path, ...COMMON, ...arguments_]
    this.#child = spawn('/bin/sh', ['-c', bounds.join('; '), 'native', ...program], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MOST_SAID)
    })
    // Threads of an encoder that gets no memory wait for each other for ever. The kernel holds it to the other limits.
    const limits_ = { stalledMs: limits.stalledMs, idleShare: 0 }
    const watchdog = new Watchdog({ sample: () => this.#sample() }, { limits: limits_, everyMs: limits.stalledMs / SAMPLES })
    let stalled = false
    void watchdog.verdict.then(() => {
      stalled = true
      this.kill()
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('close', () => watchdog.stop())
      this.#child.once('error', (error) => resolve(error.message))
      this.#child.once('close', (code, signal) =>
        resolve(stalled ? STALLED : code === 0 ? undefined : whyOf(said) || `it ended with ${signal ?? code}`),
      )
    })
  }

  /** A program that is ready to run, and waits for the processor, is not stalled. */
  async #sample() {
    const usage = await usageOf(this.#child.pid ?? 0)
    return usage && { ...usage, waits: !usage.sleeps }
  }

  /** At once, whatever it does. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

const MOST_SAID = 4000

/** What the program said last, or that it had no room: whatever fails then says something else behind it. */
function whyOf(said: string): string | undefined {
  const lines = said.trim().split('\n')
  return lines.find((line) => NO_MEMORY.test(line)) ?? lines.at(-1)
}

/** A thread each: parts of a film run side by side. Files alone, and only in the form that the press writes. */
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

function encodeArguments({ encoder, bits, crf, mostBetweenKeys, lookahead, timescale, shown, hdr = {} }: NativeEncode): string[] {
  const ahead = ['rc-lookahead', number(lookahead, 4, 250)]
  const common = ['crf', number(crf, 1, 51), 'keyint', number(mostBetweenKeys, 1, 10_000), 'bframes', '3', ...ahead]
  const settings =
    encoder === 'x264'
      ? ['-c:v', 'libx264', '-preset', 'medium', '-x264-params', pairs([...common, ...X264])]
      : ['-c:v', 'libx265', '-preset', 'medium', '-tag:v', 'hvc1', '-x265-params', pairs([...common, ...X265, ...hdrPairs(hdr)])]
  return [
    ...[...INPUT, ORIGINAL, '-map', '0:v:0', '-vf', `select='${within(shown)}'`, '-vsync', 'passthrough', '-enc_time_base', '-1'],
    ...[...settings, '-pix_fmt', bits === 10 ? 'yuv420p10le' : '+', '-threads', '1', '-map_metadata', '-1'],
    ...['-video_track_timescale', number(timescale, 1, 2 ** 31 - 1), '-f', 'mp4', RESULT],
  ]
}

/** Levels are SSIM and PSNR, so nothing is spent on other likings; parts share their parameter sets. */
const X264 = ['psy', '0', 'aq-mode', '2', 'stitchable', '1', 'open-gop', '0', 'threads', '1']
const X265 = [
  ...['psy-rd', '0', 'psy-rdoq', '0', 'aq-mode', '2', 'open-gop', '0', 'info', '0', 'pools', 'none', 'frame-threads', '1', 'wpp', '0'],
  ...['log-level', 'error'],
]

function hdrPairs({ masteringDisplay: display, lightLevel: light }: NonNullable<NativeEncode['hdr']>): string[] {
  const at = (i: number) => number(display![i]!, 0, 2 ** 32 - 1)
  const [g, b, r, white] = [0, 2, 4, 6].map((i) => (display ? `(${at(i)},${at(i + 1)})` : ''))
  return [
    ...(display ? ['master-display', `G${g}B${b}R${r}WP${white}L(${at(8)},${at(9)})`] : []),
    ...(light ? ['max-cll', `${number(light[0]!, 0, 65_535)},${number(light[1]!, 0, 65_535)}`] : []),
  ]
}

/** Squared errors of all frames to a file of lines, luma of some of both to another. */
function measureArguments({ bits, original, result, sampled }: NativeMeasure): string[] {
  const chosen = sampled.map((frame) => `eq(n,${number(frame, 0, 1e7)})`).join('+') || '0'
  const format = bits === 10 ? 'yuv420p10le' : 'yuv420p|yuvj420p'
  // Frames are counted: which is which is a matter of their order.
  const side = (input: 0 | 1, span: Span, name: string) =>
    `[${input}:v:0]select='${within(span)}',settb=1/1000,setpts=N,format=${format},split[${name}1][${name}2]`
  const luma = (name: string) => `[${name}2]select='${chosen}',extractplanes=y[${name}y]`
  const graph = [
    side(0, original, 'a'),
    side(1, result, 'b'),
    `[a1][b1]psnr=stats_file=${ERRORS}:eof_action=endall,nullsink`,
    ...[luma('a'), luma('b'), '[ay][by]vstack[out]'],
  ]
  const output = ['-map', '[out]', '-vsync', 'passthrough', '-c:v', 'rawvideo', '-threads', '1', '-f', 'rawvideo', LUMA]
  return [...INPUT, ORIGINAL, ...INPUT, RESULT, '-filter_complex', graph.join(';'), ...output]
}

const within = ({ from, to }: Span) => `gte(pts,${number(from, -(2 ** 53), 2 ** 53)})*lt(pts,${number(to, -(2 ** 53), 2 ** 53)})`
const pairs = (list: readonly string[]) => Array.from({ length: list.length / 2 }, (_, i) => `${list[2 * i]}=${list[2 * i + 1]}`).join(':')

/** Whatever a press sends, a number of this range comes out. @throws Error */
function number(value: unknown, least: number, most: number): string {
  if (typeof value !== 'number' || !(value >= least && value <= most))
    throw new Error(`expected a number from ${least} to ${most}, got ${String(value)}`)
  return String(value)
}
