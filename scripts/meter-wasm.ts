/**
 * `node meter-wasm.ts IN OUT PAGES`: the same module, but its work is counted and its memory ends at so many pages of 64 KB.
 * A global `work_left` (i64, exported) is counted down by the number of instructions of a function at its start and by those of
 * a loop at each turn; below zero the module traps. So a call ends by itself, which nobody outside can make it do.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [MEMORY, GLOBAL, EXPORT, CODE, IMPORT] = [5, 6, 7, 10, 2]
const [from = '', to = '', pages = ''] = process.argv.slice(2)
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

const bytesOf = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...bytesOf(value >>> 7)])
const signedBytesOf = (value: number): number[] => (value < 64 ? [value] : [(value & 127) | 128, ...signedBytesOf(value >>> 7)])

/** Contents of the sections by their numbers (5.5.2); custom ones are left out. */
const sections = new Map<number, { from: number; to: number }>()
for (let at = 8; at < module.length; ) {
  const id = module.readUInt8(at)
  const [length, start] = number(at + 1)
  at = start + length
  if (id !== 0) sections.set(id, { from: start, to: at })
}

function section(id: number): { from: number; to: number } {
  const found = sections.get(id)
  if (!found) throw new Error(`${from} has no section ${id}`)
  return found
}

/** Behind the immediates of the instruction that begins at `at` (5.4). */
function instructionEnd(at: number): number {
  const opcode = module.readUInt8(at++)
  const skip = (leb128s: number) => {
    for (; leb128s > 0; leb128s--) while (module.readUInt8(at++) & 128);
    return at
  }
  if (opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f || opcode === 0x1a || opcode === 0x1b) return at
  if (opcode >= 0x45 && opcode <= 0xc4) return at
  if (opcode === 0x0e) return skip(number(at)[0] + 2) // br_table
  if ((opcode >= 0x28 && opcode <= 0x3e) || opcode === 0x11) return skip(2)
  if (opcode === 0x43) return at + 4
  if (opcode === 0x44) return at + 8
  const one = [0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x41, 0x42]
  if (one.includes(opcode)) return skip(1)
  // Among them those that work on as many bytes as an operand says, whose work would have to be counted otherwise.
  throw new Error(`the instruction 0x${opcode.toString(16)} at byte ${at - 1}`)
}

const [BLOCK, LOOP, IF, END] = [0x02, 0x03, 0x04, 0x0b]
const workLeft = bytesOf(importedGlobals() + number(section(GLOBAL).from)[0])

/** work_left -= instructions; if (work_left < 0) unreachable */
const charge = (instructions: number) =>
  Buffer.from([
    ...[0x23, ...workLeft, 0x42, ...signedBytesOf(instructions), 0x7d, 0x24, ...workLeft],
    ...[0x23, ...workLeft, 0x42, 0, 0x53, IF, 0x40, 0x00, END],
  ])

/** Locals and instructions of a function, with a charge at its start and at that of every loop. */
function metered(start: number, end: number): Buffer {
  let [groups, at] = number(start)
  for (; groups > 0; groups--) at = number(at)[1] + 1
  const places = [{ at, instructions: 0 }]
  const open: number[] = [0]
  while (at < end) {
    const opcode = module.readUInt8(at)
    const next = instructionEnd(at)
    places[open.at(-1) ?? 0]!.instructions++
    if (opcode === LOOP) open.push(places.push({ at: next, instructions: 1 }) - 1)
    else if (opcode === BLOCK || opcode === IF) open.push(open.at(-1) ?? 0)
    else if (opcode === END) open.pop()
    at = next
  }
  const parts = places.flatMap(({ at, instructions }, i) => [
    module.subarray(i === 0 ? start : places[i - 1]!.at, at),
    charge(instructions),
  ])
  return Buffer.concat([...parts, module.subarray(places.at(-1)!.at, end)])
}

/** Imports (5.5.5) are two names and a description; those of globals number globals. */
function importedGlobals(): number {
  let [count, at] = number(section(IMPORT).from)
  let globals = 0
  for (; count > 0; count--) {
    for (const _ of ['module', 'name']) {
      const [length, start] = number(at)
      at = start + length
    }
    const kind = module.readUInt8(at++)
    if (kind === 3) globals++
    if (kind === 1 || kind === 2) throw new Error('an imported table or memory')
    at = kind === 3 ? at + 2 : number(at)[1]
  }
  return globals
}

/** A vector with one more entry. */
function withEntry(id: number, entry: readonly number[]): Buffer {
  const { from, to } = section(id)
  const [count, start] = number(from)
  return Buffer.concat([Buffer.from(bytesOf(count + 1)), module.subarray(start, to), Buffer.from(entry)])
}

function code(): Buffer {
  const [count, start] = number(section(CODE).from)
  const parts: Uint8Array[] = [Buffer.from(bytesOf(count))]
  for (let i = 0, at = start; i < count; i++) {
    const [length, body] = number(at)
    const function_ = metered(body, body + length)
    parts.push(Buffer.from(bytesOf(function_.length)), function_)
    at = body + length
  }
  return Buffer.concat(parts)
}

function memory(): Buffer {
  const [count, at] = number(section(MEMORY).from)
  const [least] = number(at + 1)
  if (count !== 1 || module.readUInt8(at) !== 0 || !(Number(pages) >= least)) throw new Error('not one memory without an end')
  return Buffer.from([1, 1, ...bytesOf(least), ...bytesOf(Number(pages))])
}

const I64 = 0x7e
const name = Buffer.from('work_left')
const changed = new Map<number, Buffer>([
  [MEMORY, memory()],
  // Mutable, and as much as there may be: 2^62.
  [GLOBAL, withEntry(GLOBAL, [I64, 1, 0x42, ...[128, 128, 128, 128, 128, 128, 128, 128, 0xc0, 0], END])],
  [EXPORT, withEntry(EXPORT, [name.length, ...name, 3, ...workLeft])],
  [CODE, code()],
])
const out = [...sections].flatMap(([id, { from, to }]) => {
  const content = changed.get(id) ?? module.subarray(from, to)
  return [Buffer.from([id, ...bytesOf(content.length)]), content]
})
writeFileSync(to, Buffer.concat([module.subarray(0, 8), ...out]))
