import { expect, test } from 'vitest'
import { cachedRaster } from '../../../src/core/images/raster/cached-raster.ts'
import type { Raster } from '../../../src/core/images/raster/raster.ts'
import { resizedByOpacity16, toRaster8, toRaster16 } from '../../../src/core/images/raster/raster16.ts'
import { resizedByOpacity } from '../../../src/core/images/raster/resize.ts'

/** Picture whose colours and alpha alternate, so that a filter without alpha weighting would fail. */
function translucent(width: number, height: number): Raster {
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i * 2654435761) >>> 24)
  return {
    width,
    height,
    channels: 4,
    async *rows() {
      yield pixels.subarray(0, width * 4 * 3)
      yield pixels.subarray(width * 4 * 3)
    },
  }
}

async function all(raster: Raster): Promise<Uint8Array> {
  const strips: Uint8Array[] = []
  for await (const strip of raster.rows()) strips.push(strip.slice())
  return new Uint8Array(Buffer.concat(strips))
}

test('downsampling 8-bit rows equals downsampling 16-bit rows and rounding, including alpha', async () => {
  const raster = translucent(61, 47)
  const [fast, exact] = [await all(resizedByOpacity(raster, 23, 17)), await all(toRaster8(resizedByOpacity16(toRaster16(raster), 23, 17)))]
  expect(fast.length).toBe(exact.length)
  expect(fast.filter((sample, i) => Math.abs(sample - exact[i]!) > 1)).toHaveLength(0)
})

test('cached rows are computed once, and again if the first reader stopped early', async () => {
  let made = 0
  const raster = translucent(8, 9)
  const counted = cachedRaster({
    ...raster,
    async *rows() {
      made++
      yield* raster.rows()
    },
  })
  for await (const _ of counted.rows()) break
  const [first, second] = [await all(counted), await all(counted)]
  expect(made).toBe(2)
  expect(first).toEqual(await all(raster))
  expect(second).toEqual(first)
})
