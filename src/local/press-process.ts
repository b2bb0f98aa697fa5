/** One press: a process that is spoken to, watched, and ended with all that it holds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Kind } from '../service/lanes.ts'
import type { FromPress, FromProcess, ToPress } from './ipc-messages.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { type Usage, usageOf } from './usage.ts'

export interface PressOptions {
  /** Folder of the bundles. */
  readonly build: string
  /** All that it may write, and read beside the bundles. */
  readonly folder: string
  /** Resident memory of the whole process, in bytes. */
  readonly memoryBytes: number
  /** Lines that it prints. */
  log(line: string): void
}

/** What V8 may take of the memory: most of it is Wasm, which does not count there. */
const HEAP_SHARE = 0.5
/** Node, V8 and their threads hold data of their own, and reserve more than they use. */
const OVERHEAD_BYTES = 1024 ** 3
/** The kernel ends a press before anything else of the service. */
const OOM_SCORE = 800

export class PressProcess {
  readonly kind: Kind
  /** Settles when it is gone, with the reason. It keeps all that wait for it, so jobs hear of it by `onMessage` instead. */
  readonly exited: Promise<string>
  /** Settles with its formats when it is ready for work. */
  readonly ready: Promise<readonly string[]>
  /** Settles when it is ready, or gone before. */
  readonly up: Promise<boolean>
  readonly #child: ChildProcess
  #hear: (message: FromProcess) => void = () => undefined
  #gone: string | undefined

  constructor(kind: Kind, options: PressOptions) {
    this.kind = kind
    this.#child = spawnPress(kind, options)
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream) createInterface({ input: stream }).on('line', options.log)
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
      this.#child.once('error', (error) => resolve(error.message))
    })
    this.ready = new Promise((resolve) => {
      this.#hear = (message) => message.kind === 'ready' && resolve(message.formats)
    })
    this.up = Promise.race([this.ready.then(() => true), this.exited.then(() => false)])
    this.#child.on('message', (message) => this.#hear(message as FromPress))
    void this.exited.then((why) => {
      this.#gone = why
      this.#hear({ kind: 'gone', why })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Whoever hears it from now on, at once where it is gone already. What a press says without work is not heard. */
  onMessage(hear: (message: FromProcess) => void): void {
    this.#hear = hear
    if (this.#gone !== undefined) hear({ kind: 'gone', why: this.#gone })
  }

  send(message: ToPress): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Ends it at once, whatever it does. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** What it takes right now. undefined: this system does not tell, or it is gone. */
  usage(): Promise<Usage | undefined> {
    return usageOf(this.pid)
  }
}

function spawnPress(kind: Kind, { build, folder, memoryBytes }: PressOptions): ChildProcess {
  const heapMb = Math.floor((memoryBytes * HEAP_SHARE) / 2 ** 20)
  // V8 collects on its own thread: helpers of N presses would only take each other's cores.
  const node = [`--max-old-space-size=${heapMb}`, '--single-threaded-gc', ...permissions(build, folder), join(build, `${kind}.mjs`)]
  const options = { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] as const, serialization: 'advanced' as const, env: { TZ: 'UTC' } }
  if (process.platform !== 'linux') return spawn(process.execPath, node, { ...options, stdio: [...options.stdio] })
  const limits = `echo ${OOM_SCORE} > /proc/self/oom_score_adj; ulimit -d ${Math.floor((memoryBytes + OVERHEAD_BYTES) / 1024)}; exec "$@"`
  return spawn('/bin/sh', ['-c', limits, 'press', ...withParentDeathSignal(), process.execPath, ...node], {
    ...options,
    stdio: [...options.stdio],
  })
}

/** Outside of workerd there is no sandbox but Wasm's: files, processes and addons are closed to what parses strangers' bytes. */
function permissions(build: string, folder: string): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', `--allow-fs-read=${build}/*`, `--allow-fs-read=${folder}/*`, `--allow-fs-write=${folder}/*`]
}
