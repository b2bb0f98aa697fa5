/**
 * Regression test: the receipt must not declare a higher quality than the page shows. A downsampled scan was compared with an original of
 * the same reduced size, so the receipt declared 34.6 dB for pages with 30.9 dB.
 */
import { expect, it } from 'vitest'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'
import { buildPdf } from './build.ts'
import { press } from './run.ts'

/** Side of the page in points; the picture fills it at 300 dpi. */
const PAGE = 240
const SIDE = 1000
/** Tolerance between the receipt and the measurement of another renderer. */
const SLACK = { ssim: 0.02, psnrDb: 1.5 }

/** Ink coverage of printed lines at 150 dpi, 0 to 1. */
const ink = (x: number, y: number) => (y % 24 < 12 && (x * 5 + ((x / 30) | 0) * 3 + ((y / 3) | 0) * 2) % 13 < 4 ? 1 : 0)

/** Grey scan of the printed lines at 300 dpi, slightly blurred and with little noise. */
function scan(): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE)
  let seed = 3
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      const [u, v] = [x >> 1, y >> 1]
      const [right, down] = [(x & 1) / 2, (y & 1) / 2]
      const above = ink(u, v) * (1 - right) + ink(u + 1, v) * right
      const below = ink(u, v + 1) * (1 - right) + ink(u + 1, v + 1) * right
      pixels[y * SIDE + x] = 236 - 198 * (above * (1 - down) + below * down) + ((seed >> 16) % 5)
    }
  }
  return pixels
}

/** Scales a picture as Poppler does: a box filter with whole pixels, to one pixel more than the page has points. */
function drawn(pixels: Uint8Array, side: number): Uint8Array {
  const to = PAGE + 1
  const ends = Array.from({ length: to }, (_, i) => Math.floor(((i + 1) * side) / to))
  const out = new Uint8Array(to * to)
  for (let v = 0; v < to; v++) {
    for (let u = 0; u < to; u++) {
      let [sum, count] = [0, 0]
      for (let y = ends[v - 1] ?? 0; y < ends[v]!; y++)
        for (let x = ends[u - 1] ?? 0; x < ends[u]!; x++, count++) sum += pixels[y * side + x]!
      out[v * to + u] = Math.floor(sum / count)
    }
  }
  return out
}

async function pictureOf(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (!(object instanceof Stream) || nameOf(object.dict.get('Subtype')) !== 'Image') continue
    const rows = await JpegRows.open(await reader.raw(object, 1 << 24), { colour: 'gray' })
    return { side: rows.width, pixels: (await rows.read(rows.height))! }
  }
  throw new Error('no picture')
}

const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality: 95 }, [scan()])
const page = buildPdf([
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${PAGE} ${PAGE}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
  { dict: '', data: `q ${PAGE} 0 0 ${PAGE} 0 0 cm /I Do Q` },
  {
    dict: `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`,
    data: new Uint8Array(Buffer.concat(chunks)),
  },
])

it.each([
  ['high', 38],
  ['medium', 35],
  ['low', 32],
] as const)('a scanned page at level %s reaches the quality of the level and of the receipt', async (quality, levelDb) => {
  const { outcome, bytes } = await press(page, quality)
  const claim = pictureLossOf(outcome)
  const [before, after] = [await pictureOf(page), await pictureOf(bytes)]
  const meter = new SimilarityMeter(PAGE + 1, PAGE + 1, 1)
  meter.push(drawn(before.pixels, before.side), drawn(after.pixels, after.side))
  const seen = meter.finish()
  expect(claim.psnrDb).toBeLessThanOrEqual(seen.psnrDb + SLACK.psnrDb)
  expect(claim.ssim).toBeLessThanOrEqual(seen.ssim + SLACK.ssim)
  expect(seen.psnrDb).toBeGreaterThan(levelDb - SLACK.psnrDb)
})
