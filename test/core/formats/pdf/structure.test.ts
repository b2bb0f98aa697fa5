import { describe, expect, it } from 'vitest'
import { type Dict, latin1, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { walkPages } from '../../../../src/core/formats/pdf/reachable-objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { buildPdf, flate, type Part, plainDocument } from './build.ts'
import { press } from './run.ts'

const open = (bytes: Uint8Array) => Reader.open(memorySource(bytes, 'x.pdf'))

async function pageContents(bytes: Uint8Array): Promise<string[]> {
  const reader = await open(bytes)
  const root = await reader.dict(reader.trailer.get('Root'))
  const { leaves } = await walkPages(reader, root!)
  const texts: string[] = []
  for (const number of leaves) {
    const page = await reader.get(number)
    const contents = await reader.entry(page as Dict, 'Contents')
    texts.push(latin1(await reader.decoded(contents as Stream, 1 << 20)))
  }
  return texts
}

describe('structure of a PDF', () => {
  it('becomes smaller and keeps all pages', async () => {
    const bytes = buildPdf(plainDocument(20))
    const { outcome, bytes: result } = await press(bytes)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(result.length).toBeLessThan(bytes.length * 0.7)
    expect(await pageContents(result)).toEqual(await pageContents(bytes))
  })

  it('gives no gain when compressed a second time', async () => {
    const once = (await press(buildPdf(plainDocument(20)))).bytes
    const twice = await press(once)
    expect(twice.bytes.length).toBeGreaterThan(once.length * 0.97)
  })

  it('can be read again with object streams and cross-reference streams', async () => {
    const { bytes } = await press(buildPdf(plainDocument(20)))
    const reader = await open(bytes)
    expect(reader.repaired).toBe(false)
    expect(latin1(bytes.subarray(0, 8))).toBe('%PDF-1.5')
    expect(latin1(bytes)).toContain('/ObjStm')
  })

  it('uses a cross-reference table in PDF/A-1', async () => {
    const xmp = '<rdf:Description xmlns:pdfaid="x"><pdfaid:part>1</pdfaid:part></rdf:Description>'
    const parts = plainDocument(5, [{ dict: '/Type/Metadata/Subtype/XML', data: xmp }], '/Metadata 13 0 R')
    const { outcome, bytes } = await press(buildPdf(parts))
    expect(outcome.kind).toBe('compressed')
    const text = latin1(bytes)
    expect(text).toContain('\ntrailer\n')
    expect(text).not.toContain('/ObjStm')
    expect(text).toContain(xmp)
  })

  // Regression test: qpdf searches "startxref" in the last kilobyte, then "trailer" in the whole file, and found neither.
  it('uses a cross-reference table if trailing data hides startxref from PDF readers', async () => {
    const made = async (bytes: number) => {
      const tail = new Uint8Array(bytes).fill(0x78)
      const upload = new Uint8Array([...buildPdf(plainDocument(20)), ...tail])
      const { outcome, bytes: result } = await press(upload)
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: expect.arrayContaining([`${bytes} trailing bytes after the end of the file format kept`]),
      })
      expect(result.subarray(-bytes)).toEqual(tail)
      return latin1(result)
    }
    expect(await made(3000)).toContain('\ntrailer\n')
    const near = await made(900)
    expect(near).toContain('/ObjStm')
    expect(near.slice(-1024)).toContain('startxref')
  })

  it('merges equal streams and removes unused objects', async () => {
    const same = { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', data: 'q 1 0 0 1 3 3 cm Q '.repeat(40) }
    const unused = { dict: '', data: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251)) }
    const extra: Part[] = ['<</A 6 0 R/B 7 0 R/C 8 0 R>>', same, same, same, unused]
    const bytes = buildPdf(plainDocument(1, extra, '/PieceInfoX 5 0 R'))
    const { outcome, bytes: result } = await press(bytes)
    expect(inEnglish(outcome)).toMatchObject({ steps: expect.arrayContaining(['2 duplicate objects merged']) })
    expect(result.length).toBeLessThan(2000)
    expect(latin1(result).split('/BBox').length - 1).toBeLessThanOrEqual(1)
  })

  it('loses private application data only below level high', async () => {
    const private1 = { dict: '', data: Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 241)) }
    const bytes = buildPdf(plainDocument(4, ['<</App<</Private 12 0 R>>>>', private1], '/PieceInfo 11 0 R'))
    const [high, medium] = [await press(bytes, 'high'), await press(bytes, 'medium')]
    expect(medium.bytes.length).toBeLessThan(high.bytes.length)
    const root = async (b: Uint8Array) => {
      const reader = await open(b)
      return (await reader.dict(reader.trailer.get('Root')))!.has('PieceInfo')
    }
    expect([await root(high.bytes), await root(medium.bytes)]).toEqual([true, false])
  })

  it('uses the newest revision of an object after incremental updates', async () => {
    const bytes = buildPdf(plainDocument(2))
    const update = Buffer.from('4 0 obj\n<</Length 5>>\nstream\n0 0 m\nendstream\nendobj\n')
    const at = bytes.length
    const start = /startxref\n(\d+)/.exec(latin1(bytes))![1]
    const xref = `xref\n4 1\n${String(at).padStart(10, '0')} 00000 n \ntrailer\n<</Size 7/Root 1 0 R/Prev ${start}>>\nstartxref\n${at + update.length}\n%%EOF\n`
    const updated = new Uint8Array(Buffer.concat([bytes, update, Buffer.from(xref)]))
    const { outcome, bytes: result } = await press(updated)
    expect(outcome.kind).toBe('compressed')
    expect((await pageContents(result))[0]).toBe('0 0 m')
  })
})

