import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { docx, pptx } from '../../../src/core/formats/office/office.ts'
import {
  contentTypes,
  editContentTypes,
  editRelationships,
  readRelationships,
  resolvePart,
} from '../../../src/core/formats/office/parts.ts'
import { pictureUses } from '../../../src/core/formats/office/usage.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { Inner } from '../../../src/core/model/codec.ts'
import { fidelityOf } from '../../../src/core/model/codec.ts'
import { lossOf, pixelLoss } from '../../../src/core/model/loss.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { pictureLossOf, withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { body, document, drawing, OFFICE, PACKAGE, relationships, TYPES } from '../../support/office.ts'
import { jpegOf, mockInner, type Parts, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { roundsOf } from '../../support/thorough.ts'

/** Test codec that replaces any picture by a JPEG of the requested size. */
const shrinking = (calls: { name: string; width?: number; output?: string }[]): Inner =>
  mockInner(async (bytes, name, request) => {
    calls.push({ name, ...(request.maxWidth ? { width: request.maxWidth } : {}), ...(request.output ? { output: request.output } : {}) })
    const png = bytes[0] === 0x89
    if (png && request.output !== 'jpg') return { kind: 'unchanged', reason: 'no_gain' }
    const [width, height] = [request.maxWidth ?? 320, request.maxHeight ?? 240]
    const small = await jpegOf(scaledPhoto(width, height), width, height, 80)
    return {
      kind: 'compressed',
      bytes: small,
      output: 'jpg',
      outcome: { kind: 'compressed', ...lossOf(pixelLoss({ ssim: 0.98, psnrDb: 40 })), steps: [message('exact')] },
    }
  })

/** The 320 × 240 photo at another size. */
function scaledPhoto(width: number, height: number): Uint8Array {
  const whole = photo(320, 240)
  const rows = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (Math.floor(((y + 0.5) * 240) / height) * 320 + Math.floor(((x + 0.5) * 320) / width)) * 3
      rows.set(whole.subarray(from, from + 3), (y * width + x) * 3)
    }
  }
  return rows
}

describe('relationships and content types', () => {
  test('resolves targets by the Open Packaging Conventions', () => {
    expect(resolvePart('word/document.xml', 'media/a.png')).toBe('word/media/a.png')
    expect(resolvePart('ppt/slides/slide1.xml', '../media/A%20b.PNG')).toBe('ppt/media/a b.png')
    expect(resolvePart('ppt/slides/slide1.xml', '/ppt/media/a.png#x')).toBe('ppt/media/a.png')
    expect(resolvePart('', '../../up.xml')).toBe('up.xml')
  })

  test('changes only the bytes of the changed target', () => {
    const xml = relationships([
      ['a', `${OFFICE}/image`, 'media/1.png'],
      ['b', `${OFFICE}/hyperlink`, 'http://x/?a=1&amp;b', 'External'],
    ])
    const edited = editRelationships(xml, 'word/document.xml', ({ id }) => (id === 'a' ? 'media/1.jpeg' : undefined))
    expect(edited).toBe(xml.replace('media/1.png', 'media/1.jpeg'))
    expect(readRelationships(xml, 'word/document.xml').map(({ part, external, target }) => ({ part, external, target }))).toEqual([
      { part: 'word/media/1.png', external: false, target: 'media/1.png' },
      { part: undefined, external: true, target: 'http://x/?a=1&b' },
    ])
    expect(editRelationships(xml, 'word/document.xml', ({ id }) => (id === 'b' ? 'drop' : undefined))).not.toContain('hyperlink')
  })

  test('adds the content type of a new part by Default or Override', () => {
    const renamed = new Map([['word/media/1.png', { name: 'word/media/1.jpg', type: 'image/jpeg' }]])
    expect(contentTypes(editContentTypes(TYPES, renamed, new Set())).typeOf('word/media/1.jpg')).toBe('image/jpeg')
    const odd = TYPES.replace('Extension="jpeg" ContentType="image/jpeg"', 'Extension="jpg" ContentType="application/odd"')
    expect(contentTypes(editContentTypes(odd, renamed, new Set())).typeOf('word/media/1.jpg')).toBe('image/jpeg')
  })
})

