/** Binary Office documents: pictures, their places, what stays, and damaged files. */
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { hex } from '../../../src/core/bytes/hex.ts'
import { md4 } from '../../../src/core/bytes/md4.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import { openCompoundFile } from '../../../src/core/containers/cfb/read.ts'
import { doc } from '../../../src/core/formats/office97/doc.ts'
import { readFbse } from '../../../src/core/formats/office97/fbse.ts'
import { ppt, xls } from '../../../src/core/formats/office97/office97.ts'
import { openPresentation } from '../../../src/core/formats/office97/ppt.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import { STANDARD_MEMORY_BYTES } from '../../../src/core/model/budget.ts'
import type { Codec, Codecs, Options, Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { compoundFile } from '../../support/compound-file.ts'
import { docFile, EDIT, filePass, metafileData, type OfficePicture, pptFile, record, xlsFile } from '../../support/office97-file.ts'
import { jpegOf, photo, pngOf } from '../../support/packages.ts'
import { bmpFile } from '../../support/picture-files.ts'
import { pressFile } from '../../support/press-file.ts'

const [WIDTH, HEIGHT] = [160, 120]
const jpeg: OfficePicture = { kind: 'jpg', bytes: await jpegOf(photo(WIDTH, HEIGHT), WIDTH, HEIGHT, 98) }
const png: OfficePicture = { kind: 'png', bytes: pngOf(photo(96, 72), 96, 72), uids: 2 }
const dib: OfficePicture = { kind: 'dib', bytes: bmpFile(64, 48, photo(64, 48)).subarray(14) }
const emf: OfficePicture = {
  kind: 'emf',
  bytes: metafileData(new TextEncoder().encode('draw a line '.repeat(300)), (bytes) => new Uint8Array(deflateSync(bytes, { level: 0 }))),
}
const ALL = [jpeg, emf, png, dib]
const docStream = new Uint8Array(600).with(0, 0xec).with(1, 0xa5)
const signal = new AbortController().signal
const sourceOf = (bytes: Uint8Array) => memorySource(bytes, 'a.bin')
const compress = (codec: Codec, bytes: Uint8Array, quality: Quality = 'medium', more: Partial<Options> & { readonly lent?: Codecs } = {}) =>
  pressFile(codec, bytes, 'a.bin', { quality, lent: PRESS_CODECS, ...more })
const optionsFor = (codec: Codec) => optionsOf(codec.format, PRESS_CODECS, { quality: 'low' })
const verify = (codec: Codec, before: Uint8Array, after: Uint8Array) =>
  codec.verify(sourceOf(before), sourceOf(after), { kind: 'compressed', steps: [] }, optionsFor(codec))
const streamOf = async (bytes: Uint8Array, path: string) => {
  const stream = (await openCompoundFile(sourceOf(bytes))).open(path)!
  return stream.read(0, stream.size)
}
const presentationOf = async (bytes: Uint8Array) => (await openPresentation(await openCompoundFile(sourceOf(bytes)), optionsFor(ppt)))!

describe('recognition', () => {
  it.each<[FormatId, Uint8Array]>([
    ['ppt', pptFile([jpeg])],
    ['xls', xlsFile([jpeg])],
    ['doc', docFile()],
  ])('%s is recognised by its streams', async (id, bytes) => {
    expect((await identify(memorySource(bytes, 'unnamed')))?.id).toBe(id)
  })
})

describe('presentations', () => {
  it('have smaller pictures, with their places, sizes and identifiers corrected', async () => {
    const file = pptFile(ALL, { free: 3 })
    const { outcome, bytes, defect } = await compress(ppt, file)
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({
      kind: 'compressed',
      steps: [{ recompressed: 3, pictures: 4 }, { code: 'metafiles_deflated_again' }, {}],
    })
    const { places, entries, document, pictures } = await presentationOf(bytes)
    // Both saved versions have a table.
    expect(entries.map(({ place }) => place)).toEqual([...places, ...places].map(({ at }) => at))
    expect(entries.map(({ size }) => size)).toEqual([...places, ...places].map(({ size }) => size))
    for (const [index, { at }] of entries.slice(places.length).entries()) {
      const blip = await pictures.read(places[index]!.at, places[index]!.size)
      const data = blip.subarray(8 + 16 * (ALL[index]!.uids ?? 1) + 1)
      if (ALL[index] === emf) continue
      expect(hex(document.subarray(at + 10, at + 26))).toBe(hex(md4(data)))
      expect(hex(blip.subarray(8, 24))).toBe(hex(md4(data)))
    }
    for (const path of ['Current User', '\u0005SummaryInformation', '_VBA_PROJECT_CUR/VBA/Module1'])
      expect(await streamOf(bytes, path)).toEqual(await streamOf(file, path))
    expect(await verify(ppt, file, bytes)).toEqual({ equal: true })
  })

  it('have bitmaps as PNG at high, exactly', async () => {
    const { outcome, bytes } = await compress(ppt, pptFile([dib]), 'high', { lossless: true })
    expect(outcome).toMatchObject({ kind: 'compressed', steps: [{ details: [{ code: 'bmps_to_png_or_jpeg' }] }, {}] })
    expect(outcome).not.toHaveProperty('loss')
    const { document, entries } = await presentationOf(bytes)
    expect([...document.subarray(entries[0]!.at + 8, entries[0]!.at + 10)]).toEqual([6, 6])
  })

  it('have pictures at the size at which slides show them', async () => {
    const { outcome } = await compress(ppt, pptFile([{ ...jpeg, shown: [0.3, 0.225] }]), 'low')
    expect(outcome).toMatchObject({ steps: [{ details: [{ code: 'pictures_downsampled_to_shown', pictures: 1 }] }, {}] })
  })

  it('keep bytes behind the last picture, and entries that name them', async () => {
    const tail = new Uint8Array(50).fill(7)
    const file = pptFile([jpeg], { tail })
    const { bytes } = await compress(ppt, file)
    const { pictures, end } = await presentationOf(bytes)
    expect(await pictures.read(end, 100)).toEqual(tail)
  })

  it('stay if an entry names a place without a picture', async () => {
    const file = pptFile([jpeg])
    const { entries } = await presentationOf(file)
    const at = Buffer.from(file).indexOf(
      Buffer.from((await streamOf(file, 'PowerPoint Document')).subarray(entries[0]!.at, entries[0]!.at + 44)),
    )
    const { outcome } = await compress(ppt, file.with(at + 8 + 28, 9))
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'office97_pictures_not_understood' } })
  })

  it('stay if the last edit is not where `Current User` says', async () => {
    const file = pptFile([jpeg])
    const current = (await streamOf(file, 'Current User')).slice()
    const at = Buffer.from(file).indexOf(Buffer.from(current))
    const { outcome } = await compress(ppt, file.with(at + 16, current[16]! ^ 1))
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'office97_pictures_not_understood' } })
  })

  it('stay if they are encrypted or signed', async () => {
    expect((await compress(ppt, pptFile([jpeg], { token: EDIT.encrypted }))).outcome).toMatchObject({
      kind: 'unchanged',
      reason: 'encrypted',
    })
    for (const name of ['_signatures', '_xmlsignatures/1'])
      expect((await compress(ppt, pptFile([jpeg], { more: [{ name, bytes: Uint8Array.of(1) }] }))).outcome).toMatchObject({
        kind: 'unchanged',
        reason: 'signed',
      })
  })
})

