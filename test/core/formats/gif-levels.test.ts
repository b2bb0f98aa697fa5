import { expect, it } from 'vitest'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { gifFile } from '../../support/picture-files.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

/** Animated waves, full canvas or in a window, with noise, in greys or in few colours. */
function randomAnimation(seed: number): Uint8Array {
  const random = randomNumbers(seed)
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const [width, height, frames, noise, speed] = [between(24, 96), between(24, 80), between(8, 20), between(0, 40), between(1, 6)]
  const [across, down, spots] = [between(4, 20), between(4, 20), between(0, 3)]
  const grey = random() < 0.5
  const palette = Array.from({ length: 256 }, (_, i) => (grey ? [i, i, i] : [i & 0xe0, (i & 0x1c) << 3, (i & 3) << 6])).flat()
  const still = random() < 0.5
  const pixelsAt = (t: number) =>
    Uint8Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)]
      const moving = !still || Math.abs(x - ((t * speed) % width)) < 12 + spots * 6
      const wave = 90 * Math.sin((x + (moving ? t * speed : 0)) / across) * Math.cos(y / down)
      return Math.max(0, Math.min(255, Math.round(128 + wave + (moving || t === 0 ? (random() - 0.5) * noise * 2 : 0))))
    })
  return gifFile(
    width,
    height,
    palette,
    Array.from({ length: frames }, (_, t) => ({ delay: 5, pixels: pixelsAt(t) })),
  )
}

/** In animation 634, `medium` is larger than `low` for the first quarter of the frames, but smaller at the end. */
it.each([1, 2, 3, 4, 5, 6, 7, 8, 634])('low ≤ medium ≤ high for random animation %i', async (seed) => {
  const file = randomAnimation(seed)
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await pressFile(gif, file, 'a.gif', { quality })).bytes.length)
  expect([...sizes].sort((a, b) => a - b)).toEqual(sizes)
})
