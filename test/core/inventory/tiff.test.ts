import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { geotiff, tiff } from '../../../src/core/formats/tiff/tiff.ts'
import { pressFile } from '../../support/press-file.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'
import { buildTiff, type Picture, type Shape } from '../formats/tiff/build-tiff.ts'
import { countsOf, damaging, inventoryOf, itemsOf, readOrReason, verdictOf } from './damage.ts'

const ascii = (tag: number, text: string) => ({ tag, type: 2, count: text.length + 1, bytes: new TextEncoder().encode(`${text}\0`) })
const bytes = (tag: number, length: number) => ({ tag, type: 7, count: length, bytes: Uint8Array.from({ length }, (_, i) => i * 7) })
const shorts = (tag: number, ...values: number[]) => ({
  ...{ tag, type: 3, count: values.length },
  bytes: new Uint8Array(Uint16Array.from(values).buffer),
})
const doubles = (tag: number, ...values: number[]) => ({
  ...{ tag, type: 12, count: values.length },
  bytes: new Uint8Array(Float64Array.from(values).buffer),
})

const XML =
  '<GDALMetadata>\n  <Item name="AREA">Nile &amp; delta</Item>\n  <Item name="STATISTICS_MEAN" sample="0">7.5</Item>\n</GDALMetadata>'
const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="T" dc:rights="R"/></rdf:RDF></x:xmpmeta>'
/** Maker note with offsets from its own beginning. */
const NOTE = { tag: 37500, type: 7, count: 12, bytes: new TextEncoder().encode('Apple iOS\0\x01\x02') }
const PAGE: Picture = {
  ...{ width: 90, height: 70, bits: 8, samples: 3, rowsPerStrip: 20 },
  extra: [
    ascii(270, 'A page of two  words'),
    bytes(34675, 300),
    doubles(33550, 0.123456789012345, 10, 0),
    shorts(34735, 1, 1, 0, 3, 1024, 0, 1, 2, 3072, 0, 1, 32_633, 1026, 34737, 7, 0),
    ascii(34737, 'UTM 33|'),
    bytes(37724, 50),
    { tag: 700, type: 1, count: XMP.length, bytes: new TextEncoder().encode(XMP) },
    ascii(42112, XML),
  ],
  exif: [ascii(36867, '2026:11:26 10:00:00'), NOTE],
  subIfds: [{ width: 45, height: 35, bits: 8, samples: 3, extra: [shorts(254, 1)] }],
}
const PAGES: Picture[] = [PAGE, { width: 40, height: 30, bits: 16, samples: 1, extra: [ascii(305, 'Writer')] }]
const TAIL = new TextEncoder().encode('behind the end')
const file = (shape: Shape = {}) => Buffer.concat([buildTiff(PAGES, shape), TAIL])

