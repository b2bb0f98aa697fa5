/** Several pictures in one file: what its receipt may claim of all of them. */
import { expect, it } from 'vitest'
import { lossOf, ofPixels, type PictureLoss, worseLoss } from '../../../src/core/model/loss.ts'

const page = (ssim: number, psnrDb: number): PictureLoss => ({ ssim, psnrDb, measuredAt: 'page_144dpi' })
const worstOf = (...losses: PictureLoss[]) => losses.reduce<PictureLoss | undefined>(worseLoss, undefined)

it('the worst of each figure is claimed, at the place where the lower PSNR was found', () => {
  expect(worstOf(ofPixels({ ssim: 0.95, psnrDb: 40 }), page(0.97, 35))).toEqual({ ssim: 0.95, psnrDb: 35, measuredAt: 'page_144dpi' })
  expect(worstOf(page(0.97, 40), ofPixels({ ssim: 0.98, psnrDb: 35 }))).toEqual({ ssim: 0.97, psnrDb: 35, measuredAt: 'pixels' })
  const same = worstOf(ofPixels({ ssim: 0.98, psnrDb: 40 }), page(0.97, 40))
  expect(same).toEqual({ ssim: 0.97, psnrDb: 40, measuredAt: 'page_144dpi' })
})

it('a picture of which nobody knows where it was measured leaves the place open, wherever it comes', () => {
  const unknown: PictureLoss = { ssim: 0.99, psnrDb: 50, measuredAt: undefined }
  const known = ofPixels({ ssim: 0.95, psnrDb: 35 })
  for (const order of [
    [unknown, known],
    [known, unknown],
    [known, unknown, known],
  ])
    expect(worstOf(...order)?.measuredAt).toBeUndefined()
})

it('a film inside of a document has no mean there', () => {
  const film: PictureLoss = { ssim: 0.92, psnrDb: 33, measuredAt: 'second', mean: { ssim: 0.96, psnrDb: 37 } }
  expect(worstOf(film)).toEqual({ ssim: 0.92, psnrDb: 33, measuredAt: 'second' })
  expect(worstOf(ofPixels({ ssim: 0.97, psnrDb: 36 }), film)).not.toHaveProperty('mean')
  expect(lossOf(film).loss?.pictures).toEqual(film)
})

it('SSIMULACRA2 is the worst of all, or unknown where one is', () => {
  const scored = (ssimulacra2: number): PictureLoss => ({ ...ofPixels({ ssim: 0.97, psnrDb: 36 }), ssimulacra2 })
  expect(worstOf(scored(80), scored(70))?.ssimulacra2).toBe(70)
  expect(worstOf(scored(80))?.ssimulacra2).toBe(80)
  expect(worstOf(ofPixels({ ssim: 1, psnrDb: 60 }), scored(70))).not.toHaveProperty('ssimulacra2')
  expect(worstOf(scored(70), ofPixels({ ssim: 1, psnrDb: 60 }))).not.toHaveProperty('ssimulacra2')
})

it('what nothing was lost of has no figures', () => {
  expect(lossOf(undefined)).toEqual({})
})
