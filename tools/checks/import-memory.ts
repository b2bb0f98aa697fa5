/**
 * `node import-memory.ts IN OUT`: the same module, but its memory is imported (`env.memory`) instead of its own, for binaries
 * that come compiled. Nothing else changes: imported memories do not number functions.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { nameBytes, WasmModule } from '../wasm/wasm-sections.ts'

const IMPORT = 2
const MEMORY = 5
const [from = '', to = ''] = process.argv.slice(2)
const module = new WasmModule(readFileSync(from))
const memory = module.section(MEMORY)
const [memories, limits] = module.number(memory.from)
if (memories !== 1) throw new Error(`${from} has not one memory`)
// An import of a memory is its names, 2 and its limits (5.5.5).
const imported = [...nameBytes('env'), ...nameBytes('memory'), 2, ...module.bytes.subarray(limits, memory.to)]
writeFileSync(
  to,
  module.with(
    new Map([
      [MEMORY, null],
      [IMPORT, module.withEntry(IMPORT, imported)],
    ]),
  ),
)
