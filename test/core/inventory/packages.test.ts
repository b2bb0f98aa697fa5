/** Inventories of packages: what the readers find, and what happens if a result lacks some of it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KnownFormat } from '../../../src/core/catalog/outputs.ts'
import { epub } from '../../../src/core/formats/epub/epub.ts'
import { kmz } from '../../../src/core/formats/kmz/kmz.ts'
import { odt } from '../../../src/core/formats/odf/odf.ts'
import { ofd } from '../../../src/core/formats/ofd/ofd.ts'
import { docx, pptx, xlsx } from '../../../src/core/formats/office/office.ts'
import { shapefile } from '../../../src/core/formats/shapefile/shapefile.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import type { Inventory } from '../../../src/core/inventory/inventory.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import type { Codec, Quality } from '../../../src/core/model/codec.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { type Parts, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'
import { book, kmzMap, ofdDocument, shapes, textDocument } from './books.ts'
import { presentation, wordDocument, workbook } from './office.ts'

const signal = new AbortController().signal

async function inventoryOf(id: KnownFormat['id'], bytes: Uint8Array): Promise<Inventory> {
  const reader = await readerOf(id)
  return reader!.read(memorySource(bytes, 'file'), new AbortController().signal)
}

const countsOf = (inventory: Inventory) =>
  Object.fromEntries([...inventory].map(([kind, items]) => [kind, [...items.values()].reduce((sum, count) => sum + count, 0)]))

const itemsOf = (inventory: Inventory, kind: Parameters<Inventory['get']>[0]) => [...(inventory.get(kind)?.keys() ?? [])]

const check = (codec: Codec, original: Uint8Array, result: Uint8Array, quality: Quality) =>
  checkInventory({
    format: codec.format,
    output: codec.format.id,
    original: memorySource(original, 'a'),
    result: memorySource(result, 'b'),
    quality,
    metadata: undefined,
    signal,
  })

const FIXTURES: readonly [codec: Codec, parts: () => Parts, counts: Record<string, number>][] = [
  [
    docx,
    wordDocument,
    {
      alternative_texts: 1,
      bookmarks: 1,
      changes: 1,
      comments: 1,
      custom_xml: 1,
      embedded_objects: 1,
      features: 1,
      font_glyphs: 1,
      fonts: 1,
      links: 1,
      macros: 1,
      media: 1,
      parts: 9,
      properties: 2,
      relationships: 8,
      texts: 4,
    },
  ],
  [xlsx, workbook, { defined_names: 1, formulas: 200, parts: 4, relationships: 2, sheets_and_slides: 2, texts: 2 }],
  [pptx, () => presentation(), { layouts: 4, media: 1, parts: 13, relationships: 11, sheets_and_slides: 2, texts: 6 }],
  [
    epub,
    book,
    {
      alternative_texts: 1,
      features: 2,
      fonts: 1,
      ids: 1,
      links: 1,
      manifest: 3,
      media: 2,
      navigation: 2,
      parts: 9,
      properties: 2,
      spine: 2,
      texts: 6,
    },
  ],
  [
    odt,
    textDocument,
    {
      alternative_texts: 1,
      bookmarks: 1,
      changes: 1,
      comments: 1,
      embedded_objects: 3,
      features: 1,
      fonts: 1,
      formulas: 1,
      layouts: 1,
      links: 1,
      macros: 1,
      manifest: 4,
      media: 2,
      parts: 10,
      properties: 6,
      relationships: 2,
      texts: 6,
    },
  ],
  [
    ofd,
    ofdDocument,
    {
      annotations: 1,
      attachments: 1,
      features: 2,
      fonts: 4,
      links: 1,
      media: 1,
      outline: 1,
      page_boxes: 1,
      pages: 1,
      parts: 8,
      properties: 2,
      relationships: 3,
      texts: 6,
    },
  ],
  [kmz, kmzMap, { elements: 201, links: 1, member_attributes: 3, members: 3 }],
  [shapefile, shapes, { fields: 1, geography: 1, member_attributes: 3, members: 3, records: 2 }],
]

describe.each(
  FIXTURES.map(([codec, parts, counts]) => [codec.format.id, codec, parts, counts] as const),
)('%s', (id, codec, parts, counts) => {
  test('finds everything that the package holds', async () => {
    expect(countsOf(await inventoryOf(id, await zipOf(parts())))).toEqual(counts)
  })

  test('a receipt counts everything that the result keeps', async () => {
    const { outcome } = await press(codec, await zipOf(parts()), 'medium')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: counts })
    expect(outcome).not.toHaveProperty('removed')
  })

  test('a lost part or a changed letter is found', async () => {
    const original = await zipOf(parts())
    const result = await partsOf((await press(codec, original, 'medium')).bytes)
    // A result may change the layouts that a slide master lists, so some letters of a master do not count.
    const names = [...result.keys()].filter((name) => !name.endsWith('slideMaster1.xml'))
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.boolean(), fc.nat(), async (part, isRemoved, at) => {
        const name = names[part % names.length]!
        const damaged = new Map(result)
        if (isRemoved) damaged.delete(name)
        else damaged.set(name, changed(name, result.get(name)!, at))
        const verdict = await check(codec, original, await zipOf(Object.fromEntries(damaged)), 'medium')
        expect(verdict.kind, `${isRemoved ? 'removed' : 'changed'} ${name}`).toMatch(/^(lost|unreadable)$/)
      }),
      { numRuns: roundsOf(200) },
    )
  })

  test('a codec that loses a part returns the original', async () => {
    const original = await zipOf(parts())
    const lost = Object.keys(parts()).find((name) => /\.(xhtml|dae|prj)$|Pages|^styles|sheet1|comments|slide1\.xml$/.test(name))!
    const damaging: Codec = {
      format: codec.format,
      async compress(source, sink, options) {
        const honest = memorySink(source.size, 'honest')
        const outcome = await codec.compress(source, honest, options)
        const rest = [...(await partsOf(honest.bytes()))].filter(([name]) => name !== lost)
        await sink.write(await zipOf(Object.fromEntries(rest), 9))
        return outcome
      },
      verify: async () => ({ equal: true }),
    }
    const { outcome, bytes } = await press(damaging, original, 'medium')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: { code: 'inventory_lost' } })
    expect(bytes).toEqual(original)
  })

  test('a damaged package gives an inventory or an error', async () => {
    const whole = await zipOf(parts())
    const damaged: Uint8Array[] = []
    for (const at of damagePositions(0, whole.length, 23)) {
      damaged.push(whole.slice(0, at))
      const flipped = whole.slice()
      flipped[at]! ^= 0xff
      damaged.push(flipped)
    }
    for (const bytes of damaged) {
      try {
        await inventoryOf(id, bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(CodecError)
      }
    }
  })
})

/** Changes one letter of a part. Pictures lose their name, because a codec may change their bytes. */
function changed(name: string, bytes: Uint8Array, at: number): Uint8Array {
  const source = text(bytes)
  // In these parts, only some values say what the package holds.
  const values =
    name === '[Content_Types].xml' ? /ContentType="application[^"]*\+xml/g : /\.rels$/.test(name) ? / (?:Id|Target)="[^"]*/g : undefined
  const places = [...(values ? source.matchAll(values) : [])].map((match) => match.index + match[0].length - 1)
  const damaged = bytes.slice()
  const place = values ? places[at % places.length]! : at % bytes.length
  if (/\.png$/.test(name)) return new Uint8Array(0)
  damaged[place]! ^= 1
  return damaged
}

