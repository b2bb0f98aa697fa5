/**
 * Compares results with independent readers for kinds of files that the generators do not cover, and checks that these readers detect
 * errors. `pressFile`, the PDF tests and every-codec.ts use the same readers.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { crc32, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { subsetForText } from '../../../src/core/fonts/sfnt/for-text.ts'
import { subsetTrueType } from '../../../src/core/fonts/sfnt/subset.ts'
import { characterMaps, fontFile, readFontTables } from '../../../src/core/fonts/sfnt/truetype.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import type { Outcome, Quality } from '../../../src/core/model/codec.ts'
import { encodeRows } from '../../../wasm/jpeg/jpeg.ts'
import { GENERATORS } from '../../support/generators.ts'
import { expectReadersAgree, type Result } from '../../support/independent/agree.ts'
import { expectSubsetsAgree } from '../../support/independent/fonts.ts'
import { jpegOf, photo } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { fewOf } from '../../support/thorough.ts'
import { buildPdf, plainDocument } from '../formats/pdf/build.ts'

const LEVELS: readonly Quality[] = ['low', 'high']
const [WIDTH, HEIGHT] = [61, 47]
const lossy = (ssim: number, psnrDb: number) =>
  ({ kind: 'compressed', steps: [], loss: { pictures: { ssim, psnrDb } } }) as unknown as Outcome
const exact: Outcome = { kind: 'compressed', steps: [] }

async function pressed(
  format: 'jpg' | 'png' | 'pdf' | 'docx',
  upload: Uint8Array,
  quality: Quality,
  output: OutputId = format,
): Promise<Result> {
  const request = { quality, output, lent: PRESS_CODECS }
  const { outcome, bytes, defect } = await pressFile(PRESS_CODECS[format]!, upload, `a.${format}`, request)
  expect(defect).toBeUndefined()
  return { format, output, upload, bytes, outcome }
}

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

interface Kind {
  readonly colourType: 0 | 2 | 3 | 4 | 6
  readonly depth: 1 | 2 | 4 | 8 | 16
  readonly interlaced?: boolean
  /** Chunks between IHDR and IDAT, and chunks after IDAT. */
  readonly before?: readonly Buffer[]
  readonly after?: readonly Buffer[]
}
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const
/** Positions of the Adam7 passes (PNG, 8.2). */
const ADAM7 = [
  ...[
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
  ],
  ...[
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ],
] as const

/** Returns a picture of slow waves as an unfiltered PNG. */
function png({ colourType, depth, interlaced = false, before = [], after = [] }: Kind): Uint8Array {
  const samples = SAMPLES[colourType]
  const most = 2 ** depth - 1
  const sampleAt = (x: number, y: number, channel: number) =>
    Math.round(most * (0.5 + 0.45 * Math.sin(x / (9 + 3 * channel)) * Math.cos((y + 5 * channel) / 11)))
  const rowOf = (y: number, xs: readonly number[]) => {
    const bits = xs.flatMap((x) => Array.from({ length: samples }, (_, channel) => sampleAt(x, y, channel)))
    const row = new Uint8Array(1 + Math.ceil((bits.length * depth) / 8))
    bits.forEach((value, i) => {
      if (depth === 16) row.set([value >> 8, value & 255], 1 + 2 * i)
      else row[1 + ((i * depth) >> 3)]! |= value << (8 - depth - ((i * depth) & 7))
    })
    return row
  }
  const steps = (from: number, step: number, to: number) => Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step)
  const rows = (interlaced ? ADAM7 : [[0, 0, 1, 1]]).flatMap(([x0, y0, dx, dy]) => {
    const xs = steps(x0!, dx!, WIDTH)
    return xs.length === 0 ? [] : steps(y0!, dy!, HEIGHT).map((y) => rowOf(y, xs))
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([depth, colourType, 0, 0, interlaced ? 1 : 0], 8)
  const palette =
    colourType === 3
      ? [
          chunk(
            'PLTE',
            Uint8Array.from({ length: 3 * 2 ** depth }, (_, i) => (i * 37) & 255),
          ),
        ]
      : []
  const data = chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 }))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const parts = [signature, chunk('IHDR', header), ...palette, ...before, data, ...after, chunk('IEND', new Uint8Array(0))]
  return new Uint8Array(Buffer.concat(parts))
}

