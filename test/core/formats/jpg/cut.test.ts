import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS } from '../../../../src/core/catalog/levels.ts'
import { cutOf, searchCut } from '../../../../src/core/images/jpeg/cut-search.ts'
import { jpegRaster } from '../../../../src/core/images/jpeg/decode.ts'
import { requantiseToScore } from '../../../../src/core/images/jpeg/perceptual-search.ts'
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

async function decoded(bytes: Uint8Array) {
  using rows = await JpegRows.open(bytes)
  const { height, stride } = rows
  const strips: Uint8Array[] = []
  for await (const strip of rows.strips(16)) strips.push(strip.slice())
  return { height, stride, samples: concat(strips) }
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

  it('is not made of a small picture', async () => {
    using job = await JpegJob.read(await file(90, 12 * BAND, 'gray'))
    expect(cutOf(job, 0)).toBeUndefined()
  })

  it('predicts the quality that the whole picture needs', async () => {
    const bytes = await file(1600, 1000, 'rgb', 'sequential', true)
    using job = await JpegJob.read(bytes)
    const target = LEVELS.perceptual.medium
    const settings = { pause: async () => undefined }
    const cut = cutOf(job, 0)
    if (!cut) throw new Error('the picture has no cut')
    const { quality = 0 } = await searchCut(cut, false, target, settings)
    const whole = await requantiseToScore(job, jpegRaster(memorySource(bytes, 'a.jpg'), job.info), target, settings)
    expect(Math.abs(quality - whole.quality)).toBeLessThan(6)
  })
})
