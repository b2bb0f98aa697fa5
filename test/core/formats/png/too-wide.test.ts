import { expect, test } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../../wasm/png/png.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { pressFile } from '../../../support/press-file.ts'

/** `npm run conformance -- wide` measures the memory of the widest accepted rows. */
test('leaves a file unchanged (over_budget) if its rows are slightly too wide for AVIF', async () => {
  const [width, height] = [16_500, 200]
  using encoder = new PngEncoder({ width, height, colourType: 6, bitDepth: 8 }, QUICK_EFFORT)
  const row = Uint8Array.from({ length: width * 4 }, (_, i) => i % 251)
  for (let y = 0; y < height; y++) encoder.writeRow(row)
  const { outcome } = await pressFile(png, concat([...encoder.finish()]), 'wide.png', { output: 'avif' })
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'unchanged',
    reason: 'over_budget',
    detail: "the image is 16500 pixels wide, which is too wide for AVIF within the job's memory",
  })
})
