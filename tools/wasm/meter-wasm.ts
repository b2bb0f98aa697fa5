/**
 * `node meter-wasm.ts IN OUT PAGES`: rewrites a Wasm module so that it counts its work, and limits its memory to PAGES pages of 64 KB.
 *
 * Each function start and loop iteration subtracts its number of instructions from an exported global `work_left` (i64). Copying and
 * filling memory subtracts an instruction for every eight bytes. Below zero the module traps. So a long call ends, which nothing outside
 * can enforce.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { nameBytes, numberBytes, WasmModule } from './wasm-sections.ts'

const [MEMORY_COPY, MEMORY_FILL] = [10, 11]
const [MEMORY, GLOBAL, EXPORT, CODE, IMPORT] = [5, 6, 7, 10, 2]
const [from = '', to = '', pages = ''] = process.argv.slice(2)
const wasm = new WasmModule(readFileSync(from))
const module = wasm.bytes

const signedBytesOf = (value: number): number[] => (value < 64 ? [value] : [(value & 127) | 128, ...signedBytesOf(value >>> 7)])

/** Offset after the immediates of the instruction at `at` (WebAssembly Core, 5.4). */
function instructionEnd(at: number): number {
  const opcode = module.readUInt8(at++)
  const skip = (leb128s: number) => {
    for (; leb128s > 0; leb128s--) while (module.readUInt8(at++) & 128);
    return at
  }
  if (opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f || opcode === 0x1a || opcode === 0x1b) return at
  if (opcode >= 0x45 && opcode <= 0xc4) return at
  if (opcode === 0x0e) return skip(wasm.number(at)[0] + 2) // br_table
  if ((opcode >= 0x28 && opcode <= 0x3e) || opcode === 0x11) return skip(2)
  if (opcode === 0x43) return at + 4
  if (opcode === 0x44) return at + 8
  if (opcode === 0x1c) return at + 1 + module.readUInt8(at) // select with types
  if (opcode === 0xfc || opcode === 0xfd) return prefixedEnd(opcode, wasm.number(at))
  const one = [0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x41, 0x42]
  if (one.includes(opcode)) return skip(1)
  throw new Error(`unsupported instruction 0x${opcode.toString(16)} at byte ${at - 1}`)
}

/** Offset after the immediates of an instruction with two opcodes: saturating and bulk memory instructions, or vectors. */
function prefixedEnd(prefix: number, [opcode, at]: [opcode: number, at: number]): number {
  const memarg = () => wasm.number(wasm.number(at)[1])[1]
  if (prefix === 0xfc) {
    if (opcode < 8) return at
    if (opcode === MEMORY_COPY) return at + 2
    if (opcode === MEMORY_FILL) return at + 1
    throw new Error(`unsupported instruction 0xfc ${opcode} before byte ${at}`)
  }
  if (opcode <= 11 || opcode === 92 || opcode === 93) return memarg()
  if (opcode === 12 || opcode === 13) return at + 16
  if (opcode >= 21 && opcode <= 34) return at + 1
  return opcode >= 84 && opcode <= 91 ? memarg() + 1 : at
}

const [BLOCK, LOOP, IF, END] = [0x02, 0x03, 0x04, 0x0b]
const globals = importedGlobals() + wasm.number(wasm.section(GLOBAL).from)[0]
const workLeft = numberBytes(globals)
/** Global that keeps the number of bytes of a bulk memory instruction. */
const bulkBytes = numberBytes(globals + 1)

const endWithoutWork = Buffer.from([0x23, ...workLeft, 0x42, 0, 0x53, IF, 0x40, 0x00, END])

/** Code that subtracts from the counter: work_left -= instructions; if (work_left < 0) unreachable */
const charge = (instructions: number) =>
  Buffer.concat([Buffer.from([0x23, ...workLeft, 0x42, ...signedBytesOf(instructions), 0x7d, 0x24, ...workLeft]), endWithoutWork])

