import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import type { Quality } from '../../../../src/core/catalog/levels.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import { rowBytesIfFew } from '../../../../src/core/images/png/redeflate.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { PngEncoder, QUICK_EFFORT } from '../../../../wasm/png/png.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { IS_THOROUGH } from '../../../support/thorough.ts'

const AGAIN = 'recompressed with optimal Deflate parsing'

function picture(side: number, colourAt: (x: number, y: number) => readonly number[]): Uint8Array {
  using encoder = new PngEncoder({ width: side, height: side, colourType: 2, bitDepth: 8 }, QUICK_EFFORT)
  for (let y = 0; y < side; y++) {
    const row = new Uint8Array(side * 3)
    for (let x = 0; x < side; x++) row.set(colourAt(x, y), x * 3)
    encoder.writeRow(row)
  }
  return concat(encoder.finish())
}

/** Rings with a fringe of many colours, like a plot. */
const rings = () =>
  picture(110, (x, y) => {
    const away = Math.hypot(x - 90, y - 70) % 23
    return away < 3 ? [away * 80, x, y] : [255, 255, 255]
  })

/** Stripes of every hue on white, which compress well in every form. */
const stripes = () =>
  picture(300, (x, y) => {
    if (y < 40 || y > 240 || x < 30 || x > 270) return [255, 255, 255]
    const hue = Math.floor((x - 30) / 5)
    return [hue * 5, 255 - hue * 3, (hue * 37) & 255]
  })

/** Picture whose smallest form has one byte a pixel. */
const stairs = (side: number) =>
  picture(side, (x, y) => {
    const step = (x >> 5) ^ (y >> 4)
    return (x + y * 3) % 97 < 5 ? [step & 63, step & 63, step & 63] : [255, 255, 255]
  })

async function pressedAt(depth: number, file: Uint8Array, quality: Quality) {
  const options = {
    quality,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    output: 'png' as const,
    inner: { depth, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
  }
  const pressing = await openJob(png, memorySource(file, 'a.png'), {}, options).whole(async () => memorySink(file.length, 'a.png'))
  expect(pressing).not.toHaveProperty('defect')
  return { outcome: pressing.outcome, bytes: await readAll(pressing.result!) }
}

/** Filtered rows of the image data. */
function rowsOf(bytes: Uint8Array): Buffer {
  const file = Buffer.from(bytes)
  const data: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  }
  return inflateSync(Buffer.concat(data))
}

test('deflates a small uploaded picture again, but not one inside a document', async () => {
  const file = rings()
  const [uploaded, inside] = [await pressedAt(0, file, 'high'), await pressedAt(1, file, 'high')]
  expect(inEnglish(uploaded.outcome)).toMatchObject({ steps: expect.arrayContaining([AGAIN]) })
  expect(inEnglish(inside.outcome)).toMatchObject({ steps: expect.not.arrayContaining([AGAIN]) })
  expect(uploaded.bytes.length).toBeLessThan(inside.bytes.length)
  // Node's zlib checks the checksum of the rows; both files have the same rows.
  expect(rowsOf(uploaded.bytes)).toEqual(rowsOf(inside.bytes))
})

test.runIf(IS_THOROUGH)('deflates rows of 1.5 to 3 MB again', async () => {
  expect(inEnglish((await pressedAt(0, stairs(1250), 'high')).outcome)).toMatchObject({ steps: expect.arrayContaining([AGAIN]) })
  expect(rowBytesIfFew({ width: 2048, height: 1536, bitDepth: 8, colourType: 3 })).toBe(2049 * 1536)
  expect(rowBytesIfFew({ width: 2048, height: 2048, bitDepth: 8, colourType: 3 })).toBeUndefined()
})

test.each([
  ['rings', rings()],
  ['stripes', stripes()],
])('%s: deflates palettes again, so that levels keep their order', async (_, file) => {
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await pressedAt(0, file, quality)).bytes.length)
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})
