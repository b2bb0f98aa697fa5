import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readWebpFile } from '../../../src/core/formats/webp/file.ts'
import { openRaster } from '../../../src/core/formats/webp/raster.ts'
import { webp } from '../../../src/core/formats/webp/webp.ts'
import { chunk, webpChunks } from '../../../src/core/images/webp/container.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { type JobRequest, optionsOf } from '../../../src/core/pipeline/job.ts'
import { decodeWebp } from '../../../wasm/webp/webp.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { animationOf, described, FLAG, pictureChunks, riff, vp8x, webpOf } from '../../support/webp-file.ts'
import { photo } from './jpg/photo.ts'

const SIZE = { width: 200, height: 136 }
const LEVELS: readonly Quality[] = ['high', 'medium', 'low']
const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const pixels = photo(SIZE.width, SIZE.height, 3)
const withAlpha = photo(SIZE.width, SIZE.height, 4).map((value, i) => (i % 4 === 3 ? Math.min(255, (i >> 2) % SIZE.width) : value))
const lossy = webpOf(pixels, { ...SIZE, channels: 3 }, 96)
const lossless = webpOf(pixels, { ...SIZE, channels: 3 })
const translucent = webpOf(withAlpha, { ...SIZE, channels: 4 }, 96)
const PROFILE = latin1('an unreadable profile of some bytes')
const XMP = latin1('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
const EXIF = concat([
  latin1('MM\0*\0\0\0\x08\0\x02'),
  Uint8Array.of(1, 0x0e, 0, 2, 0, 0, 0, 4),
  latin1('abc\0'),
  orientationEntry(6),
  new Uint8Array(4),
])

function orientationEntry(orientation: number): Uint8Array {
  return Uint8Array.of(1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0)
}

const press = (bytes: Uint8Array, request: JobRequest = {}) => pressFile(webp, bytes, 'a.webp', { quality: 'medium', ...request })
const namesOf = (file: Uint8Array) => webpChunks(file).map(({ name }) => name)
const dataOf = (file: Uint8Array, name: string) => webpChunks(file).find((one) => one.name === name)?.data

async function unchangedBecause(bytes: Uint8Array, request: JobRequest = {}): Promise<{ reason: string; detail?: unknown }> {
  const { outcome, defect, bytes: result } = await press(bytes, request)
  expect(defect).toBeUndefined()
  expect(Buffer.compare(result, bytes)).toBe(0)
  if (outcome.kind !== 'unchanged') throw new Error('the file was compressed')
  return inEnglish(outcome) as { reason: string; detail?: unknown }
}

describe('still WebP', () => {
  it('makes a lossy file smaller at every level, with figures above the floors and levels in order', async () => {
    const sizes: number[] = []
    for (const quality of LEVELS) {
      const { outcome, bytes, defect } = await press(lossy, { quality })
      expect(defect).toBeUndefined()
      sizes.push(bytes.length)
      if (outcome.kind !== 'compressed') continue
      expect(outcome.loss?.pictures?.ssim).toBeGreaterThanOrEqual(0.9)
      expect(outcome.loss?.pictures?.psnrDb).toBeGreaterThanOrEqual(30)
      expect(outcome.loss?.pictures?.ssimulacra2).toBeGreaterThan(50)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes[2]!).toBeLessThan(lossy.length)
  })

  it('keeps a lossless file exact at high, and uses the smaller of lossy and lossless below', async () => {
    const high = await press(lossless, { quality: 'high' })
    expect(high.outcome).toMatchObject({ kind: 'compressed' })
    expect(high.outcome).not.toHaveProperty('loss')
    const [before, after] = [lossless, high.bytes].map((file) => decodeWebp(file, SIZE.width, SIZE.height)!)
    expect(Buffer.compare(before!, after!)).toBe(0)
    const low = await press(lossless, { quality: 'low' })
    expect(low.outcome).toMatchObject({ kind: 'compressed', loss: { pictures: {} } })
    expect(low.bytes.length).toBeLessThan(high.bytes.length)
  })

  it('keeps colours of transparent pixels in a lossless file', async () => {
    const file = webpOf(withAlpha, { ...SIZE, channels: 4 })
    const { outcome, bytes } = await press(file, { quality: 'high' })
    expect(outcome.kind).toBe('compressed')
    expect(Buffer.compare(decodeWebp(bytes, SIZE.width, SIZE.height)!, withAlpha)).toBe(0)
  })

  it('keeps transparency of a lossy file sample by sample', async () => {
    const { outcome, bytes } = await press(translucent, { quality: 'low' })
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: {} } })
    const alpha = (file: Uint8Array) => decodeWebp(file, SIZE.width, SIZE.height)!.filter((_, i) => i % 4 === 3)
    expect(Buffer.compare(alpha(bytes), alpha(translucent))).toBe(0)
  })

  it('leaves a lossy file unchanged if a second encoding saves less than 5 %', async () => {
    const { bytes } = await press(lossy, { quality: 'medium' })
    expect(await unchangedBecause(bytes, { quality: 'high' })).toMatchObject({ reason: 'no_gain' })
  })

  it('has no lossless result for a lossy file', async () => {
    expect(await unchangedBecause(lossy, { lossless: true })).toMatchObject({
      reason: 'no_gain',
      detail: 'the WebP image is lossy, and no lossless encoding of it is smaller',
    })
  })

  it('reaches a target size', async () => {
    const targetSize = Math.round(lossy.length * 0.4)
    const { outcome, bytes } = await press(lossy, { targetSize })
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThanOrEqual(targetSize)
  })

  it('reduces a picture to a box', async () => {
    const { outcome, bytes } = await press(lossy, { fitWithin: { width: 100, height: 100 } })
    expect(outcome.kind).toBe('compressed')
    expect(decodeWebp(bytes, 100, 68)).toBeDefined()
  })

  it('is recognised by its bytes', async () => {
    expect((await identify(memorySource(lossy, 'a.jpg')))?.id).toBe('webp')
    expect(await identify(memorySource(concat([latin1('RIFX'), lossy.subarray(4)]), 'a.webp'))).toBeUndefined()
  })
})

