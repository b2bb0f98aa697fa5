import type { EngineInput, JxlEngine } from '../jxl/engine.ts'
import { withJxlEngine } from '../jxl/engine.ts'
import type { JobMemory } from '../memories/memories.ts'
import wasmModule from './jxl-decoder.wasm'

interface Exports extends JxlEngine {
  rebuild(jxl: number, bytes: number, mostPixels: number): void
}

export interface RebuildRequest {
  readonly memory: JobMemory
  /** Most pixels of the picture. A larger one is refused before it is decoded. */
  readonly mostPixels: number
  /** Receives the JPEG in pieces, each valid during the call. An error that it throws stops the engine. */
  write(piece: Uint8Array): void
}

/**
 * Rebuilds the JPEG that a JPEG XL file was made from, byte for byte.
 * @throws EngineError `unsupported` if the file was not made from a JPEG, `limit`, `damaged`, `truncated` or `memory`
 */
export async function rebuildJpeg(jxl: EngineInput, { memory, mostPixels, write }: RebuildRequest): Promise<void> {
  await withJxlEngine<Exports>({ module: wasmModule, memory, write }, jxl, (engine, pointer) =>
    engine.rebuild(pointer, jxl.size, mostPixels),
  )
}
