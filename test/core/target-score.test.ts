/** Tests `targetScore`: the smallest result that reaches a score, or a lossless one. */
import { describe, expect, it } from 'vitest'
import { readReceipt } from '../../src/core/audit/receipt.ts'
import { compress, readAll, verify } from '../../src/core/index.ts'
import { document, drawing } from '../support/office.ts'
import { jpegOf, photo, pngOf, zipOf } from '../support/packages.ts'
import { gifFile } from '../support/picture-files.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const [WIDTH, HEIGHT] = [320, 240]

/** A smooth picture with grain, whose score depends on quality in the whole range. */
function grainy(width: number, height: number): Uint8Array {
  const random = randomNumbers(3)
  return photo(width, height).map((value) => Math.min(255, Math.max(0, value + 24 * (random() - 0.5))))
}

const jpeg = () => jpegOf(grainy(WIDTH, HEIGHT), WIDTH, HEIGHT)

describe('a score', () => {
  it('is reached by the smallest result, and a higher one is never smaller', async () => {
    const file = await jpeg()
    const sizes: number[] = []
    for (const targetScore of [55, 70, 85]) {
      const { receipt } = await compress(file, { targetScore })
      expect(receipt).toMatchObject({ quality: null, target_score: targetScore, result: { outcome: 'compressed' } })
      expect(receipt.result.ssimulacra2).toBeGreaterThanOrEqual(targetScore)
      expect(receipt.result.ssim).toBeGreaterThanOrEqual(0.9)
      sizes.push(receipt.compressed_size)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(sizes[0]).toBeLessThan(0.9 * sizes[2]!)
  })

  it('of a level costs no more than the level, which also limits other figures', async () => {
    const file = await jpeg()
    const size = async (options: Parameters<typeof compress>[1]) => (await compress(file, options)).receipt.compressed_size
    expect(await size({ targetScore: 72 })).toBeLessThanOrEqual(1.02 * (await size({ quality: 'medium' })))
  })

  it.each(['webp', 'jpg', 'png'] as const)('applies to a PNG as %s', async (output) => {
    const { receipt } = await compress(pngOf(grainy(160, 120), 160, 120), { targetScore: 62, output })
    const { fidelity, ssimulacra2 = 100 } = receipt.result
    expect(fidelity === 'lossless' || ssimulacra2 >= 62).toBe(true)
  })

  it('above 90 is shown in the receipt', async () => {
    const { receipt } = await compress(pngOf(grainy(160, 120), 160, 120), { targetScore: 91, output: 'webp' })
    const { fidelity, ssimulacra2 } = receipt.result
    expect(fidelity === 'lossless' || (ssimulacra2 ?? 0) >= 91).toBe(true)
  })

  it('applies to a reduced picture, at its new size', async () => {
    const { receipt } = await compress(await jpeg(), { targetScore: 75, maxWidth: 200 })
    expect(receipt.result.steps?.[0]).toContain('to 200×150')
    expect(receipt.result.ssimulacra2).toBeGreaterThanOrEqual(75)
  })

  it('of a picture without a score leaves it lossless', async () => {
    const small = await jpegOf(grainy(40, 30), 40, 30)
    const palette = Array.from({ length: 768 }, (_, i) => (i * 7) & 255)
    const frames = [0, 40].map((shift) => ({
      pixels: grainy(80, 60)
        .filter((_, i) => i % 3 === 0)
        .map((value) => value + shift),
      delay: 9,
    }))
    for (const file of [small, gifFile(80, 60, palette, frames)]) {
      const { receipt } = await compress(file, { targetScore: 60 })
      expect(receipt.result.fidelity).toBe('lossless')
    }
  })

  it('is reached by every picture of a document', async () => {
    const picture = await jpegOf(grainy(480, 360), 480, 360)
    const file = await zipOf(document(drawing('rId7', 6, 4.5), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': picture }))
    const sizes: number[] = []
    for (const targetScore of [55, 80]) {
      const { receipt } = await compress(file, { targetScore })
      expect(receipt.result).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual' })
      expect(receipt.result.ssimulacra2).toBeGreaterThanOrEqual(targetScore)
      sizes.push(receipt.compressed_size)
    }
    expect(sizes[0]).toBeLessThan(sizes[1]!)
  })

  it('is a receipt that `verify` confirms', async () => {
    const file = await jpeg()
    const { result, receipt } = await compress(file, { targetScore: 68 })
    const read = await readReceipt(JSON.stringify(receipt), undefined)
    expect(read.claims).toMatchObject({ quality: null, target_score: 68 })
    const { findings } = await verify(file, await readAll(result), receipt)
    expect(findings.filter(({ verdict }) => verdict === 'false')).toEqual([])
  })
})

describe('options', () => {
  it.each([49.9, 95.1, Number.NaN, -1])('refuses a score of %s', async (targetScore) => {
    await expect(compress(await jpeg(), { targetScore })).rejects.toThrow(RangeError)
  })

  it('refuses a score beside a level or a size, and for files without pictures', async () => {
    const file = await jpeg()
    await expect(compress(file, { targetScore: 70, quality: 'low' })).rejects.toThrow(/quality/)
    await expect(compress(file, { targetScore: 70, targetSize: 900 })).rejects.toThrow(/targetSize/)
    await expect(compress(new TextEncoder().encode('plain words\n'.repeat(99)), { targetScore: 70 })).rejects.toThrow(/pictures/)
  })
})
