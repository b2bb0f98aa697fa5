/**
 * Regression test: a lower level must not give a larger file. Small pictures were encoded for one level only, so `low` became larger than
 * `medium`.
 */
import { expect, it } from 'vitest'
import { encodeRows } from '../../../../wasm/jpeg/jpeg.ts'
import { buildPdf } from './build.ts'
import { press } from './run.ts'

/** Document with a JPEG of a few KB, of printed strokes or waves, at a resolution of `dotsPerInch`. */
async function page(pattern: number, width: number, height: number, dotsPerInch: number): Promise<Uint8Array> {
  const pixels = new Uint8Array(width * height)
  let seed = 3
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      const ink = 90 + 60 * Math.sin(x / (3 + pattern * 5)) + 25 * Math.cos(y / 7)
      pixels[y * width + x] = Math.max(0, Math.min(255, 236 - ink + ((seed >> 16) % 5)))
    }
  }
  const rows = function* () {
    for (let y = 0; y < height; y++) yield pixels.subarray(y * width, (y + 1) * width)
  }
  const { chunks } = await encodeRows({ width, height, pixels: 'gray', quality: 85, scans: 'sequential' }, rows())
  const [across, down] = [width, height].map((side) => (side / dotsPerInch) * 72)
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>',
    { dict: '', data: `q ${across} 0 0 ${down} 0 0 cm /I Do Q` },
    {
      dict: `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`,
      data: new Uint8Array(Buffer.concat(chunks)),
    },
  ])
}

it.each([
  [200, 2, 600, 120],
  [200, 2, 800, 100],
  [300, 2, 800, 100],
  [600, 2, 600, 120],
  [600, 4, 600, 120],
])('low ≤ medium ≤ high at %i dpi (pattern %i, %i × %i)', async (dotsPerInch, pattern, width, height) => {
  const bytes = await page(pattern, width, height, dotsPerInch)
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await press(bytes, quality)).bytes.length)
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
})
