/**
 * Pools WebAssembly memories for reuse. In workerd the garbage collector does not count unused memories, and a document opens several
 * engines for each of its pictures. Measurements: docs/contributors/memory.md.
 */

import { createInstance, type EngineImport } from '../loading/engine-files.ts'

const PAGE_BYTES = 65_536

/** Where engines take their memories from. A taken memory is filled with zeros. */
interface Memories {
  take(leastBytes?: number): WebAssembly.Memory
  release(memory: WebAssembly.Memory, usedBytes?: number): void
}

/** Pool of memories of one type, for engines that are linked for this type. */
export class MemoryPool implements Memories {
  readonly #type: WebAssembly.MemoryDescriptor
  readonly #keptBytes: number
  #idle: WebAssembly.Memory[] = []

  /** @param keptBytes most bytes of idle memories in the pool; the garbage collector gets the rest */
  constructor(type: WebAssembly.MemoryDescriptor, keptBytes: number) {
    this.#type = type
    this.#keptBytes = keptBytes
  }

  /** Returns the largest idle memory, filled with zeros, so that no more large memories exist than are used at a time. */
  take(leastBytes = 0): WebAssembly.Memory {
    const memory = this.#idle.pop() ?? new WebAssembly.Memory(this.#type)
    const missing = Math.ceil((leastBytes - memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) memory.grow(missing)
    return memory
  }

  /**
   * Returns a memory to the pool. Neither it nor its views may be used afterwards. Bytes after `usedBytes` must never have been written.
   */
  release(memory: WebAssembly.Memory, usedBytes = memory.buffer.byteLength): void {
    this.#idle.push(memory)
    this.#idle.sort((a, b) => a.buffer.byteLength - b.buffer.byteLength)
    let idleBytes = this.#idle.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
    while (idleBytes > this.#keptBytes) {
      // Drop the smallest memory that frees enough bytes, otherwise the largest, because large memories are only needed by large jobs.
      const enough = this.#idle.findIndex(({ buffer }) => idleBytes - buffer.byteLength <= this.#keptBytes)
      const [dropped] = this.#idle.splice(enough < 0 ? this.#idle.length - 1 : enough, 1)
      idleBytes -= dropped?.buffer.byteLength ?? idleBytes
    }
    if (this.#idle.includes(memory)) new Uint8Array(memory.buffer, 0, usedBytes).fill(0)
  }
}

/** Pool of codec memories: 1 MiB initially, 96 MiB at most. */
const CODECS_BYTES = 96 * 1024 * 1024
export const CODEC_MEMORIES = new MemoryPool({ initial: 16, maximum: CODECS_BYTES / PAGE_BYTES }, 64 * 1024 * 1024)
/** Pool of kernels that only measure or scale rows: small memories, many at a time. */
export const KERNEL_MEMORIES = new MemoryPool({ initial: 3, maximum: 1536 }, 8 * 1024 * 1024)

/** Exports that all engines share (common/heap.c). */
export interface Engine {
  readonly memory: WebAssembly.Memory
  /** Bytes of memory that the engine has used so far. */
  heap_top(): number
}

/** Pool of memories up to 2 GiB, for engines linked for them, if a job may exceed an isolate's memory. */
const LARGE_BYTES = 2 * 1024 ** 3
const LARGE = new MemoryPool({ initial: 16, maximum: LARGE_BYTES / PAGE_BYTES }, 1024 ** 3)

let grantedBytes = 0

/** Allows engines to use memories of up to `bytes` until the returned object is disposed. Only for processes that run one job at a time. */
export function allowMemory(bytes: number): Disposable {
  const before = grantedBytes
  grantedBytes = bytes
  return {
    [Symbol.dispose]() {
      grantedBytes = before
    },
  }
}

const poolOfMemory = new WeakMap<WebAssembly.Memory, Memories>()

/**
 * Creates an engine in a pooled memory. The module must be linked for the pool's memory type. `retire` returns the memory; without it, the
 * memory is lost to the pool. @param firstBytes initial memory in bytes, if the module needs more than the pool's minimum
 */
export function instantiate<Exports extends Engine>(
  module: EngineImport,
  imports: WebAssembly.Imports = {},
  pool: Memories = CODEC_MEMORIES,
  firstBytes = 0,
): Exports {
  const memory = pool.take(firstBytes)
  poolOfMemory.set(memory, pool)
  const env = { ...imports['env'], memory }
  return createInstance(module, { ...imports, env }).exports as unknown as Exports
}

/** Engine that is linked for memories of 2 GiB and asks for its limit (common/heap.c, HEAP_LIMIT_FROM_HOST). */
export interface LargeEngine extends Engine {
  heap_most(bytes: number): void
}

/** Like `instantiate`, but uses the granted memory if that exceeds the codecs' pool. */
export function instantiateLarge<Exports extends LargeEngine>(
  module: EngineImport,
  imports: WebAssembly.Imports = {},
  firstBytes = 0,
): Exports {
  if (grantedBytes <= CODECS_BYTES) return instantiate(module, imports, CODEC_MEMORIES, firstBytes)
  const engine = instantiate<Exports>(module, imports, LARGE, firstBytes)
  engine.heap_most(Math.min(grantedBytes, LARGE_BYTES))
  return engine
}

/**
 * Memory for engines of one job that run one after the other. The pools drop a memory that is larger than they keep, and then the next
 * engine would have a second one of that size.
 */
export class JobMemory implements Memories, Disposable {
  readonly #limitBytes: number
  readonly #pool: MemoryPool
  #idle: WebAssembly.Memory | undefined

  constructor() {
    this.#limitBytes = Math.min(grantedBytes, LARGE_BYTES)
    this.#pool = grantedBytes <= CODECS_BYTES ? CODEC_MEMORIES : LARGE
  }

  /** Like `instantiateLarge`, but in this memory. Only one engine may run at a time. */
  instantiate<Exports extends LargeEngine>(module: EngineImport, imports: WebAssembly.Imports, firstBytes: number): Exports {
    const engine = instantiate<Exports>(module, imports, this, firstBytes)
    if (this.#pool === LARGE) engine.heap_most(this.#limitBytes)
    return engine
  }

  take(leastBytes = 0): WebAssembly.Memory {
    const memory = this.#idle ?? this.#pool.take(leastBytes)
    this.#idle = undefined
    return memory
  }

  release(memory: WebAssembly.Memory, usedBytes = memory.buffer.byteLength): void {
    new Uint8Array(memory.buffer, 0, usedBytes).fill(0)
    this.#idle = memory
  }

  /** Returns the memory to its pool. */
  [Symbol.dispose](): void {
    if (this.#idle) this.#pool.release(this.#idle, 0)
    this.#idle = undefined
  }
}

const RETIRED = new Proxy({} as Engine, {
  get: () => {
    throw new Error('the engine has ended')
  },
})

/** Ends an engine, also after a trap, and returns its memory to the pool. Returns a replacement object whose every use throws. */
export function retire<Exports extends Engine>(engine: Exports): Exports {
  if (engine !== RETIRED) poolOfMemory.get(engine.memory)?.release(engine.memory, engine.heap_top())
  return RETIRED as Exports
}