/** Returns an animation of two frames: the picture, and a single colour. */
function animated(): Uint8Array {
  const control = (sequence: number) => {
    const data = Buffer.alloc(26)
    data.writeUInt32BE(sequence, 0)
    data.writeUInt32BE(WIDTH, 4)
    data.writeUInt32BE(HEIGHT, 8)
    data.writeUInt16BE(10, 20)
    data.writeUInt16BE(100, 22)
    return chunk('fcTL', data)
  }
  const flat = Buffer.concat([Buffer.from([0, 0, 0, 2]), deflateSync(Buffer.alloc(HEIGHT * (1 + 3 * WIDTH)))])
  const before = [chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])), control(0)]
  return png({ colourType: 2, depth: 8, before, after: [control(1), chunk('fdAT', flat)] })
}

describe('PNG results of every kind of input are read alike by Rust’s png and OxiPNG', () => {
  const kinds: Record<string, Uint8Array> = { 'APNG, its first frame': animated() }
  for (const [colourType, depths] of [
    [0, [1, 2, 4, 8, 16]],
    [2, [8, 16]],
    [3, [1, 2, 4, 8]],
    [4, [8, 16]],
    [6, [8, 16]],
  ] as const)
    for (const depth of depths)
      for (const interlaced of [false, true])
        kinds[`colour type ${colourType}, ${depth} bits${interlaced ? ', interlaced' : ''}`] = png({ colourType, depth, interlaced })
  kinds['palette with transparency'] = png({ colourType: 3, depth: 4, before: [chunk('tRNS', Buffer.from([0, 90, 255, 10]))] })
  kinds['a transparent grey of 16 bits'] = png({ colourType: 0, depth: 16, before: [chunk('tRNS', Buffer.from([0x80, 0]))] })
  it.each(Object.entries(kinds))('%s', async (_, upload) => {
    let compressed = 0
    for (const quality of LEVELS) {
      const result = await pressed('png', upload, quality)
      await expectReadersAgree(result)
      if (result.outcome.kind === 'compressed') compressed++
    }
    expect(compressed).toBeGreaterThan(0)
  })
})

describe('JPEG, WebP and AVIF results are read alike by mozjpeg, libwebp and libavif', () => {
  const FIXTURES = join(import.meta.dirname, '../../fixtures/difficult')
  it.each(
    fewOf(
      readdirSync(FIXTURES)
        .filter((name) => /\.(jpg|png)$/.test(name))
        .sort(),
      5,
    ),
  )('%s at its own format', async (name) => {
    const result = await pressed(name.endsWith('png') ? 'png' : 'jpg', new Uint8Array(readFileSync(join(FIXTURES, name))), 'low')
    await expectReadersAgree(result)
  })

  const rgb = photo(96, 80)
  const grey = rgb.filter((_, i) => i % 3 === 1)
  const made = async (pixels: 'rgb' | 'gray', rows: Uint8Array, scans: 'sequential' | 'progressive') =>
    new Uint8Array(Buffer.concat((await encodeRows({ width: 96, height: 80, pixels, quality: 97, scans }, [rows])).chunks))
  it.each([
    ['progressive', 'jpg', () => made('rgb', rgb, 'progressive')],
    ['grey', 'jpg', () => made('gray', grey, 'sequential')],
    ['to WebP', 'webp', () => made('rgb', rgb, 'sequential')],
    ['to AVIF', 'avif', () => made('rgb', rgb, 'sequential')],
    ['to PNG', 'png', () => made('gray', grey, 'sequential')],
  ] as const)('%s', async (_, output, make) => {
    const upload = await make()
    for (const quality of fewOf(LEVELS, 1)) {
      const result = await pressed('jpg', upload, quality, output)
      await expectReadersAgree(result)
    }
  })
})

describe('font subsets have the same outlines and advances as those of HarfBuzz', () => {
  const font = new Uint8Array(readFileSync(createRequire(import.meta.url).resolve('pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf')))
  const tables = readFontTables(font)!
  const characters = new Set([...'Ünïcode ‘ﬁx’ Ąĵ½ №7'].map((character) => character.codePointAt(0)!))
  const map = characterMaps(tables.get('cmap'))[0]!.glyphs
  const glyphs = new Set([...characters].flatMap((code) => map.get(code) ?? []))

  it('TrueType with composite glyphs, by glyph', () => {
    expect(glyphs.size).toBeGreaterThan(12)
    const own = subsetTrueType(tables, 0x10000, glyphs, true)!
    expect(own.length).toBeLessThan(font.length / 5)
    expectSubsetsAgree(font, own, glyphs)
  })

  it('TrueType for the characters of a text', () => {
    const own = subsetForText(font, characters)!
    expect(own.length).toBeLessThan(font.length)
    expectSubsetsAgree(font, own, glyphs)
  })

  it('a wrong outline or advance is detected', () => {
    const own = readFontTables(subsetTrueType(tables, 0x10000, glyphs, true)!)!
    const [glyf, hmtx] = [own.get('glyf')!.slice(), own.get('hmtx')!.slice()]
    const [glyph] = glyphs
    hmtx[4 * glyph! + 1]! ^= 1
    expect(() => expectSubsetsAgree(font, fontFile(new Map(own).set('hmtx', hmtx), 0x10000), glyphs)).toThrow(/wide/)
    for (let at = 100; at < glyf.length; at += 90) glyf[at]! ^= 3
    expect(() => expectSubsetsAgree(font, fontFile(new Map(own).set('glyf', glyf), 0x10000), glyphs)).toThrow(/outline/)
  })
})