describe('workbooks', () => {
  it('have smaller pictures, and all offsets behind them are corrected', async () => {
    const file = xlsFile(ALL)
    const { outcome, bytes, defect } = await compress(xls, file)
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({
      kind: 'compressed',
      steps: [{ recompressed: 3, pictures: 4 }, { code: 'metafiles_deflated_again' }, {}],
    })
    const stream = Buffer.from(await streamOf(bytes, 'Workbook'))
    const sheetAt = stream.readUInt32LE(12 + 4)
    expect(stream.readUInt16LE(sheetAt)).toBe(0x809)
    const indexAt = sheetAt + 12
    expect(stream.readUInt16LE(indexAt)).toBe(0x20b)
    expect(stream.readUInt16LE(stream.readUInt32LE(indexAt + 4 + 16))).toBe(0xd7)
    const texts = stream.indexOf('Hello') - 3
    const textIndex = stream.indexOf(Buffer.from([0xff, 0, 10, 0, 8, 0]))
    expect(stream.readUInt32LE(textIndex + 6)).toBe(texts)
    expect(await verify(xls, file, bytes)).toEqual({ equal: true })
  })

  it('leave less memory to the codecs of their pictures', async () => {
    const budgets: number[] = []
    const jpg: Codec = {
      ...PRESS_CODECS.jpg!,
      compress: (source, sink, options) => {
        budgets.push(options.memoryBudget)
        return PRESS_CODECS.jpg!.compress(source, sink, options)
      },
    }
    const { outcome } = await compress(xls, xlsFile([jpeg]), 'medium', { lent: { ...PRESS_CODECS, jpg } })
    expect(outcome.kind).toBe('compressed')
    // The picture, the workbook with it, and the table of pictures.
    expect(Math.max(...budgets)).toBeLessThan(STANDARD_MEMORY_BYTES - 3 * jpeg.bytes.length)
  })

  it('stay if they are encrypted', async () => {
    expect((await compress(xls, xlsFile([jpeg], { early: filePass() }))).outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted' })
  })
})

describe('Word documents', () => {
  it('lose free sectors and nothing else', async () => {
    const file = docFile({ free: 6 })
    const { outcome, bytes } = await compress(doc, file)
    expect(outcome).toMatchObject({ kind: 'compressed', steps: [{ code: 'streams_written_without_free_sectors' }] })
    for (const path of ['WordDocument', '1Table']) expect(await streamOf(bytes, path)).toEqual(await streamOf(file, path))
    const again = await compress(doc, bytes)
    expect(again.outcome).toMatchObject({
      kind: 'unchanged',
      reason: 'no_gain',
      detail: { code: 'doc_pictures_stay' },
      suggestion: { output: 'zst' },
    })
  })

  it('stay if they are encrypted', async () => {
    expect((await compress(doc, docFile({ free: 6, encrypted: true }))).outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted' })
  })
})

describe('compound files', () => {
  it('with many sectors get tables of tables', async () => {
    // More than 109 tables of 128 sectors.
    const large = new Uint8Array(512 * 128 * 112)
    for (let at = 0; at < large.length; at += 97) large[at] = at & 255
    const file = compoundFile(
      [
        { name: 'WordDocument', bytes: docStream },
        { name: 'Data', bytes: large },
      ],
      { free: 9 },
    )
    const { outcome, bytes } = await compress(doc, file)
    expect(outcome.kind).toBe('compressed')
    expect(await streamOf(bytes, 'Data')).toEqual(large)
  })

  it('keep data behind their last sector, but no zeros', async () => {
    const file = docFile({ free: 6 })
    const zip = new TextEncoder().encode('PK an archive behind the document')
    const withArchive = await compress(doc, concat([file, zip]))
    expect(Buffer.from(withArchive.bytes.subarray(-zip.length)).toString()).toContain('PK an archive')
    expect(await verify(doc, concat([file, zip]), withArchive.bytes.subarray(0, -1))).toMatchObject({ equal: false })
    const plain = await compress(doc, file)
    expect((await compress(doc, concat([file, new Uint8Array(2000)]))).bytes).toEqual(plain.bytes)
  })

  it('with many small streams are written stream by stream', async () => {
    const small = Array.from({ length: 300 }, (_, index) => ({ name: `s${index}`, bytes: new Uint8Array(4000).fill(index) }))
    const file = compoundFile([{ name: 'WordDocument', bytes: docStream }, ...small], { free: 1 })
    const sink = memorySink(file.length, 'a.doc')
    let largest = 0
    const write = (piece: Uint8Array) => {
      largest = Math.max(largest, piece.length)
      return sink.write(piece)
    }
    const measured = {
      write,
      patch: sink.patch.bind(sink),
      abort: sink.abort.bind(sink),
      get written() {
        return sink.written
      },
    }
    expect((await doc.compress(sourceOf(file), measured, optionsFor(doc))).kind).toBe('compressed')
    expect(await streamOf(sink.bytes(), 's299')).toEqual(small[299]!.bytes)
    // The table of small sectors is the largest piece. All small streams together have 1.2 MB.
    expect(largest).toBeLessThan(128 * 1024)
  })

  it('any streams come back with the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (sizes, free) => {
          const streams = sizes.map((size, index) => ({ name: `s/${index}`, bytes: new Uint8Array(size).fill(index + 1) }))
          const file = compoundFile([{ name: 'WordDocument', bytes: docStream }, ...streams], { free })
          const { bytes, outcome, defect } = await compress(doc, file)
          expect(defect).toBeUndefined()
          expect(outcome.kind).toBe('compressed')
          for (const stream of streams) expect(await streamOf(bytes, stream.name)).toEqual(stream.bytes)
        },
      ),
      { numRuns: 15 },
    )
  })
})
describe('verification', () => {
  it('rejects any changed byte of streams, directory and pictures', async () => {
    for (const [codec, file] of [
      [ppt, pptFile([jpeg, emf])],
      [xls, xlsFile([jpeg, emf])],
    ] as const) {
      const { bytes } = await compress(codec, file)
      const rejected = async (at: number) =>
        expect(await verify(codec, file, bytes.with(at, bytes[at]! ^ 1)).catch(() => ({ equal: false })), `byte ${at}`).toMatchObject({
          equal: false,
        })
      for (const text of ['SummaryInformation', 'Pictures', 'Workbook', 'class of storage', 'Hello', 'A workbook', 'A title'])
        for (const encoding of ['utf16le', 'latin1'] as const) {
          const at = Buffer.from(bytes).indexOf(Buffer.from(text, encoding))
          if (at >= 0) await rejected(at)
        }
    }
  })
})

