/** What the encoder and the decoder of JPEG XL share. Each engine handles one file. */
import { EngineError } from '../engine-error.ts'
import type { EngineImport } from '../loading/engine-files.ts'
import { type JobMemory, type LargeEngine, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'

export interface JxlEngine extends LargeEngine {
  _initialize(): void
  host_alloc(bytes: number): number
}

/** File that an engine reads, in chunks of any size. */
export interface EngineInput {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Bytes of all chunks together. */
  readonly size: number
}

/** Memory in bytes that the modules are linked with (build-engine.sh). */
const FIRST_BYTES = 4 * 1024 * 1024
/** Failures in the order of host.h, from -1 on. */
const FAILURES = ['memory', 'truncated', 'damaged', 'unsupported', 'limit', 'misuse'] as const

/** Engine in a memory of its own, with a file that was copied into it. */
export interface StartedJxlEngine<Exports extends JxlEngine> {
  readonly engine: Exports
  /** Address of the file. */
  readonly pointer: number
}

export interface JxlRequest {
  readonly module: EngineImport
  readonly memory: JobMemory
  /** Receives each piece that the engine passes on by itself, valid during the call. An error that it throws ends the engine. */
  write?(piece: Uint8Array): void
}

/**
 * Copies a file into a new engine, which ends when `retire` is called. After an error, it has ended.
 * @throws EngineError `memory`, `truncated`
 */
export async function startJxlEngine<Exports extends JxlEngine>(
  { module, memory, write = () => undefined }: JxlRequest,
  input: EngineInput,
): Promise<StartedJxlEngine<Exports>> {
  const fail = (code: number, text: number): never => {
    throw new EngineError('jxl', FAILURES[-code - 1] ?? 'damaged', textAt(engine, text))
  }
  const pass = (pointer: number, length: number) => write(new Uint8Array(engine.memory.buffer, pointer, length))
  const engine = memory.instantiate<Exports>(module, refusedWasi(module, { fail, write: pass }), FIRST_BYTES)
  try {
    engine._initialize()
    return { engine, pointer: await copied(engine, input) }
  } catch (error) {
    retire(engine)
    throw engineErrorOf(error)
  }
}

/**
 * Copies a file into a new engine and runs `work` with it. The engine has ended afterwards, also after an error.
 * @throws EngineError. A trap is `unsupported`: libjxl ends so where an assumption does not hold
 */
export async function withJxlEngine<Exports extends JxlEngine>(
  request: JxlRequest,
  input: EngineInput,
  work: (engine: Exports, pointer: number) => Promise<void> | void,
): Promise<void> {
  const { engine, pointer } = await startJxlEngine<Exports>(request, input)
  try {
    await work(engine, pointer)
  } catch (error) {
    throw engineErrorOf(error)
  } finally {
    retire(engine)
  }
}

/** Converts a trap. */
export const engineErrorOf = (error: unknown): unknown =>
  error instanceof WebAssembly.RuntimeError ? new EngineError('jxl', 'unsupported', error.message) : error

/** Most bytes of a text of an engine. */
const TEXT_BYTES = 200

/** Text that ends with a zero byte. */
function textAt({ memory }: JxlEngine, pointer: number): string {
  const bytes = new Uint8Array(memory.buffer, pointer, Math.min(TEXT_BYTES, memory.buffer.byteLength - pointer))
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(bytes.slice(0, end < 0 ? bytes.length : end))
}

/** Copies a file into memory of the engine. @throws EngineError `truncated` if the chunks are longer or shorter than announced */
async function copied(engine: JxlEngine, { chunks, size }: EngineInput): Promise<number> {
  const pointer = engine.host_alloc(size)
  let at = 0
  for await (const chunk of chunks) {
    if (at + chunk.length > size) throw new EngineError('jxl', 'truncated', 'the file is longer than announced')
    new Uint8Array(engine.memory.buffer, pointer + at, chunk.length).set(chunk)
    at += chunk.length
  }
  if (at < size) throw new EngineError('jxl', 'truncated', 'the file is shorter than announced')
  return pointer
}
