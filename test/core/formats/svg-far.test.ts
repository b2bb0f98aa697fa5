/** Checks that objects far outside of the picture do not prevent rendering, measuring and rounding. */

import { expect, test } from 'vitest'
import { enlargedCanvasOf } from '../../../src/core/formats/svg/enlarged-viewport.ts'
import { copyOf, type Rendering, SvgRenderer } from '../../../src/core/formats/svg/renderer.ts'
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

/** Compares two renderings. Edges may differ slightly, because resvg anti-aliases differently on another canvas. */
function expectAlike(one: Rendering, other: Rendering) {
  expect([one.width, one.height]).toEqual([other.width, other.height])
  let sum = 0
  for (let i = 0; i < one.pixels.length; i++) sum += Math.abs(one.pixels[i]! - other.pixels[i]!)
  expect(sum / one.pixels.length).toBeLessThan(0.5)
}

test.each([
  'translate(0 450)',
  'translate(470 0)',
  'translate(-900 -30)',
  'translate(0 1500)',
])('renders a picture with a group far outside at %s', (transform) => {
  const drawn = new SvgRenderer().render(documentOf(seen + far(transform)), 2, MOST_WORK)
  expectAlike(drawn, new SvgRenderer().render(documentOf(seen), 2, MOST_WORK))
})

test('a picture with a viewBox keeps its position on the enlarged canvas', () => {
  const root = 'viewBox="-5 3 50 25" width="100" height="50"'
  const drawn = new SvgRenderer().render(documentOf(seen + far('translate(0 300)'), root), 2, MOST_WORK)
  expectAlike(drawn, new SvgRenderer().render(documentOf(seen, root), 2, MOST_WORK))
})

test('one renderer renders drawings with and without a far group', () => {
  const renderer = new SvgRenderer()
  const pictures = [seen + far('translate(0 450)'), seen, seen + far('translate(450 0)')].map((each) =>
    copyOf(renderer.render(documentOf(each), 1, MOST_WORK)),
  )
  expectAlike(pictures[1]!, pictures[0]!)
  expectAlike(pictures[2]!, pictures[0]!)
})

test('no enlarged canvas is used if content would move', () => {
  expect(enlargedCanvasOf(documentOf('<rect width="50%" height="9"/>'))).toBeUndefined()
  expect(enlargedCanvasOf(documentOf('', 'viewBox="0 0 10 20" width="100" height="100"'))).toBeUndefined()
  expect(enlargedCanvasOf(documentOf('', ''))).toBeUndefined()
  expect(enlargedCanvasOf(documentOf('<stop offset="50%"/>'))).toBeDefined()
  const farther = documentOf(far('translate(0 99999)'))
  expect(() => new SvgRenderer().render(farther, 1, MOST_WORK)).toThrow(EngineError)
})

test('a drawing with a far group is rounded', async () => {
  const file = new TextEncoder().encode(documentOf(seen + far('translate(0 450)')))
  const { outcome } = await pressFile(svg, file, 'a.svg')
  expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
})
