import { expect, it } from 'vitest'
import { decodeWire, encodeWire } from '../../src/service/remote/wire.ts'

it.each([
  ['a claim without a part', [1, 'whole', undefined]],
  ['a picture in which no luma changed', { loss: { pictures: { ssim: 1, psnrDb: Number.POSITIVE_INFINITY } } }],
  ['a missing field', { a: undefined, b: [undefined, null] }],
  ['nothing', undefined],
])('encodes and decodes %s without change', (_, value) => {
  const decoded = decodeWire(encodeWire(value))
  expect(decoded).toStrictEqual(value)
  if (Array.isArray(value)) expect(decoded).toHaveLength(value.length)
})