describe('metadata of a WebP', () => {
  const others = [chunk('ABCD', latin1('unknown')), chunk('ABCD', latin1('other'))]
  const file = concat([described(lossy, SIZE, { icc: PROFILE, exif: EXIF, xmp: XMP, others }), latin1('behind the end')])

  it('keeps profile, EXIF, XMP, unknown chunks, and the bytes behind the end', async () => {
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 2, exif_tags: 2, trailing_bytes: 1 } })
    expect(dataOf(bytes, 'ICCP')).toEqual(PROFILE)
    expect(dataOf(bytes, 'EXIF')).toEqual(EXIF)
    expect(dataOf(bytes, 'XMP ')).toEqual(XMP)
    expect(Buffer.from(bytes).subarray(-14).toString()).toBe('behind the end')
  })

  it('keeps metadata that the header does not announce as unknown chunks', async () => {
    const hidden = riff(vp8x(0, SIZE.width, SIZE.height), ...pictureChunks(lossy), chunk('EXIF', EXIF))
    const { outcome, bytes } = await press(hidden)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 1 } })
    expect(dataOf(bytes, 'EXIF')).toEqual(EXIF)
    expect(bytes[20]! & FLAG.exif).toBe(0)
  })

  it('names chunks that other formats cannot store, and gives EXIF without the prefix of JPEG', async () => {
    const prefixed = described(lossless, SIZE, { exif: concat([latin1('Exif\0\0'), EXIF]), others })
    const { outcome, bytes, defect } = await press(prefixed, { output: 'png' })
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', inventory: { exif_tags: 2 } })
    expect(JSON.stringify(inEnglish(outcome))).toContain('chunk `ABCD`')
    expect(Buffer.from(bytes).includes(Buffer.from(concat([latin1('eXIf'), EXIF])))).toBe(true)
  })

  it.each([
    'safe',
    'strip',
  ] as const)('metadata=%s removes EXIF, XMP, unknown chunks and the bytes behind the end, not the profile', async (metadata) => {
    const { outcome, bytes, defect } = await press(file, { metadata })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', metadata })
    expect(namesOf(bytes)).toEqual(['VP8X', 'ICCP', 'VP8 ', 'EXIF'])
    expect(Buffer.from(bytes).includes('abc')).toBe(false)
    expect(bytes[20]).toBe(FLAG.icc | FLAG.exif)
    const options = optionsOf(webp.format, {}, { quality: 'medium' })
    const reduced = await readAll(await webp.withoutMetadata(memorySource(file, 'a.webp'), metadata, options))
    expect(dataOf(reduced, 'VP8 ')).toEqual(dataOf(file, 'VP8 '))
  })

  it('metadata=strip of a file without metadata gives the same file', async () => {
    const options = optionsOf(webp.format, {}, { quality: 'medium' })
    const source = memorySource(lossy, 'a.webp')
    expect(await webp.withoutMetadata(source, 'strip', options)).toBe(source)
  })
})

