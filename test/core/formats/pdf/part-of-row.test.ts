/** Checks that a damaged image, or data that ends inside a row, does not prevent compression of the document. */
import { expect, it } from 'vitest'
import { buildPdf, flate, plainDocument } from './build.ts'
import { press } from './run.ts'

/** Gradient whose rows compress better with a row predictor. */
const slope = Uint8Array.from({ length: 300 * 100 }, (_, i) => (i % 300) / 3 + i / 1500 + (Math.imul(i, 2654435761) >>> 30))
const differences = slope.map((value, i) => (i % 300 === 0 ? value : value - slope[i - 1]!))
const IMAGE = '/Type/XObject/Subtype/Image/Width 300/Height 100/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode'
const ROWS = '/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 300>>'

it.each([
  ['an image truncated in its 71st row', IMAGE, slope.subarray(0, 300 * 70 + 11)],
  ['an image with an extra byte after its last row', IMAGE, new Uint8Array([...slope, 10])],
  ['data truncated in a predictor row', ROWS, differences.subarray(0, 300 * 70 + 11)],
])('a document with %s becomes smaller', async (_, dict, data) => {
  const file = buildPdf(plainDocument(3, [{ dict, data: flate(data) }], '/Data 9 0 R'))
  expect(await press(file)).toMatchObject({ outcome: { kind: 'compressed' } })
})
