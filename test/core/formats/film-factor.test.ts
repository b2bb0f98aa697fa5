import { describe, expect, it } from 'vitest'
import type { SampleTables } from '../../../src/core/containers/isobmff/tables.ts'
import { levelOf } from '../../../src/core/formats/film/levels.ts'
import { encodeUntilGoodEnough, searchRateFactor } from '../../../src/core/formats/film/native/factor.ts'
import { displayTimesOf, middleSampleOf } from '../../../src/core/formats/film/native/sample.ts'
import { QualityBySecond } from '../../../src/core/formats/film/seconds.ts'

const level = levelOf('medium')

/** Simulated encoder that reaches the level's SSIM at rate factor `needed`. Records the requested factors. PSNR is far above the level. */
function encoder(needed: number, aStep = 0.005) {
  const asked: number[] = []
  const trial = async (crf: number) => {
    asked.push(crf)
    const ssim = Math.min(1, level.ssim + (needed - crf) * aStep)
    const seconds = new QualityBySecond()
    seconds.add(0, 1, ssim)
    const quality = { frames: 1, seconds, meanPsnrDb: 48, worstBlockSsim: ssim, worstPsnrDb: 47 }
    return { crf, encoded: { quality } as never as { quality: typeof quality } }
  }
  return { asked, trial: trial as never as (crf: number) => Promise<{ crf: number; encoded: never }> }
}

describe('rate factor search', () => {
  it.each([15.2, 17, 19.6, 21.3, 24, 26.9])('finds a factor less than one step below %f in four trials', async (needed) => {
    const { asked, trial } = encoder(needed)
    const found = await searchRateFactor(trial, level, 27.5)
    expect(found).toBeLessThanOrEqual(needed)
    expect(found).toBeGreaterThan(needed - 1)
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  it('uses the highest factor after one trial if it is good enough', async () => {
    const { asked, trial } = encoder(30)
    expect(await searchRateFactor(trial, level, 27.5)).toBe(27.5)
    expect(asked).toEqual([27.5])
  })

  it('lowers the factor by the deficit if the part is worse than its sample, down to MIN_CRF', async () => {
    const { asked, trial } = encoder(20.8, 0.003)
    expect((await encodeUntilGoodEnough(trial, level, 22)).crf).toBe(20.5)
    expect(asked).toEqual([22, 20.5])
    const hopeless = encoder(2)
    expect((await encodeUntilGoodEnough(hopeless.trial, level, 22)).crf).toBe(14)
    expect(hopeless.asked).toHaveLength(3)
  })
})

/** Groups of ten pictures, one tick each, decoded in display order. */
function samples(count: number): SampleTables {
  const table = (value: (i: number) => number, length = count) => Float64Array.from({ length }, (_, i) => value(i))
  return {
    count,
    size: table(() => 100),
    dts: table((i) => i, count + 1),
    composition: table(() => 0),
    offset: table((i) => 100 * i),
    sync: table((i) => (i % 10 === 0 ? 1 : 0)),
  } as never as SampleTables
}

it('takes a sixth of a part from its middle as sample, decoded from a sync sample on', () => {
  const all = samples(400)
  const cut = { from: 100, to: 340, start: 105, end: 340, frames: 235 }
  const sample = middleSampleOf(all, cut)!
  expect(sample).toEqual({ from: 200, to: 242, start: 203, end: 242, frames: 39 })
  expect(displayTimesOf(all, sample)).toHaveLength(39)
})

it('takes no sample of short parts', () => {
  expect(middleSampleOf(samples(40), { from: 0, to: 40, start: 0, end: 40, frames: 40 })).toBeUndefined()
})
