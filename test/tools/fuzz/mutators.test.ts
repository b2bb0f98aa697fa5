/** Tests the mutators of the fuzzer: parsing and serialising a file loses no structure, and mutants have consistent checksums. */
import { createHash } from 'node:crypto'
import { crc32, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import { latin1 } from '../../../tools/fuzz/edits.ts'
import { mutantOf } from '../../../tools/fuzz/mutant.ts'
import { dicomOfElements, elementsOf } from '../../../tools/fuzz/mutators/dicom.ts'
import { blocksOf, gifOfBlocks } from '../../../tools/fuzz/mutators/gif.ts'
import { lookup3, summed } from '../../../tools/fuzz/mutators/hdf5.ts'
import { MUTATORS } from '../../../tools/fuzz/mutators/index.ts'
import { boxesOf, movieOfBoxes } from '../../../tools/fuzz/mutators/isobmff.ts'
import { jpegOfSegments, segmentsOf } from '../../../tools/fuzz/mutators/jpeg.ts'
import { tokensOf } from '../../../tools/fuzz/mutators/markup.ts'
import { objectsOf, PDF_MUTATOR, pdfOfObjects } from '../../../tools/fuzz/mutators/pdf.ts'
import { chunksOf, PNG_MUTATOR, pngOfChunks } from '../../../tools/fuzz/mutators/png.ts'
import { riffOf, riffOfBoxes } from '../../../tools/fuzz/mutators/riff.ts'
import { entriesOf as tiffEntries } from '../../../tools/fuzz/mutators/tiff.ts'
import { entriesOf, ZIP_MUTATOR, zipOfEntries } from '../../../tools/fuzz/mutators/zip.ts'
import { Random } from '../../../tools/fuzz/random.ts'
import { generatedSeeds, type Seed } from '../../../tools/fuzz/seeds.ts'

const SEEDS = await generatedSeeds()
const seedOf = (format: FormatId): Seed => SEEDS.find((seed) => seed.format === format)!
const bytesOf = (format: FormatId) => seedOf(format).bytes

const same = (one: Uint8Array, other: Uint8Array) => expect(Buffer.compare(one, other)).toBe(0)

it('every format has one mutator', () => {
  expect(MUTATORS.flatMap(({ formats }) => formats).sort()).toEqual(Object.keys(FORMATS).sort())
})

describe('parsing and serialising returns the same file', () => {
  it.each([
    ['PNG', 'png', (file: Uint8Array) => pngOfChunks(file.slice(0, 8), chunksOf(file))],
    ['JPEG', 'jpg', (file: Uint8Array) => jpegOfSegments(segmentsOf(file))],
    ['ISOBMFF', 'mp4', (file: Uint8Array) => movieOfBoxes(boxesOf(file))],
    ['RIFF', 'avi', (file: Uint8Array) => riffOfBoxes(riffOf(file))],
    ['DICOM', 'dicom', (file: Uint8Array) => dicomOfElements(file.slice(0, 132), elementsOf(file))],
    ['XML', 'svg', (file: Uint8Array) => Buffer.from(tokensOf(latin1(file)).join(''), 'latin1')],
    ['HDF5', 'netcdf', summed],
  ] as const)('%s', (_, format, rewritten) => {
    same(rewritten(bytesOf(format)), bytesOf(format))
  })

  it('GIF: the same blocks, with sub-blocks of maximum length', () => {
    const blocks = blocksOf(bytesOf('gif'))
    expect(blocks.length).toBeGreaterThan(8)
    expect(blocksOf(gifOfBlocks(blocks))).toEqual(blocks)
  })

  it('ZIP: the same entries, compressed again', () => {
    const entries = entriesOf(bytesOf('docx'))
    expect(entries.length).toBeGreaterThan(4)
    expect(entriesOf(zipOfEntries(entries))).toEqual(entries)
  })

  it('PDF: the same objects, with a correct cross-reference table', () => {
    const objects = objectsOf(latin1(bytesOf('pdf')))
    const text = pdfOfObjects(objects, '1 0 R')
    expect(objects.length).toBeGreaterThan(3)
    expect(objectsOf(text)).toEqual(objects)
    const [, first = ''] = / f \n(\d{10}) 00000 n/.exec(text) ?? []
    expect(text.slice(Number(first))).toMatch(/^1 0 obj/)
  })

  it('TIFF: all entries of all directories are found', () => {
    expect(tiffEntries(bytesOf('tiff')).length).toBeGreaterThan(8)
  })
})

it('HDF5: recomputes the checksums of the superblock and of an object header', () => {
  const file = Buffer.from(bytesOf('netcdf'))
  const header = file.indexOf('OHDR')
  const broken = Buffer.from(file)
  broken.fill(0, 44, 48)
  // Access time of the object, which is covered by its checksum.
  broken[header + 8]! ^= 1
  const mended = Buffer.from(summed(broken))
  expect(mended.subarray(0, header).equals(file.subarray(0, header))).toBe(true)
  expect(mended.equals(broken)).toBe(false)
  expect(Buffer.compare(mended.subarray(header + 12), file.subarray(header + 12))).not.toBe(0)
})

it('HDF5: the checksum equals the lookup3 published by Jenkins', () => {
  expect(lookup3(new TextEncoder().encode('Four score and seven years ago'))).toBe(0x17770551)
  expect(lookup3(new Uint8Array())).toBe(0xdeadbeef)
})

describe('a mutant', () => {
  it('depends on seed and number only', () => {
    const series = (seed: string) =>
      Array.from({ length: 90 }, (_, number) =>
        createHash('sha256')
          .update(mutantOf(SEEDS, seed, number).bytes)
          .digest('hex'),
      )
    const [one, two] = [series('one'), series('two')]
    expect(series('one')).toEqual(one)
    expect(one.filter((hash, i) => hash === two[i]).length).toBeLessThan(10)
  })

  it('of a PNG has correct CRCs, and rows that can be decompressed', () => {
    for (let number = 0; number < 40; number++) {
      const made = PNG_MUTATOR.mutate(bytesOf('png'), new Random(number))
      const view = new DataView(made.buffer, made.byteOffset, made.length)
      for (let at = 8; at + 12 <= made.length; at += 12 + view.getUint32(at)) {
        const end = at + 8 + view.getUint32(at)
        expect(view.getUint32(end)).toBe(crc32(made.subarray(at + 4, end)))
      }
    }
  })

  it('of a ZIP package usually has correct CRCs', () => {
    const good = Array.from({ length: 40 }, (_, number) => {
      try {
        return entriesOf(ZIP_MUTATOR.mutate(bytesOf('xlsx'), new Random(number))).length > 0
      } catch {
        return false
      }
    })
    expect(good.filter(Boolean).length).toBeGreaterThan(25)
  })

  it('of a PDF usually has correct stream lengths', () => {
    const honest = Array.from({ length: 40 }, (_, number) => {
      const objects = objectsOf(latin1(PDF_MUTATOR.mutate(bytesOf('pdf'), new Random(number))))
      return objects.every(
        ({ dictionary, stream }) =>
          stream === undefined || !dictionary.includes('/Length ') || dictionary.includes(`/Length ${stream.length}`),
      )
    })
    expect(honest.filter(Boolean).length).toBeGreaterThan(25)
  })

  it('of every format nearly always differs from its seed', () => {
    const all = Array.from({ length: 300 }, (_, number) => mutantOf(SEEDS, 'other', number))
    const same = all.filter(({ bytes }) => SEEDS.some((seed) => Buffer.compare(seed.bytes, bytes) === 0))
    expect(same.length).toBeLessThan(30)
  })
})

it('PNG: the rows of the test file can be decompressed', () => {
  const [header, ...rest] = chunksOf(bytesOf('png'))
  const rows = inflateSync(rest.find(({ type }) => type === 'IDAT')!.data)
  const view = new DataView(header!.data.buffer)
  expect(rows.length).toBe((view.getUint32(0) * 3 + 1) * view.getUint32(4))
})