describe('displayed size of pictures', () => {
  const shown = (xml: string, id = 'p') => pictureUses(xml, new Set([id])).get(id)

  test('reads extents in inches, takes the largest use and enlarges it for crops', () => {
    expect(shown(body(drawing('p', 2, 1)))).toEqual({ widthInches: 2, heightInches: 1 })
    expect(shown(body(drawing('p', 2, 1) + drawing('p', 1, 3)))).toEqual({ widthInches: 2, heightInches: 3 })
    expect(shown(body(drawing('p', 2, 1, '<a:srcRect l="25000" r="25000"/>')))).toEqual({ widthInches: 4, heightInches: 1 })
  })

  test('scales pictures in groups', () => {
    const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:ext cx="1828800" cy="914400"/><a:chExt cx="914400" cy="914400"/></a:xfrm></p:grpSpPr><p:pic><p:blipFill><a:blip r:embed="p"/></p:blipFill><p:spPr><a:xfrm><a:ext cx="914400" cy="914400"/></a:xfrm></p:spPr></p:pic></p:grpSp>`
    expect(shown(group)).toEqual({ widthInches: 2, heightInches: 1 })
  })

  test('reads VML shapes in points', () => {
    const shape = `<w:pict><v:shape style="position:absolute;width:144pt;height:72pt"><v:imagedata r:id="p"/></v:shape></w:pict>`
    expect(shown(shape)).toEqual({ widthInches: 2, heightInches: 1 })
  })

  test.each([
    [
      'a tiled fill',
      '<p:sp><p:spPr><a:xfrm><a:ext cx="914400" cy="914400"/></a:xfrm><a:blipFill><a:blip r:embed="p"/><a:tile/></a:blipFill></p:spPr></p:sp>',
    ],
    [
      'a bullet',
      '<p:sp><p:spPr><a:xfrm><a:ext cx="914400" cy="914400"/></a:xfrm></p:spPr><p:txBody><a:buBlip><a:blip r:embed="p"/></a:buBlip></p:txBody></p:sp>',
    ],
    ['a placeholder without a size', '<p:pic><p:blipFill><a:blip r:embed="p"/></p:blipFill><p:spPr/></p:pic>'],
    ['an unknown element', '<x:y r:embed="p"/>'],
    ['a known use and an unknown one', `${drawing('p', 1, 1)}<x:y r:id="p"/>`],
  ])('reports an unknown size for %s', (_, xml) => {
    expect(shown(xml)).toBe('unknown')
  })

  test('returns a result or a parser error for any text', () => {
    const piece = fc.constantFrom(
      '<a:blip r:embed="p"/>',
      '<p:pic>',
      '</p:pic>',
      '<a:ext cx="9" cy="-1"/>',
      '<p:grpSp>',
      '</p:grpSp>',
      '<a:chExt cx="0" cy="1"/>',
      '<',
      '"',
      '&',
      '<!--',
      '-->',
      '<a b=',
      'text',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          pictureUses(pieces.join(''), new Set(['p']))
        } catch (error) {
          expect(error).toMatchObject({ name: 'EngineError', engine: 'xml' })
        }
      }),
      { numRuns: 500, seed: 5 },
    )
  })
})

describe('documents', () => {
  test('converts an opaque PNG photo to JPEG and updates name, relationship and type', async () => {
    const png = pngOf(photo(320, 240), 320, 240)
    const parts = document(drawing('rId7', 1, 0.75), [['rId7', 'media/image1.png']], { 'word/media/image1.png': png })
    const zip = await zipOf(parts)
    const calls: { name: string }[] = []
    const { outcome, bytes } = await press(docx, zip, 'medium', shrinking(calls))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const after = await partsOf(bytes)
    expect([...after.keys()]).toEqual(Object.keys(parts).map((name) => name.replace('image1.png', 'image1.jpeg')))
    expect(text(after.get('word/_rels/document.xml.rels'))).toContain('Target="media/image1.jpeg"')
    expect(text(after.get('word/document.xml'))).toBe(parts['word/document.xml'])
    expect(after.get('word/vbaProject.bin')).toEqual(parts['word/vbaProject.bin'])
  })

  test('keeps the name if another format saves little at the same size', async () => {
    const png = pngOf(
      photo(320, 240).map((value) => value & 0xe0),
      320,
      240,
    )
    expect(png.length).toBeLessThan(48 * 1024)
    const zip = await zipOf(document(drawing('rId7', 20, 15), [['rId7', 'media/image1.png']], { 'word/media/image1.png': png }))
    const { bytes } = await press(docx, zip, 'medium', shrinking([]))
    expect((await partsOf(bytes)).get('word/media/image1.png')).toEqual(png)
  })

  test('keeps every sample of a picture in which a colour is replaced', async () => {
    const png = pngOf(photo(320, 240), 320, 240)
    const recoloured = drawing('rId7', 1, 1).replace(
      '<a:blip r:embed="rId7"/>',
      '<a:blip r:embed="rId7"><a:clrChange><a:clrFrom/></a:clrChange></a:blip>',
    )
    const jobOptions: unknown[] = []
    const inner = mockInner(async (_bytes, _name, request) => {
      jobOptions.push(request)
      return { kind: 'unchanged', reason: 'no_gain' }
    })
    await press(docx, await zipOf(document(recoloured, [['rId7', 'media/image1.png']], { 'word/media/image1.png': png })), 'low', inner)
    expect(jobOptions.length).toBeGreaterThan(0)
    for (const request of jobOptions) expect(request).toEqual({ lossless: true })
  })

  test('keeps PNG at level high', async () => {
    const png = pngOf(photo(320, 240), 320, 240)
    const zip = await zipOf(document(drawing('rId7', 20, 15), [['rId7', 'media/image1.png']], { 'word/media/image1.png': png }))
    const calls: { name: string; output?: string }[] = []
    const { outcome, bytes } = await press(docx, zip, 'high', shrinking(calls))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect((await partsOf(bytes)).get('word/media/image1.png')).toEqual(png)
    expect(calls.every(({ output }) => output === undefined)).toBe(true)
  })

  test('requests pictures at their displayed size, and larger if quality floors need it', async () => {
    const jpeg = await jpegOf(photo(320, 240), 320, 240)
    const zip = await zipOf(document(drawing('rId7', 0.4, 0.3), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': jpeg }))
    const calls: { name: string; width?: number }[] = []
    const { outcome } = await press(docx, zip, 'low', shrinking(calls))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const widths = calls.map(({ width }) => width)
    expect(widths[0]).toBe(60) // 0.4 inches at 150 dpi.
    // Results of gentler levels and the lossless form are tried too, at the same list of sizes, so that `low` is never larger.
    for (const width of widths) expect([60, 80, 120, undefined]).toContain(width)
  })

  test('with the real JPEG codec: stronger levels are smaller and never below the quality floors', async () => {
    const jpeg = await jpegOf(photo(640, 480), 640, 480)
    const zip = await zipOf(document(drawing('rId7', 2, 1.5), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': jpeg }))
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes } = await press(docx, zip, quality, { jpg })
      sizes.push(bytes.length)
      if (fidelityOf(outcome) === 'perceptual') expect(pictureLossOf(outcome).ssim).toBeGreaterThan(0.9)
    }
    expect(sizes[0]).toBeLessThan(zip.length / 2)
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  test('merges duplicates and removes the thumbnail only at level ultra', async () => {
    const jpeg = await jpegOf(photo(320, 240), 320, 240)
    const parts = document(
      drawing('rId7', 9, 9) + drawing('rId8', 9, 9),
      [
        ['rId7', 'media/image1.jpeg'],
        ['rId8', 'media/image2.jpeg'],
      ],
      { 'word/media/image1.jpeg': jpeg, 'word/media/image2.jpeg': jpeg, 'docProps/thumbnail.jpeg': jpeg, 'word/media/unused.jpeg': jpeg },
      [['rId9', `${PACKAGE}/relationships/metadata/thumbnail`, 'docProps/thumbnail.jpeg']],
    )
    const zip = await zipOf(parts)
    const ultra = await press(docx, zip, 'ultra')
    expect(withFidelity(ultra.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const after = await partsOf(ultra.bytes)
    expect([...after.keys()].filter((name) => name.endsWith('.jpeg'))).toEqual(['word/media/image1.jpeg'])
    expect(text(after.get('word/_rels/document.xml.rels'))).toContain(`Id="rId8" Type="${OFFICE}/image" Target="/word/media/image1.jpeg"`)
    expect(text(after.get('_rels/.rels'))).not.toContain('thumbnail')
    const low = await partsOf((await press(docx, zip, 'low')).bytes)
    expect([...low.keys()].filter((name) => name.endsWith('.jpeg'))).toEqual([
      'word/media/image1.jpeg',
      'word/media/image2.jpeg',
      'docProps/thumbnail.jpeg',
      'word/media/unused.jpeg',
    ])
  })

  test('keeps merged duplicates lossless if one of them must be', async () => {
    const png = pngOf(photo(320, 240), 320, 240)
    const recoloured = drawing('rId8', 1, 1).replace('<a:blip r:embed="rId8"/>', '<a:blip r:embed="rId8"><a:clrChange/></a:blip>')
    const pictures: [string, string][] = [
      ['rId7', 'media/image1.png'],
      ['rId8', 'media/image2.png'],
    ]
    const parts = document(drawing('rId7', 1, 1) + recoloured, pictures, { 'word/media/image1.png': png, 'word/media/image2.png': png })
    const asked: unknown[] = []
    const inner = mockInner((_bytes, _name, request) => {
      asked.push(request)
      return { kind: 'unchanged', reason: 'no_gain' }
    })
    await press(docx, await zipOf(parts), 'ultra', inner)
    expect(asked.length).toBeGreaterThan(0)
    for (const request of asked) expect(request).toEqual({ lossless: true })
  })

  test('keeps every byte of two parts whose names differ only in case', async () => {
    const [one, other] = [await jpegOf(photo(320, 240), 320, 240), await jpegOf(photo(320, 240, 3), 320, 240)]
    const parts = document(drawing('rId7', 1, 1), [['rId7', 'media/image1.jpeg']], {
      'word/media/image1.jpeg': one,
      'word/media/Image1.jpeg': other,
    })
    const { outcome, bytes } = await press(docx, await zipOf(parts), 'low', shrinking([]))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining(['two parts have the same name, so every part is kept byte-identical']),
    })
    const after = await partsOf(bytes)
    expect([after.get('word/media/image1.jpeg'), after.get('word/media/Image1.jpeg')]).toEqual([one, other])
  })

  test('keeps two relationships with the same id and all pixels of their pictures', async () => {
    const jpeg = await jpegOf(photo(320, 240), 320, 240)
    const parts = document(drawing('rId3', 0.4, 0.3), [], { 'word/media/image1.jpeg': jpeg })
    const doubled = relationships([
      ['rId3', `${OFFICE}/image`, 'media/image1.jpeg'],
      ['rId3', `${OFFICE}/hyperlink`, 'https://example.org/', 'External'],
    ])
    const calls: { name: string; width?: number }[] = []
    const { outcome, bytes, ...rest } = await press(
      docx,
      await zipOf({ ...parts, 'word/_rels/document.xml.rels': doubled }),
      'low',
      shrinking(calls),
    )
    expect('defect' in rest && rest.defect).toBeFalsy()
    expect(outcome.kind).toBe('compressed')
    expect(text((await partsOf(bytes)).get('word/_rels/document.xml.rels'))).toBe(doubled)
    expect(calls.every(({ width }) => width === undefined)).toBe(true)
  })

  test('reports in the receipt what the codec of a picture removed', async () => {
    const jpeg = await jpegOf(photo(320, 240), 320, 240)
    const zip = await zipOf(document(drawing('rId7', 9, 9), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': jpeg }))
    const smaller = await jpegOf(photo(320, 240), 320, 240, 60)
    const inner = mockInner(() => ({
      kind: 'compressed',
      bytes: smaller,
      output: 'jpg',
      outcome: {
        kind: 'compressed',
        ...lossOf(pixelLoss({ ssim: 0.98, psnrDb: 40 })),
        steps: [message('exact'), message('not_kept', { types: 'a comment' })],
      },
    }))
    const { outcome } = await press(docx, zip, 'low', inner)
    expect(inEnglish(outcome)).toMatchObject({ steps: expect.arrayContaining(['in 1 embedded file: not kept (chunk types): a comment']) })
  })

  test('keeps every byte of every part of a signed document', async () => {
    const jpeg = await jpegOf(photo(320, 240), 320, 240)
    const parts = document(drawing('rId7', 1, 1), [['rId7', 'media/image1.jpeg']], {
      'word/media/image1.jpeg': jpeg,
      '_xmlsignatures/sig1.xml': body('sig'),
    })
    const { outcome, bytes } = await press(docx, await zipOf(parts), 'low', shrinking([]))
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(JSON.stringify(inEnglish(outcome))).toContain('has a digital signature, so every part is kept')
    for (const [name, content] of await partsOf(bytes)) {
      const before = parts[name]!
      expect(content).toEqual(typeof before === 'string' ? new TextEncoder().encode(before) : before)
    }
  })

  test('leaves documents unchanged that other readers cannot open', async () => {
    const { '[Content_Types].xml': types, ...rest } = document('', [], {})
    const { outcome } = await press(docx, await zipOf({ '[content_types].xml': types!, ...rest }), 'low')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  test('reports why a file is not an OOXML package', async () => {
    const compound = new Uint8Array(2048)
    compound.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
    expect((await press(pptx, compound, 'low')).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    expect((await press(pptx, new Uint8Array(100), 'low')).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    const bomb = document('', [], { 'xl/bomb.xml': '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>' })
    expect((await press(docx, await zipOf(bomb), 'low')).outcome.kind).toBe('compressed')
    const declared = { ...bomb, '_rels/.rels': '<!DOCTYPE x [<!ENTITY a "aaaa">]><x/>' }
    expect((await press(docx, await zipOf(declared), 'low')).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  test('rejects a missing part, a changed text and a relationship to a missing part', async () => {
    const jpeg = await jpegOf(photo(64, 64), 64, 64)
    const parts = document(drawing('rId7', 1, 1), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': jpeg })
    const original = await zipOf(parts)
    const { options, outcome } = await press(docx, original, 'low')
    if (outcome.kind !== 'compressed') throw new Error('nothing was compressed')
    const verdict = async (changed: Parts) =>
      docx.verify(memorySource(original, 'a.docx'), memorySource(await zipOf(changed), 'b.docx'), outcome, options)
    expect(await verdict(parts)).toEqual({ equal: true })
    const { 'word/vbaProject.bin': _, ...lost } = parts
    expect((await verdict(lost)).equal).toBe(false)
    expect((await verdict({ ...parts, 'word/document.xml': body('') })).equal).toBe(false)
    expect(
      (await verdict({ ...parts, 'word/_rels/document.xml.rels': relationships([['rId7', `${OFFICE}/image`, 'media/other.jpeg']]) })).equal,
    ).toBe(false)
    expect((await verdict({ ...parts, 'word/media/image1.jpeg': jpeg.slice(0, 300) })).equal).toBe(false)
    expect((await verdict({ ...parts, 'word/media/extra.jpeg': jpeg })).equal).toBe(false)
  })

  test('leaves truncated and damaged documents unchanged and compresses the next one', async () => {
    const zip = await zipOf(
      document(drawing('rId7', 1, 1), [['rId7', 'media/image1.png']], { 'word/media/image1.png': pngOf(photo(20, 20), 20, 20) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(zip.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
        const damaged = cut ? zip.slice(0, at) : Uint8Array.from(zip)
        if (!cut) damaged[at] = value
        const pressed = await press(docx, damaged, 'low')
        expect('defect' in pressed ? pressed.defect : undefined).toBeUndefined()
        if (pressed.outcome.kind === 'unchanged')
          expect(['malformed', 'no_gain', 'unsupported_feature', 'over_budget']).toContain(pressed.outcome.reason)
      }),
      { numRuns: roundsOf(200), seed: 9 },
    )
    expect((await press(docx, zip, 'low')).outcome.kind).toBe('compressed')
  })
})

describe('unused slide layouts', () => {
  const P = 'application/vnd.openxmlformats-officedocument.presentationml'
  const layoutIds = (...ids: string[]) => ids.map((id, index) => `<p:sldLayoutId id="${index + 9}" r:id="${id}"/>`).join('')
  const master = (ids: string) =>
    `<?xml version="1.0"?><p:sldMaster><p:cSld name="Büro"/><p:sldLayoutIdLst>${ids}</p:sldLayoutIdLst><p:txStyles/></p:sldMaster>`
  const deck = (slideLayout: string, extra: Parts = {}): Parts => ({
    '[Content_Types].xml': TYPES.replace(
      '</Types>',
      `${[1, 2, 3].map((n) => `<Override PartName="/ppt/slideLayouts/slideLayout${n}.xml" ContentType="${P}.slideLayout+xml"/>`).join('')}<Override PartName="/ppt/slideMasters/slideMaster1.xml" ContentType="${P}.slideMaster+xml"/></Types>`,
    ),
    '_rels/.rels': relationships([['rId1', `${OFFICE}/officeDocument`, 'ppt/presentation.xml']]),
    'ppt/presentation.xml': '<p:presentation/>',
    'ppt/_rels/presentation.xml.rels': relationships([
      ['rId1', `${OFFICE}/slideMaster`, 'slideMasters/slideMaster1.xml'],
      ['rId2', `${OFFICE}/slide`, 'slides/slide1.xml'],
    ]),
    'ppt/slideMasters/slideMaster1.xml': master(layoutIds('rId1', 'rId2', 'rId3')),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationships(
      [1, 2, 3].map((n) => [`rId${n}`, `${OFFICE}/slideLayout`, `../slideLayouts/slideLayout${n}.xml`]),
    ),
    'ppt/slides/slide1.xml': `<p:sld>${'<p:x>text &amp; text</p:x>'.repeat(300)}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationships([['rId1', `${OFFICE}/slideLayout`, `../slideLayouts/${slideLayout}.xml`]]),
    ...Object.fromEntries(
      [1, 2, 3].flatMap((n): [string, string][] => [
        [`ppt/slideLayouts/slideLayout${n}.xml`, `<p:sldLayout>${n}</p:sldLayout>`],
        [
          `ppt/slideLayouts/_rels/slideLayout${n}.xml.rels`,
          relationships([
            ['rId1', `${OFFICE}/slideMaster`, '../slideMasters/slideMaster1.xml'],
            ['rId2', `${OFFICE}/image`, `../media/o${n === 3 ? 3 : 1}.bin`],
          ]),
        ],
      ]),
    ),
    'ppt/media/o1.bin': Uint8Array.of(1),
    'ppt/media/o3.bin': Uint8Array.of(3),
    ...extra,
  })

  test('are removed with the parts that only they refer to, and from the master', async () => {
    const before = deck('slideLayout2')
    const { outcome, bytes } = await press(pptx, await zipOf(before), 'ultra')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const after = await partsOf(bytes)
    const gone = Object.keys(before).filter((name) => !after.has(name))
    expect(gone.sort()).toEqual([
      'ppt/media/o3.bin',
      'ppt/slideLayouts/_rels/slideLayout1.xml.rels',
      'ppt/slideLayouts/_rels/slideLayout3.xml.rels',
      'ppt/slideLayouts/slideLayout1.xml',
      'ppt/slideLayouts/slideLayout3.xml',
    ])
    expect(text(after.get('ppt/slideMasters/slideMaster1.xml'))).toBe(master('<p:sldLayoutId id="10" r:id="rId2"/>'))
    expect(text(after.get('ppt/slideMasters/_rels/slideMaster1.xml.rels'))).not.toMatch(/rId[13]"/)
    expect(text(after.get('[Content_Types].xml'))).not.toMatch(/slideLayout[13]/)
  })

  test.each([
    [
      'an alternative text',
      { 'ppt/slideLayouts/slideLayout3.xml': '<p:sldLayout><p:cNvPr id="1" name="x" descr="our logo"/></p:sldLayout>' },
    ],
    ['a transition', { 'ppt/slideLayouts/slideLayout3.xml': '<p:sldLayout><p:transition/></p:sldLayout>' }],
    [
      'an embedded object',
      {
        'ppt/slideLayouts/_rels/slideLayout3.xml.rels': relationships([
          ['rId1', `${OFFICE}/slideMaster`, '../slideMasters/slideMaster1.xml'],
          ['rId2', `${OFFICE}/oleObject`, '../media/o3.bin'],
        ]),
      },
    ],
  ])('stay if they contain %s', async (_what, extra: Parts) => {
    const { bytes } = await press(pptx, await zipOf(deck('slideLayout2', extra)), 'ultra')
    const after = await partsOf(bytes)
    expect([1, 2, 3].map((n) => after.has(`ppt/slideLayouts/slideLayout${n}.xml`))).toEqual([false, true, true])
    expect(after.has('ppt/media/o3.bin')).toBe(true)
  })

  test('stay at other levels, and if the master also refers to them elsewhere', async () => {
    for (const [parts, quality] of [
      [deck('slideLayout2'), 'low'],
      [
        deck('slideLayout2', { 'ppt/slideMasters/slideMaster1.xml': master(`${layoutIds('rId1', 'rId2', 'rId3')}<p:y r:link="rId3"/>`) }),
        'ultra',
      ],
    ] as const) {
      const { bytes } = await press(pptx, await zipOf(parts), quality)
      expect([...(await partsOf(bytes)).keys()]).toEqual(Object.keys(parts))
    }
  })

  test('a master keeps one layout if no slide uses any', async () => {
    const parts = deck('slideLayout2')
    parts['ppt/slides/_rels/slide1.xml.rels'] = relationships([])
    const after = await partsOf((await press(pptx, await zipOf(parts), 'ultra')).bytes)
    expect([...after.keys()].filter((name) => /slideLayout\d.xml$/.test(name))).toEqual(['ppt/slideLayouts/slideLayout1.xml'])
  })

  test('verification rejects a result without a used layout', async () => {
    const before = await zipOf(deck('slideLayout2'))
    const { outcome, options } = await press(pptx, before, 'ultra')
    const wrong = deck('slideLayout2')
    delete wrong['ppt/slideLayouts/slideLayout2.xml']
    const verdict = await pptx.verify(memorySource(before, 'a.pptx'), memorySource(await zipOf(wrong), 'b.pptx'), outcome, options)
    expect(verdict).toMatchObject({ equal: false })
  })
})
