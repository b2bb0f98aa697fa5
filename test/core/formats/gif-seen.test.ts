/** GIF frames get a perceptual score as a whole, from sums that are stored for each tile. */
import { expect, it } from 'vitest'
import { PALETTE_TARGETS } from '../../../src/core/images/search/targets.ts'
import { PerceptualMeter } from '../../../src/core/metrics/perceptual.ts'
import { GifEngine, type GifTarget } from '../../../wasm/gif/gif.ts'
import { gifFile } from '../../support/picture-files.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const WIDTH = 300
const HEIGHT = 210
const PALETTE = Array.from({ length: 256 }, (_, i) => [i, Math.round(i * 0.8), 255 - i]).flat()

/** Animation of noisy waves with a moving disc, so that later frames change only some tiles. */
function animation(): Uint8Array {
  const random = randomNumbers(1)
  const still = Float64Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
    const [x, y] = [i % WIDTH, Math.floor(i / WIDTH)]
    return 128 + 80 * Math.sin(x / 23) * Math.cos(y / 17) + 30 * (random() - 0.5)
  })
  const frames = Array.from({ length: 4 }, (_, t) => {
    const pixels = Uint8Array.from(still, (value, i) => {
      const inside = Math.hypot((i % WIDTH) - 60 - t * 40, Math.floor(i / WIDTH) - 100) < 25
      return Math.round(inside ? value * 0.6 + 40 * random() : value)
    })
    return { delay: 5, pixels }
  })
  return gifFile(WIDTH, HEIGHT, PALETTE, frames)
}

function passed(engine: GifEngine, bytes: Uint8Array, afterFrame: () => void = () => undefined): void {
  for (let at = 0; at < bytes.length; ) {
    const { taken, frame } = engine.push(bytes.subarray(at))
    at += taken
    if (frame) afterFrame()
  }
  engine.finish()
}

function encoded(file: Uint8Array, target: GifTarget, hurry: boolean) {
  using engine = new GifEngine(() => undefined)
  engine.begin('scan')
  passed(engine, file)
  engine.begin('encode', { target, hurry })
  passed(engine, file)
  return { bytes: Buffer.concat(engine.drain(true)), seen: engine.worstScores() }
}

function canvases(file: Uint8Array): Uint8Array[] {
  using engine = new GifEngine(() => undefined)
  engine.begin('look')
  const canvases: Uint8Array[] = []
  passed(engine, file, () => {
    engine.currentFrame()
    canvases.push(Buffer.concat(Array.from({ length: HEIGHT }, (_, y) => engine.row(y).slice())))
  })
  return canvases
}

const FILE = animation()
const LOW: GifTarget = { ...PALETTE_TARGETS.low, cast: 7, smooth: 49, most: 121 }

it.each([
  { score: 84, worstTile: 20, hurry: false },
  { score: 20, worstTile: 80, hurry: false },
  { score: 84, worstTile: 20, hurry: true },
])('every frame reaches the target score (%o), and the reported score equals a measurement', ({ hurry, ...asked }) => {
  const before = canvases(FILE)
  const seenOf = (target: GifTarget) => {
    const { bytes, seen } = encoded(FILE, target, hurry)
    const found = canvases(bytes).map((canvas, frame) => {
      using meter = new PerceptualMeter(WIDTH, HEIGHT, 4)
      meter.push(before[frame] ?? canvas, canvas)
      return meter.finish()
    })
    expect(found.length).toBe(before.length)
    const worst = (of: 'score' | 'worstTile') => Math.min(...found.map((figures) => figures[of] ?? 100))
    const figures = { score: worst('score'), worstTile: worst('worstTile') }
    expect(Math.abs(seen.score - figures.score)).toBeLessThan(0.5)
    expect(Math.abs(seen.worstTile - figures.worstTile)).toBeLessThan(0.5)
    return figures
  }
  const [loose, held] = [seenOf({ ...LOW, score: 0, worstTile: 0 }), seenOf({ ...LOW, ...asked })]
  expect(Math.min(loose.score - asked.score, loose.worstTile - asked.worstTile)).toBeLessThan(0)
  expect(held.score).toBeGreaterThanOrEqual(asked.score - 0.5)
  expect(held.worstTile).toBeGreaterThanOrEqual(asked.worstTile - 0.5)
})
