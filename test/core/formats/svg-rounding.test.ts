/** Checks which numbers rounding must not change, and that small drawings keep their shapes. */
import { describe, expect, test } from 'vitest'
import { SvgRounder } from '../../../src/core/formats/svg/optimize.ts'

const svg = (inside: string, root = 'viewBox="0 0 1000 1000"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${root}>${inside}</svg>`
const pause = async () => undefined
const rounded = async (text: string, decimals: number) => {
  const rounder = new SvgRounder(text, { strict: false })
  const grain = { decimals, trueArcs: false }
  return rounder.polish(await rounder.round(grain, pause), grain, pause)
}

describe('numbers other than coordinates keep at least three decimals', () => {
  test('gradient stops at .784 and .842 stay distinct', async () => {
    const ramp = svg(`<radialGradient id="g"><stop offset=".784" stop-color="#437cde" stop-opacity=".319"/>
      <stop offset=".842" stop-color="#7aa2e8" stop-opacity=".234"/><stop offset="1" stop-color="#fff" stop-opacity=".157"/></radialGradient>
      <circle cx="320.123" cy="320.456" r="300.789" fill="url(#g)"/>`)
    const text = await rounded(ramp, 0)
    for (const kept of ['offset=".784"', 'offset=".842"', 'stop-opacity=".319"', 'stop-opacity=".234"', 'stop-opacity=".157"'])
      expect(text).toContain(kept)
    expect(text).toContain('<circle cx="320" cy="320" r="301"')
  })

  test('an opacity of .75 stays .75, as an attribute and as style', async () => {
    const text = await rounded(
      svg(
        '<g opacity=".75"><path d="M0 0h9v9z"/><path d="M20 0h9v9z"/></g><path style="opacity:.756" d="M40 0h9v9z"/><path fill-opacity=".333" d="M60 0h9v9z"/>',
      ),
      0,
    )
    for (const kept of ['opacity=".75"', 'opacity:.756', 'fill-opacity=".333"']) expect(text).toContain(kept)
  })

  test('filter values keep three decimals', async () => {
    const filter = `<filter id="f" x="-.125" width="1.25" primitiveUnits="objectBoundingBox"><feGaussianBlur stdDeviation=".015"/>
      <feComposite in2="SourceGraphic" operator="arithmetic" k1=".125" k2=".375" k3=".625" k4=".025"/>
      <feComponentTransfer><feFuncR type="linear" slope=".285" intercept=".045"/><feFuncG type="gamma" exponent="1.625" amplitude=".875"/></feComponentTransfer>
      <feColorMatrix type="saturate" values=".345"/><feDropShadow flood-opacity=".165"/></filter><rect width="99" height="99" filter="url(#f)"/>`
    const text = await rounded(svg(filter), 0)
    for (const [, kept = ''] of filter.matchAll(/"(-?\d*\.\d+)"/g)) expect(text).toContain(`"${kept}"`)
  })

  test('objectBoundingBox units, percentages and em lengths keep three decimals', async () => {
    const text = await rounded(
      svg(`<clipPath id="c" clipPathUnits="objectBoundingBox"><path d="M.125.125h.625v.375z"/></clipPath>
        <linearGradient id="l" x1=".125" x2=".875" gradientTransform="translate(.012 .034)"><stop offset="33.3%"/><stop offset="1" stop-color="red"/></linearGradient>
        <g clip-path="url(#c)"><rect fill="url(#l)" x="12.345%" y="1.234em" width="600" height="600"/></g>`),
      0,
    )
    for (const kept of ['M.125.125H.75V.5z', 'x1=".125"', 'x2=".875"', 'translate(.012 .034)', '33.3%', '12.345%', '1.234em'])
      expect(text).toContain(kept)
  })

  test('data attributes are not rounded', async () => {
    expect(await rounded(svg('<rect data-x="1.23456" x="5.678" y="1" width="9" height="9"/>'), 0)).toContain('data-x="1.23456"')
  })
})

describe('coordinates are rounded relative to the size of the drawing', () => {
  test('coordinates in a small nested viewBox keep more decimals', async () => {
    const text = await rounded(
      svg('<svg viewBox="0 0 24 24" width="600" height="600"><path d="M1.2345 2.3456L20.567 18.678 3.456 9.123z"/></svg>'),
      0,
    )
    expect(text).toMatch(/d="[mM]1\.23 2\.35/)
  })

  test('coordinates enlarged by a transform keep more decimals', async () => {
    const path = '<path d="M1.2345 2.3456L20.567 18.678 3.456 9.123z"/>'
    expect(await rounded(svg(`<g transform="rotate(9)scale(30)">${path}<use href="#b"/></g><rect id="b"/>`), 0)).toMatch(/d="[mM]1\.2 2\.3/)
    expect(await rounded(svg(path), 0)).toMatch(/d="[mM]1 2/)
  })

  test('dots and thin bars do not disappear', async () => {
    const text = await rounded(svg('<style>a{}</style><circle cx="9" cy="9" r=".4"/><rect width=".35" height="300.4"/>'), 0)
    expect(text).toContain('r=".4"')
    expect(text).toContain('width=".35"')
    expect(text).toContain('height="300"')
  })
})

test('a path with an arc too large for renderers stays unchanged', async () => {
  const huge = 'M 10.123456 100.23456 A 1e20 1e20 0 0 1 190.34567 100.56789 L 190.45678 190.56789 L 10.67890 190.12345 Z'
  const text = await rounded(
    svg(`<path d="${huge}"/><path fill="red" d="M20.12345 20.12345A30.123 30.123 0 0 0 80.123 30.987L40.51 60.123z"/>`),
    1,
  )
  expect(text).toContain(huge)
  expect(text).toContain('30.1 30.1 0')
})
