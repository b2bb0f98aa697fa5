import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'meter-wasm-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Section of a Wasm module with fewer than 128 bytes. */
const section = (id: number, ...bytes: readonly number[]) => [id, bytes.length, ...bytes]

/** Module with `fill(n)`, which writes n zeros by one instruction, and `shuffle()`, which has vector instructions. */
const MODULE = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 2, 0x60, 1, 0x7f, 0, 0x60, 0, 1, 0x7f),
  ...section(3, 2, 0, 1),
  ...section(5, 1, 0, 1),
  ...section(6, 1, 0x7f, 0, 0x41, 0, 0x0b),
  ...section(7, 2, 4, ...Buffer.from('fill'), 0, 0, 7, ...Buffer.from('shuffle'), 0, 1),
  ...section(
    10,
    2,
    ...[11, 0, 0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 11, 0, 0x0b],
    // i32x4.extract_lane 0 of a shuffle of two v128.const
    ...[59, 0, 0xfd, 12, ...Array<number>(16).fill(3), 0xfd, 12, ...Array<number>(16).fill(5)],
    ...[0xfd, 13, ...Array<number>(16).fill(17), 0xfd, 27, 0, 0x0b],
  ),
])

interface Metered {
  readonly work_left: { value: bigint }
  fill(bytes: number): void
  shuffle(): number
}

let metered: WebAssembly.Module
beforeAll(async () => {
  writeFileSync(join(folder, 'in.wasm'), MODULE)
  execFileSync(process.execPath, ['tools/wasm/meter-wasm.ts', join(folder, 'in.wasm'), join(folder, 'out.wasm'), '1'])
  metered = await WebAssembly.compile(readFileSync(join(folder, 'out.wasm')))
}, 60_000)
const start = async () => (await WebAssembly.instantiate(metered)).exports as unknown as Metered

it('counts the bytes that one instruction fills', async () => {
  const { work_left: left, fill } = await start()
  left.value = 10_000n
  fill(8)
  const short = 10_000n - left.value
  left.value = 10_000n
  fill(8008)
  expect(10_000n - left.value).toBe(short + 1000n)
  left.value = 900n
  expect(() => fill(8008)).toThrow(WebAssembly.RuntimeError)
})

it('keeps vector instructions as they are', async () => {
  expect((await start()).shuffle()).toBe(0x05050505)
})
