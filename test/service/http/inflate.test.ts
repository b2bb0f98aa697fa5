/** Tests of data that is exactly as long as allowed, in workerd. */
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { inflate } from '../../../src/core/formats/pdf/filters.ts'

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 16) & 15)

it.each([
  1000, 65_536, 90_664, 122_100, 168_407, 335_095, 671_640, 1_326_730,
])('inflates %i bytes if the limit is exactly as large', (length) => {
  const deflated = deflateSync(bytes(length))
  expect(inflate(deflated, length).length).toBe(length)
  expect(() => inflate(deflated, length - 1)).toThrow(`more than ${length - 1} bytes`)
})

it('refuses data that inflates beyond the limit', () => {
  expect(() => inflate(deflateSync(bytes(1_000_000)), 1000)).toThrow('more than 1000 bytes')
})
