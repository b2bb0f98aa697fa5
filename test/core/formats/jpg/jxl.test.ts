/** JPEG stored in JPEG XL without loss, and rebuilt byte for byte. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { jpegOfJxl } from '../../../../src/core/formats/jpg/jxl.ts'
import { compress, verify } from '../../../../src/core/index.ts'
import type { Options } from '../../../../src/core/model/codec.ts'
import { TargetUnreachable } from '../../../../src/core/model/error.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { optionsOf } from '../../../../src/core/pipeline/job.ts'
import { encodeRows, type RowsIn } from '../../../../wasm/jpeg/jpeg.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { encodeLosslessJpeg } from '../../../support/lossless-jpeg.ts'
import { pressFile } from '../../../support/press-file.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'
import { roundsOf } from '../../../support/thorough.ts'
import { photo } from './photo.ts'

const [WIDTH, HEIGHT] = [420, 310]
const MIB = 1024 * 1024
const [MOST_BYTES, MOST_PIXELS] = [64 * MIB, 1e8]

type Form = Partial<RowsIn> & { readonly scans?: 'sequential' | 'progressive'; readonly quality?: number }

async function jpegOf(form: Form = {}): Promise<Uint8Array> {
  const { width = WIDTH, height = HEIGHT, pixels = 'rgb' } = form
  const rows = photo(width, height, pixels === 'gray' ? 1 : pixels === 'cmyk' ? 4 : 3)
  return concat((await encodeRows({ quality: 94, scans: 'sequential', ...form, width, height, pixels }, [rows])).chunks)
}

const toJxl = (bytes: Uint8Array, more: Partial<Options> = {}) => pressFile(jpg, bytes, 'photo.jpg', { output: 'jxl', ...more })

const rebuilt = async (jxl: Uint8Array) => readAll(await jpegOfJxl(memorySource(jxl, 'photo.jxl'), MOST_BYTES, MOST_PIXELS))

const segment = (marker: number, content: string) =>
  concat([Uint8Array.of(0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255), Buffer.from(content, 'latin1')])

const EXIF = segment(0xe1, 'Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x3b\0\x02\0\0\0\x04Ann\0\0\0\0\0')
const XMP = segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')

const withSegments = (bytes: Uint8Array, ...segments: Uint8Array[]) => concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)])

/** Replaces width and height of the frame header. */
function withSize(bytes: Uint8Array, width: number, height: number): Uint8Array {
  const at = bytes.findIndex((byte, i) => byte === 0xff && (bytes[i + 1] === 0xc0 || bytes[i + 1] === 0xc2))
  const changed = bytes.slice()
  changed.set([height >> 8, height & 255, width >> 8, width & 255], at + 5)
  return changed
}