describe('rules of level ultra', () => {
  test('unused slide layouts and the thumbnail are reported with their reasons', async () => {
    const { outcome } = await press(pptx, await zipOf(presentation()), 'ultra')
    expect(outcome).toMatchObject({
      kind: 'compressed',
      removed: [
        { kind: 'layouts', count: 2, why: 'unused_layout' },
        { kind: 'media', count: 1, why: 'editor_only' },
        { kind: 'parts', count: 4, why: 'unused_layout' },
        { kind: 'relationships', count: 1, why: 'editor_only' },
        { kind: 'relationships', count: 4, why: 'unused_layout' },
        { kind: 'texts', count: 2, why: 'unused_layout' },
      ],
    })
  })

  test('a picture without a relationship is reported as unused, a second copy as duplicate', async () => {
    const parts = wordDocument()
    const picture = parts['word/media/image1.png']!
    parts['word/media/image2.png'] = picture
    parts['word/media/orphan.png'] = pngOf(photo(30, 30), 30, 30)
    parts['word/_rels/document.xml.rels'] = text(new TextEncoder().encode(String(parts['word/_rels/document.xml.rels']))).replace(
      '</Relationships>',
      '<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/image2.png"/></Relationships>',
    )
    const { outcome } = await press(docx, await zipOf(parts), 'ultra')
    expect(outcome).toMatchObject({
      removed: [
        { kind: 'media', count: 1, why: 'duplicate' },
        { kind: 'media', count: 1, why: 'nothing_refers_to_it' },
      ],
    })
  })

  test('OFD: a merged font file is reported as duplicate', async () => {
    const { outcome } = await press(ofd, await zipOf(ofdDocument()), 'ultra')
    expect(outcome).toMatchObject({
      kind: 'compressed',
      removed: [
        { kind: 'fonts', count: 1, why: 'duplicate' },
        { kind: 'parts', count: 1, why: 'duplicate' },
      ],
    })
  })

  test('a lost picture that a relationship leads to is forbidden', async () => {
    const parts = wordDocument()
    const original = await zipOf(parts)
    const { 'word/media/image1.png': _, ...rest } = parts
    expect(await check(docx, original, await zipOf(rest), 'ultra')).toMatchObject({ kind: 'lost' })
  })

  test('a master whose layout is lost but still listed is forbidden', async () => {
    const parts = presentation()
    const original = await zipOf(parts)
    const { 'ppt/slideLayouts/slideLayout3.xml': _, ...rest } = parts
    expect(await check(pptx, original, await zipOf(rest), 'ultra')).toMatchObject({ kind: 'lost', loss: { kind: 'parts' } })
  })

  test('a lost layout that a slide uses is forbidden', async () => {
    const parts = presentation()
    const original = await zipOf(parts)
    const { 'ppt/slideLayouts/slideLayout1.xml': _, ...rest } = parts
    expect(await check(pptx, original, await zipOf(rest), 'ultra')).toMatchObject({ kind: 'lost' })
  })
})

