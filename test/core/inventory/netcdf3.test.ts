import { describe, expect, it } from 'vitest'
import { netcdf3 } from '../../../src/core/formats/netcdf3/netcdf3.ts'
import { pressFile } from '../../support/press-file.ts'
import { netcdf3File } from '../../support/science-files.ts'
import { damagePositions } from '../../support/thorough.ts'
import { countsOf, inventoryOf, itemsOf, readOrReason } from './damage.ts'

/** Writes numbers of a header in big-endian order. `bytes`: size of counts and lengths. */
class HeaderWriter {
  readonly #parts: Buffer[] = []
  readonly #bytes: number

  constructor(version: number) {
    this.#bytes = version === 5 ? 8 : 4
    this.#parts.push(Buffer.from([0x43, 0x44, 0x46, version]))
  }

  number(value: number, bytes = 4): this {
    const buffer = Buffer.alloc(bytes)
    buffer.writeUIntBE(value, Math.max(0, bytes - 6), Math.min(6, bytes))
    this.#parts.push(buffer)
    return this
  }

  count(value: number): this {
    return this.number(value, this.#bytes)
  }

  text(value: string): this {
    this.count(value.length).#parts.push(Buffer.from(value), Buffer.alloc((4 - (value.length % 4)) % 4))
    return this
  }

  file(): Uint8Array {
    return Uint8Array.from(Buffer.concat([...this.#parts, Buffer.alloc(400)]))
  }
}

/** Returns a file with two dimensions, a title, a variable with a unit, and three records. */
function fullFile(version: number, records = 3): Uint8Array {
  const to = new HeaderWriter(version).count(records)
  to.number(10).count(2).text('time').count(0).text('x').count(5)
  to.number(12).count(1).text('title').number(2).text('a test')
  to.number(11).count(1).text('temperature').count(2).count(0).count(1)
  to.number(12).count(1).text('valid').number(3).count(1).number(0x00070000)
  return to
    .number(5)
    .count(20)
    .number(300, version === 1 ? 4 : 8)
    .file()
}

describe('inventory of NetCDF-3', () => {
  it.each([1, 2, 5])('names dimensions, variables, attributes and records (version %i)', async (version) => {
    const inventory = await inventoryOf('netcdf3', fullFile(version))
    expect(countsOf(inventory)).toEqual({ attributes: 2, datasets: 1, dimensions: 2, records: 3 })
    expect(itemsOf(inventory, 'dimensions')).toEqual(['/time = unlimited', '/x = 5'])
    expect(itemsOf(inventory, 'datasets')).toEqual(['/temperature = (time, x) float'])
    expect(itemsOf(inventory, 'attributes').map((item) => item.split(' #')[0])).toEqual([
      '/@title = (6) char',
      '/temperature@valid = (1) short',
    ])
  })

  it('counts the items of a wrapped file', async () => {
    const { outcome } = await pressFile(netcdf3, netcdf3File(3000), 'a.nc', { output: 'zst' })
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { datasets: 1, dimensions: 1 } })
  })

  it('wraps a file that is damaged, without an inventory', async () => {
    const file = netcdf3File(3000)
    file[8] = 0xff
    const { outcome } = await pressFile(netcdf3, file, 'a.nc', { output: 'zst' })
    expect(outcome.kind).toBe('compressed')
    expect(outcome).not.toHaveProperty('inventory')
  })

  it('counts no records if a program still writes the file', async () => {
    expect(countsOf(await inventoryOf('netcdf3', fullFile(1, 0xffffffff)))).toEqual({ attributes: 2, datasets: 1, dimensions: 2 })
  })

  it('refuses more records than the file has bytes, and lists without an end', async () => {
    expect(await readOrReason('netcdf3', fullFile(1, 0xfffffffe))).toBe('malformed')
    const endless = new HeaderWriter(5)
      .count(0)
      .number(10)
      .count(2 ** 40)
    expect(await readOrReason('netcdf3', endless.file())).toBe('malformed')
  })

  it('reads damaged files or names the damage', async () => {
    const file = fullFile(1)
    for (const at of damagePositions(0, file.length, 1)) {
      expect(await readOrReason('netcdf3', file.subarray(0, at))).toBeDefined()
      for (const value of [0, 0xff]) {
        const damaged = file.slice()
        damaged[at] = value
        const read = await readOrReason('netcdf3', damaged)
        expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
      }
    }
  })
})