describe('JPEG to JPEG XL', () => {
  it.each<readonly [string, Form]>([
    ['grey', { pixels: 'gray' }],
    ['4:4:4', {}],
    ['4:2:0', { subsampled: true }],
    ['4:2:0, progressive', { subsampled: true, scans: 'progressive' }],
    ['grey, progressive', { pixels: 'gray', scans: 'progressive' }],
  ])('is lossless, smaller and the same at every level: %s', async (_, form) => {
    const bytes = await jpegOf(form)
    const results = await Promise.all((['low', 'medium', 'high'] as const).map((quality) => toJxl(bytes, { quality })))
    for (const { outcome, bytes: result, defect } of results) {
      expect(defect).toBeUndefined()
      expect(inEnglish(outcome)).toMatchObject({
        kind: 'compressed',
        steps: ['stored as lossless JPEG XL; the JPEG can be rebuilt from it byte for byte'],
      })
      expect(outcome).not.toHaveProperty('loss')
      expect(result.length).toBeLessThan(bytes.length)
      expect(Buffer.compare(result, results[0]!.bytes)).toBe(0)
    }
    expect(Buffer.compare(await rebuilt(results[0]!.bytes), bytes)).toBe(0)
  })

  it('keeps EXIF, XMP, comments, and bytes after the picture', async () => {
    const bytes = concat([
      withSegments(await jpegOf(), EXIF, XMP, segment(0xed, 'Photoshop 3.0\x008BIM'), segment(0xfe, 'a comment')),
      Buffer.from('bytes that no reader shows'),
    ])
    const { outcome, bytes: result } = await toJxl(bytes)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { exif_tags: 1 } })
    expect(Buffer.compare(await rebuilt(result), bytes)).toBe(0)
  })

  it('gives back pictures of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 70 }),
        fc.constantFrom('gray' as const, 'rgb' as const),
        fc.boolean(),
        async (width, height, pixels, subsampled) => {
          const bytes = await jpegOf({ width, height, pixels, ...(pixels === 'rgb' && { subsampled }) })
          const { outcome, bytes: result, defect } = await toJxl(bytes)
          expect(defect).toBeUndefined()
          if (outcome.kind === 'unchanged') expect(outcome.reason).toBe('no_gain')
          else expect(Buffer.compare(await rebuilt(result), bytes)).toBe(0)
        },
      ),
      { numRuns: roundsOf(8) },
    )
  })

  it('leaves what JPEG XL cannot hold exactly unchanged, with the reason', async () => {
    const cmyk = await toJxl(await jpegOf({ pixels: 'cmyk' }))
    expect(inEnglish(cmyk.outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: 'JPEG XL stores a JPEG exactly if it has 1 or 3 colour components; this one has 4',
    })
    const lossless = encodeLosslessJpeg(new Uint8Array(64 * 64), { width: 64, height: 64, bits: 8, predictor: 1 })
    expect((await toJxl(lossless)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const arithmetic = (await jpegOf()).slice()
    arithmetic[arithmetic.findIndex((byte, i) => byte === 0xff && arithmetic[i + 1] === 0xc0) + 1] = 0xc9
    expect((await toJxl(arithmetic)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('removes metadata from the JPEG first, as asked', async () => {
    const bytes = withSegments(await jpegOf(), EXIF, segment(0xfe, 'a comment'))
    const { outcome, bytes: result, defect } = await toJxl(bytes, { metadata: 'strip' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({
      kind: 'compressed',
      metadata: 'strip',
      removed: expect.arrayContaining([{ kind: 'exif_tags', count: 1, why: 'as_requested' }]),
    })
    const jpeg = Buffer.from(await rebuilt(result))
    expect([jpeg.includes('Exif'), jpeg.includes('a comment')]).toEqual([false, false])
    expect(jpeg.length).toBe(bytes.length - EXIF.length - segment(0xfe, 'a comment').length)
  })

  it('is not reduced in size, and reaches every score', async () => {
    const bytes = await jpegOf()
    const box = (width: number) => ({ width, height: Number.POSITIVE_INFINITY, isRequired: true }) as const
    expect((await toJxl(bytes, { fitWithin: box(100) })).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect((await toJxl(bytes, { fitWithin: box(WIDTH) })).outcome.kind).toBe('compressed')
    expect((await toJxl(bytes, { targetScore: 95 })).outcome).toMatchObject({ kind: 'compressed', targetScore: 95 })
  })

  it('has one size, which a target size must allow', async () => {
    const bytes = await jpegOf()
    const { bytes: result } = await toJxl(bytes)
    expect((await toJxl(bytes, { targetSize: result.length + 1 })).outcome.kind).toBe('compressed')
    const refused = await toJxl(bytes, { targetSize: result.length - 1 }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TargetUnreachable)
    expect(refused).toMatchObject({ bestSize: result.length })
  })
})

describe('a receipt of JPEG XL', () => {
  it.each([
    'keep',
    'strip',
  ] as const)('is confirmed from the two files alone, and a flipped byte is found: metadata %s', async (metadata) => {
    const bytes = withSegments(await jpegOf(), EXIF)
    const { result, name, receipt } = await compress(bytes, { name: 'photo.jpg', output: 'jxl', metadata })
    expect([name, receipt.output_format, receipt.result.fidelity]).toEqual(['photo.jxl', 'jxl', 'lossless'])
    const file = await readAll(result)
    const falseOnes = async (checked: Uint8Array) =>
      (await verify(bytes, checked, receipt)).findings.filter(({ verdict }) => verdict === 'false').map(({ field }) => field)
    const { findings } = await verify(bytes, file, receipt)
    expect(findings.map(({ field }) => field)).toEqual(expect.arrayContaining(['result', 'fidelity', 'inventory', 'removed']))
    expect(await falseOnes(file)).toEqual([])
    expect(await falseOnes(file.with(-100, file.at(-100)! ^ 1))).toEqual(expect.arrayContaining(['sha256', 'result']))
  })
})

describe('hostile JPEG', () => {
  it('that is cut anywhere comes back exactly, or unchanged', async () => {
    const bytes = withSegments(await jpegOf({ scans: 'progressive', subsampled: true }), EXIF)
    const random = randomNumbers(7)
    for (let i = 0; i < roundsOf(20); i++) {
      const cut = bytes.subarray(0, 3 + Math.floor(random() * (bytes.length - 3)))
      const { outcome, bytes: result } = await toJxl(cut)
      if (outcome.kind === 'compressed') expect(Buffer.compare(await rebuilt(result), cut)).toBe(0)
      else expect(['malformed', 'unsupported_feature', 'no_gain']).toContain(outcome.reason)
    }
  })

  it('whose bytes are changed comes back exactly, or unchanged', async () => {
    const bytes = await jpegOf({ scans: 'progressive' })
    const random = randomNumbers(8)
    for (let i = 0; i < roundsOf(20); i++) {
      const changed = bytes.slice()
      for (let flip = 0; flip < 3; flip++) changed[2 + Math.floor(random() * (bytes.length - 2))]! ^= 1 << Math.floor(random() * 8)
      const { outcome, bytes: result } = await toJxl(changed)
      if (outcome.kind === 'compressed') expect(Buffer.compare(await rebuilt(result), changed)).toBe(0)
    }
  })

  it('of 65500 × 65500 pixels is refused before it is read', async () => {
    const huge = withSize(await jpegOf(), 65_500, 65_500)
    for (const memoryBudget of [96 * MIB, 1024 * MIB])
      expect((await toJxl(huge, { memoryBudget })).outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('of more pixels than it has data for is unchanged', async () => {
    expect((await toJxl(withSize(await jpegOf(), 3000, 2000))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('of thousands of scans is refused before it is decoded', async () => {
    const bytes = await jpegOf({ scans: 'progressive' })
    const last = bytes.lastIndexOf(0xda) - 1
    const scan = bytes.subarray(last, bytes.length - 2)
    const many = concat([bytes.subarray(0, -2), ...Array.from({ length: 3000 }, () => scan), bytes.subarray(-2)])
    expect(inEnglish((await toJxl(many)).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'over_budget',
      detail: expect.stringMatching(/^the JPEG has 30\d\d scans; at most 200 are processed$/),
    })
  })

  it('of many large segments stays within the memory', async () => {
    const filler = segment(0xe5, 'x'.repeat(65_000))
    const large = withSegments(await jpegOf(), ...Array.from({ length: 300 }, () => filler))
    const { outcome, bytes: result } = await toJxl(large)
    if (outcome.kind === 'compressed') expect(Buffer.compare(await rebuilt(result), large)).toBe(0)
    else expect(outcome.reason).toBe('over_budget')
  })
})

describe('a JPEG XL file', () => {
  it('that was not made from a JPEG, is damaged or cut, or becomes too large is an error', async () => {
    const { bytes: jxl } = await toJxl(await jpegOf())
    await expect(rebuilt(Uint8Array.of(0xff, 0x0a, 0, 0))).rejects.toThrow()
    await expect(rebuilt(jxl.subarray(0, jxl.length >> 1))).rejects.toMatchObject({ reason: 'malformed' })
    await expect(jpegOfJxl(memorySource(jxl, 'a.jxl'), 1000, MOST_PIXELS)).rejects.toMatchObject({ reason: 'over_budget' })
    await expect(jpegOfJxl(memorySource(jxl, 'a.jxl'), MOST_BYTES, WIDTH * HEIGHT - 1)).rejects.toMatchObject({ reason: 'over_budget' })
  })

  it('with changed bytes is never taken for the result', async () => {
    const bytes = withSegments(await jpegOf(), EXIF, XMP)
    const { outcome, bytes: jxl } = await toJxl(bytes)
    const options = optionsOf(jpg.format, {}, { output: 'jxl' })
    const random = randomNumbers(9)
    for (let i = 0; i < roundsOf(30); i++) {
      const at = 200 + Math.floor(random() * (jxl.length - 200))
      const verdict = await jpg.verify(memorySource(bytes, ''), memorySource(jxl.with(at, jxl[at]! ^ 4), ''), outcome, options)
      expect(verdict.equal, `byte ${at}`).toBe(false)
    }
  })
})
