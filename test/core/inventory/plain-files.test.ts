/** Inventories of text files and DXF drawings, which Whittle only wraps. */
import { describe, expect, it } from 'vitest'
import { DXF } from '../../../src/core/catalog/formats/dxf.ts'
import { TEXT } from '../../../src/core/catalog/formats/text.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import { dxfInventory } from '../../../src/core/inventory/dxf.ts'
import type { InventoryReader } from '../../../src/core/inventory/inventory.ts'
import { textInventory } from '../../../src/core/inventory/text.ts'
import { memorySource } from '../../../src/core/model/source.ts'

const { signal } = new AbortController()

async function inventoryOf(reader: InventoryReader, bytes: Uint8Array): Promise<{ [kind: string]: string[] }> {
  const inventory = await reader.read(memorySource(bytes, 'a'), signal)
  return Object.fromEntries(
    [...inventory].map(([kind, items]) => [kind, [...items].map(([item, count]) => (count > 1 ? `${item} ×${count}` : item))]),
  )
}

describe('text', () => {
  it('counts lines and names the byte order mark', async () => {
    const of = (text: string, encoding: BufferEncoding = 'utf8') => inventoryOf(textInventory, Buffer.from(text, encoding))
    expect(await of('a\nb\r\nc')).toEqual({ lines: ['line ×3'] })
    expect(await of('a\nb\n')).toEqual({ lines: ['line ×2'] })
    expect(await of('')).toEqual({})
    expect(await of('\ufeffa\n')).toEqual({ header: ['byte order mark UTF-8'], lines: ['line'] })
    expect(await of('\ufeffa\n\u0a0a\u0a61\nb', 'utf16le')).toEqual({ header: ['byte order mark UTF-16LE'], lines: ['line ×3'] })
    expect(await inventoryOf(textInventory, Buffer.from('\ufeffa\n\u0a0a\u610a\nb', 'utf16le').swap16())).toEqual({
      header: ['byte order mark UTF-16BE'],
      lines: ['line ×3'],
    })
  })

  it('counts lines in files of several windows', async () => {
    expect(await inventoryOf(textInventory, Buffer.from('0123456\n'.repeat(200_000)))).toEqual({ lines: ['line ×200000'] })
  })
})

const groups = (...pairs: readonly (readonly [code: number, value: string])[]) =>
  pairs.map(([code, value]) => `${String(code).padStart(3)}\r\n${value}\r\n`).join('')

const PAIRS = [
  [0, 'SECTION'],
  [2, 'HEADER'],
  [9, '$ACADVER'],
  [1, 'AC1015'],
  [0, 'ENDSEC'],
  [0, 'SECTION'],
  [2, 'TABLES'],
  [0, 'TABLE'],
  [2, 'LAYER'],
  [0, 'LAYER'],
  [2, 'WALLS'],
  [0, 'ENDTAB'],
  [0, 'ENDSEC'],
  [0, 'SECTION'],
  [2, 'BLOCKS'],
  [0, 'BLOCK'],
  [2, 'DOOR'],
  [0, 'ARC'],
  [8, 'WALLS'],
  [0, 'ENDBLK'],
  [0, 'ENDSEC'],
  [0, 'SECTION'],
  [2, 'ENTITIES'],
  [0, 'LINE'],
  [8, 'WALLS'],
  [0, 'LINE'],
  [0, 'TEXT'],
  [1, 'Kitchen'],
  [0, 'POLYLINE'],
  [0, 'VERTEX'],
  [0, 'SEQEND'],
  [0, 'ENDSEC'],
  [0, 'EOF'],
] as const

const EXPECTED = {
  blocks: ['DOOR'],
  elements: ['ARC', 'LINE ×2', 'TEXT', 'POLYLINE'],
  header: ['$ACADVER 1 = AC1015'],
  layers: ['WALLS'],
  texts: ['Kitchen'],
}

/** Writes a binary DXF file. `wide`: group codes have two bytes, as in release 13 and later. */
function binary(wide: boolean): Uint8Array {
  const code = (value: number) => (wide ? [value & 255, value >> 8] : value > 254 ? [255, value & 255, value >> 8] : [value])
  const parts: number[] = [...Buffer.from('AutoCAD Binary DXF\r\n\x1a\0', 'latin1')]
  for (const [number, value] of PAIRS) {
    parts.push(...code(number), ...Buffer.from(value, 'latin1'), 0)
    if (value === 'TEXT') parts.push(...code(10), ...new Array<number>(8).fill(1), ...code(310), 2, 0, 1, ...code(1071), 0, 0, 0, 0)
  }
  return Uint8Array.from(parts)
}

describe('DXF', () => {
  it('names layers, blocks, entities, header variables and texts, in ASCII and binary files', async () => {
    expect(await inventoryOf(dxfInventory, Buffer.from(groups(...PAIRS)))).toEqual(EXPECTED)
    expect(await inventoryOf(dxfInventory, Buffer.from(groups(...PAIRS).replaceAll('\r', '')))).toEqual(EXPECTED)
    expect(await inventoryOf(dxfInventory, binary(true))).toEqual(EXPECTED)
    expect(await inventoryOf(dxfInventory, binary(false))).toEqual(EXPECTED)
  })

  it('damaged files are read as far as they go', async () => {
    for (const file of [Buffer.from(groups(...PAIRS)), binary(true), binary(false)])
      for (let length = 0; length < file.length; length += 3)
        expect(await dxfInventory.read(memorySource(file.subarray(0, length), 'a.dxf'), signal)).toBeInstanceOf(Map)
    const noise = Buffer.concat([binary(true).subarray(0, 22), Buffer.alloc(300_000, 0xff)])
    expect(await dxfInventory.read(memorySource(noise, 'a.dxf'), signal)).toBeInstanceOf(Map)
    expect(await dxfInventory.read(memorySource(Buffer.from(`0\n${'x'.repeat(2_000_000)}`), 'a.dxf'), signal)).toBeInstanceOf(Map)
  })
})

it('a wrapper keeps everything that the original holds', async () => {
  const check = (format: typeof TEXT | typeof DXF, text: string) =>
    checkInventory({
      format,
      output: 'zst',
      original: memorySource(Buffer.from(text), 'a'),
      result: memorySource(new Uint8Array(4), 'b'),
      quality: 'low',
      metadata: undefined,
      signal,
    })
  expect(await check(TEXT, 'a\nb')).toMatchObject({ kind: 'kept', fields: { inventory: { lines: 2 } } })
  expect(await check(DXF, groups(...PAIRS))).toMatchObject({ kind: 'kept', fields: { inventory: { elements: 5, layers: 1 } } })
})
