/** Tests that figures of a JPEG whose chroma was halved are those that anyone measures on the decoded pixels. */
import { expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { compareSamples } from '../../../../src/core/images/compare/compare.ts'
import { compress, readAll } from '../../../../src/core/index.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'

const [WIDTH, HEIGHT] = [320, 240]

/** Soft gradients with discs in strong colours, in white rings: halved chroma drives the rings beyond white. */
function discs(): Uint8Array {
  const random = randomNumbers(11)
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const distance = Math.hypot((x % 160) - 80, (y % 120) - 60)
      const at = Math.floor(x / 160)
      const wave = (c: number) => 128 + 90 * Math.sin(x / (31 + 9 * c) + y / (47 - 7 * c)) + 8 * (random() - 0.5)
      const colour = distance < 40 ? [30 + at * 60, 200 - at * 40, 90] : distance < 43 ? [255, 255, 255] : [wave(0), wave(1), wave(2)]
      pixels.set(colour, (y * WIDTH + x) * 3)
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
  const file = concat((await encodeRows(form, [discs()])).chunks)
  const { result, receipt } = await compress(file, { quality: 'low' })
  expect(receipt.result.steps?.[0]).toMatch(/^chroma subsampled/)
  const [before, after] = [await pixelsOf(file), await pixelsOf(await readAll(result))]
  const { similarity } = compareSamples(before, after, { width: WIDTH, height: HEIGHT, channels: 3 }, ['similarity'])
  expect(receipt.result.psnr_db).toBeLessThanOrEqual(similarity.psnrDb)
  expect(receipt.result.ssim).toBeLessThanOrEqual(similarity.ssim)
  expect(receipt.result.psnr_db).toBeGreaterThan(similarity.psnrDb - 1)
})