/** Code before a bulk memory instruction, with the number of bytes on the stack: work_left -= bytes >> 3; if (work_left < 0) unreachable */
const bulkCharge = Buffer.concat([
  Buffer.from([
    0x24,
    ...bulkBytes,
    0x23,
    ...bulkBytes,
    0x23,
    ...workLeft,
    0x23,
    ...bulkBytes,
    0xad,
    0x42,
    3,
    0x88,
    0x7d,
    0x24,
    ...workLeft,
  ]),
  endWithoutWork,
])

/** True for memory.copy and memory.fill. */
const isBulk = (at: number) => module.readUInt8(at) === 0xfc && [MEMORY_COPY, MEMORY_FILL].includes(wasm.number(at + 1)[0])

/** Locals and code of a function, with a charge at its start and at the start of each loop body. */
function withCharges(start: number, end: number): Buffer {
  let [groups, at] = wasm.number(start)
  for (; groups > 0; groups--) at = wasm.number(at)[1] + 1
  const charges: { readonly at: number; instructions: number; readonly isBulk?: true }[] = [{ at, instructions: 0 }]
  const openBlocks: number[] = [0]
  while (at < end) {
    const opcode = module.readUInt8(at)
    const next = instructionEnd(at)
    charges[openBlocks.at(-1) ?? 0]!.instructions++
    if (isBulk(at)) charges.push({ at, instructions: 0, isBulk: true })
    if (opcode === LOOP) openBlocks.push(charges.push({ at: next, instructions: 1 }) - 1)
    else if (opcode === BLOCK || opcode === IF) openBlocks.push(openBlocks.at(-1) ?? 0)
    else if (opcode === END) openBlocks.pop()
    at = next
  }
  const parts = charges.flatMap(({ at, instructions, isBulk }, i) => [
    module.subarray(i === 0 ? start : charges[i - 1]!.at, at),
    isBulk ? bulkCharge : charge(instructions),
  ])
  return Buffer.concat([...parts, module.subarray(charges.at(-1)!.at, end)])
}

/** Number of imported globals, which precede the module's own. An import is two names and a description (WebAssembly Core, 5.5.5). */
function importedGlobals(): number {
  if (!wasm.sections.has(IMPORT)) return 0
  let [count, at] = wasm.number(wasm.section(IMPORT).from)
  let globals = 0
  for (; count > 0; count--) {
    for (const _ of ['module', 'name']) {
      const [length, start] = wasm.number(at)
      at = start + length
    }
    const kind = module.readUInt8(at++)
    if (kind === 3) globals++
    if (kind === 1 || kind === 2) throw new Error('imported tables and memories are not supported')
    at = kind === 3 ? at + 2 : wasm.number(at)[1]
  }
  return globals
}

function code(): Buffer {
  const [count, start] = wasm.number(wasm.section(CODE).from)
  const parts: Uint8Array[] = [Buffer.from(numberBytes(count))]
  for (let i = 0, at = start; i < count; i++) {
    const [length, body] = wasm.number(at)
    const function_ = withCharges(body, body + length)
    parts.push(Buffer.from(numberBytes(function_.length)), function_)
    at = body + length
  }
  return Buffer.concat(parts)
}

function memory(): Buffer {
  const [count, at] = wasm.number(wasm.section(MEMORY).from)
  const [least] = wasm.number(at + 1)
  if (count !== 1 || module.readUInt8(at) !== 0 || !(Number(pages) >= least))
    throw new Error(`the module must define one memory without a maximum, of at most ${pages} pages`)
  return Buffer.from([1, 1, ...numberBytes(least), ...numberBytes(Number(pages))])
}

const [I32, I64] = [0x7f, 0x7e]
const newSections = new Map<number, Buffer>([
  [MEMORY, memory()],
  // `work_left` has the initial value 2^62, so that callers set the real limit.
  [
    GLOBAL,
    wasm.withEntries(GLOBAL, [
      [I64, 1, 0x42, ...[128, 128, 128, 128, 128, 128, 128, 128, 0xc0, 0], END],
      [I32, 1, 0x41, 0, END],
    ]),
  ],
  [EXPORT, wasm.withEntries(EXPORT, [[...nameBytes('work_left'), 3, ...workLeft]])],
  [CODE, code()],
])
writeFileSync(to, wasm.with(newSections))
