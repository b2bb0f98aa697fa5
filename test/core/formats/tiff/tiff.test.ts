import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { readPixels } from '../../../../src/core/containers/tiff/pixels.ts'
import { readTiff } from '../../../../src/core/containers/tiff/read-directories.ts'
import { sampleRows } from '../../../../src/core/formats/tiff/samples.ts'
import { geotiff, tiff } from '../../../../src/core/formats/tiff/tiff.ts'
import type { Options, Source } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../../src/core/pipeline/job.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish, textsOf } from '../../../support/in-english.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'
import { roundsOf } from '../../../support/thorough.ts'
import { countWork } from '../../../support/work.ts'
import { buildTiff, makePixels, type Picture, readDirectories, readDirectory, readPicture, type Shape } from './build-tiff.ts'

function optionsFor(over: Partial<Options> = {}): Options {
  return optionsOf(tiff.format, {}, over)
}

const pack = (source: Source, options = optionsFor()) =>
  openJob(tiff, source, {}, options).whole(async () => memorySink(source.size, source.name))

async function packed(file: Uint8Array) {
  const { outcome, result, ...rest } = await pack(memorySource(file, 'a.tif'))
  expect(rest).not.toHaveProperty('defect')
  expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  return { outcome, bytes: await readAll(result!) }
}

async function expectSamePixels(pictures: Picture[], shape: Shape = {}) {
  const { bytes } = await packed(buildTiff(pictures, shape))
  const directories = readDirectories(bytes)
  expect(directories.length).toBe(pictures.length)
  for (const [i, picture] of pictures.entries()) {
    expect(directories[i]!.number(259)).toBe(8)
    const expected = picture.pixels ?? makePixels(picture)
    expect(Buffer.compare(readPicture(bytes, directories[i]!, picture), expected)).toBe(0)
  }
  return { bytes, directories }
}

const RGB: Picture = { width: 97, height: 61, bits: 8, samples: 3 }