describe('inventory of TIFF', () => {
  it('names pages, directories, tags, EXIF, GeoKeys, metadata and trailing bytes', async () => {
    const inventory = await inventoryOf('tiff', file())
    expect(countsOf(inventory)).toEqual({
      ...{ exif_tags: 1, geo_keys: 4, geography: 3, icc_profile: 1, layers: 1, maker_notes: 1, overviews: 1 },
      ...{ pages: 2, properties: 2, sub_directories: 1, tags: 18, trailing_bytes: 1, xmp_properties: 2 },
    })
    expect(itemsOf(inventory, 'pages')).toEqual(['page 0 = 90 × 70, 8 bits, 3 samples', 'page 1 = 40 × 30, 16 bits, 1 samples'])
    expect(itemsOf(inventory, 'sub_directories')).toEqual(['page 0.0 = 45 × 35, 8 bits, 3 samples'])
    expect(itemsOf(inventory, 'overviews')).toEqual(['page 0.0 = overview 45 × 35'])
    expect(itemsOf(inventory, 'exif_tags')).toEqual(['page 0 ExifIFD:DateTimeOriginal = 2026:11:26 10:00:00'])
    expect(itemsOf(inventory, 'geography')).toEqual([
      ...['page 0 GTModelType (1024) = 2', 'page 0 ProjectedCRS (3072) = 32633', 'page 0 GTCitation (1026) = UTM 33'],
    ])
    expect(itemsOf(inventory, 'properties')).toEqual(['page 0 AREA = Nile & delta', 'page 0 STATISTICS_MEAN, sample 0 = 7.5'])
    expect(itemsOf(inventory, 'geo_keys')).toContain('page 0 0x830e = 0.123456789012345 10 0')
    expect(itemsOf(inventory, 'tags')).toContain('page 1 Software = Writer')
  })

  it.each([
    {},
    { big: true },
    { littleEndian: false },
    { littleEndian: false, big: true },
  ] as Shape[])('keeps all items: %o', async (shape) => {
    // Values of the fixture are little-endian, so a big-endian file has bytes and texts only.
    const endless = (page: Picture): Picture => ({
      ...page,
      extra: page.extra!.filter(({ type }) => shape.littleEndian !== false || type < 3),
    })
    const original = Buffer.concat([buildTiff(PAGES.map(endless), shape), TAIL])
    const { outcome, defect } = await pressFile(tiff, original, 'a.tif')
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(outcome).toMatchObject({ inventory: countsOf(await inventoryOf('tiff', original)) })
    expect(outcome).not.toHaveProperty('removed')
  })

  it('keeps the items of a cloud optimized GeoTIFF, whose tiles repeat their last bytes', async () => {
    const tiles: Picture = { ...PAGE, width: 128, height: 128, tile: [64, 64], subIfds: [] }
    const original = buildTiff([tiles], { cog: true })
    const { outcome, defect } = await pressFile(geotiff, original, 'a.tif')
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(outcome).toMatchObject({ inventory: { geography: 3, geo_keys: 4 } })
    expect(await inventoryOf('geotiff', original)).not.toHaveProperty('trailing_bytes')
  })

  it('keeps the number of items when a file has more pages than items with a name', async () => {
    const page: Picture = { width: 2, height: 2, bits: 8, samples: 1 }
    const fields = Array.from({ length: 100 }, (_, i) => ascii(60_000 + i, 'tag'))
    const pages = (last: string) => [
      ...Array.from({ length: 420 }, () => ({ ...page, extra: fields })),
      { ...page, extra: [...fields.slice(0, -1), ascii(60_100, last)] },
    ]
    const inventory = await inventoryOf('tiff', buildTiff(pages('a')))
    expect(countsOf(inventory)).toEqual({ pages: 421, tags: 421 * 105 })
    expect(await verdictOf('tiff', buildTiff(pages('a')), buildTiff(pages('b')))).toMatchObject({ kind: 'lost', loss: { kind: 'tags' } })
  })

  it('property: a field, a page or a byte that a result lacks or changes is found', async () => {
    const original = file()
    const { bytes: result, outcome } = await pressFile(tiff, original, 'a.tif')
    expect(outcome.kind).toBe('compressed')
    const view = new DataView(result.buffer, result.byteOffset, result.length)
    const LAYOUT = [259, 273, 278, 279, 284, 317]
    /** Offsets of the entries that are no layout, and of the link to the next directory. */
    const entriesOf = (at: number) => {
      const count = view.getUint16(at, true)
      const all = Array.from({ length: count }, (_, i) => at + 2 + 12 * i)
      return { entries: all.filter((entry) => !LAYOUT.includes(view.getUint16(entry, true))), link: at + 2 + 12 * count }
    }
    const first = entriesOf(view.getUint32(4, true))
    const exif = first.entries.find((entry) => view.getUint16(entry, true) === 34665)!
    const second = entriesOf(view.getUint32(first.link, true))
    const entries = [...first.entries, ...second.entries, ...entriesOf(view.getUint32(exif + 8, true)).entries]
    const damage = fc.oneof(
      fc.record({ how: fc.constant('field' as const), entry: fc.constantFrom(...entries) }),
      fc.record({ how: fc.constant('value' as const), entry: fc.constantFrom(...entries), place: fc.nat() }),
      fc.record({ how: fc.constant('page' as const) }),
      fc.record({ how: fc.constant('tail' as const), place: fc.nat(TAIL.length - 1) }),
    )
    /** True for pointers, and for XMP, whose properties count and not its spelling. */
    const isPointer = (entry: number) => [330, 700, 34665].includes(view.getUint16(entry, true))
    const SIZES: { [type: number]: number } = { 2: 1, 3: 2, 4: 4, 7: 1, 12: 8 }
    await fc.assert(
      fc.asyncProperty(damage, async (made) => {
        const damaged = Uint8Array.from(result)
        const out = new DataView(damaged.buffer)
        if (made.how === 'page') out.setUint32(first.link, 0, true)
        else if (made.how === 'tail') damaged[damaged.length - 1 - made.place]! ^= 1
        else if (made.how === 'field' || isPointer(made.entry)) out.setUint16(made.entry, 65_000, true)
        else {
          const length = SIZES[view.getUint16(made.entry + 2, true)]! * view.getUint32(made.entry + 4, true)
          const at = length <= 4 ? made.entry + 8 : view.getUint32(made.entry + 8, true)
          damaged[at + (made.place % length)]! ^= 1
        }
        expect((await verdictOf('tiff', original, damaged)).kind).not.toBe('kept')
      }),
      { numRuns: roundsOf(200) },
    )
  })

  it('returns the original if the codec loses a tag', async () => {
    const original = file()
    const lossy = damaging(tiff, (result) => {
      const view = new DataView(result.buffer, result.byteOffset)
      view.setUint16(view.getUint32(4, true) + 2 + 12 * 5, 65_000, true)
      return result
    })
    const { outcome, bytes: kept } = await pressFile(lossy, original, 'a.tif')
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
    expect(kept).toBe(original)
  })

  describe('hostile files', () => {
    it('cut off at any byte', async () => {
      const original = file()
      for (const at of damagePositions(0, original.length, 29)) {
        const read = await readOrReason('tiff', original.subarray(0, at))
        expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
      }
    })

    it('with other bytes in its directories', async () => {
      const original = file()
      const from = original.readUInt32LE(4)
      for (const at of damagePositions(from, Math.min(original.length, from + 1500), 2)) {
        const damaged = Uint8Array.from(original)
        damaged[at] = 0xff
        const read = await readOrReason('tiff', damaged)
        expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory|over_budget)$/)
      }
    })

    it('with a list of strips that has more numbers than any file', async () => {
      const original = buildTiff([PAGES[1]!], { big: true })
      const view = new DataView(original.buffer)
      const at = Number(view.getBigUint64(8, true))
      for (let i = 0; i < Number(view.getBigUint64(at, true)); i++) {
        const entry = at + 8 + 20 * i
        if ([273, 279].includes(view.getUint16(entry, true))) view.setBigUint64(entry + 4, 2n ** 50n, true)
      }
      expect(countsOf(await inventoryOf('tiff', original))).toMatchObject({ pages: 1 })
    })

    it('with 20,000 links in each of many directories', async () => {
      const links = { tag: 330, type: 4, count: 20_000, bytes: new Uint8Array(80_000) }
      const pages = Array.from({ length: 12 }, (): Picture => ({ width: 2, height: 2, bits: 8, samples: 1, extra: [links] }))
      const original = buildTiff(pages)
      const view = new DataView(original.buffer)
      const first = view.getUint32(4, true)
      for (let at = first; at !== 0; ) {
        const count = view.getUint16(at, true)
        const entry = Array.from({ length: count }, (_, i) => at + 2 + 12 * i).find((place) => view.getUint16(place, true) === 330)!
        for (let i = 0; i < 20_000; i++) view.setUint32(view.getUint32(entry + 8, true) + 4 * i, first, true)
        at = view.getUint32(at + 2 + 12 * count, true)
      }
      expect(await readOrReason('tiff', original)).toBe('malformed')
    })

    it('with a directory that follows itself', async () => {
      const original = buildTiff([PAGES[1]!])
      const at = original[4]! + original[5]! * 256 + original[6]! * 65_536
      const count = original[at]! + original[at + 1]! * 256
      new DataView(original.buffer).setUint32(at + 2 + 12 * count, at, true)
      expect(countsOf(await inventoryOf('tiff', original))).toMatchObject({ pages: 1, sub_directories: 1 })
    })
  })
})
