import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PDF } from '../../../src/core/catalog/formats/pdf.ts'
import { kindsOf } from '../../../src/core/catalog/inventory/index.ts'
import type { InventoryKind } from '../../../src/core/catalog/inventory/kinds.ts'
import { pdf } from '../../../src/core/formats/pdf/pdf.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import { pdfInventory } from '../../../src/core/inventory/pdf.ts'
import type { Codec, Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { pressAlone } from '../formats/pdf/run.ts'
import { type Change, Name, nameOf, richPdf, string, textOf, withChange } from './pdf-files.ts'

const SIGNAL = new AbortController().signal
const source = (bytes: Uint8Array) => memorySource(bytes, 'x.pdf')
const inventoryOf = (bytes: Uint8Array) => pdfInventory.read(source(bytes), SIGNAL)
const itemsOf = async (bytes: Uint8Array, kind: InventoryKind) => [...((await inventoryOf(bytes)).get(kind)?.keys() ?? [])]

const check = (original: Uint8Array, result: Uint8Array, quality: Quality) =>
  checkInventory({
    format: PDF,
    output: 'pdf',
    original: source(original),
    result: source(result),
    quality,
    signal: SIGNAL,
    metadata: undefined,
  })

/** Sets or deletes an entry of the dictionary that has `key` with this text. */
const entry =
  (key: string, text: string, to: Str | Name | boolean | undefined, target = key): Change =>
  (dict) => {
    if (textOf(dict.get(key)) !== text && nameOf(dict.get(key)) !== text) return false
    if (to === undefined) dict.delete(target)
    else dict.set(target, to)
    return true
  }
type Str = ReturnType<typeof string>

const removed =
  (key: string): Change =>
  (dict) =>
    dict.delete(key)

/** A change for each kind, and the data of the changed stream. */
const DAMAGE: readonly [InventoryKind, Change, string?][] = [
  ['alternative_texts', entry('S', 'Figure', undefined, 'Alt')],
  ['alternative_texts', entry('Alt', 'A paper clip', string('A pin'))],
  ['annotations', entry('Contents', 'Please check', string('Checked'))],
  ['annotations', entry('Subtype', 'Text', Name.of('Square'))],
  ['application_data', removed('PieceInfo')],
  ['article_threads', removed('Threads')],
  ['associated_files', entry('UF', 'source.ods', string('other.ods'))],
  ['attachments', entry('Desc', 'Figures', undefined)],
  ['attachments', entry('Type', 'EmbeddedFile', Name.of('EmbeddedFile')), 'a,b\n1,3'],
  ['attributes', entry('Placement', 'Block', Name.of('Inline'))],
  ['claims', entry('Type', 'Metadata', Name.of('Metadata')), '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'],
  ['destinations', removed('Dests')],
  ['document_information', entry('Author', 'Ann', string('Bob'))],
  ['document_properties', entry('Lang', 'en-GB', string('en-US'))],
  ['document_properties', removed('OpenAction')],
  ['fields', entry('V', 'Miller', string('Smith'))],
  ['fonts', entry('BaseFont', 'ABCDEF+Verdana', Name.of('ABCDEF+Tahoma'))],
  ['fonts_of_forms', removed('DR')],
  ['form', removed('NeedAppearances')],
  ['labels', entry('P', 'A-', string('B-'))],
  ['languages', entry('Lang', 'de', undefined)],
  ['layers', entry('Name', 'Plan', string('Plans'))],
  ['links', entry('URI', 'https://example.org/a', string('https://example.org/b'))],
  ['outline', entry('Title', 'Section 1.1', string('Section 1.2'))],
  ['output_intents', entry('OutputConditionIdentifier', 'sRGB', string('CMYK'))],
  ['page_boxes', removed('CropBox')],
  ['page_properties', removed('Tabs')],
  ['page_thumbnails', removed('Thumb')],
  ['scripts', entry('JS', 'app.alert(1)', string('app.alert(2)'))],
  ['tags', entry('S', 'Figure', Name.of('P'))],
  ['titles', entry('T', 'Main part', string('Other part'))],
]

describe('inventory of PDF', () => {
  it('lists what the document holds', async () => {
    const inventory = await inventoryOf(richPdf('hidden bytes'))
    const listed = Object.fromEntries([...inventory].map(([kind, items]) => [kind, [...items.keys()].sort()]))
    expect(listed).toMatchObject({
      alternative_texts: ['A paper clip', 'Alt A curve'],
      annotations: [
        'page 1 FileAttachment [70 70 90 90] =',
        'page 1 Text [5 5 20 20] = /Contents (Please check) /T (Ann)',
        'page 1 Widget [9 9 60 20] = /AA <</K <</JS (app.alert(1)) /S /JavaScript>>>> /FT /Tx /T (name)',
      ],
      article_threads: ['0 = 1 parts <</Title (Story)>>'],
      claims: ['pdfaid:part = 2'],
      destinations: ['named = page 2 [/FitH 40]'],
      document_information: ['Author = Ann', 'Title = Report'],
      fields: ['name Tx = /V Miller /DA /Helv 0 Tf'],
      fonts: ['Helvetica', 'Verdana'],
      fonts_of_forms: ['Helv Helvetica'],
      labels: ['from page 1 = <</P (A-) /S /r>>'],
      languages: ['Document de'],
      links: ['page 1 [1 2 30 40] = to https://example.org/a'],
      outline: ['/Chapter 1 = to page 1 [/XYZ 0 9 0] open', '/Chapter 1/Section 1.1 = to #named'],
      page_boxes: [
        'page 1 CropBox = [10 10 290 390]',
        'page 1 MediaBox = [0 0 300 400]',
        'page 2 MediaBox = [0 0 300 400]',
        'page 2 Rotate = 90',
      ],
      tags: ['Document', 'Figure', 'StructTreeRoot = 1 parts of pages', 'role Big = H1'],
      xmp_properties: [
        'dc:title = <Alt><li xml:lang="x-default">Report',
        'dc:title fr = <li xml:lang="fr">Rapport',
        'xmp:CreatorTool = Editor 7',
      ],
    })
    expect(inventory.get('pages')).toEqual(new Map([['page', 2]]))
  })

  it('names the libraries that are installed', () => {
    const manifest = readFileSync(join(import.meta.dirname, '../../../node_modules/saxes/package.json'), 'utf8')
    expect(pdfInventory.library).toContain(`saxes ${(JSON.parse(manifest) as { version: string }).version}`)
  })

  it('has a row of the policy for each kind', async () => {
    const known = kindsOf('pdf')
    for (const kind of (await inventoryOf(richPdf('hidden bytes'))).keys()) expect(known).toContain(kind)
  })

  // The document is PDF/A, so its own private data stay (ISO 19005-4, 6.1.3).
  it('is the same after compression, except for private data of applications below level high', async () => {
    const original = richPdf('hidden bytes')
    const before = await inventoryOf(original)
    expect(before.get('application_data')).toEqual(
      new Map([
        ['document: Editor', 1],
        ['page 1: Editor', 1],
      ]),
    )
    for (const quality of ['high', 'medium', 'low'] as const) {
      const { outcome, bytes } = await pressAlone(original, quality)
      const gone = quality === 'high' ? {} : { removed: [{ kind: 'application_data', count: 1, why: 'editor_only' }] }
      expect(outcome).toMatchObject({ kind: 'compressed', inventory: { pages: 2, links: 1 }, ...gone })
      const kept = quality === 'high' ? before : new Map(before).set('application_data', new Map([['document: Editor', 1]]))
      expect(await inventoryOf(bytes)).toEqual(kept)
    }
  })

  it.each(DAMAGE)('finds the loss of %s', async (kind, change, data) => {
    const { bytes } = await pressAlone(richPdf(), 'high')
    const damaged = await withChange(bytes, change, data)
    expect(await check(richPdf(), damaged, 'high')).toMatchObject({ kind: 'lost' })
    const [before, after] = [(await inventoryOf(bytes)).get(kind), (await inventoryOf(damaged)).get(kind)]
    expect(after).not.toEqual(before)
  })

  it('makes the pipeline return the original, whatever item a codec loses', async () => {
    const original = richPdf()
    const results = new Map<Quality, Uint8Array>()
    for (const quality of ['high', 'medium', 'low'] as const) results.set(quality, (await pressAlone(original, quality)).bytes)
    const losses = DAMAGE.filter(([kind]) => kind !== 'application_data')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...losses), fc.constantFrom(...results.keys()), async ([, change, data], quality) => {
        const damaged = await withChange(results.get(quality)!, change, data)
        const large = new Uint8Array(Buffer.concat([original, Buffer.alloc(damaged.length, '% comment\n')]))
        const codec: Codec = {
          ...pdf,
          async compress(_, sink) {
            await sink.write(damaged)
            return { kind: 'compressed', steps: [] }
          },
          verify: async () => ({ equal: true }),
        }
        const job = openJob(codec, source(large), {}, { quality })
        const { outcome, result } = await job.whole(async () => memorySink(large.length, 'x.pdf'))
        expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', detail: expect.stringContaining('the result would lose') })
        expect(result).toBeUndefined()
      }),
      { numRuns: roundsOf(25) },
    )
  })

  it('finds missing pages and bytes behind the end', async () => {
    const tail = 'hidden bytes'
    const { bytes } = await pressAlone(richPdf(tail), 'medium')
    const withoutTail = bytes.subarray(0, bytes.length - tail.length)
    expect(await check(richPdf(tail), withoutTail, 'medium')).toMatchObject({ kind: 'lost', loss: { kind: 'trailing_bytes' } })
    const onePage = await withChange(withoutTail, (dict) => {
      const kids = dict.get('Kids')
      if (nameOf(dict.get('Type')) !== 'Pages' || !Array.isArray(kids)) return false
      dict.set('Kids', kids.slice(0, 1))
      return true
    })
    expect(await check(richPdf(), onePage, 'medium')).toMatchObject({ kind: 'lost' })
    expect((await inventoryOf(onePage)).get('pages')).toEqual(new Map([['page', 1]]))
  })

  it('rejects a result whose cross-reference table needs repair, and accepts such an original', async () => {
    const whole = richPdf()
    const broken = new Uint8Array(
      Buffer.from(
        Buffer.from(whole)
          .toString('latin1')
          .replace(/startxref\n\d+/, 'startxref\n7'),
        'latin1',
      ),
    )
    expect(await inventoryOf(broken)).toEqual(await inventoryOf(whole))
    expect(await check(whole, broken, 'high')).toMatchObject({ kind: 'unreadable' })
    expect(await check(broken, whole, 'high')).toMatchObject({ kind: 'kept' })
  })

  it('does not depend on the number of items', async () => {
    const links = (count: number, last: string) => {
      const one = (index: number) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 ${index}]/A<</S/URI/URI(${index === count ? last : 'a'})>>>>`
      const annotations = Array.from({ length: count }, (_, index) => one(index + 1)).join('')
      return Buffer.from(
        `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Annots[${annotations}]>>endobj\ntrailer<</Root 1 0 R>>`,
      )
    }
    const many = await inventoryOf(new Uint8Array(links(12_000, 'a')))
    expect([...(many.get('links')?.values() ?? [])]).toEqual([12_000])
    expect(await inventoryOf(new Uint8Array(links(12_000, 'a')))).toEqual(many)
    expect(await inventoryOf(new Uint8Array(links(12_000, 'b')))).not.toEqual(many)
    expect(await itemsOf(new Uint8Array(links(3, 'b')), 'links')).toContain('page 1 [0 0 9 3] = to b')
  })
})