describe('keeps pixels of every format', () => {
  test.each<[string, Partial<Picture>, Shape?]>([
    ['one strip', {}],
    ['many strips', { rowsPerStrip: 3 }],
    ['big-endian', { rowsPerStrip: 20 }, { littleEndian: false }],
    ['BigTIFF', { rowsPerStrip: 20 }, { big: true }],
    ['BigTIFF, big-endian', { tile: [32, 16] }, { big: true, littleEndian: false }],
    ['tiles', { tile: [32, 32] }],
    ['planes', { planar: true, rowsPerStrip: 7 }],
    ['planes in tiles', { planar: true, tile: [48, 16] }],
    ['LZW', { compression: 5, rowsPerStrip: 9 }],
    ['LZW with differencing', { compression: 5, predictor: 2 }],
    ['PackBits', { compression: 32773, rowsPerStrip: 5 }],
    ['weak Deflate', { compression: 8, rowsPerStrip: 8 }],
    ['Deflate with its old compression number', { compression: 32946, predictor: 2, tile: [64, 64] }],
    ['Zstandard', { compression: 50000, rowsPerStrip: 2 }],
    ['16 bits', { bits: 16, rowsPerStrip: 11 }],
    ['16 bits, big-endian, differenced', { bits: 16, compression: 5, predictor: 2 }, { littleEndian: false }],
    ['32 bits, differenced', { bits: 32, samples: 1, compression: 8, predictor: 2 }],
    [
      '64 bits, differenced',
      {
        bits: 64,
        samples: 1,
        compression: 5,
        predictor: 2,
        pixels: new Uint8Array(97 * 8 * 61).map((_, i) => (i % 8 === 0 ? (i >> 3) % 97 : 3)),
      },
    ],
    ['floats', { bits: 32, samples: 1, floating: true, tile: [16, 16] }],
    ['floats, predicted', { bits: 32, samples: 2, floating: true, compression: 8, predictor: 3, rowsPerStrip: 4 }],
    ['floats, predicted, big-endian', { bits: 32, samples: 1, floating: true, compression: 5, predictor: 3 }, { littleEndian: false }],
    ['1 bit', { bits: 1, samples: 1, width: 1203, rowsPerStrip: 2 }],
    ['1 bit, mirrored', { bits: 1, samples: 1, width: 1203, mirrored: true }],
    ['4 bits in tiles', { bits: 4, samples: 1, width: 333, tile: [128, 64] }],
    ['12 bits', { bits: 12, samples: 1, width: 301, rowsPerStrip: 3 }],
    ['two samples', { samples: 2, width: 400 }],
  ])('keeps all samples: %s', async (_, over, shape) => {
    await expectSamePixels([{ ...RGB, ...over }], shape)
  })

  test('tries level 12 only where samples repeat', async () => {
    const random = randomNumbers(11)
    const picture: Picture = { width: 300, height: 400, bits: 8, samples: 1 }
    const triedFor = async (pixels: Uint8Array) => {
      const { outcome } = await packed(buildTiff([{ ...picture, pixels }]))
      return textsOf(outcome.kind === 'compressed' ? outcome.steps : []).join()
    }
    const few = Uint8Array.from({ length: 300 * 400 }, () => Math.floor(random() * 5) * 40)
    expect(await triedFor(few)).toContain('level 10)')
    const repeated = few.slice()
    for (let at = 0; at < repeated.length; at++) repeated[at] = few[(at % 30_000) % 1700]!
    expect(await triedFor(repeated)).toContain('level 12)')
  })

  test('keeps pixels of any combination of properties', async () => {
    const picture = fc.record({
      width: fc.integer({ min: 40, max: 150 }),
      height: fc.integer({ min: 30, max: 90 }),
      bits: fc.constantFrom(8, 16, 32),
      samples: fc.integer({ min: 1, max: 4 }),
      planar: fc.boolean(),
      rowsPerStrip: fc.integer({ min: 1, max: 90 }),
      tiled: fc.boolean(),
      compression: fc.constantFrom(1, 5, 32773, 8),
      predicted: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(picture, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.boolean(), async (specs, littleEndian, big) => {
        const pictures = specs.map(({ tiled, predicted, compression, ...spec }) => ({
          ...spec,
          compression: compression as 1 | 5 | 32773 | 8,
          ...(tiled ? { tile: [32, 16] as [number, number] } : {}),
          ...(predicted && (compression === 5 || compression === 8) ? { predictor: 2 as const } : {}),
        }))
        const file = buildTiff(pictures, { littleEndian, big })
        const { outcome, result } = await pack(memorySource(file, 'a.tif'))
        if (outcome.kind === 'unchanged') {
          expect(outcome.reason).toBe('no_gain')
          return
        }
        const bytes = await readAll(result!)
        const directories = readDirectories(bytes)
        pictures.forEach((expected, i) => {
          if (directories[i]!.number(259) === 8)
            expect(Buffer.compare(readPicture(bytes, directories[i]!, expected), makePixels(expected))).toBe(0)
        })
      }),
      { numRuns: roundsOf(40) },
    )
  })
})

describe('structure', () => {
  test('merges small strips and splits large ones', async () => {
    const small = await expectSamePixels([{ ...RGB, width: 700, height: 300, rowsPerStrip: 1 }])
    expect(small.directories[0]!.number(278)).toBeGreaterThan(100)
    const large = await expectSamePixels([{ ...RGB, width: 1500, height: 1200, compression: 5 }])
    expect(large.directories[0]!.numbers(273).length).toBeGreaterThan(5)
  })

  test('keeps the bytes of other fields, and writes shared values once', async () => {
    const icc = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 3)
    const extra = [
      { tag: 270, type: 2, count: 12, bytes: new TextEncoder().encode('description\0') },
      { tag: 34675, type: 7, count: icc.length, bytes: icc },
      { tag: 33550, type: 12, count: 3, bytes: new Uint8Array(new Float64Array([10, 10, 0]).buffer) },
      { tag: 65000, type: 1, count: 3, bytes: Uint8Array.of(1, 2, 3) },
    ]
    const { directories } = await expectSamePixels([
      { ...RGB, extra },
      { ...RGB, extra: extra.slice(0, 2) },
    ])
    for (const { tag, bytes } of extra) expect(Buffer.compare(directories[0]!.fields.get(tag)!.values, bytes)).toBe(0)
    expect(Buffer.compare(directories[1]!.fields.get(34675)!.values, icc)).toBe(0)
  })

  test('keeps SubIFDs and Exif', async () => {
    const note = new TextEncoder().encode('2026:11:20 10:00:00\0')
    const sub = { ...RGB, width: 40, height: 40 }
    const picture: Picture = { ...RGB, subIfds: [sub, { ...sub, tile: [16, 16] }], exif: [{ tag: 36867, type: 2, count: 20, bytes: note }] }
    const { bytes, directories } = await expectSamePixels([picture])
    const [first, second] = directories[0]!.numbers(330)
    expect(Buffer.compare(readPicture(bytes, readDirectory(bytes, first!), sub), makePixels(sub))).toBe(0)
    expect(Buffer.compare(readPicture(bytes, readDirectory(bytes, second!), sub), makePixels(sub))).toBe(0)
    expect(Buffer.compare(readDirectory(bytes, directories[0]!.number(34665)).fields.get(36867)!.values, note)).toBe(0)
  })

  test('keeps missing strips and tiles missing', async () => {
    const pixels = makePixels(RGB)
    pixels.fill(0, 0, 97 * 3 * 20)
    const { directories } = await expectSamePixels([{ ...RGB, pixels, rowsPerStrip: 10, sparse: [0, 1] }])
    expect(directories[0]!.numbers(279).slice(0, 2)).toEqual([0, 0])
    expect(directories[0]!.numbers(273).slice(0, 2)).toEqual([0, 0])
  })

  test.each([false, true])('keeps the layout of a cloud optimized file (BigTIFF: %s)', async (big) => {
    const overview: Picture = { ...RGB, width: 64, height: 48, tile: [32, 32] }
    const picture: Picture = { ...RGB, width: 128, height: 96, tile: [32, 32] }
    const { bytes, directories } = await expectSamePixels([picture, overview], { cog: true, big })
    expect(new TextDecoder().decode(bytes.subarray(big ? 16 : 8, 60))).toContain('GDAL_STRUCTURAL_METADATA_SIZE')
    const offsets = directories.map((directory) => directory.numbers(324))
    expect(Math.max(...offsets[1]!)).toBeLessThan(Math.min(...offsets[0]!)) // overviews first
    for (const [i, directory] of directories.entries()) {
      const lengths = directory.numbers(325)
      offsets[i]!.forEach((offset, tile) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset)
        expect(view.getUint32(offset - 4, true)).toBe(lengths[tile]) // tile length before the tile
        const end = offset + lengths[tile]!
        expect(bytes.slice(end, end + 4)).toEqual(bytes.slice(end - 4, end)) // last four bytes of the tile, repeated after it
      })
    }
  })

  test('copies pictures with an unknown compression and recompresses the others', async () => {
    const lzma: Picture = { ...RGB, compression: 34925, pixels: makePixels(RGB) }
    const file = buildTiff([RGB, lzma])
    const { bytes } = await packed(file)
    const [, copied] = readDirectories(bytes)
    expect(copied!.number(259)).toBe(34925)
    const [at] = copied!.numbers(273)
    expect(Buffer.compare(bytes.subarray(at, at! + copied!.numbers(279)[0]!), lzma.pixels!)).toBe(0)
  })

  test('samples a strip in a few pieces from its beginning to its end (one-row-stands-for-all)', async () => {
    const file = await readTiff(memorySource(buildTiff([{ width: 2464, height: 9000, bits: 1, samples: 1 }]), 'a.tif'), 'tiff')
    const samples = await sampleRows(file, (await readPixels(file, file.chain[0]!))!)
    expect(samples.length).toBe(8)
    for (const { length } of samples) expect(length).toBe(Math.floor((128 * 1024) / 308) * 308)
  })

  test.each([
    [200, 900, 2],
    [300, 100, 1],
    [64, 7000, 4],
  ])('takes samples of a strip of %i by %i pixels at the expected rows', async (width, height, pieces) => {
    const bytes = buildTiff([{ width, height, bits: 8, samples: 1 }])
    const file = await readTiff(memorySource(bytes, 'a.tif'), 'tiff')
    const pixels = (await readPixels(file, file.chain[0]!))!
    const rows = Buffer.from(bytes.subarray(pixels.offsets[0], pixels.offsets[0]! + width * height))
    const samples = await sampleRows(file, pixels)
    expect(samples.length).toBe(pieces)
    const taken = samples[0]!.length / width
    for (const [i, sample] of samples.entries()) {
      const from = Math.round(pieces > 1 ? (i * (height - taken)) / (pieces - 1) : 0) * width
      expect(rows.subarray(from, from + sample.length).equals(sample)).toBe(true)
    }
  })

  test('keeps the padding bits of one-bit rows', async () => {
    const file = buildTiff([{ width: 153, height: 155, bits: 1, samples: 1 }])
    const tiffFile = await readTiff(memorySource(file, 'a.tif'), 'tiff')
    const [at] = (await readPixels(tiffFile, tiffFile.chain[0]!))!.offsets
    const rows = file.subarray(at, at! + 20 * 155)
    // Group 4 is best for edges that move by one column per row, unless a row's padding bits are not zero.
    const edges = [10, 30, 55, 80, 110, 135]
    const random = randomNumbers(4)
    rows.fill(0)
    for (let row = 0; row < 155; row++) {
      for (const i of edges.keys()) edges[i]! += Math.floor(random() * 3) - 1
      for (let x = 0; x < 153; x++) if (edges.filter((edge) => edge <= x).length % 2) rows[row * 20 + (x >> 3)]! |= 0x80 >> (x & 7)
    }
    expect(inEnglish((await packed(file)).outcome)).toMatchObject({ steps: ['compressed with CCITT Group 4'] })
    rows[150 * 20 + 19] = 0x15
    const { outcome, bytes } = await packed(file)
    expect(inEnglish(outcome)).toMatchObject({ steps: [expect.stringContaining('Deflate')] })
    expect(bytes.length).toBeLessThan(file.length)
  })

  test('accepts Group 4 with mirrored bits, as Windows Fax writes it', async () => {
    const order = { tag: 266, type: 3, count: 1, bytes: Uint8Array.of(1, 0) }
    const plain = buildTiff([{ width: 160, height: 155, bits: 1, samples: 1, extra: [order] }])
    const tiffFile = await readTiff(memorySource(plain, 'a.tif'), 'tiff')
    const [at] = (await readPixels(tiffFile, tiffFile.chain[0]!))!.offsets
    const random = randomNumbers(4)
    let edge = 70
    for (let row = 0; row < 155; row++) {
      edge += Math.floor(random() * 3) - 1
      for (let x = 0; x < 160; x++) {
        const mask = 0x80 >> (x & 7)
        plain[at! + row * 20 + (x >> 3)]! &= ~mask
        if (x > edge) plain[at! + row * 20 + (x >> 3)]! |= mask
      }
    }
    const { outcome, bytes: fax } = await packed(plain)
    expect(inEnglish(outcome)).toMatchObject({ steps: ['compressed with CCITT Group 4'] })
    const faxFile = await readTiff(memorySource(fax, 'a.tif'), 'tiff')
    const { offsets, lengths } = (await readPixels(faxFile, faxFile.chain[0]!))!
    for (let i = offsets[0]!; i < offsets[0]! + lengths[0]!; i++) {
      fax[i] = Number.parseInt(fax[i]!.toString(2).padStart(8, '0').split('').reverse().join(''), 2)
    }
    const entry = Buffer.from(fax).indexOf(Uint8Array.of(10, 1, 3, 0, 1, 0, 0, 0))
    expect(entry).toBeGreaterThan(0)
    fax[entry + 8] = 2
    // Bytes after the end of the code, which no reader uses. Without them, recompression gains enough.
    const length = Buffer.from(fax).indexOf(Uint8Array.of(23, 1, 3, 0, 1, 0, 0, 0))
    expect(length).toBeGreaterThan(0)
    new DataView(fax.buffer, fax.byteOffset).setUint16(length + 8, lengths[0]! + 60, true)
    expect(await pack(memorySource(fax, 'a.tif'))).not.toHaveProperty('defect')
  })

  test('finds no further gain in a second pass', async () => {
    const { bytes } = await packed(buildTiff([RGB]))
    expect((await pack(memorySource(bytes, 'a.tif'))).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  test('compresses GeoTIFF like TIFF', async () => {
    const file = buildTiff([RGB])
    const { outcome } = await openJob(geotiff, memorySource(file, 'a.tif'), {}, optionsFor()).whole(async () =>
      memorySink(file.length, 'a.tif'),
    )
    expect(outcome.kind).toBe('compressed')
  })
})

describe('verification', () => {
  test('detects a changed sample, field or length', async () => {
    const original = buildTiff([{ ...RGB, extra: [{ tag: 270, type: 2, count: 12, bytes: new TextEncoder().encode('description\0') }] }])
    const { outcome, bytes } = await packed(original)
    const verdict = (result: Uint8Array, against = original) =>
      tiff.verify(memorySource(against, 'a.tif'), memorySource(result, 'a.tif'), outcome, optionsFor())
    expect(await verdict(bytes)).toEqual({ equal: true })
    const another = original.slice()
    another[500]! ^= 1
    expect(await verdict(bytes, another)).toMatchObject({ equal: false })
    const text = bytes.slice()
    text[Buffer.from(text).indexOf('description')]! ^= 1
    expect(await verdict(text)).toMatchObject({ equal: false, difference: 'tag 270 differs' })
  })
})

describe('bad input', () => {
  const files = [
    buildTiff([
      { ...RGB, rowsPerStrip: 10, compression: 5 },
      { ...RGB, tile: [32, 32], compression: 8 },
    ]),
    buildTiff([{ ...RGB, rowsPerStrip: 10, subIfds: [RGB] }], { big: true, littleEndian: false }),
  ]

  test('rejects a directory with a duplicate tag, because readers differ in the one they use', async () => {
    const rows = { tag: 278, type: 3, count: 1, bytes: Uint8Array.of(1, 0) }
    const file = buildTiff([{ ...RGB, rowsPerStrip: 20, extra: [rows] }])
    const { outcome } = await pack(memorySource(file, 'a.tif'))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining('a directory contains tag 278 twice'),
    })
  })

  test('rejects an invalid PlanarConfiguration, because readers would not show the result', async () => {
    const file = Buffer.from(buildTiff([RGB]))
    const entry = file.indexOf(Uint8Array.of(284 & 255, 284 >> 8, 3, 0, 1, 0, 0, 0, 1, 0))
    expect(entry).toBeGreaterThan(0)
    file.writeUInt16LE(65_534, entry + 8)
    const { outcome } = await pack(memorySource(new Uint8Array(file), 'a.tif'))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining('the planar configuration is 65534; allowed are 1 (chunky) and 2 (planar)'),
    })
  })

  /** A picture of uncompressed strips in which `tag` replaces another field, or its type or count. */
  const bentEntry = (tag: number, to: { tag?: number; type?: number; count?: number }) => {
    const file = Buffer.from(buildTiff([{ ...RGB, rowsPerStrip: 20 }]))
    const at = file.findLastIndex(
      (_, i) => i + 12 < file.length && file.readUInt16LE(i) === tag && [3, 4].includes(file.readUInt16LE(i + 2)),
    )
    if (to.tag) file.writeUInt16LE(to.tag, at)
    if (to.type) file.writeUInt16LE(to.type, at + 2)
    if (to.count) file.writeUInt32LE(to.count, at + 4)
    return new Uint8Array(file)
  }

  test.each<[string, Uint8Array, string]>([
    ['offsets of tiles for lengths of strips', bentEntry(279, { tag: 324 }), 'an image has both the tile tag 324 and the strip tag 273'],
    ['lengths of tiles for lengths of strips', bentEntry(279, { tag: 325 }), 'an image made of strips has the tile tag 325'],
    ['a planar configuration that is text', bentEntry(284, { type: 2 }), 'tag 284 has field type 2, expected an integer type'],
    ['a width that is a fraction', bentEntry(256, { type: 11 }), 'tag 256 has field type 11, expected an integer type'],
    ['two planar configurations', bentEntry(284, { count: 2 }), 'tag 284 has 2 values, which is not a valid number for this tag'],
    ['more strips than rows', bentEntry(273, { count: 6 }), '6 offsets for 4 strips or tiles'],
  ])('returns a file that readers interpret differently unchanged: %s', async (_, file, detail) => {
    const { outcome } = await pack(memorySource(file, 'a.tif'))
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'malformed', detail: expect.stringContaining(detail) })
  })

  test('survives truncation anywhere: unchanged, or a missing directory in the receipt', async () => {
    for (const file of files) {
      for (let length = 8; length < file.length; length += 997) {
        const { outcome } = await pack(memorySource(file.subarray(0, length), 'a.tif'))
        if (outcome.kind === 'compressed') {
          expect(textsOf(outcome.steps)).toContainEqual(expect.stringMatching(/^dead link removed \(next directory at byte/))
        }
      }
    }
  })

  test('survives flipped bits anywhere: a regular outcome without hanging, and equal pixels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (file, place, flip) => {
          const bent = file.slice()
          bent[Math.floor(place * bent.length)]! ^= flip
          const { defect } = { defect: undefined, ...(await pack(memorySource(bent, 'a.tif'))) }
          expect(defect).toBeUndefined()
        },
      ),
      { numRuns: roundsOf(120) },
    )
  })

  test.each<[string, Uint8Array]>([
    ['a loop', Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0)],
    ['a directory outside', Uint8Array.of(0x49, 0x49, 42, 0, 255, 255, 0, 0)],
    ['65535 entries', concat([Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 255, 255), new Uint8Array(100)])],
  ])('rejects damaged structure: %s', async (_, file) => {
    expect((await pack(memorySource(file, 'a.tif'))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  test('ends the chain at a link to other data, unless a directory may follow it', async () => {
    for (const count of [0, 5632]) {
      const one = buildTiff([RGB])
      const file = concat([one, new Uint8Array(2)])
      const view = new DataView(file.buffer)
      const directory = view.getUint32(4, true)
      view.setUint32(directory + 2 + 12 * view.getUint16(directory, true), one.length, true)
      view.setUint16(one.length, count, true)
      expect((await pack(memorySource(file, 'a.tif'))).outcome).toMatchObject({ kind: 'compressed' })
      const more = concat([file, new Uint8Array(5000).fill(7)])
      expect((await pack(memorySource(more, 'a.tif'))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    }
  })

  test('drops an invalid pointer to metadata', async () => {
    const file = buildTiff([{ ...RGB, exif: [{ tag: 37510, type: 7, count: 8, bytes: new TextEncoder().encode('comments') }] }])
    const view = new DataView(file.buffer)
    const directory = view.getUint32(4, true)
    for (let i = 0; i < view.getUint16(directory, true); i++) {
      const at = directory + 2 + 12 * i
      if (view.getUint16(at, true) === 34665) view.setUint16(view.getUint32(at + 8, true), 5632, true)
    }
    expect((await pack(memorySource(file, 'a.tif'))).outcome).toMatchObject({ kind: 'compressed' })
  })

  test('rejects absurd sizes before allocating memory', async () => {
    for (const over of [{ width: 0x7fffffff }, { height: 0x7fffffff, width: 0x7fffffff }, { samples: 60_000 }]) {
      const pixels = new Uint8Array(100)
      const file = buildTiff([{ ...RGB, pixels, width: 8, height: 8 }])
      const view = new DataView(file.buffer)
      for (let at = 0; at < file.length - 12; at += 2) {
        const tag = view.getUint16(at, true)
        if (tag === 256 && 'width' in over && view.getUint32(at + 8, true) === 8) view.setUint32(at + 8, over.width!, true)
        if (tag === 257 && 'height' in over && view.getUint32(at + 8, true) === 8) view.setUint32(at + 8, over.height!, true)
        if (tag === 277 && 'samples' in over) view.setUint16(at + 8, over.samples!, true)
      }
      const work = await countWork(async () => {
        expect((await pack(memorySource(file, 'a.tif'))).outcome).toMatchObject({ kind: 'unchanged' })
      })
      expect(work).toBeLessThan(100_000)
    }
  })

  test('returns files with hidden content unchanged', async () => {
    const text = (words: string) => ({ tag: 270, type: 2, count: words.length + 1, bytes: new TextEncoder().encode(`${words}\0`) })
    const stack = buildTiff([{ ...RGB, extra: [text('ImageJ=1.53\nimages=40\nslices=40\n')] }])
    const lsm = buildTiff([{ ...RGB, extra: [{ tag: 34412, type: 7, count: 8, bytes: new Uint8Array(8) }] }])
    const note = buildTiff([
      { ...RGB, exif: [{ tag: 37500, type: 7, count: 40, bytes: new TextEncoder().encode('Canon with absolute offsets in its notes!') }] },
    ])
    const appended = concat([buildTiff([RGB]), new Uint8Array(5000).fill(7)])
    for (const file of [stack, lsm, note, appended]) {
      expect((await pack(memorySource(file, 'a.tif'))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    }
  })
})