describe('a result that is broken on purpose is detected', () => {
  const rgb = photo(120, 90)
  const found = (result: Result) => expect(expectReadersAgree(result)).rejects

  it('a JPEG with another quantisation table, with damaged coefficients, and a truncated one', async () => {
    const result = await pressed('jpg', await jpegOf(rgb, 120, 90, 98), 'medium')
    const table = Buffer.from(result.bytes).indexOf(Buffer.from([0xff, 0xdb]))
    await found({ ...result, bytes: result.bytes.with(table + 5, 99) }).toThrow(/worse than its receipt/)
    await found({ ...result, bytes: result.bytes.subarray(0, result.bytes.length * 0.7) }).toThrow()
    const middle = Math.floor(result.bytes.length * 0.6)
    await found({ ...result, bytes: result.bytes.with(middle, result.bytes[middle]! ^ 0x55) }).toThrow()
    await found({ ...result, outcome: exact }).toThrow(/called lossless/)
    await found({ ...result, outcome: lossy(0.99999, 60) }).toThrow(/worse than its receipt/)
  })

  it('a PNG with one changed sample, with a wrong checksum, and a truncated one', async () => {
    const upload = png({ colourType: 6, depth: 16 })
    const other = png({ colourType: 6, depth: 16, after: [] })
    const result: Result = { format: 'png', output: 'png', upload, bytes: other, outcome: exact }
    await expectReadersAgree(result)
    const dark = png({ colourType: 2, depth: 8 })
    await found({ ...result, bytes: dark }).toThrow(/called lossless/)
    const at = Buffer.from(upload).indexOf('IDAT', 0, 'latin1') + 40
    await found({ ...result, bytes: upload.with(at, upload[at]! ^ 1) }).toThrow()
    await found({ ...result, bytes: upload.subarray(0, upload.length - 60) }).toThrow()
  })

  it('a ZIP and a gzip member with a flipped byte', async () => {
    const row = GENERATORS.docx[0]
    const result = await pressed('docx', await row.make(), 'medium')
    await expectReadersAgree(result)
    const at = Buffer.from(result.bytes).indexOf('word/document.xml') + 60
    await found({ ...result, bytes: result.bytes.with(at, result.bytes[at]! ^ 1) }).toThrow()
    const upload = new TextEncoder().encode('the quick brown fox\n'.repeat(50))
    const packed: Result = { format: 'text', output: 'gz', upload, bytes: new Uint8Array(gzipSync(upload)), outcome: exact }
    await expectReadersAgree(packed)
    await found({ ...packed, upload: upload.with(7, 0) }).toThrow(/other bytes/)
    await found({ ...packed, bytes: packed.bytes.with(packed.bytes.length - 6, 0xee) }).toThrow(/checksum/)
  })

  it('a PDF with a qpdf warning, with another rendering, and with a missing page', async () => {
    const upload = buildPdf(plainDocument(3))
    const result: Result = { format: 'pdf', output: 'pdf', upload, bytes: upload, outcome: exact }
    const text = Buffer.from(upload).toString('latin1')
    const changed = (from: RegExp, to: string) => new Uint8Array(Buffer.from(text.replace(from, to), 'latin1'))
    await found({ ...result, bytes: changed(/startxref\n\d+/, 'startxref\n9') }).toThrow(/qpdf --check/)
    await found({ ...result, bytes: buildPdf(plainDocument(2)) }).toThrow(/pages/)
    const scan = GENERATORS.pdf[1]!
    const page = await pressed('pdf', await scan.make(), 'low')
    await found({ ...page, upload }).toThrow(/pages|compared/)
    await found({ ...page, outcome: exact }).toThrow(/called lossless/)
  })
})
