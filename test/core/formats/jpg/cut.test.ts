import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS, type PicturePerceptualTarget } from '../../../../src/core/catalog/levels.ts'
import { scoreTarget } from '../../../../src/core/catalog/score-goal.ts'
import { type Cut, cutOf, searchCut } from '../../../../src/core/images/jpeg/cut-search.ts'
import { jpegRaster } from '../../../../src/core/images/jpeg/decode.ts'
import { perceptualFiguresOfJob, requantiseToScore } from '../../../../src/core/images/jpeg/perceptual-search.ts'
import type { SearchSettings } from '../../../../src/core/images/jpeg/quality-search.ts'
import { CUT } from '../../../../src/core/images/jpeg/tuning.ts'
import { CLOSE_POINTS } from '../../../../src/core/images/search/tuning.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegJob, JpegRows, type RowsIn, type Scans } from '../../../../wasm/jpeg/jpeg.ts'
import { photo } from './photo.ts'

const BAND = 64
/** Bands of one in four: 2, 6 and 10. */
const KEPT = [2, 6, 10]

async function file(width: number, height: number, pixels: RowsIn['pixels'], scans: Scans = 'sequential', subsampled = false) {
  const rows = photo(width, height, pixels === 'gray' ? 1 : 3)
  return concat((await encodeRows({ width, height, pixels, quality: 92, scans, subsampled }, [rows])).chunks)
}

/** Grey picture with detail only in the bands of the cut, or only in the other ones. */
async function unevenFile(width: number, height: number, inside: boolean) {
  const rows = photo(width, height, 1)
  for (let band = 0; band * BAND < height; band++)
    if (KEPT.includes(band) !== inside) rows.fill(128, band * BAND * width, (band + 1) * BAND * width)
  return concat((await encodeRows({ width, height, pixels: 'gray', quality: 92, scans: 'sequential' }, [rows])).chunks)
}

async function decoded(bytes: Uint8Array) {
  using rows = await JpegRows.open(bytes)
  const { height, stride } = rows
  const strips: Uint8Array[] = []
  for await (const strip of rows.strips(16)) strips.push(strip.slice())
  return { height, stride, samples: concat(strips) }
}

/** Grey picture with the AC level 1500, of eleven bits, in each block. Its own Huffman tables have a code for it. */
function largeLevels(width: number, height: number): Uint8Array {
  const segment = (marker: number, ...bytes: number[]) => [0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255, ...bytes]
  const size = [height >> 8, height & 255, width >> 8, width & 255]
  const counts = (...codes: number[]) => [...codes, ...new Array<number>(16 - codes.length).fill(0)]
  const head = [
    ...[0xff, 0xd8, ...segment(0xdb, 0, ...new Array<number>(64).fill(1)), ...segment(0xc0, 8, ...size, 1, 1, 0x11, 0)],
    ...[...segment(0xc4, 0x00, ...counts(1), 0), ...segment(0xc4, 0x10, ...counts(1, 1), 0x0b, 0)],
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
  ]
  // DC difference 0, the level and the end of the block.
  const bits = `00${(1500).toString(2)}10`.repeat((width / 8) * (height / 8))
  const scan = (bits.match(/.{1,8}/g) ?? []).flatMap((byte) => {
    const value = Number.parseInt(byte.padEnd(8, '1'), 2)
    return value === 255 ? [255, 0] : [value]
  })
  return new Uint8Array([...head, ...scan, 0xff, 0xd9])
}

async function predicted(cut: Cut, target: PicturePerceptualTarget, settings: SearchSettings) {
  const known = await searchCut(cut, false, target, settings)
  if (!known) throw new Error('the engine cannot read the cut')
  return known
}

