import { readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { SVG as POLICY } from '../../../src/core/catalog/inventory/svg.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import { svgInventory } from '../../../src/core/inventory/svg.ts'
import { XML_LIBRARY } from '../../../src/core/inventory/xml-library.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { svgCases } from '../../support/svg-cases.ts'
import { roundsOf } from '../../support/thorough.ts'

const { signal } = new AbortController()
const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? new TextEncoder().encode(text) : text)
const sourceOf = (text: string | Uint8Array) => memorySource(bytesOf(text), 'a.svg')

async function inventoryOf(text: string | Uint8Array): Promise<{ [kind: string]: string[] }> {
  const inventory = await svgInventory.read(sourceOf(text), signal)
  return Object.fromEntries([...inventory].map(([kind, items]) => [kind, [...items].map(([item, count]) => `${item} ×${count}`)]))
}

async function compressed(text: string, quality: Quality): Promise<string> {
  const { outcome, result } = await openJob(svg, sourceOf(text), {}, { quality, depth: 0 }).whole(async () =>
    memorySink(bytesOf(text).length, 'a.svg'),
  )
  if (outcome.kind !== 'compressed' || !result) throw new Error(JSON.stringify(outcome))
  return new TextDecoder().decode(await readAll(result))
}

const verdictOf = (original: string, result: string, quality: Quality) =>
  checkInventory({
    format: svg.format,
    output: 'svg',
    original: sourceOf(original),
    result: sourceOf(result),
    quality,
    metadata: undefined,
    signal,
  })

const drawing = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 99.5 80"${attributes}>${inside}</svg>`

const PATH = 'M 10.12345 10.54321 L 40.22222 20.33333 L 60.44444 70.55555 z'

