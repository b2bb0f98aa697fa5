/** Checks that a result keeps everything besides the rendered picture: rules, names, click areas, hidden parts and notices. */

import { describe, expect, test } from 'vitest'
import { looksGenerated } from '../../../src/core/catalog/inventory/generated-ids.ts'
import { shortenCss, shortenStyle } from '../../../src/core/formats/svg/css.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { textsOf } from '../../support/in-english.ts'
import { svgCases } from '../../support/svg-cases.ts'
import { fewOf } from '../../support/thorough.ts'

const LEVELS = fewOf(['low', 'medium', 'high'] as const, 2)
const CASES = svgCases()

async function compressed(text: string, quality: Quality, depth = 0): Promise<{ text: string; steps: readonly string[] }> {
  const bytes = new TextEncoder().encode(text)
  const { outcome, result } = await openJob(svg, memorySource(bytes, 'a.svg'), {}, { quality, depth }).whole(async () =>
    memorySink(bytes.length, 'a.svg'),
  )
  if (outcome.kind !== 'compressed' || !result) throw new Error(JSON.stringify(outcome))
  return { text: new TextDecoder().decode(await readAll(result)), steps: textsOf(outcome.steps) }
}

const everyLevel = (name: string, expected: readonly (string | RegExp)[], absent: readonly (string | RegExp)[] = []) =>
  test.each(LEVELS)(`${name} at %s`, async (quality) => {
    const { text } = await compressed(CASES[name]!, quality)
    for (const part of expected)
      expect(text).toMatch(typeof part === 'string' ? new RegExp(part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : part)
    for (const part of absent) expect(text).not.toMatch(part)
  })

/** Number of matches of a pattern. */
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

test.each([
  '<dc:title></dc:title>',
  '<dc:title/>',
  '<dc:format>image/svg+xml</dc:format><dc:title/>',
])('an empty title in metadata (%s) is removed with them, and a title of the drawing is not', async (title) => {
  const names = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#"'
  const metadata = `<metadata><cc:Work>${title}</cc:Work></metadata>`
  const path = '<path d="M 10.12345 10.45678 L 90.123 20.1234 L 50.55555 80.44444 z" fill="#ff0000"/>'
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" ${names} width="100" height="100">${metadata}<title></title>${path}</svg>`
  const { text } = await compressed(drawing, 'medium')
  expect(text).not.toMatch(/dc:title/)
  expect(text).toMatch(/<title/)
  const named = await compressed(drawing.replace(title, '<dc:title>Tower</dc:title>'), 'medium')
  expect(named.text).toMatch(/<dc:title>Tower<\/dc:title>/)
})

describe('conditional style rules (media, state, feature support) are kept', () => {
  everyLevel(
    'dark-mode',
    ['.ink{fill:#111111}@media (prefers-color-scheme:dark){.ink{fill:#eeeeee}}', 'class="ink"'],
    [/style="/, /fill="/],
  )
  everyLevel(
    'hover-and-print',
    [
      'rect{fill:#111111;transition:fill 0.3s}svg:hover rect{fill:#ff0000}@media print{rect{fill:#ffffff;stroke:#000000}}',
      '@supports (color:color(display-p3 1 0 0)){rect{fill:color(display-p3 0.9 0.1 0.1)}}',
      '@container (min-width:100px){rect{stroke-width:3}}',
      '@layer base{rect{stroke:#00ff00}}',
      '<rect ',
    ],
    [/style="/, /<path/],
  )
  everyLevel('media-attribute', ['<style media="print">rect{fill:#ffffff}</style><style>rect{fill:#123456}</style>', '<rect '])
  everyLevel('structural-selectors', [/<g>(?:<rect [^>]*\/>){4}<\/g>/, 'rect:nth-child(2n)', 'g &gt; rect:not(.x)'.replace(/ /g, ' ')])
  everyLevel('shown-in-the-dark', ['class="d"', 'class="l"', '.d{display:none}', '.d{display:inline}.l{display:none}'])
})

test('a comment between two selectors or values is no white space', () => {
  expect(shortenCss('.a/**/.b { margin: 1px/* x */2px; } .c /* y */ .d { fill: /* z */ red }')).toBe(
    '.a/**/.b{margin:1px/**/2px}.c .d{fill:red}',
  )
})

describe('style elements with a media attribute', () => {
  const radius = (i: number) => 3 + 0.4 * Math.abs(Math.sin(i * i))
  const point = (i: number) =>
    [75 + radius(i) * Math.cos(i / 32), 50 + radius(i) * Math.sin(i / 32)].map((value) => value.toFixed(5)).join(' ')
  const detail = Array.from({ length: 200 }, (_, i) => point(i))
  const drawing = (media: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><style>.ink{fill:#0a0}</style><style media="${media}">.ink{fill:#fff}</style>` +
    `<rect width="100" height="100" fill="#fff"/><path class="ink" d="M${detail.join('L')}z"/></svg>`
  const numbers = (text: string) => count(/ d="([^"]*)"/.exec(text)?.[1] ?? '', /\d*\.?\d+/g)

  test.each([
    '(prefers-color-scheme: dark)',
    'print',
  ])('media="%s": paths keep vertices that are visible in another medium', async (media) => {
    for (const quality of LEVELS)
      expect(numbers((await compressed(drawing(media), quality)).text)).toBeGreaterThanOrEqual(2 * detail.length)
  })

  test('media="all" is no condition: invisible vertices may be removed', async () => {
    expect(numbers((await compressed(drawing('all'), 'low')).text)).toBeLessThan(2 * detail.length)
  })
})

describe('names and shapes are kept if an external style sheet or a script may refer to them', () => {
  everyLevel('outside-sheet', [
    '<?xml-stylesheet type="text/css" href="theme.css"?>',
    /<rect [^>]*id="door"/,
    '<g><g><polygon ',
    'class="dot"',
    'class="bg"',
  ])
  everyLevel(
    'imported-sheet',
    ['@import url("theme.css")', /<rect [^>]*id="rect12"/].map((part) =>
      typeof part === 'string' ? /@import url\((?:"|&quot;)theme\.css/ : part,
    ),
  )
  everyLevel('linked-sheet', [/<link [^>]*href="theme\.css"/, /<rect [^>]*id="rect12"/])
  everyLevel('event-handlers', [
    'onmouseover="glow(evt)"',
    /<rect [^>]*fill-opacity="0"/,
    `go('a  b')`,
    'id="rect22"',
    'fill="transparent"',
  ])
})

describe('ids', () => {
  everyLevel(
    'icons-by-id',
    ['home', 'user', 'mail', 'lock'].map((name) => new RegExp(`<g id="icon-${name}"[^>]*><path [^>]*/></g>`)),
  )

  test('chosen by people are kept at every level; generated ids are removed at low and medium, and the receipt reports it', async () => {
    for (const quality of LEVELS) {
      const { text, steps } = await compressed(CASES['ids-of-seats']!, quality)
      for (const id of ['B12', 'FR', 'seat-2', 'region-07']) expect(text).toContain(`id="${id}"`)
      expect(text.includes('id="path1234"')).toBe(quality === 'high')
      expect(steps.includes('1 unreferenced, generated id removed')).toBe(quality !== 'high')
    }
  })

  test.each(['path1234', 'SVGID_1_', 'clip0_3_17', 'g10', 'linearGradient12-3', 'base', 'rect22'])('%s looks generated', (id) => {
    expect(looksGenerated(id)).toBe(true)
  })

  test.each([
    'FR',
    'B12',
    'region-07',
    'icon-home',
    'seat1a',
    'a',
    'door',
    'symbol-3',
    'path-to-home',
    `path${'1'.repeat(80)}`,
  ])('%s is a name', (id) => {
    expect(looksGenerated(id)).toBe(false)
  })
})

describe('markers', () => {
  test.each(LEVELS)('keep every vertex at %s: as shorthand property, as attribute, inherited', async (quality) => {
    const { text } = await compressed(CASES['markers']!, quality)
    expect(count(text, /<path [^>]*d="M10 \d0h20 30 40"/g)).toBe(3)
    expect(text).toContain('<polyline points="10 80 30 80 60 80"')
  })
  everyLevel('markers-by-class', [/d="M10 20h20 30 40"/, '.line{marker:url(#dot)}'])
})

describe('invisible click areas are kept', () => {
  everyLevel('click-areas', [
    /<g fill="none" pointer-events="all"><rect [^>]*><title>North wing<\/title>/,
    /<a href="a\.html"><rect [^>]*fill-opacity="0"/,
    /<a xlink:href="b\.html"><rect [^>]*opacity="0"/,
    /<a href="c\.html"><rect (?=[^>]*visibility="hidden")[^>]*pointer-events="all"/,
    /<a href="2\.50"><path (?=[^>]*stroke-opacity="0")(?=[^>]*stroke-width="9")[^>]*fill="none"/,
    'style="fill:transparent"',
    'style="pointer-events:bounding-box"',
  ])
})

describe('hidden parts', () => {
  test('are kept, with layer names at high; the receipt reports layer names removed at low and medium', async () => {
    for (const quality of LEVELS) {
      const { text, steps } = await compressed(CASES['hidden-layers']!, quality)
      expect(text).toMatch(/<g [^>]*style="display:none"[^>]*><path [^>]*stroke="#ff0000"/)
      expect(text).toMatch(/<g id="solution" visibility="hidden"><path/)
      expect(text).toContain('id="guide77"')
      expect(text.includes('inkscape:label="Wiring"')).toBe(quality === 'high')
      expect(text.includes('id="layer2"')).toBe(quality === 'high')
      expect(steps.includes('2 labels of layers and objects removed')).toBe(quality !== 'high')
      expect(steps).toContain('data of drawing programs removed')
    }
  })
})

test.each([
  ['a guide', '<s:namedview id="namedview1"><s:guide position="10,20" orientation="1,0" i:label="bleed"/></s:namedview>'],
  ['a page', '<s:namedview id="namedview1"><i:page x="0" y="0" width="10" height="10" i:label="bleed"/></s:namedview>'],
])('the label of %s is kept at high, and the receipt reports its removal at low', async (_, view) => {
  const text =
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="http://www.inkscape.org/namespaces/inkscape" ' +
    `xmlns:s="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" viewBox="0 0 100 100">${view}` +
    '<path id="path1" s:nodetypes="ccc" d="M1.234567 2.345678L30 40L50 3z"/></svg>'
  const high = (await compressed(text, 'high')).text
  for (const attribute of view.match(/[\w:]+="[^"]*"/g) ?? []) expect(high).toContain(attribute)
  expect(high).not.toContain('nodetypes')
  const low = await compressed(text, 'low')
  expect(low.text).not.toContain('bleed')
  expect(low.steps.join()).toMatch(/1 label of a layer or object removed/)
})

test('an SVG inside an email loses nothing that a receipt step would have to report', async () => {
  const { text } = await compressed(CASES['hidden-layers']!, 'low', 1)
  for (const part of ['inkscape:label="Wiring"', 'id="layer2"', 'pagecolor="#ffffff"']) expect(text).toContain(part)
})

describe('texts, metadata and data attributes are kept', () => {
  everyLevel('licences', [
    'Copyright 2020 Ada',
    'SPDX-License-Identifier: MIT',
    '<dc:creator>Ada</dc:creator>',
    'rdf:resource="http://creativecommons.org/licenses/by/4.0/"',
  ])
  everyLevel('data-and-labels', [
    'data-series=""',
    'data-x="1.5000"',
    'aria-label="a  b"',
    'role="group"',
    'lang="de"',
    'tabindex="0"',
    'data-id="7"',
    'href="2.50"',
  ])
  everyLevel('text-on-a-path', [
    />along<\/textPath>/,
    'a <tspan>b</tspan> <a href="x.html"> c </a>',
    'x="10.12345"',
    'y="99.98765"',
    'id="route"',
  ])
  everyLevel('html-inside', ['>Hello <b>bold</b> <i>it</i> !</p>'])
  everyLevel('languages', ['<g systemLanguage="de">'])

  test('the receipt counts removed comments', async () => {
    expect((await compressed(CASES['dark-mode']!, 'high')).steps).toContain('1 comment removed')
  })
})

describe('elements that the renderer does not support keep numbers and vertices', () => {
  everyLevel('not-drawn-here', [
    'clip-path:circle(20px at 30px 30px)',
    'fill:var(--x,#ff00ff)',
    'fill="var(--Brand, #00ff00)"',
    'transform-origin="center"',
    'pathLength="100"',
    'transform:rotate(3deg)',
    ...['10 20', '90 20', '10 50', '90 50', '10 80', '90 80'].map((start) => new RegExp(`d="M${start}(?:[L ]-?[\\d.]+ -?[\\d.]+){12}"`)),
  ])

  test.each(LEVELS)('style and attributes do not move between elements at %s, because style has priority', async (quality) => {
    const { text } = await compressed(CASES['style-above-attributes']!, quality)
    expect(text).toMatch(/<g style="fill:#f00"><path [^>]*fill="(?:#00f|blue)"/)
    expect(count(text, /fill="(?:#0f0|lime)"/g)).toBeGreaterThanOrEqual(1)
  })
})

describe('style sheets are shortened', () => {
  test.each([
    ['a { b : c ; }', 'a{b :c}'],
    ['/* x */ a > b , c d{e:f}', 'a > b,c d{e:f}'],
    ['/*! keep */a{}', '/*! keep */a{}'],
    ['/* Copyright Ada */a{}', '/* Copyright Ada */a{}'],
    ['a :hover{b:"x  ;  y"}', 'a :hover{b:"x  ;  y"}'],
    ['a{b:url( x;y.png ) ;c:calc(1px + 2px)}', 'a{b:url( x;y.png );c:calc(1px + 2px)}'],
    ['@media screen and (color){a{b:c}}', '@media screen and (color){a{b:c}}'],
  ])('%s', (css, short) => {
    expect(shortenCss(css)).toBe(short)
  })

  test.each([
    ['fill: #ff0000 ; stroke-width : 0.50 ;', 'fill:#f00;stroke-width:.50'],
    ["font-family: 'A  B', c", "font-family:'A  B', c"],
    ['fill:red;fill:blue', 'fill:red;fill:blue'],
    ['--My-Name: 0.5', '--My-Name:.5'],
  ])('style="%s"', (style, short) => {
    expect(shortenStyle(style)).toBe(short)
  })
})
