/**
 * `node import-memory.ts IN OUT`: the same module, but its memory is imported (`env.memory`) instead of its own, for binaries
 * that come compiled. Nothing else changes: imported memories do not number functions.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const IMPORT = 2
const MEMORY = 5
const [from = '', to = ''] = process.argv.slice(2)
const module = readFileSync(from)

/** An unsigned LEB128 and where it ends (WebAssembly Core, 5.2.2). */
function number(at: number): [value: number, end: number] {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = module.readUInt8(at++)
    value += (byte & 127) * 2 ** shift
    if (byte < 128) return [value, at]
  }
}

function bytesOf(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...bytesOf(value >>> 7)]
}

/** Contents of the sections by their numbers (5.5.2); custom ones are left out. */
const sections: [id: number, content: Uint8Array][] = []
for (let at = 8; at < module.length; ) {
  const id = module.readUInt8(at)
  const [length, start] = number(at + 1)
  at = start + length
  if (id !== 0) sections.push([id, module.subarray(start, at)])
}

const content = (wanted: number): Uint8Array => {
  const found = sections.find(([id]) => id === wanted)
  if (!found) throw new Error(`${from} has no section ${wanted}`)
  return found[1]
}
const memory = content(MEMORY)
const imports = content(IMPORT)
if (memory[0] !== 1) throw new Error(`${from} has not one memory`)
const [count, entriesAt] = number(imports.byteOffset - module.byteOffset)
const entries = imports.subarray(entriesAt - (imports.byteOffset - module.byteOffset))
const name = (text: string) => [text.length, ...Buffer.from(text)]
// An import of a memory is its names, 2 and its limits (5.5.5).
const imported = Buffer.concat([
  Buffer.from(bytesOf(count + 1)),
  entries,
  Buffer.from([...name('env'), ...name('memory'), 2]),
  memory.subarray(1),
])
const out = sections
  .filter(([id]) => id !== MEMORY)
  .map(([id, bytes]): [number, Uint8Array] => [id, id === IMPORT ? imported : bytes])
  .flatMap(([id, bytes]) => [Buffer.from([id, ...bytesOf(bytes.length)]), bytes])
writeFileSync(to, Buffer.concat([module.subarray(0, 8), ...out]))