describe('cut of a JPEG', () => {
  it.each([
    ['gray', 'sequential', false],
    ['rgb', 'progressive', false],
    ['rgb', 'sequential', true],
  ] as const)('has one band in four: %s, %s, halved chroma %s', async (pixels, scans, subsampled) => {
    const bytes = await file(90, 12 * BAND + 13, pixels, scans, subsampled)
    using job = await JpegJob.read(bytes)
    const digest = job.digest()
    const cut = await decoded(concat(job.writeCut(4) ?? []))
    const { samples, stride } = await decoded(bytes)
    expect(cut.height).toBe(KEPT.length * BAND)
    // Decoders interpolate halved chroma across the edges of bands.
    const edge = subsampled ? 1 : 0
    for (const [index, band] of KEPT.entries()) {
      const rows = (from: number) => [(from * BAND + edge) * stride, ((from + 1) * BAND - edge) * stride] as const
      expect(cut.samples.subarray(...rows(index))).toEqual(samples.subarray(...rows(band)))
    }
    expect(job.digest()).toBe(digest)
    expect((await decoded(concat(job.write('read', 'progressive', true)))).samples).toEqual(samples)
  })

  it('is not made of a picture with too few bands', async () => {
    using job = await JpegJob.read(await file(90, 10 * BAND + 63, 'gray'))
    expect(job.writeCut(4)).toBeUndefined()
  })

  it('is not made of a picture whose levels have no standard code (cut-of-large-levels)', async () => {
    using job = await JpegJob.read(largeLevels(64, 12 * BAND))
    expect(job.writeCut(4)).toBeUndefined()
    await job.requantise(60)
    expect((await decoded(concat(job.write('made', 'progressive', true)))).height).toBe(12 * BAND)
  })

  it('is not made of a picture whose bands end inside MCU rows (cut-of-three-block-rows)', async () => {
    const bytes = await file(90, 16 * BAND, 'gray')
    // Sampling factors 1x3: MCU rows of 24 pixel rows.
    bytes[bytes.findIndex((byte, at) => byte === 0xff && bytes[at + 1] === 0xc0) + 11] = 0x13
    using job = await JpegJob.read(bytes)
    expect(job.info.sampling).toBe('1x3')
    expect(job.writeCut(4)).toBeUndefined()
  })

  it.each([
    true,
    false,
  ])('is not made of a picture with detail only inside its bands, or outside: %s (cut-of-uneven-bands)', async (inside) => {
    using job = await JpegJob.read(await unevenFile(90, 12 * BAND, inside))
    expect(job.writeCut(4)).toBeUndefined()
  })

  it('is not made of a small picture', async () => {
    using job = await JpegJob.read(await file(90, 12 * BAND, 'gray'))
    expect(cutOf(job, 0)).toBeUndefined()
  })

  it('predicts nothing if the engine cannot read it', async () => {
    const cut = { file: new Uint8Array([0xff, 0xd8, 0xff, 0xd9]), spareBytes: 0 }
    expect(await searchCut(cut, false, LEVELS.perceptual.medium, { pause: async () => undefined })).toBeUndefined()
  })

  it('predicts the quality that the whole picture needs', async () => {
    const bytes = await file(1600, 1000, 'rgb', 'sequential', true)
    using job = await JpegJob.read(bytes)
    const target = LEVELS.perceptual.medium
    const settings = { pause: async () => undefined }
    const cut = cutOf(job, 0)
    if (!cut) throw new Error('the picture has no cut')
    const { quality = 0 } = await predicted(cut, target, settings)
    const whole = await requantiseToScore(job, jpegRaster(memorySource(bytes, 'a.jpg'), job.info), target, settings)
    expect(Math.abs(quality - whole.quality)).toBeLessThan(6)
  })

  it('rules out only qualities that the whole picture will miss as well (cut-of-hard-bands)', async () => {
    using job = await JpegJob.read(await file(1600, 1000, 'rgb', 'sequential', true))
    const target = { ...LEVELS.perceptual.medium, usualQuality: { ...LEVELS.perceptual.medium.usualQuality, jpeg: 35 } }
    const cut = cutOf(job, 0)
    if (!cut) throw new Error('the picture has no cut')
    const { quality = 0, foretell } = await predicted(cut, target, { pause: async () => undefined })
    const [near, far] = [0.5, 40].map((margin) => foretell?.({ quality, margin }))
    expect(near?.ruledOut?.quality).toBeLessThan(quality)
    expect(far?.ruledOut).toBeUndefined()
    expect(far?.quality).toBeLessThan(near?.quality ?? 0)
  })

  it('knows its margin at a first quality that luma raised (cut-of-raised-quality)', async () => {
    using job = await JpegJob.read(await file(1600, 1000, 'rgb', 'sequential', true))
    const cut = cutOf(job, 0)
    if (!cut) throw new Error('the picture has no cut')
    const { quality = 0, foretell } = await predicted(cut, LEVELS.perceptual.medium, { pause: async () => undefined })
    expect(foretell?.({ quality: quality + 10, margin: -1 }).quality).toBeGreaterThan(quality + 10)
  })

  it('is followed by the usual search if the caller asked for a score (cut-of-wanted-score)', async () => {
    const bytes = await file(400, 300, 'rgb')
    using job = await JpegJob.read(bytes)
    const reference = jpegRaster(memorySource(bytes, 'a.jpg'), job.info)
    const quality = 77
    await job.requantise(quality)
    const { score = 0 } = await perceptualFiguresOfJob(job, reference)
    const target = scoreTarget(score - (CLOSE_POINTS + CUT.closePoints) / 2)
    const known = { quality, foretell: () => ({ quality: quality - 1 }) }
    const settings = { pause: async () => undefined }
    const ofScore = await requantiseToScore(job, reference, target, settings, known)
    const { isWantedScore, ...levelTarget } = target
    const ofLevel = await requantiseToScore(job, reference, levelTarget, settings, known)
    expect([isWantedScore, ofLevel.quality]).toEqual([true, quality])
    expect(ofScore.quality).toBeLessThan(quality)
  })
})
