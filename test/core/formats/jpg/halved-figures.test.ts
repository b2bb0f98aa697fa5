/** Tests that figures of a JPEG whose chroma was halved are those that anyone measures on the decoded pixels. */
import { expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { compareSamples } from '../../../../src/core/images/compare/compare.ts'
import { compress, readAll } from '../../../../src/core/index.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { randomNumbers } from '../../../support/press-file.ts'

const [WIDTH, HEIGHT] = [320, 240]

/** Gradients with grain whose colours often reach 0 or 255, so that errors of halved chroma change the luma that viewers show. */
function saturated(): Uint8Array {
  const random = randomNumbers(11)
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = (y * WIDTH + x) * 3
      const grain = 30 * (random() - 0.5)
      const value = (wave: number) => Math.min(255, Math.max(0, 128 + 170 * Math.sin(wave) + grain))
      pixels.set([value(x / 30), value(y / 25 + 1), value((x + y) / 40 + 2)], at)
    }
  }
  return pixels
}

async function pixelsOf(file: Uint8Array): Promise<Uint8Array> {
  using rows = await JpegRows.open([file], { colour: 'rgb' })
  const strips: Uint8Array[] = []
  for await (const strip of rows.strips(16)) strips.push(strip.slice())
  return concat(strips)
}

it('reports the lower figures of coded luma and decoded pixels (jpeg-clipped-chroma)', async () => {
  const form = { width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 96, scans: 'sequential', subsampled: false } as const
  const file = concat((await encodeRows(form, [saturated()])).chunks)
  const { result, receipt } = await compress(file, { quality: 'low' })
  expect(receipt.result.steps?.[0]).toMatch(/^chroma subsampled/)
  const [before, after] = [await pixelsOf(file), await pixelsOf(await readAll(result))]
  const { similarity } = compareSamples(before, after, { width: WIDTH, height: HEIGHT, channels: 3 }, ['similarity'])
  expect(receipt.result.psnr_db).toBeLessThanOrEqual(similarity.psnrDb)
  expect(receipt.result.ssim).toBeLessThanOrEqual(similarity.ssim)
  expect(receipt.result.psnr_db).toBeGreaterThan(similarity.psnrDb - 1)
})