describe('WebP as another format', () => {
  it.each(['jpg', 'png', 'avif'] as const)('becomes %s within the level, verified', async (output) => {
    for (const file of [lossless, described(lossy, SIZE, { exif: EXIF })]) {
      const { outcome, defect } = await press(file, { output, quality: 'low' })
      expect(defect).toBeUndefined()
      if (outcome.kind === 'unchanged') expect(outcome.reason).toBe('no_gain')
    }
    expect((await press(lossless, { output, quality: 'low' })).outcome.kind).toBe('compressed')
  })

  it('an animation stays, with the reason', async () => {
    const frames = [0, 1].map((x) => ({ file: lossy, x: 2 * x, y: 0, ...SIZE }))
    const animation = animationOf({ width: 204, height: 136 }, frames)
    expect(await unchangedBecause(animation, { output: 'jpg' })).toMatchObject({
      reason: 'unsupported_feature',
      detail: 'an animation cannot be converted to a format for still images',
    })
  })
})

describe('hostile WebP', () => {
  const small = webpOf(photo(40, 24, 3), { width: 40, height: 24, channels: 3 }, 90)
  const exact = webpOf(photo(40, 24, 3), { width: 40, height: 24, channels: 3 })
  const twoFrames = animationOf(
    { width: 60, height: 24 },
    [0, 20].map((x) => ({ file: x ? exact : small, x, y: 0, width: 40, height: 24 })),
  )
  /** Writes a 32-bit number at an offset. */
  const withNumber = (file: Uint8Array, at: number, value: number) => {
    const copy = file.slice()
    new DataView(copy.buffer).setUint32(at, value, true)
    return copy
  }

  it.each([
    ['a chunk longer than the file', withNumber(small, 16, 0xffffffff)],
    ['a RIFF size beyond the file', withNumber(small, 4, 0x7fffffff)],
    ['a RIFF size that cuts the picture', withNumber(small, 4, 200)],
    ['no chunks', riff()],
    ['a header alone', riff(vp8x(0, 40, 24))],
    ['a picture of another size than its header says', riff(vp8x(0, 4000, 24), ...pictureChunks(small))],
    ['two pictures', riff(...pictureChunks(small), ...pictureChunks(exact))],
    ['alpha without a picture', riff(vp8x(FLAG.alpha, 40, 24), chunk('ALPH', new Uint8Array(30)))],
    ['alpha that the header does not announce', riff(vp8x(0, SIZE.width, SIZE.height), ...pictureChunks(translucent))],
    ['an animation without frames', animationOf({ width: 40, height: 24 }, [])],
    ['a frame outside the canvas', animationOf({ width: 40, height: 24 }, [{ file: small, x: 20, y: 0, width: 40, height: 24 }])],
    [
      'a frame of another size than its picture',
      animationOf({ width: 60, height: 60 }, [{ file: small, x: 0, y: 0, width: 44, height: 24 }]),
    ],
    ['a still picture in an animation', riff(vp8x(FLAG.animation, 40, 24), chunk('ANIM', new Uint8Array(6)), ...pictureChunks(small))],
    ['a frame without a picture', riff(vp8x(FLAG.animation, 40, 24), chunk('ANIM', new Uint8Array(6)), chunk('ANMF', new Uint8Array(16)))],
    ['a predicted frame instead of a key frame', small.with(20, small[20]! | 1)],
    ['a lossless header of an unknown version', exact.with(24, exact[24]! | 0xe0)],
  ])('%s is malformed', async (_, file) => {
    expect(await unchangedBecause(file)).toMatchObject({ reason: 'malformed' })
  })

  it('many empty chunks are over the budget before they are all read', async () => {
    const empty = new Uint8Array(8 * 70_000)
    for (let at = 0; at < empty.length; at += 8) empty.set(latin1('JUNK'), at)
    expect(await unchangedBecause(riff(...pictureChunks(small), empty))).toMatchObject({ reason: 'over_budget' })
  })

  it.each([
    ['lossless', Uint8Array.of(0x2f, 0xff, 0xff, 0xff, 0x0f), 'VP8L'],
    ['lossy', Uint8Array.of(0x10, 0, 0, 0x9d, 1, 0x2a, 0xff, 0x3f, 0xff, 0x3f), 'VP8 '],
  ])('a %s header of 16383 × 16383 pixels is over the budget before memory is used', async (_, header, id) => {
    const { reason } = await unchangedBecause(riff(chunk(id, concat([header, new Uint8Array(20)]))))
    expect(reason).toBe('over_budget')
  })

  it('an animation on a canvas of 16384 × 16384 pixels is over the budget', async () => {
    const animation = animationOf({ width: 16384, height: 16384 }, [{ file: small, x: 0, y: 0, width: 40, height: 24 }])
    expect(await unchangedBecause(animation)).toMatchObject({ reason: 'over_budget' })
  })

  it('many frames on a large canvas are over the budget, because every canvas is compared', async () => {
    const frames = Array.from({ length: 200 }, () => ({ file: small, x: 0, y: 0, width: 40, height: 24 }))
    expect(await unchangedBecause(animationOf({ width: 1200, height: 1200 }, frames))).toMatchObject({ reason: 'over_budget' })
  })

  it('metadata beyond the limit is over the budget', async () => {
    const file = described(small, { width: 40, height: 24 }, { others: [chunk('HUGE', new Uint8Array(17 * 1024 * 1024))] })
    expect(await unchangedBecause(file)).toMatchObject({ reason: 'over_budget' })
  })

  it('a file cut short anywhere, or with changed bytes, has an outcome and no defect', async () => {
    const files = fc.constantFrom(small, exact, twoFrames, described(small, { width: 40, height: 24 }, { exif: EXIF, xmp: XMP }))
    const damage = fc.tuple(files, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 255 }), fc.boolean())
    await fc.assert(
      fc.asyncProperty(damage, async ([file, place, mask, cuts]) => {
        const at = Math.floor(place * (file.length - 1))
        const damaged = cuts ? file.subarray(0, at) : file.with(at, file[at]! ^ mask)
        const { outcome, bytes, defect } = await press(damaged, { quality: 'low' })
        expect(defect).toBeUndefined()
        expect(bytes.length).toBeLessThanOrEqual(damaged.length)
        if (cuts) expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
      }),
      { numRuns: roundsOf(120) },
    )
  })
})

describe('memory of WebP input', () => {
  const [width, height] = [1200, 800]
  let large: Uint8Array
  beforeAll(() => {
    large = webpOf(photo(width, height, 3), { width, height, channels: 3 }, 80)
  })

  it('decodes a lossy picture strip by strip: no strip has more than 32 rows', async () => {
    const source = memorySource(large, 'a.webp')
    const options = optionsOf(webp.format, {}, { quality: 'medium' })
    const { still } = await readWebpFile(source, options.signal)
    const estimates: number[] = []
    const raster = await openRaster(source, still!, { ...options, estimated: (bytes) => void estimates.push(bytes) })
    let rows = 0
    for await (const strip of raster.rows()) {
      expect(strip.length).toBeLessThanOrEqual(32 * width * 3)
      rows += strip.length / (width * 3)
    }
    expect(rows).toBe(height)
    expect(Math.max(...estimates)).toBeLessThan(width * height + 8 * 1024 * 1024)
  })

  it('a job with too little memory for a lossless picture is over the budget', async () => {
    expect(await unchangedBecause(lossless, { memoryBudget: 6_200_000 })).toMatchObject({ reason: 'over_budget' })
  })
})
