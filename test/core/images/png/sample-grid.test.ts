/** The sample of a large picture measures the cells of the whole picture, so that it cannot find larger errors. */
import { expect, it } from 'vitest'
import { PngEngine } from '../../../../wasm/png/png.ts'

const [WIDTH, HEIGHT] = [1000, 800]

/** Text-like strokes in many shades on a flat ground, at every offset to the grid of cells. */
function drawing(): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3).fill(232)
  let state = 7
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
  for (let word = 0; word < 900; word++) {
    const [left, top] = [random(WIDTH - 24), random(HEIGHT - 12)]
    const colour = [random(200), random(200), random(200)]
    for (let stroke = 0; stroke < 9; stroke++) {
      const [x, y, long, isDown, cover] = [left + random(20), top + random(9), 2 + random(8), random(2), (40 + random(60)) / 100]
      for (let step = 0; step < long; step++) {
        const at = (Math.min(HEIGHT - 1, y + step * isDown) * WIDTH + Math.min(WIDTH - 1, x + step * (1 - isDown))) * 3
        for (const [channel, value] of colour.entries()) pixels[at + channel] = 232 + (value - 232) * cover
      }
    }
  }
  return pixels
}

/** Only the first rows of a group differ: their texture lacks the rows above. */
const ALLOWANCE = 1.05

it('measures no larger errors on the sample than on the whole picture', () => {
  const pixels = drawing()
  using engine = new PngEngine({ width: WIDTH, height: HEIGHT, colourType: 2, bitDepth: 8 })
  const pass = (kind: 'histogram' | 'indices') => {
    engine.begin(kind)
    engine.frame()
    for (let y = 0; y < HEIGHT; y++) engine.takeRow(pixels.subarray(y * WIDTH * 3, (y + 1) * WIDTH * 3))
    engine.frameEnd()
  }
  pass('histogram')
  for (const colours of [24, 48, 96, 192]) {
    engine.quantise(colours)
    engine.setTolerance(0)
    engine.setDither(0)
    const sample = engine.trial()
    expect(sample.share).toBeLessThan(0.6)
    pass('indices')
    const whole = engine.quality()
    for (const figure of ['cast', 'steps', 'bands', 'specks'] as const)
      expect.soft(sample[figure], `${figure} at ${colours} colours`).toBeLessThanOrEqual(whole[figure] * ALLOWANCE)
  }
})
