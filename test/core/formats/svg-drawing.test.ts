/**
 * Checks that rendering stops after a limited number of instructions for drawings that would take minutes, hours or years. The file is
 * still optimised.
 */

import { describe, expect, test } from 'vitest'
import { SvgRenderer } from '../../../src/core/formats/svg/renderer.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { fewOf } from '../../support/thorough.ts'

/** Instruction limit in these tests: a tenth of the limit for uploads. */
const MOST_WORK = 2e9
/** Instructions that a loop may execute beyond the limit before it checks the counter. */
const SLACK = 1e6

const ANYWHERE = 'x="-1000%" y="-1000%" width="100000%" height="100000%"'
const NEAR = 'x="-20%" y="-20%" width="150%" height="150%"'
const RECT = '<rect width="100" height="100" filter="url(#f)"/>'
const filtered = (primitives: string, region = NEAR, content = RECT) => `<filter id="f" ${region}>${primitives}</filter>${content}`
const blurs = (count: number) => '<feGaussianBlur stdDeviation="20"/>'.repeat(count)
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${filtered(blurs(99))}</svg>`

const BOMBS: [what: string, content: string][] = [
  ['ten blurs over a region a thousand times the picture', filtered(blurs(10), ANYWHERE)],
  ['3000 blurs', filtered(blurs(3000))],
  ['blurs too fine for boxes', filtered('<feGaussianBlur stdDeviation=".15"/>'.repeat(300))],
  ['a wide morphology in units of the object', filtered('<feMorphology radius=".9"/>', `${NEAR} primitiveUnits="objectBoundingBox"`)],
  ['a convolution of order 99', filtered(`<feConvolveMatrix order="99" kernelMatrix="${'1 '.repeat(9801)}"/>`)],
  [
    'a million octaves of turbulence, written with a character reference',
    filtered('<feTurbulence baseFrequency=".05" numOctaves="&#49;000000"/>'),
  ],
  ['lights', filtered('<feDiffuseLighting><fePointLight x="5" y="5" z="9"/></feDiffuseLighting>'.repeat(300))],
  [
    'a filter that a style sheet gives to a group',
    `<style>.b{filter:url(#f)}</style>${filtered(blurs(300), NEAR, '<g class="b"><path d="M0 0h99v99z"/></g>')}`,
  ],
  [
    'a filter that is used 150 times',
    `${filtered(blurs(2), NEAR, '<rect id="r" width="99" height="99" filter="url(#f)"/>')}${'<use href="#r"/>'.repeat(150)}`,
  ],
  [
    'filters in a pattern',
    `<pattern id="p" width="10" height="10" patternUnits="userSpaceOnUse">${filtered(blurs(300))}</pattern><path fill="url(#p)" d="M0 0h99v99z"/>`,
  ],
  ['filters in a mask', `<mask id="m">${filtered(blurs(300))}</mask><rect width="100" height="100" mask="url(#m)"/>`],
  [
    'filters in a marker at 500 corners',
    `<marker id="m" markerWidth="9" markerHeight="9">${filtered(blurs(20))}</marker><path marker-mid="url(#m)" stroke="red" d="M0 0${'l1 1'.repeat(500)}"/>`,
  ],
  ['filters in a picture inside', `<image width="100" height="100" href="data:image/svg+xml;base64,${btoa(picture)}"/>`],
  [
    'pictures of filters that show each other',
    `<filter id="f"><feImage href="#r"/></filter><filter id="g"><feImage href="#q"/></filter><rect id="q" width="99" height="99" filter="url(#f)"/><rect id="r" width="50" height="50" filter="url(#g)"/>`,
  ],
  [
    '3000 masked circles',
    `<mask id="m"><rect width="90" height="90" fill="#fff"/></mask>${'<circle cx="50" cy="50" r="40" mask="url(#m)"/>'.repeat(3000)}`,
  ],
  [
    '400 nested layers, each larger than the picture',
    `${'<g opacity=".5">'.repeat(400)}<rect x="-900" y="-900" width="2000" height="2000"/>${'</g>'.repeat(400)}`,
  ],
  [
    'a star with 20,000 points and a wide stroke',
    `<path stroke="red" stroke-width="40" d="M0 0${Array.from({ length: 20_000 }, (_, i) => `L${(i * 37) % 100} ${(i * 91) % 100}`).join('')}"/>`,
  ],
]

async function pack(text: string) {
  const bytes = new TextEncoder().encode(text)
  return openJob(svg, memorySource(bytes, 'a.svg'), {}, { quality: 'low' }).whole(async () => memorySink(bytes.length, 'a.svg'))
}

const documentOf = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><!-- ${'a comment '.repeat(30)} -->${content}</svg>`

describe('a rendering that would take too long is stopped', () => {
  test.each(BOMBS)('%s', (_, content) => {
    const renderer = new SvgRenderer()
    expect(() => renderer.render(documentOf(content), 6.4, MOST_WORK)).toThrow(EngineError)
    expect(renderer.executedInstructions).toBeLessThan(MOST_WORK + SLACK)
  })

  test.each(fewOf([BOMBS[0]!, BOMBS[1]!, BOMBS[9]!], 1))(
    '%s: the file is still optimised',
    async (_, content) => {
      const { outcome } = await pack(documentOf(content))
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(JSON.stringify(inEnglish(outcome))).toContain('coordinates not rounded, because the drawing could not be measured')
    },
    60_000,
  )

  test('filters within the limit are rendered, and the drawing is rounded', async () => {
    const shadows = Array.from(
      { length: 250 },
      (_, i) => `<rect x="${(i % 20) * 5}.123456" y="${i / 5}.654321" width="3" height="2" filter="url(#f)"/>`,
    )
    const { outcome } = await pack(documentOf(filtered('<feDropShadow dx="1" dy="1" stdDeviation="1"/>', NEAR, shadows.join(''))))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
  })

  test('the same renderer renders the next drawing after one was stopped', () => {
    const renderer = new SvgRenderer()
    expect(() => renderer.render(documentOf(filtered(blurs(3000))), 6.4, 1e9)).toThrow('rendering takes too long')
    expect(renderer.render(documentOf('<rect width="100" height="100"/>'), 1, 1e9).pixels.at(-1)).toBe(255)
  })
})
