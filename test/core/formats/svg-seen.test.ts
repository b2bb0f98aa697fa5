/** Checks errors of rounded drawings that luma and a single size do not reveal. */

import { describe, expect, test } from 'vitest'
import { YieldBudget } from '../../../src/core/bytes/yield.ts'
import { SvgMeter } from '../../../src/core/formats/svg/measure.ts'
import { fewestDecimalsOfBoxes } from '../../../src/core/formats/svg/streaming-pass.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { TARGETS } from '../../../src/core/formats/svg/targets.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { textsOf } from '../../support/in-english.ts'

const drawing = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128">${inside}</svg>`
const figure = (value: number) => value.toFixed(4)

async function compressed(text: string, quality: 'low' | 'medium'): Promise<{ text: string; steps: readonly string[] }> {
  const bytes = new TextEncoder().encode(text)
  const { outcome, result } = await openJob(svg, memorySource(bytes, 'a.svg'), {}, { quality }).whole(async () =>
    memorySink(bytes.length, 'a.svg'),
  )
  if (outcome.kind !== 'compressed' || !result) throw new Error(JSON.stringify(outcome))
  return { text: new TextDecoder().decode(await result.read(0, result.size)), steps: textsOf(outcome.steps) }
}

/** Ellipse of four curves that is almost a circle. */
function oval(x: number, y: number, a: number, b: number): string {
  const [p, q] = [0.5523 * a, 0.5523 * b]
  const curve = (...values: number[]) => `c${values.map(figure).join(' ')}`
  const halves = [
    curve(0, -q, a - p, -b, a, -b),
    curve(p, 0, a, b - q, a, b),
    curve(0, q, p - a, b, -a, b),
    curve(-p, 0, -a, q - b, -a, -b),
  ]
  return `M${figure(x - a)} ${figure(y)}${halves.join('')}z`
}

/** Curled shapes three units in size, at positions that need more than one decimal. */
function curls(): string {
  let seed = 7
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const point = () => `${figure((random() - 0.5) * 3)} ${figure((random() - 0.5) * 3)}`
  const places = Array.from({ length: 256 }, (_, i) => [4 + 8 * Math.floor(i / 16), 4 + 8 * (i % 16)] as const)
  return places
    .map(([x, y]) => `<path d="M${figure(x + random())} ${figure(y + random())}c${point()} ${point()} ${point()}s${point()} ${point()}z"/>`)
    .join('')
}

describe('rounded drawings', () => {
  test('thin rings stay even: curves become arcs only if both are almost equal', async () => {
    const ring = (r: number) => oval(64.123, 64.357, r, r * 1.004) + oval(64.123, 64.357, r - 0.3, (r - 0.3) * 1.003)
    const text = drawing([12.341, 23.77, 37.913, 51.238].map((r) => `<path fill-rule="evenodd" d="${ring(r)}"/>`).join(''))
    const { text: rounded, steps } = await compressed(text, 'low')
    expect(steps).toEqual(['minified with SVGO, coordinates rounded to 2 decimals'])
    const { score, worstTile } = (await new SvgMeter(text).judge(rounded, TARGETS.low, async () => undefined))!.scores!
    expect(score).toBeGreaterThan(85)
    expect(worstTile).toBeGreaterThan(75)
  })

  test('shapes keep their form at a width of 640 and of 1600 pixels', async () => {
    const text = drawing(curls())
    expect((await compressed(text, 'low')).steps).toEqual(['minified with SVGO, coordinates rounded to 2 decimals'])
  })

  test('a different hue with equal luma counts as a difference', async () => {
    const square = (fill: string) => drawing(`<rect width="96" height="96" fill="${fill}"/>`)
    const meter = new SvgMeter(square('#c83c3c'))
    const other = square('#009096')
    const { similarity, fits } = (await meter.judge(other, TARGETS.low, async () => undefined))!
    expect(similarity.psnrDb).toBeGreaterThan(TARGETS.high.psnrDb)
    expect(fits).toBe(false)
  })
})

describe('symbols that are not rendered', () => {
  const icon = '<symbol id="a" viewBox="0 0 16 16"><path d="M3.14159 2.71828c.57721 1.41421 1.73205 2.23606 2.64575 2.82842z"/></symbol>'

  test.each(['low', 'medium'] as const)('for other documents keep all numbers at %s', async (quality) => {
    const sprite = `<svg xmlns="http://www.w3.org/2000/svg"><!-- icons -->${icon}</svg>`
    const { text, steps } = await compressed(sprite, quality)
    expect(text).toContain('M3.14159 2.71828c.57721 1.41421 1.73205 2.23606 2.64575 2.82842z')
    expect(steps).toContain(
      'coordinates not rounded, because the drawing could not be measured: the renderer shows nothing of it (only symbols, or text without fonts)',
    )
  })

  test('in the streaming pass keep the decimals that their own viewBox needs', async () => {
    const fewest = (inside: string) =>
      fewestDecimalsOfBoxes(new TextEncoder().encode(`<svg viewBox="0 0 900 700">${inside}</svg>`), new YieldBudget(1 << 20))
    expect([await fewest('<g/>'), await fewest(icon), await fewest('<svg:pattern viewBox="0 0 3 2"/>')]).toEqual([1, 2, 3])
  })
})
