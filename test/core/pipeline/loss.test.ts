/** Tests which loss a receipt may claim for several pictures in one file. */
import { expect, it } from 'vitest'
import { lossOf, type PictureLoss, pixelLoss, worseLoss } from '../../../src/core/model/loss.ts'

const page = (ssim: number, psnrDb: number): PictureLoss => ({ ssim, psnrDb, measuredAt: 'page_144dpi' })
const worstOf = (...losses: PictureLoss[]) => losses.reduce<PictureLoss | undefined>(worseLoss, undefined)

it('claims the worst of each figure, at the place with the lower PSNR', () => {
  expect(worstOf(pixelLoss({ ssim: 0.95, psnrDb: 40 }), page(0.97, 35))).toEqual({ ssim: 0.95, psnrDb: 35, measuredAt: 'page_144dpi' })
  expect(worstOf(page(0.97, 40), pixelLoss({ ssim: 0.98, psnrDb: 35 }))).toEqual({ ssim: 0.97, psnrDb: 35, measuredAt: 'pixels' })
  const same = worstOf(pixelLoss({ ssim: 0.98, psnrDb: 40 }), page(0.97, 40))
  expect(same).toEqual({ ssim: 0.97, psnrDb: 40, measuredAt: 'page_144dpi' })
})

it('leaves the place undefined if that of any picture is unknown', () => {
  const unknown: PictureLoss = { ssim: 0.99, psnrDb: 50, measuredAt: undefined }
  const known = pixelLoss({ ssim: 0.95, psnrDb: 35 })
  for (const order of [
    [unknown, known],
    [known, unknown],
    [known, unknown, known],
  ])
    expect(worstOf(...order)?.measuredAt).toBeUndefined()
})

it('has no mean for a film in a document', () => {
  const film: PictureLoss = { ssim: 0.92, psnrDb: 33, measuredAt: 'second', mean: { ssim: 0.96, psnrDb: 37 } }
  expect(worstOf(film)).toEqual({ ssim: 0.92, psnrDb: 33, measuredAt: 'second' })
  expect(worstOf(pixelLoss({ ssim: 0.97, psnrDb: 36 }), film)).not.toHaveProperty('mean')
  expect(lossOf(film).loss?.pictures).toEqual(film)
})

it('claims the lowest SSIMULACRA 2 score, or none if one is unknown', () => {
  const scored = (ssimulacra2: number): PictureLoss => ({ ...pixelLoss({ ssim: 0.97, psnrDb: 36 }), ssimulacra2 })
  expect(worstOf(scored(80), scored(70))?.ssimulacra2).toBe(70)
  expect(worstOf(scored(80))?.ssimulacra2).toBe(80)
  expect(worstOf(pixelLoss({ ssim: 1, psnrDb: 60 }), scored(70))).not.toHaveProperty('ssimulacra2')
  expect(worstOf(scored(70), pixelLoss({ ssim: 1, psnrDb: 60 }))).not.toHaveProperty('ssimulacra2')
})

it('has no figures for lossless results', () => {
  expect(lossOf(undefined)).toEqual({})
})
