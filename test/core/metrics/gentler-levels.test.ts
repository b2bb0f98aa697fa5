import { expect, test } from 'vitest'
import { pictureTarget } from '../../../src/core/catalog/levels.ts'
import { message } from '../../../src/core/i18n/message.ts'
import { encodeKeepingFloors } from '../../../src/core/images/convert/output-floors.ts'
import type { Raster } from '../../../src/core/images/raster/raster.ts'
import type { EncodeRequest } from '../../../src/core/images/search/encode-request.ts'
import type { Options, Quality } from '../../../src/core/model/codec.ts'

const RASTER: Raster = {
  width: 100,
  height: 100,
  channels: 3,
  async *rows() {
    yield new Uint8Array(30_000)
  },
}

/** Levels that are encoded for a small picture at `low` if the result of `low` has this score. */
async function levelsEncoded(scoreOfLow: number | undefined): Promise<Quality[]> {
  const levels: Quality[] = []
  const request: EncodeRequest = {
    target: pictureTarget('low'),
    pristine: true,
    sizeLimit: 1e6,
    options: { quality: 'low' } as Options,
  }
  const encode = async (_: Raster, __: object, { options }: EncodeRequest) => {
    levels.push(options.quality)
    return {
      chunks: [new Uint8Array(options.quality === 'low' ? 100 : 200)],
      step: message('exact_webp'),
      loss: { ssim: 0.99, psnrDb: 40, measuredAt: 'pixels' as const },
      score: options.quality === 'low' ? scoreOfLow : 90,
    }
  }
  await encodeKeepingFloors('avif', encode, RASTER, {}, request)
  return levels
}

test.each([
  { score: 61, levels: ['low'] },
  { score: 70, levels: ['low', 'medium'] },
  { score: 83, levels: ['low', 'medium', 'high'] },
  { score: undefined, levels: ['low', 'medium', 'high'] },
])('a small picture at low with score $score is encoded at the levels $levels', async ({ score, levels }) => {
  expect(await levelsEncoded(score)).toEqual(levels)
})