/** A drawing with an outside style sheet and a script, so that the codec keeps its structure and every name. */
const RICH = `<?xml-stylesheet href="theme.css"?>
<!--! drawn by Ada -->
<!-- a comment -->
${drawing(
  `
  <title>A map</title><desc>With two rooms</desc>
  <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#">
    <cc:Work rdf:about=""><dc:creator>Ada</dc:creator><cc:license rdf:resource="https://example.org/by"/></cc:Work></rdf:RDF></metadata>
  <style>@font-face { font-family: "Own"; src: url(own.woff2) }
    .room { fill: #0a0 } .room:hover { fill: #f00 !important } .late { stroke: red }
    @media (prefers-color-scheme: dark) { .room { fill: #333; stroke: blue } } @keyframes grow { to { opacity: 1 } }</style>
  <defs><marker id="dot" markerWidth="4" markerHeight="4"><circle r="2"/></marker><symbol id="chair"><path d="${PATH}"/></symbol></defs>
  <g class="room big" data-floor="2" aria-label="Hall" id="hall" onclick="go(1)"><path d="${PATH}"/></g>
  <a href="https://example.org/" target="_blank" hreflang="en"><rect width="9" height="9" fill="transparent"/></a>
  <path d="${PATH}" marker-mid="url(#dot)" fill="none" stroke="#000"/>
  <use href="#chair" x="30"/><image href="photo.jpg" width="3" height="3"/>
  <image href="data:image/png;base64,AAAA" width="3" height="3"/>
  <text x="1" y="20">Room <tspan>one</tspan></text>
  <g display="none" id="spare"><rect width="5" height="5"/></g>
  <rect width="2" height="2"><animate attributeName="width" from="2" to="5" dur="2s" begin="hall.click"/></rect>
  <foreignObject width="20" height="20"><p xmlns="http://www.w3.org/1999/xhtml">Read <b>me</b></p></foreignObject>
  <app:seat xmlns:app="https://example.org/app" app:number="12"/>
  <script>function go(n) { alert(n) }</script>
`,
  ' width="199px" lang="en" content="&lt;mxfile/&gt;"',
)}`

/** A drawing without rules and scripts, of which the codec may change the structure. */
const PLAIN = drawing(
  `<!-- (c) Ada -->
  <g id="seat-7" role="img" pointer-events="all"><path d="${PATH}"/></g>
  <linearGradient id="sunset"><stop offset="0" stop-color="#f00"/><stop offset="1"/></linearGradient>
  <rect width="20.0000" height="20.0000" fill="url(#sunset)"/><rect id="path123" width="20.0000" height="3.0000" fill="url(#sunset)"/>
  <g marker-mid="url(#tick)"><polyline points="1,2 30,4 50,6" fill="none" stroke="#000"/></g>
  <marker id="tick"><circle r="2"/></marker><text y="9" xml:lang="fr">salut</text><switch><g systemLanguage="fr"><path d="${PATH}"/></g></switch>`,
  ' width="100" height="80.25"',
)

describe('inventory of a drawing', () => {
  it('names everything besides the picture', async () => {
    expect(await inventoryOf(RICH)).toEqual({
      accessibility: ['lang = en ×1', 'aria-label = Hall ×1'],
      animations: [expect.stringMatching(/^animate width begin=hall\.click dur=2s = #[\da-f]{16} ×1$/), '@keyframes grow ×1'],
      attributes: ['content = <mxfile/> ×1', 'hreflang = en ×1'],
      classes: ['room = 1 elements ×1', 'big = 1 elements ×1'],
      click_areas: ['area in a link to https://example.org/ ×1'],
      comments: ['a comment ×1'],
      conditional_rules: ['.room:hover ×1', '@media (prefers-color-scheme:dark) | .room ×1'],
      custom_xml: ['{https://example.org/app}number = 12 ×1', '{https://example.org/app}seat ×1'],
      data_attributes: ['data-floor = 2 ×1'],
      effective_rules: [
        '| .room:hover | fill ×1',
        '@media (prefers-color-scheme:dark) | .room | fill ×1',
        '@media (prefers-color-scheme:dark) | .room | stroke ×1',
      ],
      element_names: expect.arrayContaining(['path ×3', 'g ×2', 'tspan ×1']),
      elements: ['symbol ×1', 'image ×2'],
      embedded_files: ['image/png ×1'],
      embedded_fonts: ['Own ×1'],
      event_attributes: ['onclick go(1) ×1'],
      foreign_objects: ['foreignObject Read me ×1'],
      hidden_parts: ['g spare ×1'],
      ids: ['dot ×1', 'chair ×1', 'hall ×1', 'spare ×1'],
      links: ['https://example.org/ target=_blank ×1'],
      markers: ['#dot ×4'],
      metadata: ['creator = Ada ×1', 'license = https://example.org/by ×1'],
      notices: ['! drawn by Ada ×1'],
      outside_references: ['photo.jpg ×1', 'own.woff2 ×1'],
      plain_rules: ['.late (no element yet) ×1'],
      references: ['#dot ×1', '#chair ×1'],
      scripts: [expect.stringMatching(/^script #[\da-f]{16} ×1$/)],
      size: ['viewBox = 0 0 99.5 80 ×1', 'width = 199 ×1', 'height = 100% ×1', 'preserveAspectRatio = xMidYMid meet ×1'],
      style_rules: expect.arrayContaining([
        '| .room = {fill:#0a0} ×1',
        '@media (prefers-color-scheme:dark) | .room = {fill:#333;stroke:blue} ×1',
      ]),
      style_sheets: ['xml-stylesheet theme.css ×1'],
      texts: ['Room one ×1'],
      titles: ['title: A map ×1', 'desc: With two rooms ×1'],
    })
  })

  it('has no kind that the policy does not know', async () => {
    for (const text of [RICH, PLAIN, ...Object.values(svgCases())])
      for (const kind of (await svgInventory.read(sourceOf(text), signal)).keys()) expect(Object.keys(POLICY.svg)).toContain(kind)
  })

  it('reads SVGZ, UTF-16, Latin-1 and declared entities', async () => {
    const text = drawing('<text>caf\u00e9 &who;</text>')
    const prolog = '<!DOCTYPE svg [<!ENTITY who "Ada">]>'
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${prolog}${text}`, 'utf16le'))
    const latin = new Uint8Array(Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${prolog}${text}`, 'latin1'))
    for (const bytes of [prolog + text, new Uint8Array(gzipSync(prolog + text)), utf16, latin])
      expect((await inventoryOf(bytes))['texts']).toEqual(['caf\u00e9 Ada ×1'])
  })

  it('selectors reach elements by place, attribute and name, and a style attribute overrides rules', async () => {
    const rules = (css: string, inside: string) => inventoryOf(drawing(`<style>@media print{${css}}</style>${inside}`))
    const reaches = async (selector: string, inside: string) =>
      (await rules(`${selector}{stroke:red}`, inside))['effective_rules'] !== undefined
    const inside = '<g id="a" class="x y"><rect/><path data-n="one two"/></g><circle style="fill:blue"/>'
    for (const selector of [
      'path',
      '*',
      '#a',
      '.x.y',
      'g > path',
      'svg path',
      'rect + path',
      'g ~ circle:not(.x) , path',
      '[data-n~=two]',
      '[data-n^="one"]',
      'g :nth-child(2n)',
      'rect:first-child',
      ':root',
      'path:hover',
      'g:has(rect)',
      'svg:is(.q, svg) rect',
    ])
      expect([selector, await reaches(selector, inside)]).toEqual([selector, true])
    for (const selector of ['ellipse', '#b', '.x.z', 'svg > path', 'path + rect', '[data-n=one]', 'rect:nth-child(2)', 'g:not(#a)', '!'])
      expect([selector, await reaches(selector, inside)]).toEqual([selector, false])
    expect((await rules('circle{fill:red}', inside))['effective_rules']).toBeUndefined()
    expect((await rules('circle{fill:red!important}', inside))['effective_rules']).toHaveLength(1)
  })
})

/** Damages of one result: the kind that must report the loss, what is replaced, and by what. */
type Damage = readonly [kind: string, pattern: RegExp, replacement: string]

const DAMAGES_OF_RICH: readonly Damage[] = [
  ['accessibility', /aria-label="Hall"/, 'aria-label="Room"'],
  ['animations', /to="5"/, 'to="6"'],
  ['animations', /@keyframes grow/, '@keyframes shrink'],
  ['attributes', / content="[^"]*"/, ''],
  ['classes', /class="room big"/, 'class="room"'],
  ['click_areas', /fill="transparent"/, 'fill="none"'],
  ['conditional_rules', /@media \(prefers-color-scheme:\s*dark\)/, '@media print'],
  ['custom_xml', /app:number="12"/, ''],
  ['data_attributes', /data-floor="2"/, ''],
  ['element_names', /<use/, '<path/><use2'],
  ['elements', /<symbol([^>]*>.*)<\/symbol>/, '<g$1</g>'],
  ['embedded_files', /data:image\/png/, 'data:image/gif'],
  ['embedded_fonts', /font-family:\s*(?:"|&quot;)Own/, 'font-family:"Other'],
  ['event_attributes', /onclick="go\(1\)"/, 'onclick="go(2)"'],
  ['foreign_objects', /<b>me<\/b>/, '<b>us</b>'],
  ['hidden_parts', /display="none"/, 'opacity="0"'],
  ['ids', /id="hall"/, 'id="hall2"'],
  ['links', /https:\/\/example.org\/" /, 'https://example.org/b" '],
  ['markers', /marker-mid/, 'marker-end'],
  ['metadata', />Ada</, '>Bob<'],
  ['metadata', /<cc:license[^>]*>/, ''],
  ['notices', /<!--! drawn by Ada ?-->/, ''],
  ['outside_references', /photo\.jpg/, 'photo2.jpg'],
  ['plain_rules', /\.late/, '.big'],
  ['references', /<use href="#chair"/, '<use href="#seat"'],
  ['scripts', /alert\(n\)/, 'alert(1)'],
  ['size', /viewBox="0 0 99\.5 80"/, 'viewBox="0 0 99 80"'],
  ['style_rules', /#333/, '#444'],
  ['style_sheets', /theme\.css/, 'theme2.css'],
  ['texts', />one</, '>two<'],
  ['titles', />A map</, '>A plan<'],
]

const DAMAGES_OF_PLAIN: readonly Damage[] = [
  ['accessibility', /xml:lang="fr"/, ''],
  ['attributes', /pointer-events="all"/, ''],
  ['attributes', /systemLanguage="fr"/, 'systemLanguage="en"'],
  ['elements', /<switch>(.*)<\/switch>/, '<g>$1</g>'],
  ['ids', /id="seat-7"/, ''],
  ['markers', /(points="[^"]*?)[\d.]+[, ][\d.]+(?=")/, '$1'],
  ['notices', /<!-- ?\(c\) Ada ?-->/, ''],
  ['references', /url\(#sunset\)/g, 'url(#sunrise)'],
  ['size', /height="80\.25"/, 'height="80"'],
  ['texts', />salut</, '>salu<'],
]

describe('a result that lacks an item', () => {
  it('is rejected, whatever is missing', async () => {
    const results = new Map<string, Promise<string>>()
    const resultOf = (text: string, quality: Quality) => {
      const key = `${quality}${text}`
      results.set(key, results.get(key) ?? compressed(text, quality))
      return results.get(key)!
    }
    const cases = [
      ...DAMAGES_OF_RICH.map((damage) => [RICH, damage] as const),
      ...DAMAGES_OF_PLAIN.map((damage) => [PLAIN, damage] as const),
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cases), fc.constantFrom('high', 'medium', 'low'), async ([text, damage], quality) => {
        const [kind, pattern, replacement] = damage
        const result = await resultOf(text, quality)
        const intact = await verdictOf(text, result, quality)
        expect(intact.kind).toBe('kept')
        const damaged = result.replace(pattern, replacement)
        expect([damage, damaged === result]).toEqual([damage, false])
        const verdict = await verdictOf(text, damaged, quality)
        expect([damage, verdict.kind]).toEqual([damage, 'lost'])
        const before = await svgInventory.read(sourceOf(result), signal)
        const after = await svgInventory.read(sourceOf(damaged), signal)
        expect([...(after.get(kind as never) ?? [])]).not.toEqual([...(before.get(kind as never) ?? [])])
      }),
      { numRuns: roundsOf(120) },
    )
  })

  it('is rejected if an inline style now overrides a conditional rule', async () => {
    const text = drawing(`<style>@media print{.a{fill:red}}</style><path class="a" d="${PATH}"/>`)
    expect(await verdictOf(text, text.replace('class="a"', 'class="a" style="fill:#000"'), 'low')).toMatchObject({
      kind: 'lost',
      loss: { kind: 'effective_rules', item: '@media print | .a | fill' },
    })
  })

  it('is accepted if only generated ids and comments are gone, and the receipt counts them', async () => {
    const result = await compressed(PLAIN.replace('<g id', '<!-- note --><g id'), 'medium')
    const verdict = await verdictOf(PLAIN.replace('<g id', '<!-- note --><g id'), result, 'medium')
    expect(verdict).toMatchObject({
      kind: 'kept',
      fields: {
        removed: [
          { kind: 'comments', count: 1, why: 'not_drawn' },
          { kind: 'ids', count: 1, why: 'nothing_refers_to_it' },
        ],
      },
    })
    expect(await verdictOf(PLAIN, PLAIN.replace('id="path123"', ''), 'high')).toMatchObject({ kind: 'lost', loss: { kind: 'ids' } })
  })

  it('is rejected if its tags do not match', async () => {
    expect((await verdictOf(PLAIN, PLAIN.replace('</g>', ''), 'low')).kind).toBe('unreadable')
  })
})

describe('hostile drawings', () => {
  const outcomeOf = async (bytes: string | Uint8Array) => {
    try {
      return (await svgInventory.read(sourceOf(bytes), signal)).size
    } catch (error) {
      expect(error).toBeInstanceOf(CodecError)
      return (error as CodecError).reason
    }
  }

  it('truncated files give an inventory or an error of the codec', async () => {
    const bytes = bytesOf(RICH)
    const zipped = new Uint8Array(gzipSync(bytes))
    for (let length = 0; length < bytes.length; length += 7) expect(await outcomeOf(bytes.subarray(0, length))).toBe('malformed')
    for (let length = 2; length < zipped.length; length += 7) expect(await outcomeOf(zipped.subarray(0, length))).toBe('malformed')
    for (let at = 10; at < zipped.length; at += 11) {
      const damaged = zipped.slice()
      damaged[at]! ^= 0x55
      await outcomeOf(damaged)
    }
    expect(gunzipSync(zipped).length).toBe(bytes.length)
  })

  test.each([
    ['nested too deeply', '<g>'.repeat(2000), 'over_budget'],
    ['too many attributes', drawing(`<g ${Array.from({ length: 5000 }, (_, i) => `a${i}="1"`).join(' ')}/>`), 'over_budget'],
    ['expanding entities', `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}">]>${drawing('&a;'.repeat(5000))}`, 'over_budget'],
    ['entities in entities', `<!DOCTYPE svg [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;">]>${drawing('<text>&a;</text>')}`, 2],
    ['text in many elements', drawing(`${'<text>a'.repeat(500)}${'</text>'.repeat(500)}`), 2],
  ])('%s', async (_, text, expected) => {
    expect(await outcomeOf(text)).toBe(expected)
  })

  it('rules and elements that would take too long are over budget', async () => {
    const css = Array.from({ length: 4000 }, (_, i) => `[data-a="${i}"] *{fill:red}`).join('')
    expect(await outcomeOf(drawing(`<style>${css}</style>${'<g/>'.repeat(9000)}`))).toBe('over_budget')
  })

  test.each([
    'url('.repeat(200_000),
    '/*'.repeat(200_000),
    ':a('.repeat(100_000),
    '@media a{'.repeat(50_000),
    `${'('.repeat(200_000)}{`,
    `a${'[b'.repeat(100_000)}{}`,
    `${'a,'.repeat(100_000)}{}`,
    `"${'\\'.repeat(200_001)}`,
  ])('a style sheet of unclosed brackets is read in linear time (%#)', async (css) => {
    expect(typeof (await outcomeOf(drawing(`<style>${css}</style><g style="${css.replaceAll('"', '')}"/>`)))).toBe('number')
  })

  it('a gzip bomb is over budget', async () => {
    expect(await outcomeOf(new Uint8Array(gzipSync(Buffer.alloc(26 * 1024 * 1024, 0x20))))).toBe('over_budget')
  })

  it('a drawing with very many items has one item per kind, which names any change', async () => {
    const many = (changed: number) =>
      drawing(Array.from({ length: 60_000 }, (_, i) => `<path id="street-${i === changed ? 'x' : i}"/>`).join(''))
    const result = many(-1).replace(/<path id="street-1"\/><path id="street-2"\/>/, '<path id="street-2"/><path id="street-1"/>')
    expect(await verdictOf(many(-1), result, 'low')).toMatchObject({ kind: 'kept', fields: { inventory: { ids: 60_000 } } })
    expect(await verdictOf(many(-1), many(59_999), 'low')).toMatchObject({ kind: 'lost', loss: { kind: 'ids' } })
  })
})

test('the library in receipts is the installed one', () => {
  const { version } = JSON.parse(readFileSync('node_modules/saxes/package.json', 'utf8')) as { version: string }
  expect(XML_LIBRARY).toBe(`saxes ${version}`)
})
