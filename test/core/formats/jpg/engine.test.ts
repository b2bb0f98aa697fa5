import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { EngineError } from '../../../../wasm/engine-error.ts'
import { encodeRows, JpegJob, JpegRows, type RowsIn, recode, type Scans } from '../../../../wasm/jpeg/jpeg.ts'
import { photo, psnrDb } from './photo.ts'

const WIDTH = 203
const HEIGHT = 157

async function file(pixels: RowsIn['pixels'], quality: number, scans: Scans, subsampled = true, width = WIDTH, height = HEIGHT) {
  const rows = photo(width, height, pixels === 'gray' ? 1 : pixels === 'cmyk' ? 4 : 3)
  return { rows, bytes: concat((await encodeRows({ width, height, pixels, quality, scans, subsampled }, [rows])).chunks) }
}

async function decode(bytes: Uint8Array, options = {}) {
  const rows = await JpegRows.open(bytes, options)
  const strips: Uint8Array[] = []
  for (let strip: Uint8Array | undefined; (strip = await rows.read(13)); ) strips.push(strip)
  return { rows, pixels: concat(strips) }
}

describe('jpeg engine', () => {
  it.each([
    ['gray', 'sequential', true],
    ['rgb', 'sequential', true],
    ['rgb', 'progressive', false],
    ['rgb', 'progressive', true],
    ['cmyk', 'progressive', true],
  ] as const)('decodes %s rows after encoding: %s, subsampled %s', async (pixels, scans, subsampled) => {
    const { rows, bytes } = await file(pixels, 95, scans, subsampled)
    const { rows: out, pixels: decoded } = await decode(bytes)
    expect([out.width, out.height]).toEqual([WIDTH, HEIGHT])
    expect(decoded.length).toBe(rows.length)
    expect(psnrDb(rows, decoded)).toBeGreaterThan(subsampled ? 35 : 36)
  })

  it.each([3, 5, 10, 15, 20, 25, 30, 35, 40, 50])('keeps white and black exact at quality %i', async (quality) => {
    const rows = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i % 64 < 32 ? 255 : 0))
    const { chunks } = await encodeRows({ width: 64, height: 64, pixels: 'gray', quality }, [rows])
    expect((await decode(concat(chunks))).pixels).toEqual(rows)
  })

  it('measures the difference that a decoder shows', async () => {
    const { bytes } = await file('gray', 96, 'sequential')
    const job = await JpegJob.read(bytes)
    const { psnrDb: claimed, ssim } = await job.requantise(60)
    const before = await decode(bytes)
    const after = await decode(concat(job.write('made', 'progressive', true)))
    expect(claimed).toBeCloseTo(psnrDb(before.pixels, after.pixels), 1)
    expect(ssim).toBeGreaterThan(0.8)
    expect(ssim).toBeLessThan(1)
  })

  it('previews the same pixels as the final file', async () => {
    const { bytes } = await file('rgb', 92, 'sequential')
    const job = await JpegJob.read(bytes)
    await job.requantise(60)
    const written = await decode(concat(job.write('made', 'progressive', true)))
    expect((await decode(concat(job.writePreview()))).pixels).toEqual(written.pixels)
  })

  it('writes the same bytes streamed and stored', async () => {
    const { bytes } = await file('rgb', 92, 'sequential')
    const stored = await JpegJob.read(bytes)
    const figures = await stored.requantise(70)
    const streamed = await JpegJob.read(bytes, { kind: 'stream', quality: 70 })
    expect(streamed.streamed).toBe(true)
    expect(concat(streamed.write('made', 'progressive'))).toEqual(concat(stored.write('made', 'progressive')))
    expect(streamed.figures).toEqual(figures)
  })

  it('rewrites as progressive and back without changing coefficients', async () => {
    const { bytes } = await file('rgb', 88, 'sequential')
    const job = await JpegJob.read(bytes)
    const progressive = concat(job.write('read', 'progressive', true))
    expect((await JpegJob.read(progressive, { kind: 'hash' })).digest()).toBe(job.digest())
    expect((await JpegJob.read(bytes, { kind: 'hash' })).digest()).toBe(job.digest())
    expect((await decode(progressive)).pixels).toEqual((await decode(bytes)).pixels)
    // Write both files from the same progressive job, whose stored coefficients are read row by row.
    const again = await JpegJob.read(progressive)
    for (const scans of ['sequential', 'progressive'] as const) {
      expect((await JpegJob.read(concat(again.write('read', scans, true)), { kind: 'hash' })).digest()).toBe(job.digest())
    }
    const other = await JpegJob.read((await file('rgb', 87, 'sequential')).bytes, { kind: 'hash' })
    expect(other.digest()).not.toBe(job.digest())
  })

  it.each([
    ['gray', true],
    ['rgb', true],
    ['rgb', false],
    ['cmyk', true],
  ] as const)('recodes without storing coefficients to the same bytes: %s, subsampled %s', async (pixels, subsampled) => {
    const { bytes } = await file(pixels, 93, 'sequential', subsampled, 803, 657)
    const within = { mostBytes: 16 << 20, mostPacked: 16 << 20 }
    const { chunks, endOffset, ...recoded } = await recode(() => bytes, within)
    using storedJob = await JpegJob.read(bytes)
    expect(Buffer.compare(concat([...chunks]), concat(storedJob.write('read', 'progressive')))).toBe(0)
    expect(recoded).toEqual({ bytes: concat([...chunks]).length, lateSegments: [] })
    expect(endOffset).toBe(bytes.length)
    await expect(recode(() => bytes, { ...within, mostPacked: storedJob.packedBytes * 0.9 })).rejects.toMatchObject({ failure: 'memory' })
    await expect(recode(() => bytes, { ...within, mostBytes: 1 << 20 })).rejects.toMatchObject({ failure: 'memory' })
    await expect(recode(() => bytes.subarray(0, bytes.length / 2), within)).rejects.toMatchObject({ failure: 'truncated' })
  })

  it('rejects rows as soon as their result exceeds the memory limit', async () => {
    const rows = photo(400, 300, 3)
    const within = (mostBytes: number) => {
      const rowInput = JpegJob.fromRows({ width: 400, height: 300, pixels: 'rgb' }, { kind: 'stream', quality: 95, mostBytes })
      rowInput.write(rows)
      using job = rowInput.end()
      return job.neededBytes
    }
    const needed = within(16 << 20)
    expect(within(needed)).toBe(needed)
    expect(() => within(needed * 0.9)).toThrow(expect.objectContaining({ failure: 'memory' }))
  })

  it.each([false, true])('halves full chroma (progressive source: %s)', async (progressive) => {
    const { bytes } = await file('rgb', 92, progressive ? 'progressive' : 'sequential', false)
    const job = await JpegJob.read(bytes)
    expect(job.info.sampling).toBe('1x1,1x1,1x1')
    expect(job.decimationPsnrDb(1)).toBeGreaterThan(38)
    job.decimate()
    expect(job.info.sampling).toBe('2x2,1x1,1x1')
    await job.requantise(90)
    const result = await decode(concat(job.write('made', 'progressive', true)))
    expect(psnrDb((await decode(bytes)).pixels, result.pixels)).toBeGreaterThan(36)
    const again = await JpegJob.read(concat(job.write('made', 'progressive', true)))
    expect(again.decimationPsnrDb(1)).toBeUndefined()
  })

  it('scales while decoding', async () => {
    const { bytes } = await file('rgb', 90, 'sequential')
    const { rows, pixels } = await decode(bytes, { dctScale: 1, colour: 'gray' })
    expect([rows.width, rows.height, rows.channels]).toEqual([Math.ceil(WIDTH / 8), Math.ceil(HEIGHT / 8), 1])
    expect(pixels.length).toBe(rows.width * rows.height)
  })

  it('rejects or decodes damaged files and never hangs', async () => {
    for (const scans of ['sequential', 'progressive'] as const) {
      const { bytes } = await file('rgb', 85, scans, true, 96, 80)
      for (let cut = 0; cut < bytes.length - 2; cut += 97) {
        await expect(JpegJob.read(bytes.subarray(0, cut))).rejects.toThrow(EngineError)
        await expect(decode(bytes.subarray(0, cut))).rejects.toThrow(EngineError)
      }
      for (let bit = 0; bit < bytes.length * 8; bit += 131) {
        const bent = bytes.slice()
        bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        try {
          await JpegJob.read(bent, { kind: 'stream', quality: 60 })
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
        }
      }
    }
  })
})
