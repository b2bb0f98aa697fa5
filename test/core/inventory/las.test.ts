import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { las } from '../../../src/core/formats/las/las.ts'
import { lasFile } from '../../support/las-file.ts'
import { pressFile } from '../../support/press-file.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'
import { countsOf, damaging, inventoryOf, itemsOf, readOrReason, verdictOf } from './damage.ts'

const [VLR_BYTES, DIMENSION_BYTES] = [54, 192]

/** Returns a LAS 1.4 file with a record of one extra dimension, stray bytes before the points, and one extended record. */
function fullFile(points = 300): Uint8Array {
  const extended = 60 + 20
  const file = lasFile({ format: 7, points, extraBytes: 2, vlrs: 3, strayBytes: 9, trailingBytes: extended + 4 })
  const view = new DataView(file.buffer)
  const text = (at: number, value: string) => file.set(new TextEncoder().encode(value), at)
  text(26, 'a system')
  // The second and third record become one that is longer: a dimension.
  const second = 375 + VLR_BYTES + 21
  const merged = 2 * (VLR_BYTES + 21) - VLR_BYTES
  view.setUint32(100, 2, true)
  view.setUint16(second + 20, merged, true)
  const at = Number(view.getBigUint64(235, true))
  view.setUint32(243, 1, true)
  file.fill(0, at, at + 60)
  text(at + 2, 'owner')
  view.setUint16(at + 18, 77, true)
  view.setBigUint64(at + 20, 20n, true)
  return file
}

describe('inventory of LAS', () => {
  it('names header fields, records, points and stray bytes', async () => {
    const inventory = await inventoryOf('las', fullFile())
    expect(countsOf(inventory)).toEqual({ header: 16, points: 300, records: 3, trailing_bytes: 2 })
    expect(itemsOf(inventory, 'header')).toEqual(expect.arrayContaining(['version = 1.4', 'system = a system', 'scale = 0.01 0.01 0.01']))
    expect(itemsOf(inventory, 'records')).toContainEqual(expect.stringMatching(/^owner 77 = 20 bytes #[0-9a-f]{16}$/))
    expect(itemsOf(inventory, 'trailing_bytes').map((item) => item.split(' = ')[0])).toEqual([
      'between the records and the points',
      'after the extended records',
    ])
  })

  it('names extra dimensions', async () => {
    const file = lasFile({ format: 0, points: 5, vlrs: 1, strayBytes: DIMENSION_BYTES - 21 })
    const view = new DataView(file.buffer)
    view.setUint16(227 + 20, DIMENSION_BYTES, true)
    file.fill(0, 227 + VLR_BYTES, 227 + VLR_BYTES + DIMENSION_BYTES)
    file[227 + VLR_BYTES + 2] = 9
    file.set(new TextEncoder().encode('height'), 227 + VLR_BYTES + 4)
    expect(itemsOf(await inventoryOf('las', file), 'dimensions')).toEqual(['height = type 9'])
  })

  it.each([0, 1, 3, 5, 6, 8, 10])('LAZ keeps all items of point format %i', async (format) => {
    const file = lasFile({ format, points: 2000, extraBytes: 3, strayBytes: 5, trailingBytes: format >= 6 ? 80 : 0 })
    const { outcome, bytes, defect } = await pressFile(las, file, 'a.las')
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(outcome).toMatchObject({ inventory: countsOf(await inventoryOf('las', file)) })
    expect(await inventoryOf('laz', bytes)).toEqual(await inventoryOf('las', file))
  })

  it('property: a changed byte of the header, a record or stray bytes is found', async () => {
    const file = fullFile(3000)
    const { bytes, outcome } = await pressFile(las, file, 'a.las')
    expect(outcome.kind).toBe('compressed')
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    const [pointOffset, extendedAt] = [view.getUint32(96, true), Number(view.getBigUint64(235, true))]
    // Not the offsets, the number of records, and the mark of packed points.
    const changeable = [
      ...Array.from({ length: 375 }, (_, i) => i).filter((i) => !((i >= 94 && i < 105) || (i >= 227 && i < 247))),
      ...Array.from({ length: 54 + 21 }, (_, i) => 375 + i),
      ...Array.from({ length: 9 }, (_, i) => pointOffset - 1 - i),
      ...Array.from({ length: 84 }, (_, i) => extendedAt + i),
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...changeable), async (at) => {
        const damaged = Uint8Array.from(bytes)
        damaged[at]! ^= 1
        expect((await verdictOf('las', file, damaged)).kind).not.toBe('kept')
      }),
      { numRuns: roundsOf(200) },
    )
  })

  it('finds a record that is missing', async () => {
    const file = fullFile()
    const fewer = Uint8Array.from(file)
    new DataView(fewer.buffer).setUint32(243, 0, true)
    expect(await verdictOf('las', file, fewer, 'laz')).toMatchObject({ kind: 'lost', loss: { kind: 'records' } })
  })

  it('returns the original if the chunk table has another number of chunks', async () => {
    const file = lasFile({ format: 3, points: 4000 })
    const lossy = damaging(las, (result) => {
      const view = new DataView(result.buffer)
      const tableAt = Number(view.getBigUint64(view.getUint32(96, true), true))
      view.setUint32(tableAt + 4, 2, true)
      return result
    })
    const { outcome, bytes } = await pressFile(lossy, file, 'a.las')
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'own_verification_failed' } })
    expect(bytes).toBe(file)
  })

  it('reads damaged files or names the damage', async () => {
    const file = fullFile()
    for (const at of damagePositions(0, file.length, 31)) {
      const read = await readOrReason('las', file.subarray(0, at))
      expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
    }
    for (const at of damagePositions(0, 600, 1)) {
      const damaged = Uint8Array.from(file)
      damaged[at] = 0xff
      const read = await readOrReason('las', damaged)
      expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory|over_budget)$/)
    }
  })
})
