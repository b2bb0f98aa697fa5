/** What lies far beside the picture is not seen, and no reason not to draw, measure and round the rest. */

import { expect, test } from 'vitest'
import { wideOf } from '../../../src/core/formats/svg/enlarged-viewport.ts'
import { type Rendering, SvgRenderer } from '../../../src/core/formats/svg/renderer.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { pressFile } from '../../support/press-file.ts'

const MOST_WORK = 2e9
const seen = Array.from({ length: 60 }, (_, i) => `<circle cx="${(i % 10) * 9}.123456" cy="${i}.654321" r="3.987654"/>`).join('')
const far = (transform: string) =>
  `<g transform="${transform}"><g opacity=".5"><rect width="20" height="20"/><rect width="9" height="30"/></g></g>`
const documentOf = (content: string, root = 'width="100px" height="100px"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${root}>${content}</svg>`

/** Edges may be a shade lighter or darker: resvg smooths them otherwise on other canvases. */
function expectAlike(one: Rendering, other: Rendering) {
  expect([one.width, one.height]).toEqual([other.width, other.height])
  let sum = 0
  for (let i = 0; i < one.pixels.length; i++) sum += Math.abs(one.pixels[i]! - other.pixels[i]!)
  expect(sum / one.pixels.length).toBeLessThan(0.5)
}

test.each(['translate(0 450)', 'translate(470 0)', 'translate(-900 -30)', 'translate(0 1500)'])('a group at %s', (transform) => {
  const drawn = new SvgRenderer().render(documentOf(seen + far(transform)), 2, MOST_WORK)
  expectAlike(drawn, new SvgRenderer().render(documentOf(seen), 2, MOST_WORK))
})

test('the picture keeps its place behind a view box', () => {
  const root = 'viewBox="-5 3 50 25" width="100" height="50"'
  const drawn = new SvgRenderer().render(documentOf(seen + far('translate(0 300)'), root), 2, MOST_WORK)
  expectAlike(drawn, new SvgRenderer().render(documentOf(seen, root), 2, MOST_WORK))
})

test('one renderer draws what has the group and what has it not', () => {
  const renderer = new SvgRenderer()
  const pictures = [seen + far('translate(0 450)'), seen, seen + far('translate(450 0)')].map((each) =>
    renderer.render(documentOf(each), 1, MOST_WORK),
  )
  expectAlike(pictures[1]!, pictures[0]!)
  expectAlike(pictures[2]!, pictures[0]!)
})

test('what would move is not drawn so', () => {
  expect(wideOf(documentOf('<rect width="50%" height="9"/>'))).toBeUndefined()
  expect(wideOf(documentOf('', 'viewBox="0 0 10 20" width="100" height="100"'))).toBeUndefined()
  expect(wideOf(documentOf('', ''))).toBeUndefined()
  expect(wideOf(documentOf('<stop offset="50%"/>'))).toBeDefined()
  const farther = documentOf(far('translate(0 99999)'))
  expect(() => new SvgRenderer().render(farther, 1, MOST_WORK)).toThrow(EngineError)
})

test('and it is rounded', async () => {
  const file = new TextEncoder().encode(documentOf(seen + far('translate(0 450)')))
  const { outcome } = await pressFile(svg, file, 'a.svg')
  expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
})
