/** Passes over small pictures: lossless forms that cannot win are not encoded, and what is deflated again is not parsed twice. */

import { expect, it, vi } from 'vitest'
import { PngEngine } from '../../../../wasm/png/engine.ts'
import { pressed } from './pressed.ts'

const SIDE = 96

/** Square picture of opaque pixels. */
function picture(colourAt: (x: number, y: number) => readonly [number, number, number]): Uint8Array {
  const rgba = new Uint8Array(SIDE * SIDE * 4).fill(255)
  for (let at = 0; at < SIDE * SIDE; at++) rgba.set(colourAt(at % SIDE, Math.floor(at / SIDE)), at * 4)
  return rgba
}

/** Efforts of all `encode` passes, which make lossless forms, while `rgba` is compressed. */
async function losslessPasses(rgba: Uint8Array) {
  const passes: { level: number; passes: number }[] = []
  let effort = { level: 0, passes: 0 }
  using _set = vi.spyOn(PngEngine.prototype, 'setEffort').mockImplementation(function (this: PngEngine, ...asked) {
    effort = asked[0]
    return setEffort.apply(this, asked)
  })
  using _begin = vi.spyOn(PngEngine.prototype, 'begin').mockImplementation(function (this: PngEngine, ...asked) {
    if (asked[0] === 'encode') passes.push(effort)
    return begin.apply(this, asked)
  })
  await pressed(rgba, SIDE, 'medium')
  return passes
}
const { setEffort, begin } = PngEngine.prototype

let seed = 3
/** Pseudo-random number from 0 to 15. */
const noise = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed >>> 28
}
/** Noise of its own in each channel, on a slope: thousands of colours, of which a palette needs few. */
const grain = picture((x, y) => [100 + x + noise(), 80 + y + noise(), 90 + noise()])

it('encodes no lossless form of grain, because quick encodings are several times as large as the palette', async () => {
  const passes = await losslessPasses(grain)
  expect(passes.length).toBeGreaterThan(0)
  expect(passes.filter(({ level }) => level > 9)).toEqual([])
})

it('encodes the lossless forms of a flat drawing, with few rounds of the parser', async () => {
  const passes = await losslessPasses(picture((x, y) => ((x ^ y) & 16 ? [20, 40, x & 240] : [250, 250, 250])))
  const thorough = passes.filter(({ level }) => level === 12)
  expect(thorough.length).toBeGreaterThan(0)
  expect(Math.max(...thorough.map((effort) => effort.passes))).toBeLessThanOrEqual(5)
})
