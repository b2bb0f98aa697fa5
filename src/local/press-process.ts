/** One press process: starts it, exchanges messages with it and kills it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { WorkerKind } from '../service/lanes.ts'
import type { MessageFromPress, MessageToPress, PressEvent } from './ipc-messages.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { type ProcessUsage, readUsage } from './usage.ts'

export interface PressOptions {
  /** Folder of the bundles. */
  readonly build: string
  /** The only folder that the process may write. It may read this folder and the bundles. */
  readonly folder: string
  /** Resident memory limit of the process, in bytes. */
  readonly memoryBytes: number
  /** Called for each line that the process prints. */
  log(line: string): void
}

/** Share of the memory that V8's heap may use. Most memory is Wasm's, which is not part of the heap. */
const HEAP_SHARE = 0.5
/** Address space that Node, V8 and their threads reserve in addition, in bytes. */
const OVERHEAD_BYTES = 1024 ** 3
/** Two arenas of glibc's allocator instead of eight a core: each retains memory of its own. */
const ENVIRONMENT = { TZ: 'UTC', MALLOC_ARENA_MAX: '2' }
/** Linux `oom_score_adj`: if memory runs out, the kernel kills press processes before other parts of the service. */
const OOM_SCORE = 800

/** Added to the nice value of processes that run long steps: a third of the weight of others, so that small files and responses come first. */
const LONG_STEP_NICENESS = 5

export class PressProcess {
  readonly kind: WorkerKind
  /**
   * Settles with the reason when the process has ended. Jobs use `onMessage` instead, because a promise retains its listeners for the
   * life of the process.
   */
  readonly exited: Promise<string>
  /** Settles with the supported formats when the process is ready. */
  readonly ready: Promise<readonly string[]>
  /** True when the process is ready, false if it ends before. */
  readonly up: Promise<boolean>
  readonly #child: ChildProcess
  #listener: (message: PressEvent) => void = () => undefined
  #endReason: string | undefined
  #isYielding = false

  constructor(kind: WorkerKind, options: PressOptions) {
    this.kind = kind
    this.#child = spawnPress(kind, options)
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream) createInterface({ input: stream }).on('line', options.log)
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
      this.#child.once('error', (error) => resolve(error.message))
    })
    this.ready = new Promise((resolve) => {
      this.#listener = (message) => message.kind === 'ready' && resolve(message.formats)
    })
    this.up = Promise.race([this.ready.then(() => true), this.exited.then(() => false)])
    this.#child.on('message', (message) => this.#listener(message as MessageFromPress))
    void this.exited.then((why) => {
      this.#endReason = why
      this.#listener({ kind: 'gone', why })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /**
   * Sets the listener for messages. If the process has ended, the listener is called at once. Messages without a listener are dropped.
   */
  onMessage(hear: (message: PressEvent) => void): void {
    this.#listener = hear
    if (this.#endReason !== undefined) hear({ kind: 'gone', why: this.#endReason })
  }

  send(message: MessageToPress): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** True if others come first. An unprivileged process cannot take that back. */
  get isYielding(): boolean {
    return this.#isYielding
  }

  /** Lets other processes come first from now on, as long as they compete for processors. */
  yieldToOthers(): void {
    if (this.#isYielding) return
    this.#isYielding = true
    try {
      setPriority(this.pid, Math.min(19, getPriority() + LONG_STEP_NICENESS))
    } catch {
      // The process has ended, or the system has no priorities.
    }
  }

  /** Kills the process immediately. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Memory and CPU time now. `undefined`: not supported on this system, or the process has ended. */
  usage(): Promise<ProcessUsage | undefined> {
    return readUsage(this.pid)
  }
}

function spawnPress(kind: WorkerKind, { build, folder, memoryBytes }: PressOptions): ChildProcess {
  const heapMb = Math.floor((memoryBytes * HEAP_SHARE) / 2 ** 20)
  // V8 collects garbage on its own thread: helper threads of N press processes would compete for the same cores.
  const node = [`--max-old-space-size=${heapMb}`, '--single-threaded-gc', ...permissions(build, folder), join(build, `${kind}.mjs`)]
  const options = { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] as const, serialization: 'advanced' as const, env: ENVIRONMENT }
  if (process.platform !== 'linux') return spawn(process.execPath, node, { ...options, stdio: [...options.stdio] })
  const limits = `echo ${OOM_SCORE} > /proc/self/oom_score_adj; ulimit -d ${Math.floor((memoryBytes + OVERHEAD_BYTES) / 1024)}; exec "$@"`
  return spawn('/bin/sh', ['-c', limits, 'press', ...withParentDeathSignal(), process.execPath, ...node], {
    ...options,
    stdio: [...options.stdio],
  })
}

/**
 * Node's permission flags: codecs parse untrusted bytes, so they get no other files, no child processes and no addons. Outside of
 * workerd, Wasm is the only other sandbox.
 */
function permissions(build: string, folder: string): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', `--allow-fs-read=${build}/*`, `--allow-fs-read=${folder}/*`, `--allow-fs-write=${folder}/*`]
}
