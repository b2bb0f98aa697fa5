import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SvgMeter } from '../../../src/core/formats/svg/measure.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import type { Options, Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../src/core/pipeline/job.ts'
import { pictureLossOf, withFidelity } from '../../support/fidelity.ts'
import { roundsOf } from '../../support/thorough.ts'
import { countWork } from '../../support/work.ts'

function optionsFor(quality: Quality = 'medium', over: Partial<Options> = {}): Options {
  return optionsOf(svg.format, {}, { quality, ...over })
}

async function pack(text: string | Uint8Array, options = optionsFor()) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const { outcome, result, ...rest } = await openJob(svg, memorySource(bytes, 'a.svg'), {}, options).whole(async () =>
    memorySink(bytes.length, 'a.svg'),
  )
  expect(rest).not.toHaveProperty('defect')
  return { outcome, bytes: result ? await readAll(result) : bytes, text: result ? new TextDecoder().decode(await readAll(result)) : '' }
}

const wave = Array.from({ length: 120 }, (_, i) => `L ${(i * 1.6180339887).toFixed(8)} ${(50 + 40 * Math.sin(i / 9)).toFixed(8)}`).join(' ')
const DRAWING = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Created with a drawing program -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
     width="200.00001" height="100" viewBox="0 0 200.00001 100" role="img" aria-label="a wave">
  <title>Wave</title>
  <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:format>image/svg+xml</dc:format></rdf:RDF></metadata>
  <defs><linearGradient id="fade"><stop offset="0" stop-color="#ff0000"/><stop offset="1" stop-color="#0000ff"/></linearGradient></defs>
  <g inkscape:label="layer" transform="translate(0.00000000,0.00000000)">
    <path d="M 0 50 ${wave}" fill="url(#fade)" stroke="#000000" stroke-width="1.00000000" data-series="7"/>
  </g>
  <text x="10" y="90">Größe &amp; Maß</text>
</svg>`

describe('SVG drawings', () => {
  test('become smaller and similar, and the receipt reports the similarity', async () => {
    const { outcome, text } = await pack(DRAWING)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const claim = pictureLossOf(outcome)
    const similarity = new SvgMeter(DRAWING).measure(text)!
    expect(similarity.psnrDb).toBeGreaterThanOrEqual(36)
    expect(claim.psnrDb).toBeLessThanOrEqual(similarity.psnrDb)
    expect(claim.ssim).toBeCloseTo(similarity.ssim, 6)
    expect(text.length).toBeLessThan(DRAWING.length / 2)
  })

  test('keep ids, classes and links that others may refer to', async () => {
    const { text } = await pack(DRAWING, optionsFor('low'))
    for (const kept of [
      'viewBox="0 0 200.00001 100"',
      'width="200.00001"',
      '<title>Wave</title>',
      'role="img"',
      'aria-label="a wave"',
      'data-series="7"',
      'id="fade"',
      'Größe &amp; Maß',
    ]) {
      expect(text).toContain(kept)
    }
    for (const gone of ['Created with', 'inkscape', '<metadata']) expect(text).not.toContain(gone)
  })

  test('become smaller with each lower level', async () => {
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await pack(DRAWING, optionsFor(quality))).bytes.length)
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  test('stay SVGZ if they were SVGZ', async () => {
    const { outcome, bytes } = await pack(gzipSync(DRAWING, { level: 1 }))
    expect(outcome.kind).toBe('compressed')
    expect(gunzipSync(bytes).toString()).toContain('<svg')
  })

  test('stay exact with the option lossless', async () => {
    const { outcome, text } = await pack(DRAWING, optionsFor('low', { lossless: true }))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(text).toContain(wave.slice(0, 400))
    expect(new SvgMeter(DRAWING).measure(text)!.psnrRgbDb).toBe(Number.POSITIVE_INFINITY)
  })

  test('are decoded from UTF-16 and Latin-1', async () => {
    const latin = Uint8Array.from(DRAWING.replace('UTF-8', 'iso-8859-1'), (character) => character.charCodeAt(0))
    expect((await pack(latin)).text).toContain('Größe')
    const utf16 = new Uint8Array([
      0xff,
      0xfe,
      ...[...DRAWING.replace('UTF-8', 'UTF-16')].flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8]),
    ])
    expect((await pack(utf16)).text).toContain('Größe')
  })

  test('keep scripts, event handlers, animation and foreign objects unchanged', async () => {
    const live = DRAWING.replace(
      '</svg>',
      `<g id="lonely"><g id="inner"><rect id="box" width="10" height="10" onclick="go()"/></g></g>
