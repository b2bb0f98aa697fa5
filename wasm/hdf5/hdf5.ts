import { importsOf } from '../loading/engine-files.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import wasmModule from './hdf5.wasm'

/** A file that the engine reads by ranges. `read` may be asynchronous. */
export interface RangeFile {
  readonly size: number
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>
}

export interface Hdf5Host {
  readonly input: RangeFile
  /** File that `rewriteHdf5` writes and `compareHdf5` reads. */
  readonly output: RangeFile & { write(offset: number, bytes: Uint8Array): boolean; resize(size: number): void }
  /** Called often, with the share of work done or `undefined`. May be asynchronous, and may throw to stop the job. */
  tick(share: number | undefined): void | Promise<void>
  /** Begins the chunks of a dataset, of which Deflate left `share` of a sample's bytes; `undefined`: unknown. */
  beginDataset?(share: number | undefined): void
  /**
   * Returns the libdeflate level for a chunk of `bytes`. After `level` made it `size` bytes long: a slower level, or `undefined` if the
   * result stays. Without this function: level 12.
   */
  levelFor?(bytes: number, level: number | undefined, size: number): number | undefined
}

export type Hdf5Outcome =
  | { kind: 'done'; memoryBytes: number }
  /** Failure of a job. `different`: the files have different content. */
  | { kind: 'malformed' | 'unsupported' | 'over_budget' | 'different'; reason: string }

/** Best level of libdeflate. */
const BEST_LEVEL = 12
const VERDICTS = ['done', 'malformed', 'unsupported', 'over_budget', 'different'] as const

/** Initial memory in bytes, as in build.sh. */
const FIRST_BYTES = 2_490_368

interface Exports extends Engine {
  _initialize(): void
  rewrite(level: number, inOrder: number): number
  compare(): number
  reason_at(): number
}

/** JavaScript Promise Integration (JSPI), which lets C code wait for a range. Without JSPI, every read must be synchronous. */
const jspi = WebAssembly as unknown as {
  Suspending?: new (wrapped: (...values: number[]) => unknown) => WebAssembly.ExportValue
  promising?: (wrapped: (...values: number[]) => number) => (...values: number[]) => Promise<number>
}

export const hasJspi = jspi.Suspending !== undefined && jspi.promising !== undefined

/**
 * Rewrites the HDF5 file `input` to `output`. `level`: libdeflate level, 1 to 12; above 9, the host chooses levels (`levelFor`). `inOrder`: metadata is collected at the start of the
 * file where its size is known in advance, and values follow in order. Throws the host's errors.
 */
export const rewriteHdf5 = (host: Hdf5Host, level: number, inOrder = false): Promise<Hdf5Outcome> =>
  run(host, (engine) => engine.rewrite, level, +inOrder)

/** Compares two HDF5 files: everything a reader can see. */
export const compareHdf5 = (host: Hdf5Host): Promise<Hdf5Outcome> => run(host, (engine) => engine.compare)

async function run(host: Hdf5Host, pick: (engine: Exports) => (...values: number[]) => number, ...values: number[]): Promise<Hdf5Outcome> {
  const bytesAt = (at: number, length: number) => new Uint8Array(engine.memory.buffer, at, length)

  const read = (file: number, offset: number, to: number, length: number) => {
    const got = (file === 0 ? host.input : host.output).read(offset, length)
    const take = (bytes: Uint8Array) => {
      if (bytes.length !== length) return -1
      bytesAt(to, length).set(bytes)
      return 0
    }
    return got instanceof Promise ? got.then(take) : take(got)
  }
  const tick = (share: number) => host.tick(share < 0 ? undefined : share)
  const waits = (call: (...args: number[]) => unknown) => (hasJspi ? new jspi.Suspending!(call) : call) as WebAssembly.ExportValue

  const imports = {
    host: {
      size: (file: number) => (file === 0 ? host.input : host.output).size,
      read: waits(read as (...args: number[]) => unknown),
      write: (offset: number, from: number, length: number) => (host.output.write(offset, bytesAt(from, length)) ? 0 : -1),
      resize: (size: number) => host.output.resize(size),
      dataset: (share: number) => host.beginDataset?.(share < 0 ? undefined : share),
      level: (bytes: number, level: number, size: number) =>
        (host.levelFor ? host.levelFor(bytes, level || undefined, size) : level === 0 ? BEST_LEVEL : undefined) ?? 0,
      tick: waits(tick as (...args: number[]) => unknown),
    },
    wasi_snapshot_preview1: noSystem((at) => new DataView(engine.memory.buffer).setUint32(at, 0)),
  }
  const engine = instantiate<Exports>(wasmModule, imports, undefined, FIRST_BYTES)
  try {
    engine._initialize()
    const call = pick(engine)
    const code = hasJspi ? await jspi.promising!(call)(...values) : call(...values)
    const kind = VERDICTS[code] ?? 'unsupported'
    if (kind === 'done') return { kind, memoryBytes: engine.heap_top() }
    const text = bytesAt(engine.reason_at(), 200)
    return { kind, reason: new TextDecoder().decode(text.subarray(0, text.indexOf(0))) }
  } finally {
    retire(engine)
  }
}

/** WASI imports without files or terminal: system calls return EBADF, and the environment is empty. */
function noSystem(clear: (at: number) => void): WebAssembly.ModuleImports {
  const names = importsOf(wasmModule)
    .filter(({ module }) => module === 'wasi_snapshot_preview1')
    .map(({ name }) => name)
  const imports: WebAssembly.ModuleImports = Object.fromEntries(names.map((name) => [name, () => 8]))
  imports['environ_sizes_get'] = (count: number, bytes: number) => {
    clear(count)
    clear(bytes)
    return 0
  }
  imports['environ_get'] = () => 0
  imports['proc_exit'] = () => {
    throw new WebAssembly.RuntimeError('the engine gave up')
  }
  return imports
}
