import { expect, test } from 'vitest'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { press } from '../../support/packages.ts'

/** Three circles of four curves each, as drawing programs write them. */
const CIRCLES = [
  'M95.452 74.889C95.452 77.998 92.918 80.518 89.791 80.518C86.665 80.518 84.13 78.015 84.13 74.889C84.13 71.762 86.665 69.228 89.791 69.228C92.918 69.228 95.452 71.762 95.452 74.889z',
  'M89.079 58.248C89.079 65.684 83.013 71.711 75.53 71.711C68.046 71.711 61.98 65.732 61.98 58.248C61.98 50.765 68.046 44.699 75.53 44.699C83.013 44.699 89.079 50.765 89.079 58.248z',
  'M70.924 64.984C70.924 68.016 68.447 70.474 65.391 70.474C62.335 70.474 59.857 68.04 59.857 64.984C59.857 61.927 62.335 59.45 65.391 59.45C68.447 59.45 70.924 61.927 70.924 64.984z',
]

test('level low tries true arcs as well, because they may be shorter (strawberry)', async () => {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100"><path d="${CIRCLES.join('')}"/></svg>`
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const)
    sizes.push((await press(svg, new TextEncoder().encode(text), quality, undefined, 'svg')).bytes.length)
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})
