import type { EngineInput, JxlEngine } from '../jxl/engine.ts'
import { withJxlEngine } from '../jxl/engine.ts'
import type { JobMemory } from '../memories/memories.ts'
import wasmModule from './jxl-encoder.wasm'

interface Exports extends JxlEngine {
  open(jpeg: number, bytes: number): void
  next(): number
  output(): number
}

/**
 * Stores a JPEG without loss in a JPEG XL file from which it can be rebuilt byte for byte.
 * @param write receives the file in pieces, which it owns
 * @throws EngineError `unsupported` if libjxl cannot store this JPEG (four components, lossless, damaged), `memory`
 */
export async function encodeJxl(jpeg: EngineInput, memory: JobMemory, write: (piece: Uint8Array) => Promise<void>): Promise<void> {
  await withJxlEngine<Exports>({ module: wasmModule, memory }, jpeg, async (engine, pointer) => {
    engine.open(pointer, jpeg.size)
    for (let length = engine.next(); length > 0; length = engine.next())
      await write(new Uint8Array(engine.memory.buffer, engine.output(), length).slice())
  })
}