test('text that is not well-formed, and entities of XHTML, are read', async () => {
  const page = '<html><body><p>One&nbsp;&unknown;<br>two</p><img src="i.png" alt="A map"></body></html>'
  const inventory = await inventoryOf('epub', await zipOf({ ...book(), 'OPS/p2.xhtml': page }))
  expect(itemsOf(inventory, 'alternative_texts').sort()).toEqual(['A map', 'A ship'])
})

test('UTF-16 and declared encodings are read', async () => {
  const kml = '<?xml version="1.0" encoding="gb2312"?><kml><NetworkLink><href>'
  const chinese = Buffer.concat([Buffer.from(kml), Buffer.from([0xd6, 0xd0]), Buffer.from('</href></NetworkLink></kml>')])
  const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<kml><Placemark/></kml>', 'utf16le')])
  const inventory = await inventoryOf('kmz', await zipOf({ 'a.kml': new Uint8Array(chinese), 'b.kml': new Uint8Array(wide) }))
  expect(itemsOf(inventory, 'links')).toEqual(['中'])
  expect(itemsOf(inventory, 'elements').sort()).toEqual(['NetworkLink', 'Placemark'])
})

test('parts with hostile XML are compared by their bytes', async () => {
  const hostile = {
    deep: '<a>'.repeat(100_000),
    wide: `<a ${Array.from({ length: 20_000 }, (_, index) => `b${index}="x"`).join(' ')}>`.repeat(30),
    long: `<a>${'x'.repeat(9_000_000)}</a>`,
    broken: '<'.repeat(100_000),
    entities: `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]><a>${'&b;'.repeat(100_000)}</a>`,
  }
  for (const [name, xml] of Object.entries(hostile)) {
    const inventory = await inventoryOf('kmz', await zipOf({ 'a.kml': xml }))
    expect(itemsOf(inventory, 'members'), name).toEqual([expect.stringMatching(/^a\.kml = content #[0-9a-f]{16}$/)])
  }
})
