/**
 * Memories of engines that ended, for the next ones. Dead memories wait for a collector that in workerd does not know of them,
 * and a document opens engines for each of its pictures (docs/contributors/memory.md).
 */

const PAGE_BYTES = 65_536

/** Memories of one type, which any engine takes whose recipe links it. */
export class Memories {
  readonly #type: WebAssembly.MemoryDescriptor
  readonly #keptBytes: number
  #idle: WebAssembly.Memory[] = []

  /** @param keptBytes what idle memories may hold together; what would be more is left to the collector */
  constructor(type: WebAssembly.MemoryDescriptor, keptBytes: number) {
    this.#type = type
    this.#keptBytes = keptBytes
  }

  /** The largest there is, so that there are no more large ones than are used at a time. All of it is zero. */
  take(leastBytes = 0): WebAssembly.Memory {
    const memory = this.#idle.pop() ?? new WebAssembly.Memory(this.#type)
    const missing = Math.ceil((leastBytes - memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) memory.grow(missing)
    return memory
  }

  /** Nobody may use `memory`, or a view of it, afterwards. Beyond `usedBytes` it was never written to. */
  give(memory: WebAssembly.Memory, usedBytes = memory.buffer.byteLength): void {
    this.#idle.push(memory)
    this.#idle.sort((a, b) => a.buffer.byteLength - b.buffer.byteLength)
    let held = this.#idle.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
    while (held > this.#keptBytes) {
      // The smallest whose absence is enough, else the largest: large ones are for large jobs.
      const enough = this.#idle.findIndex(({ buffer }) => held - buffer.byteLength <= this.#keptBytes)
      const [dropped] = this.#idle.splice(enough < 0 ? this.#idle.length - 1 : enough, 1)
      held -= dropped?.buffer.byteLength ?? held
    }
    if (this.#idle.includes(memory)) new Uint8Array(memory.buffer, 0, usedBytes).fill(0)
  }
}

/** Of the codecs: 1 MiB at first, 96 MiB at most. */
const CODECS_BYTES = 96 * 1024 * 1024
export const CODECS = new Memories({ initial: 16, maximum: CODECS_BYTES / PAGE_BYTES }, 64 * 1024 * 1024)
/** Of those who only look at rows: small, and many at a time. */
export const KERNELS = new Memories({ initial: 3, maximum: 1536 }, 8 * 1024 * 1024)

/** What the engines here have in common (common/heap.c). */
export interface Engine {
  readonly memory: WebAssembly.Memory
  /** Bytes of its memory that the engine took so far. */
  heap_top(): number
}

/** For engines whose recipe is linked for it, while a job has more than an isolate: 2 GiB at most. */
const LARGE_BYTES = 2 * 1024 ** 3
const LARGE = new Memories({ initial: 16, maximum: LARGE_BYTES / PAGE_BYTES }, 1024 ** 3)

let grantedBytes = 0

/**
 * Lets engines take memories of up to `bytes`, as long as what is returned is not disposed of. Only for a process that does one
 * job at a time.
 */
export function grant(bytes: number): Disposable {
  const before = grantedBytes
  grantedBytes = bytes
  return {
    [Symbol.dispose]() {
      grantedBytes = before
    },
  }
}

const homes = new WeakMap<WebAssembly.Memory, Memories>()

/**
 * An engine in a memory of a pool, of whose type its recipe says to be. It ends with `retire`; one that is left alone takes
 * its memory along.
 * @param firstBytes where its recipe asks for more at the beginning
 */
export function instantiate<Exports extends Engine>(
  module: WebAssembly.Module,
  imports: WebAssembly.Imports = {},
  pool = CODECS,
  firstBytes = 0,
): Exports {
  const memory = pool.take(firstBytes)
  homes.set(memory, pool)
  const env = { ...imports['env'], memory }
  return new WebAssembly.Instance(module, { ...imports, env }).exports as unknown as Exports
}

/** An engine that is linked for memories of 2 GiB and asks how much of them it may take (common/heap.c, HEAP_LIMIT_FROM_HOST). */
export interface LargeEngine extends Engine {
  heap_most(bytes: number): void
}

/** As `instantiate`; where more was granted than codecs have, the engine gets that. */
export function instantiateLarge<Exports extends LargeEngine>(
  module: WebAssembly.Module,
  imports: WebAssembly.Imports = {},
  firstBytes = 0,
): Exports {
  if (grantedBytes <= CODECS_BYTES) return instantiate(module, imports, CODECS, firstBytes)
  const engine = instantiate<Exports>(module, imports, LARGE, firstBytes)
  engine.heap_most(Math.min(grantedBytes, LARGE_BYTES))
  return engine
}

const RETIRED = new Proxy({} as Engine, {
  get: () => {
    throw new Error('the engine has ended')
  },
})

/** Ends an engine, alive or trapped, for good: its memory is the next one's. Returns what may stand in its place and only throws. */
export function retire<Exports extends Engine>(engine: Exports): Exports {
  if (engine !== RETIRED) homes.get(engine.memory)?.give(engine.memory, engine.heap_top())
  return RETIRED as Exports
}
