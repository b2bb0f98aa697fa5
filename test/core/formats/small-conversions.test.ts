/** Small pictures converted to other formats, whose sizes vary more than the levels differ. */
import { expect, it, vi } from 'vitest'
import { png } from '../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { WebpEncoder } from '../../../wasm/webp/webp.ts'
import { NOTHING_LENT, photo, pngOf, press } from '../../support/packages.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const GENTLEST_FIRST: readonly Quality[] = ['high', 'medium', 'low']

function ramps(side: number): Uint8Array {
  const at = (x: number, y: number) => [(x * 255) / side, (y * 255) / side, 128]
  return Uint8Array.from({ length: side * side * 3 }, (_, i) => at(Math.floor(i / 3) % side, Math.floor(i / 3 / side))[i % 3] ?? 0)
}

function grain(side: number): Uint8Array {
  const random = randomNumbers(164)
  return photo(side, side, 2).map((v) => Math.max(0, Math.min(255, v + (random() - 0.5) * 34)))
}

it.each([
  ['ramps as JPEG', ramps, 'jpg', [63, 64]],
  ['grain as JPEG', grain, 'jpg', [64]],
  ['ramps as WebP', ramps, 'webp', [63]],
  ['grain as WebP', grain, 'webp', [64]],
] as const)('keeps low ≤ medium ≤ high for %s', async (_, draw, output, sides) => {
  for (const side of sides) {
    const sizes: number[] = []
    for (const quality of GENTLEST_FIRST) {
      const { outcome, bytes } = await press(png, pngOf(draw(side), side, side), quality, NOTHING_LENT, output)
      expect(outcome.kind).toBe('compressed')
      sizes.push(bytes.length)
    }
    expect(sizes, `${side} pixels`).toEqual(sizes.toSorted((a, b) => b - a))
  }
})

it('finds the lowest sufficient WebP quality for noise, which collapses within a few qualities', async () => {
  const side = 130
  const [medium, low] = [
    await press(png, pngOf(grain(side), side, side), 'medium', NOTHING_LENT, 'webp'),
    await press(png, pngOf(grain(side), side, side), 'low', NOTHING_LENT, 'webp'),
  ]
  expect(low.bytes.length).toBeLessThan(medium.bytes.length)
})

it('does not encode a photograph losslessly as WebP, but a drawing with few colours', async () => {
  const side = 140
  const encode = vi.spyOn(WebpEncoder.prototype, 'encode')
  const isLosslessTried = async (pixels: Uint8Array) => {
    encode.mockClear()
    await press(png, pngOf(pixels, side, side), 'medium', NOTHING_LENT, 'webp')
    return encode.mock.calls.some(([{ lossless }]) => lossless)
  }
  const squares = grain(side).map((_, i) => ((Math.floor(i / 3 / side / 20) + Math.floor(((i / 3) % side) / 20)) % 3) * 90)
  expect([await isLosslessTried(grain(side)), await isLosslessTried(squares)]).toEqual([false, true])
  encode.mockRestore()
})
