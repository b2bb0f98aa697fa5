/** Tests `maxWidth` and `maxHeight`: pictures get smaller with their metadata, or stay unchanged with a reason. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../src/core/bytes/concat.ts'
import { readPictureHeader } from '../../src/core/embedded/image-header.ts'
import { orientationOfJpeg, readHeader } from '../../src/core/formats/jpg/segments.ts'
import { readWebpFile } from '../../src/core/formats/webp/file.ts'
import { type CompressOptions, compress, memorySource, readAll, verify } from '../../src/core/index.ts'
import { chunk } from '../../wasm/png/chunks.ts'
import { readPngInfo } from '../../wasm/png/png.ts'
import { avifOf } from '../support/avif-file.ts'
import { jpegOf, photo, pngOf } from '../support/packages.ts'
import { gifFile } from '../support/picture-files.ts'
import { exifBlock, latin1 } from '../support/picture-metadata.ts'
import { plainPng } from '../support/plain-png.ts'
import { webpOf } from '../support/webp-file.ts'

const [WIDTH, HEIGHT] = [256, 192]
const PIXELS = photo(WIDTH, HEIGHT)
const SIZE = { width: WIDTH, height: HEIGHT }

const jpeg = () => jpegOf(PIXELS, WIDTH, HEIGHT)
const png = () => pngOf(PIXELS, WIDTH, HEIGHT)

async function reduced(file: Uint8Array, options: CompressOptions) {
  const { result, receipt } = await compress(file, options)
  return { bytes: await readAll(result), receipt, said: receipt.result }
}

const sizeOf = (bytes: Uint8Array) => {
  const { width, height } = readPictureHeader(bytes) ?? { width: 0, height: 0 }
  return [width, height]
}

const segment = (marker: number, content: Uint8Array) => {
  const length = content.length + 2
  return concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), content])
}
const exif = (orientation: number) => exifBlock({ ifd0: [[0x0112, 3, [orientation]]] })
const withSegments = (file: Uint8Array, ...segments: Uint8Array[]) => concat([file.subarray(0, 2), ...segments, file.subarray(2)])

describe('a picture larger than the box', () => {
  it.each([
    [{ maxWidth: 100 }, [100, 75]],
    [{ maxHeight: 90 }, [120, 90]],
    [{ maxWidth: 200, maxHeight: 60 }, [80, 60]],
  ] as const)('JPEG with %o becomes %o pixels', async (box, size) => {
    const { bytes, said } = await reduced(await jpeg(), box)
    expect(sizeOf(bytes)).toEqual(size)
    expect(said).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual', verified: true })
    expect(said.ssim).toBeGreaterThanOrEqual(0.9)
    expect(said.steps?.[0]).toBe(`downsampled from 256×192 to ${size.join('×')}`)
  })

  it('keeps the order of levels, and a target size', async () => {
    const file = await jpeg()
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await reduced(file, { maxWidth: 160, quality })).bytes.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    const { bytes } = await reduced(file, { maxWidth: 160, targetSize: sizes[1]! })
    expect(sizeOf(bytes)).toEqual([160, 120])
    expect(bytes.length).toBeLessThanOrEqual(sizes[1]!)
  })

  it.each(['png', 'webp', 'avif'] as const)('is converted to %s at the new size', async (output) => {
    const { bytes, said } = await reduced(await jpeg(), { maxWidth: 96, output })
    expect(said).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual' })
    expect(said.steps?.[0]).toBe('downsampled from 256×192 to 96×72')
    if (output === 'webp')
      expect(await readWebpFile(memorySource(bytes, ''), new AbortController().signal)).toMatchObject({ width: 96, height: 72 })
  })

  it('PNG, WebP and AVIF keep their format', async () => {
    const files = [
      png(),
      webpOf(PIXELS, { ...SIZE, channels: 3 }),
      webpOf(PIXELS, { ...SIZE, channels: 3 }, 90),
      await avifOf(PIXELS, SIZE),
    ]
    for (const file of files) {
      const { receipt, said } = await reduced(file, { maxHeight: 96 })
      expect(said, receipt.format).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual' })
      expect(receipt.output_format).toBe(receipt.format)
      expect(said.steps?.[0]).toBe('downsampled from 256×192 to 128×96')
    }
  })

  it('is limited as viewers show it, if EXIF rotates it', async () => {
    const file = withSegments(await jpeg(), segment(0xe1, concat([latin1('Exif\0\0'), exif(6)])))
    const { bytes } = await reduced(file, { maxWidth: 96 })
    expect(sizeOf(bytes)).toEqual([128, 96])
    expect(orientationOfJpeg(await readHeader(memorySource(bytes, ''), { memoryBudget: 96 << 20 }))).toBe(6)
    const rotated = plainPng({ ...SIZE, colourType: 2, bitDepth: 8 }, (x, y) => [x, y, (x * y) & 255], chunk('eXIf', exif(8)))
    expect(sizeOf((await reduced(rotated, { maxHeight: 128 })).bytes)).toEqual([128, 96])
  })

  it('keeps segments, and bytes after the picture', async () => {
    const icc = segment(0xe2, concat([latin1('ICC_PROFILE\0'), Uint8Array.of(1, 1), new Uint8Array(200).fill(7)]))
    const comment = segment(0xfe, latin1('a comment'))
    const file = concat([withSegments(await jpeg(), icc, comment), latin1('bytes after the picture')])
    const { bytes } = await reduced(file, { maxWidth: 128 })
    const { segments } = await readHeader(memorySource(bytes, ''), { memoryBudget: 96 << 20 })
    expect(segments.map(({ bytes: one }) => one)).toEqual([...(await segmentsOf(file))])
    expect(new TextDecoder().decode(bytes.subarray(-23))).toBe('bytes after the picture')
  })

  it('keeps 16 bits of a PNG at high', async () => {
    const file = plainPng({ width: 120, height: 90, colourType: 2, bitDepth: 16 }, (x, y) => [x * 512 + 37, y * 700, (x * y * 11) & 65535])
    const { bytes, said } = await reduced(file, { maxWidth: 60, quality: 'high' })
    expect(said).toMatchObject({ outcome: 'compressed' })
    const { header } = await readPngInfo(memorySource(bytes, '').stream())
    expect(header).toMatchObject({ width: 60, height: 45, bitDepth: 16, colourType: 2 })
  })

  it('does not darken the edges of transparent areas', async () => {
    const file = plainPng({ width: 120, height: 90, colourType: 6, bitDepth: 8 }, (x, y) =>
      (x >> 3) % 2 ? [250, (x + y) & 255, 40, 255] : [0, 0, 0, 0],
    )
    const { bytes } = await reduced(file, { maxWidth: 50, quality: 'high' })
    expect(sizeOf(bytes)).toEqual([50, 38])
    const { pngRows } = await import('../../wasm/png/png.ts')
    for await (const { rows } of pngRows(memorySource(bytes, '').stream(), 'rgba8'))
      for (let at = 0; at < rows.length; at += 4) if (rows[at + 3]! > 60) expect(rows[at]).toBeGreaterThan(200)
  })
})

async function segmentsOf(file: Uint8Array) {
  return (await readHeader(memorySource(file, ''), { memoryBudget: 96 << 20 })).segments.map(({ bytes }) => bytes)
}

describe('a picture', () => {
  it('that already fits has the same result as without the option', async () => {
    for (const file of [await jpeg(), pngOf(photo(64, 48), 64, 48)]) {
      const [plain, boxed] = [await reduced(file, {}), await reduced(file, { maxWidth: WIDTH, maxHeight: 5000 })]
      expect(boxed.said.sha256).toBe(plain.said.sha256)
      expect(boxed.said.steps).toEqual(plain.said.steps)
    }
  })

  it('that cannot be reduced stays unchanged, with the reason', async () => {
    const frame = (shift: number) => ({ pixels: Uint8Array.from({ length: 64 * 64 }, (_, i) => (i + shift) & 255), delay: 10 })
    const palette = Array.from({ length: 768 }, (_, i) => i & 255)
    for (const frames of [[frame(0)], [frame(0), frame(9)]]) {
      const { said, bytes } = await reduced(gifFile(64, 64, palette, frames), { maxWidth: 32 })
      expect(said).toMatchObject({ outcome: 'unchanged', reason: 'unsupported_feature' })
      expect(said.detail).toContain('cannot be reduced in size')
      expect(sizeOf(bytes)).not.toEqual([32, 32])
    }
    expect((await reduced(gifFile(64, 64, palette, [frame(0)]), { maxWidth: 32, output: 'png' })).said.steps?.[0]).toContain('to 32×32')
    expect((await reduced(await jpeg(), { maxWidth: 8 })).said).toMatchObject({ outcome: 'unchanged', reason: 'unsupported_feature' })
  })

  it('of any box is reduced to fit, or stays unchanged', async () => {
    const files = [await jpegOf(photo(60, 44), 60, 44), pngOf(photo(60, 44), 60, 44)]
    const side = fc.integer({ min: 1, max: 70 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), side, side, async (file, maxWidth, maxHeight) => {
        const { bytes, said } = await reduced(file, { maxWidth, maxHeight })
        expect(bytes.length).toBeLessThanOrEqual(file.length)
        if (said.outcome === 'unchanged') return
        const [width, height] = sizeOf(bytes)
        expect(width).toBeLessThanOrEqual(maxWidth)
        expect(height).toBeLessThanOrEqual(maxHeight)
      }),
      { numRuns: 8 },
    )
  })
})

describe('verify', () => {
  it('confirms the receipt of a reduced picture, and rejects another picture of that size', async () => {
    const file = await jpeg()
    const { bytes, receipt } = await reduced(file, { maxWidth: 150 })
    const verdicts = (report: Awaited<ReturnType<typeof verify>>) => report.findings.filter(({ verdict }) => verdict === 'false')
    expect(verdicts(await verify(file, bytes, receipt))).toEqual([])
    const other = await jpegOf(photo(WIDTH, HEIGHT, 5).reverse(), WIDTH, HEIGHT)
    const { bytes: wrong } = await reduced(other, { maxWidth: 150 })
    expect(verdicts(await verify(file, wrong)).map(({ field }) => field)).toContain('result')
  })
})

describe('options', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses maxWidth %s', async (maxWidth) => {
    await expect(compress(png(), { maxWidth })).rejects.toThrow(RangeError)
  })

  it('refuses a box for files without pixels, and beside a lossless result', async () => {
    await expect(compress(new TextEncoder().encode('plain words\n'.repeat(99)), { maxWidth: 9 })).rejects.toThrow(/cannot be reduced/)
    await expect(compress(png(), { maxHeight: 9, lossless: true })).rejects.toThrow(/lossless/)
  })
})
