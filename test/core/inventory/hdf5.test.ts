import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InventoryKind } from '../../../src/core/catalog/inventory/kinds.ts'
import { hdf5, netcdf } from '../../../src/core/formats/hdf5/hdf5.ts'
import { metadataChecksum } from '../../../src/core/inventory/hdf5/checksum.ts'
import { Cursor } from '../../../src/core/inventory/hdf5/cursor.ts'
import { datatypeOf } from '../../../src/core/inventory/hdf5/datatype.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'
import { countsOf, damaging, inventoryOf, itemsOf, readOrReason, verdictOf } from './damage.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures')
const fixture = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)))
const FILES = readdirSync(join(FOLDER, 'hdf5')).filter((name) => name.endsWith('.h5'))
const EVERYTHING = { attributes: 24, datasets: 24, dimensions: 1, groups: 8, links: 6 }

/** Offsets at which `text` starts. */
function placesOf(file: Uint8Array, text: string | Uint8Array): number[] {
  const places: number[] = []
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length)
  for (let at = buffer.indexOf(text); at >= 0; at = buffer.indexOf(text, at + 1)) places.push(at)
  return places
}

const viewOf = (file: Uint8Array) => new DataView(file.buffer, file.byteOffset, file.byteLength)

describe('inventory of HDF5', () => {
  it.each([
    ['everything-earliest.h5', EVERYTHING],
    ['everything-v110.h5', EVERYTHING],
    ['everything-ordered.h5', { ...EVERYTHING, header: 1 }],
    ['everything-user-block.h5', { ...EVERYTHING, user_block: 1 }],
  ])('%s: counts what the HDF5 library finds', async (name, counts) => {
    expect(countsOf(await inventoryOf('hdf5', fixture(`hdf5/${name}`)))).toEqual(counts)
  })

  it('names types, shapes, links and fill values', async () => {
    const inventory = await inventoryOf('hdf5', fixture('hdf5/everything-earliest.h5'))
    expect(itemsOf(inventory, 'datasets')).toEqual(
      expect.arrayContaining([
        '/grids/big_endian = (40, 80) float64 big-endian',
        '/grids/empty_extent = (0, 4) of at most (unlimited, 4) float32',
        expect.stringMatching(/^\/grids\/sparse = \(200, 200\) of at most \(unlimited, 200\) int32 filled with #[0-9a-f]{16}$/),
        '/grids/null = empty float32',
        '/types/enum = (120) enumeration of int16 big-endian {0001 RED, 0002 GREEN, 012c BLUE}',
        '/types/vlen = (30) sequence of int32',
        '/references/regions = (2) region reference',
      ]),
    )
    expect(itemsOf(inventory, 'links').sort()).toEqual([
      '/links/dangling soft = /nowhere',
      '/links/external outside = other.h5 /x',
      '/links/group second name = /grids',
      '/links/hard second name = /grids/chunked',
      '/links/loop second name = /links',
      '/links/soft soft = /grids/contiguous',
    ])
    expect(itemsOf(inventory, 'dimensions')).toEqual(['/x = (80)'])
  })

  it('has the same items for each form of storage', async () => {
    const old = await inventoryOf('hdf5', fixture('hdf5/everything-earliest.h5'))
    const recent = await inventoryOf('hdf5', fixture('hdf5/everything-v110.h5'))
    // The objects of the newer file know the order of their attributes.
    const plain = (items: string[]) => items.map((item) => item.replace(/,? ?=? attributes in order #.*/, '')).sort()
    for (const kind of ['attributes', 'links', 'dimensions', 'groups'] as const)
      expect(plain(itemsOf(recent, kind))).toEqual(plain(itemsOf(old, kind)))
  })

  it.each([
    ['dense.h5', { attributes: 29, comments: 1, datasets: 4, groups: 1, links: 62 }],
    ['dense-ordered.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, header: 1, links: 62 }],
    ['packed-links.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, links: 62 }],
    ['shared-messages.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, links: 62 }],
    ['shared-attributes.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, links: 7 }],
    ['sizes-4-4.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, links: 62 }],
    ['short-references.h5', { attributes: 3, datasets: 4 }],
    ['sizes-8-4.h5', { attributes: 28, comments: 1, datasets: 4, groups: 1, links: 62 }],
  ])('%s: reads unusual structures, and the result has the same items', async (name, inventory) => {
    const file = fixture(`hdf5/${name}`)
    expect(countsOf(await inventoryOf('hdf5', file))).toEqual(inventory)
    const { outcome, defect } = await pressFile(hdf5, file, 'a.h5')
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory })
  })

  it('reads every file that the codec compresses, and finds all items in the result', async () => {
    for (const name of FILES.filter((file) => !/-mb|one-value|everything/.test(file))) {
      const file = fixture(`hdf5/${name}`)
      const { outcome, bytes } = await pressFile(hdf5, file, 'a.h5')
      if (outcome.kind !== 'compressed') {
        // The original had no result. Its inventory must not be the reason.
        expect(JSON.stringify(outcome), name).not.toContain('inventory')
        continue
      }
      expect(outcome.removed, name).toBeUndefined()
      expect(countsOf(await inventoryOf('hdf5', bytes)), name).toEqual(countsOf(await inventoryOf('hdf5', file)))
    }
  })

  it('keeps bytes after the HDF5 data', async () => {
    const file = Buffer.concat([fixture('hdf5/everything-earliest.h5'), Buffer.from('a note')])
    const { outcome } = await pressFile(hdf5, Uint8Array.from(file), 'a.h5')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { ...EVERYTHING, trailing_bytes: 1 } })
  })

  it('has the order of members and attributes, and the dimensions of NetCDF-4', async () => {
    const file = fixture('netcdf/groups.nc')
    const inventory = await inventoryOf('netcdf', file)
    expect(itemsOf(inventory, 'header')).toEqual([expect.stringMatching(/^root group = attributes in order #\w+, members in order #\w+$/)])
    expect(itemsOf(inventory, 'dimensions').sort()).toEqual([
      '/forecast/member = (4)',
      '/time = (6) of at most (unlimited)',
      '/x = (60)',
      '/y = (50)',
    ])
  })

  it('names the dimensions of a variable by their targets, not by their addresses', async () => {
    const file = fixture('netcdf/groups.nc')
    const { bytes } = await pressFile(netcdf, file, 'a.nc')
    const lists = async (of: Uint8Array) => itemsOf(await inventoryOf('netcdf', of), 'attributes').filter((item) => item.includes('_LIST'))
    expect(await lists(bytes)).toEqual(await lists(file))
    const [rag, names, temp] = ['/rag@', '/names@', '/temp@'].map((name) =>
      lists(file).then((all) => all.find((item) => item.startsWith(name))),
    )
    // Both variables have the dimension x. The third has others.
    const digest = async (item: Promise<string | undefined>) => (await item)!.split('#')[1]
    expect(await digest(rag!)).toBe(await digest(names!))
    expect(await digest(rag!)).not.toBe(await digest(temp!))
  })

  it('has the checksum of lookup3 (test vector of its author)', () => {
    expect(metadataChecksum(new TextEncoder().encode('Four score and seven years ago'))).toBe(0x17770551)
    expect(metadataChecksum(new Uint8Array(0))).toBe(0xdeadbeef)
  })
})

/** Writes the checksum of the first chunk of a header of version 2. */
function fixChecksum(file: Uint8Array, header: number): void {
  const flags = file[header + 5]!
  const prefix = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0) + 2 ** (flags & 3)
  const end = header + prefix + viewOf(file)[flags & 1 ? 'getUint16' : 'getUint8'](header + prefix - 2 ** (flags & 3), true)
  viewOf(file).setUint32(end, metadataChecksum(file.subarray(header, end)), true)
}

/** Texts and numbers of the result that belong to an item, by kind. */
const MARKS: readonly (readonly [InventoryKind, string | Uint8Array])[] = [
  ['attributes', 'many07'],
  ['attributes', 'utf-8'],
  ['attributes', 'x axis'],
  ['datasets', 'deflated'],
  ['datasets', 'GREEN'],
  ['datasets', Uint8Array.of(0xf9, 0xff, 0xff, 0xff)],
  ['groups', 'zebra'],
  ['links', '/nowhere'],
  ['links', 'dangling'],
  ['links', 'other.h5'],
  ['user_block', 'uuuuuuuu'],
]

describe('damage to HDF5 results', () => {
  it('reports a changed order of the members of a group', async () => {
    const file = fixture('netcdf/groups.nc')
    const { bytes } = await pressFile(netcdf, file, 'a.nc')
    // Link message of a soft or hard link: version 1, flags (order and length of the name), order (8 bytes), length, name.
    const [first] = placesOf(bytes, Uint8Array.of(...Buffer.from('\x04time')))
    const order = first! - 8
    expect([bytes[order - 2], viewOf(bytes).getBigUint64(order, true) < 20n]).toEqual([1, true])
    const damaged = bytes.slice()
    damaged[order]! += 20
    const header = placesOf(damaged, 'OHDR')
      .filter((at) => at < order)
      .at(-1)!
    fixChecksum(damaged, header)
    expect(await verdictOf('netcdf', file, damaged)).toMatchObject({ kind: 'lost', loss: { kind: 'header' } })
  })

  it('property: a changed name, value, type, link or user block makes the original the result', async () => {
    const file = fixture('hdf5/everything-user-block.h5')
    const { bytes } = await pressFile(hdf5, file, 'a.h5')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...MARKS), fc.nat(), async ([kind, mark], where) => {
        const places = placesOf(bytes, mark)
        expect(places.length, `${kind} ${mark}`).toBeGreaterThan(0)
        const damaged = bytes.slice()
        // Some places are space that the HDF5 library left unused. Bit 0 changes letters and numbers, and never makes a NUL.
        for (const place of places) damaged[place + (where % mark.length)]! ^= 1
        const verdict = await verdictOf('hdf5', file, damaged)
        expect(['lost', 'unreadable'], `${kind} ${mark}`).toContain(verdict.kind)
      }),
      { numRuns: roundsOf(150) },
    )
  })

  it('property: a missing attribute message or link makes the original the result', async () => {
    const file = fixture('hdf5/everything-earliest.h5')
    const { bytes } = await pressFile(hdf5, file, 'a.h5')
    const view = viewOf(bytes)
    const sound = await inventoryOf('hdf5', bytes)
    // Message of version 1: type 12, size, flags 0, then version 1 of an attribute.
    const attributes = placesOf(bytes, Uint8Array.of(0x0c, 0)).filter((at) => at % 8 === 0 && bytes[at + 4] === 0 && bytes[at + 8] === 1)
    const symbols = placesOf(bytes, 'SNOD').filter((at) => view.getUint16(at + 6, true) > 0)
    expect([attributes.length, symbols.length].every((count) => count > 3)).toBe(true)
    let found = 0
    for (const at of [...attributes, ...symbols]) {
      const damaged = bytes.slice()
      if (symbols.includes(at)) viewOf(damaged).setUint16(at + 6, view.getUint16(at + 6, true) - 1, true)
      else damaged[at] = 0
      if (JSON.stringify([...countsOfOrNone(await readOrReason('hdf5', damaged))]) === JSON.stringify([...countsOfOrNone(sound)])) continue
      found++
      expect((await verdictOf('hdf5', file, damaged)).kind).toMatch(/^(lost|unreadable)$/)
    }
    expect(found).toBeGreaterThan(0.9 * (attributes.length + symbols.length))
  })

  it('returns the original if a codec loses an attribute and does not notice', async () => {
    const file = fixture('hdf5/everything-earliest.h5')
    const lossy = damaging(hdf5, (result) => {
      result[placesOf(result, 'many07')[0]! + 5] = 0x78
      return result
    })
    const { outcome, bytes } = await pressFile(lossy, file, 'a.h5')
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost', item: expect.stringContaining('many07') } })
    expect(bytes).toBe(file)
  })

  it('detects a flipped bit in the checked structures of newer files', async () => {
    const file = fixture('hdf5/everything-v110.h5')
    const headers = placesOf(file, 'OHDR')
    const random = randomNumbers(3)
    for (let i = 0; i < 100; i++) {
      const damaged = file.slice()
      damaged[headers[Math.floor(random() * headers.length)]! + 4 + Math.floor(random() * 60)]! ^= 1 << (random() * 8)
      expect(await readOrReason('hdf5', damaged)).toBe('malformed')
    }
  })
})

const countsOfOrNone = (read: Awaited<ReturnType<typeof readOrReason>>) => (typeof read === 'string' ? [] : Object.entries(countsOf(read)))

describe('hostile HDF5', () => {
  it('reads files that are cut anywhere, or names the damage', async () => {
    for (const name of ['hdf5/everything-earliest.h5', 'hdf5/dense.h5', 'hdf5/packed-links.h5', 'netcdf/groups.nc']) {
      const file = fixture(name)
      for (const at of damagePositions(0, file.length, 997)) expect(await readOrReason('hdf5', file.subarray(0, at))).toBe('malformed')
    }
  })

  it('reads files with wrong bytes, or names the damage', async () => {
    const random = randomNumbers(8)
    for (let i = 0; i < roundsOf(400); i++) {
      const file = fixture(`hdf5/${FILES[i % FILES.length]}`)
      for (let j = 0; j < 3; j++) file[Math.floor(random() * (i % 2 ? 4096 : file.length)) % file.length] = random() * 256
      const read = await readOrReason('hdf5', file)
      expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|over_budget|inventory)$/)
    }
  })

  it('follows a group in itself once, whatever the number of its links', async () => {
    // All entries of all symbol tables lead to the root group.
    const file = fixture('hdf5/everything-earliest.h5')
    const view = viewOf(file)
    const root = view.getBigUint64(64, true)
    for (const at of placesOf(file, 'SNOD'))
      for (let i = 0; i < view.getUint16(at + 6, true); i++) view.setBigUint64(at + 8 + 40 * i + 8, root, true)
    const inventory = await inventoryOf('hdf5', file)
    expect(countsOf(inventory)).toEqual({ links: 6 })
  })

  it('ends when trees and headers refer to themselves', async () => {
    const file = fixture('hdf5/everything-earliest.h5')
    const view = viewOf(file)
    const tree = placesOf(file, 'TREE')[0]!
    // A node of level 1 whose children are the node itself (III.A.1).
    const looping = file.slice()
    looping[tree + 5] = 1
    viewOf(looping).setBigUint64(tree + 32, BigInt(tree), true)
    expect(await readOrReason('hdf5', looping)).toBe('malformed')

    // A header whose continuation is the header's first chunk (IV.A.2.q).
    const header = Number(view.getBigUint64(64, true))
    const again = file.slice()
    again.set([0x10, 0, 16, 0, 0, 0, 0, 0], header + 16)
    viewOf(again).setBigUint64(header + 24, BigInt(header + 16), true)
    viewOf(again).setBigUint64(header + 32, 24n, true)
    expect(await readOrReason('hdf5', again)).toBe('malformed')
  })

  it('refuses a type of 65,535 members and an attribute of 16 million TB before it reads them', async () => {
    const file = fixture('hdf5/everything-earliest.h5')
    const compound = placesOf(file, Uint8Array.of(0x26, 4, 0, 0))[0]!
    expect(compound).toBeGreaterThan(0)
    const wide = file.slice()
    wide.set([0xff, 0xff], compound + 1)
    expect(await readOrReason('hdf5', wide)).toBe('malformed')

    // The shape of the attribute "many07" is scalar. It becomes one of 2^56 values.
    const name = placesOf(file, 'many07')[0]!
    const long = file.slice()
    const shape = name + 8 + 16
    expect([...file.subarray(shape, shape + 3)]).toEqual([1, 0, 0])
    long.set([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], shape)
    expect(await readOrReason('hdf5', long)).toBe('malformed')
  })

  it('refuses a type of no bytes, which an array could repeat without an end', () => {
    const sizes = { offsetBytes: 8, lengthBytes: 8 }
    // Class 10 (array), version 3: 4 dimensions of 2^31 values, each a compound of 0 bytes.
    const dimensions = Array.from({ length: 4 }, () => [0, 0, 0, 0x80]).flat()
    const type = Uint8Array.of(0x3a, 0, 0, 0, 8, 0, 0, 0, 4, ...dimensions, 0x36, 0, 0, 0, 0, 0, 0, 0)
    expect(() => datatypeOf(new Cursor(type, sizes))).toThrow(RangeError)
    type[type.length - 4] = 1
    expect(datatypeOf(new Cursor(type, sizes)).bytes).toBe(2 ** 124)
  })

  it('refuses a file of a newer version, and bytes that are no HDF5 file', async () => {
    const file = fixture('hdf5/everything-v110.h5')
    file[8] = 4
    expect(await readOrReason('hdf5', file)).toBe('malformed')
    expect(await readOrReason('hdf5', new Uint8Array(5000))).toBe('malformed')
    expect(await readOrReason('hdf5', new Uint8Array(0))).toBe('malformed')
  })
})