<rect width="5" height="5"><animate attributeName="x" values="0;10" dur="1s"/></rect>
<foreignObject width="9" height="9"><div xmlns="http://www.w3.org/1999/xhtml">hello</div></foreignObject>
<script>document.getElementById('inner').firstChild</script></svg>`,
    )
    const { text } = await pack(live, optionsFor('low'))
    for (const kept of [
      'id="lonely"',
      'id="inner"',
      'onclick="go()"',
      '<animate',
      'values="0;10"',
      '<foreignObject',
      'hello',
      'document.getElementById(',
    ]) {
      expect(text).toContain(kept)
    }
  })

  test('keep the ids of symbols for other documents', async () => {
    const sprite = `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><symbol id="icon" viewBox="0 0 24 24"><path id="shape" d="M 1.000000 1.000000 L 20.00000 20.00000"/></symbol>${'<!-- padding -->'.repeat(9)}</svg>`
    const { text } = await pack(sprite)
    expect(text).toContain('id="icon"')
    expect(text).toContain('id="shape"')
  })

  test('keep non-breaking spaces as text, but not comments', async () => {
    const spaced = DRAWING.replace('Größe &amp; Maß', ' &#160;').replace('<defs>', '<!-- a role="x" data-x="1" --><defs>')
    const { outcome, text } = await pack(spaced)
    expect(outcome.kind).toBe('compressed')
    expect(text).toMatch(/>\s*(?:\u00a0|&#160;|&#xa0;)<\/text>/i)
    expect(text.length).toBeLessThan(spaced.length / 2)
  })

  test('try one more decimal if they are small, because the finer rounding may be shorter', async () => {
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const arcs = Array.from({ length: 12 }, (_, i) => `M${i * 7.13} ${i * 3.07}a4.04 4.04 0 0 1 ${(i % 5) + 0.95} ${i + 0.04}z`).join('')
      const { bytes } = await pack(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60"><path d="${arcs}"/></svg>`,
        optionsFor(quality),
      )
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  test('keep licence metadata', async () => {
    const licensed = DRAWING.replace('image/svg+xml</dc:format>', 'image/svg+xml</dc:format><dc:rights>CC-BY Ada</dc:rights>')
    expect((await pack(licensed)).text).toContain('CC-BY Ada')
  })
})

describe('invalid or hostile SVG files', () => {
  const small = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"'

  test.each([
    ['nested entities', `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${small}><text>&b;</text></svg>`, 'malformed'],
    ['a very long entity', `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(5000)}">]>${small}/>`, 'malformed'],
    [
      'too much entity expansion',
      `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}">]>${small}><text>${'&a;'.repeat(1000)}</text></svg>`,
      'malformed',
    ],
    [
      'an external entity',
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${small}><text>&x;</text></svg>`,
      'unsupported_feature',
    ],
    ['a parameter entity', `<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://example.com/x">%x;]>${small}/>`, 'unsupported_feature'],
    ['an undeclared entity', `${small}><!-- &no; --><g style="&st0;"><text>1</text></g></svg>`, 'malformed'],
    ['deep nesting', `${small}>${'<g>'.repeat(5000)}${'</g>'.repeat(5000)}</svg>`, 'over_budget'],
    ['not closed', `${small}><g>`, 'malformed'],
    ['broken quotes', `${small} fill=red/>`, 'malformed'],
    ['a duplicate attribute', `${small}><!-- ${'x'.repeat(99)} --><rect rx="1" rx="2" width="5" height="5"/></svg>`, 'malformed'],
    ['not UTF-8', Uint8Array.of(...new TextEncoder().encode(`${small}><text>`), 0xff, 0xfe, 0xc0), 'malformed'],
  ])('%s', async (_, text, reason) => {
    expect((await pack(text)).outcome).toMatchObject({ kind: 'unchanged', reason })
  })

  test('more character references than svgo accepts, as in SVG fonts, are not an error', async () => {
    const glyphs = Array.from({ length: 600 }, (_, i) => `<glyph unicode="&#x${(0xf000 + i).toString(16)};" d="M0 0h${i}z" />`).join('\n')
    const { outcome, text } = await pack(`${small}>\n<!-- a font --><defs><font><font-face/>${glyphs}</font></defs></svg>`)
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(text).toContain('&#xf257;')
  })

  test('an SVGZ bomb is stopped at the size limit', async () => {
    const bomb = gzipSync(`${small}>${' '.repeat(50_000_000)}</svg>`)
    expect((await pack(bomb)).outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  test('exponential chains of use elements are not rendered, but still optimised', async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `<g id="l${i + 1}">${`<use href="#l${i}"/>`.repeat(10)}</g>`).join('')
    const bomb = `${small}><!-- ${'x'.repeat(200)} --><rect id="l0" width="1" height="1"/>${levels}</svg>`
    expect(withFidelity((await pack(bomb)).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  })

  test('patterns that refer to each other are not rendered, but still optimised', async () => {
    const pattern = (id: string, side: number, shape: string) =>
      `<pattern id="${id}" width="${side}" height="${side}" patternUnits="userSpaceOnUse">${shape}</pattern>`
    const inner = pattern('inner', 10, '<circle cx="0" cy="5" r="5" stroke="url(#outer)" stroke-width="4px" fill="red"/>')
    const outer = pattern('outer', 30, '<rect width="50" height="50" fill="url(#inner)" stroke="blue" stroke-width="10"/>')
    const text = `${small}><!-- ${'x'.repeat(200)} -->${inner}${outer}<rect fill="url(#outer)" stroke="black" width="9" height="9"/></svg>`
    expect(withFidelity((await pack(text)).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect((await pack(DRAWING)).outcome.kind).toBe('compressed')
  })

  test('damaged and truncated files give an expected outcome, and the next job succeeds', async () => {
    const bytes = new TextEncoder().encode(DRAWING)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 127 }), fc.boolean(), async (at, flip, cut) => {
        const bent = cut ? bytes.slice(0, at + 1) : bytes.slice()
        if (!cut) bent[at]! ^= flip
        expect(['compressed', 'unchanged']).toContain((await pack(bent, optionsFor('medium'))).outcome.kind)
      }),
      { numRuns: roundsOf(60) },
    )
    expect((await pack(DRAWING)).outcome.kind).toBe('compressed')
  })
})

test('a drawing whose element tree exceeds the memory limit is compressed by the streaming pass', async () => {
  const many = `<svg xmlns="http://www.w3.org/2000/svg">${'<rect width="1" height="1"/>'.repeat(30_000)}</svg>`
  const work = await countWork(async () => {
    expect((await pack(many)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })
  expect(work / many.length).toBeLessThan(100)
})