describe('hostile files', () => {
  it('with loops, lying sizes, nested records and huge counts stay unchanged or equal', async () => {
    const deep = Array.from({ length: 200 }).reduce<Uint8Array>((inner) => record(0x03e8, 0, 15, inner), new Uint8Array(8))
    const many = concat(Array.from({ length: 3000 }, () => record(1, 0, 0)))
    for (const document of [deep, many, new Uint8Array(5000).fill(255)]) {
      const file = compoundFile([
        { name: 'PowerPoint Document', bytes: document },
        { name: 'Pictures', bytes: new Uint8Array(5000).fill(255) },
      ])
      const { defect, outcome } = await compress(ppt, file)
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('unchanged')
    }
  })

  it('with a chain of sectors that has a loop, or a stream larger than its chain, are malformed', async () => {
    const file = docFile({ free: 2 })
    const view = new DataView(file.buffer, file.byteOffset)
    const [table, directory] = [76, 48].map((at) => (view.getUint32(at, true) + 1) * 512) as [number, number]
    const loop = file.slice()
    // Each sector is followed by itself.
    for (let sector = 0; sector < 128; sector++) new DataView(loop.buffer).setUint32(table + 4 * sector, sector, true)
    expect((await compress(doc, loop)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    expect(await identify(sourceOf(loop))).toBeUndefined()
    const large = file.slice()
    for (const entry of [1, 2, 3]) new DataView(large.buffer).setUint32(directory + 128 * entry + 120, 0x7fffffff, true)
    expect((await compress(doc, large)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('with streams that share sectors are malformed, for the inventory too', async () => {
    const streams = ['A', 'B', 'C'].map((name) => ({ name, bytes: new Uint8Array(40_000).fill(1) }))
    const file = compoundFile([{ name: 'WordDocument', bytes: docStream }, ...streams])
    const view = new DataView(file.buffer, file.byteOffset)
    const directory = (view.getUint32(48, true) + 1) * 512
    const entryOf = (name: string) => Buffer.from(file).indexOf(Buffer.from(`${name}\0\0\0`, 'latin1'), directory)
    const read = async () => (await readerOf('doc'))!.read(sourceOf(file), signal)
    await expect(read()).resolves.toBeDefined()
    for (const name of ['A', 'B', 'C']) {
      view.setUint32(entryOf(name) + 116, 0, true)
      view.setUint32(entryOf(name) + 120, file.length - 1024, true)
    }
    expect((await compress(doc, file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    await expect(read()).rejects.toThrow()
  })

  it('random changes of structures never give a defect', async () => {
    const files = [
      [ppt, pptFile([emf], { free: 2 })],
      [xls, xlsFile([emf], { free: 2 })],
      [doc, docFile({ free: 2 })],
    ] as const
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.constantFrom(0, 1, 0x7f, 0xff), async ([codec, file], seed, byte) => {
        const { defect } = await compress(codec, file.with(8 + (seed % (file.length - 8)), byte))
        expect(defect).toBeUndefined()
      }),
      { numRuns: 150 },
    )
  })
})

describe('inventory', () => {
  it('counts slides, texts, pictures, macros and properties, and keeps them', async () => {
    const found = await (await readerOf('ppt'))!.read(sourceOf(pptFile(ALL)), signal)
    const count = (kind: Parameters<typeof found.get>[0]) => [...(found.get(kind)?.values() ?? [])].reduce((sum, one) => sum + one, 0)
    expect(count('sheets_and_slides')).toBe(2)
    expect(count('texts')).toBe(2)
    expect(count('macros')).toBe(1)
    expect(count('properties')).toBe(1)
    expect(count('media')).toBe(12)
    const sheets = await (await readerOf('xls'))!.read(sourceOf(xlsFile(ALL)), signal)
    expect([...sheets.get('sheets_and_slides')!.keys()]).toEqual(['sheet Sheet'])
    expect(sheets.get('media')?.get('picture')).toBe(3)
  })

  it('sees a changed text, size of a frame or stream', async () => {
    const file = pptFile([{ ...jpeg, shown: [1, 1] }])
    const before = await (await readerOf('ppt'))!.read(sourceOf(file), signal)
    const { entries } = await presentationOf(file)
    expect(readFbse(await streamOf(file, 'PowerPoint Document'), entries[0]!.at).references).toBe(1)
    for (const text of ['A title', 'Sub', 'by Ada']) {
      const at = Buffer.from(file).indexOf(Buffer.from(text, 'utf16le'))
      expect(await (await readerOf('ppt'))!.read(sourceOf(file.with(at, 0x42)), signal), text).not.toEqual(before)
    }
  })
})
