/**
 * `node import-memory.ts IN OUT`: rewrites a compiled Wasm module so that it imports its memory (`env.memory`) instead of defining it.
 * Nothing else changes, because memory imports do not shift function indices.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { nameBytes, WasmModule } from '../wasm/wasm-sections.ts'

const IMPORT = 2
const MEMORY = 5
const [from = '', to = ''] = process.argv.slice(2)
const module = new WasmModule(readFileSync(from))
const memory = module.section(MEMORY)
const [memories, limits] = module.number(memory.from)
if (memories !== 1) throw new Error(`${from} must define exactly one memory, but has ${memories}`)
// A memory import: two names, the byte 2 and the limits (WebAssembly Core, 5.5.5).
const imported = [...nameBytes('env'), ...nameBytes('memory'), 2, ...module.bytes.subarray(limits, memory.to)]
writeFileSync(
  to,
  module.with(
    new Map([
      [MEMORY, null],
      [IMPORT, module.withEntries(IMPORT, [imported])],
    ]),
  ),
)