describe('documents that are returned unchanged', () => {
  it.each([
    ['encrypted', buildPdf(plainDocument(3), { trailer: '/Encrypt<</Filter/Standard>>' })],
    ['signed', buildPdf(plainDocument(3, ['<</Type/Sig/ByteRange [0 10 20 30]/Contents<00>>>'], '/AcroForm<</Fields[9 0 R]>>'))],
    ['malformed', Buffer.from('%PDF-1.4\nnothing here\n%%EOF')],
    ['malformed', buildPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>'])],
  ])('%s', async (reason, bytes) => {
    const { outcome } = await press(new Uint8Array(bytes))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason })
  })

  it('a file with an appended ZIP archive', async () => {
    const zip = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])
    const { outcome } = await press(new Uint8Array(Buffer.concat([buildPdf(plainDocument(9)), zip])))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})

describe('damaged documents', () => {
  it('get a rebuilt cross-reference table if nothing is missing', async () => {
    const bytes = buildPdf(plainDocument(10), { shift: 7 })
    const { outcome, bytes: result } = await press(bytes)
    expect(outcome.kind).toBe('compressed')
    expect(await pageContents(result)).toEqual(await pageContents(buildPdf(plainDocument(10))))
  })

  it('get a corrected stream length', async () => {
    const text = latin1(buildPdf(plainDocument(10))).replace(/\/Length \d\d\d/, '/Length 999')
    const { outcome, bytes } = await press(Uint8Array.from(text, (c) => c.charCodeAt(0)))
    expect(outcome.kind).toBe('compressed')
    expect(await pageContents(bytes)).toEqual(await pageContents(buildPdf(plainDocument(10))))
  })

  it('never lose a page: truncated files stay unchanged or keep every page', async () => {
    const whole = buildPdf(plainDocument(10))
    for (let length = 0; length < whole.length; length += 97) {
      const { outcome, bytes } = await press(whole.slice(0, length))
      if (outcome.kind === 'compressed') expect(await pageContents(bytes)).toEqual(await pageContents(whole))
    }
  })

  it('do not cause endless loops by cyclic page trees and references', async () => {
    const loop = buildPdf([
      '<</Type/Catalog/Pages 2 0 R/X 5 0 R>>',
      '<</Type/Pages/Kids[2 0 R 3 0 R 3 0 R]/Count 3>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>',
      { dict: '/Length 4 0 R', data: flate('q Q') },
      '5 0 R',
    ])
    const { outcome } = await press(loop)
    expect(['compressed', 'unchanged']).toContain(outcome.kind)
  })

  it.each([
    ['an array', '[500 6\xe300 700]'],
    ['a value', '<</Type "Page/A 1>>'],
    ['a key', '<</A 37 0 \xf2/B 1>>'],
  ])('are returned unchanged if a stray word is part of %s, because PDF readers disagree about it', async (_, object) => {
    const bytes = buildPdf(plainDocument(4, [object], '/Widths 11 0 R'))
    expect((await press(bytes)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    expect((await press(buildPdf(plainDocument(4, [object])))).outcome.kind).toBe('compressed')
  })

  it('treat an object as missing if its object stream does not contain it', async () => {
    const content = flate('0 0 200 200 re f '.repeat(50))
    const parts = [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>',
      { dict: '/Filter/FlateDecode', data: content },
      { dict: '/Type/ObjStm/N 1/First 4', data: '9 0 (something of no use to anybody)' },
    ]
    const text = latin1(buildPdf(parts))
    const offsets = [1, 2, 3, 4, 5].map((number) => text.indexOf(`${number} 0 obj`))
    const start = text.indexOf('xref')
    const rows = [[0, 0, 255], ...offsets.map((offset, i) => (i === 3 ? [2, 5, 0] : [1, offset, 0])), [1, start, 0]]
    const table = Buffer.concat(rows.map(([kind, place, extra]) => Buffer.from([kind!, place! >> 8, place! & 255, extra!])))
    const dict = `<</Type/XRef/Size 7/W[1 2 1]/Root 1 0 R/Length ${table.length}>>`
    const bytes = Buffer.from(`${text.slice(0, start)}6 0 obj${dict}stream\n`, 'latin1')
    const end = Buffer.from(`\nendstream endobj\nstartxref\n${start}\n%%EOF\n`)
    const { outcome, bytes: result } = await press(new Uint8Array(Buffer.concat([bytes, table, end])))
    expect(outcome.kind).toBe('compressed')
    const reader = await Reader.open(memorySource(result, 'x.pdf'))
    for (let number = 0; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      if (object instanceof Stream) expect(object.dict.get('Type')).toBeDefined()
    }
  })
})
