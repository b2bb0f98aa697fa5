import { describe, expect, test } from 'vitest'
import { FontWriter } from '../../../src/core/fonts/bytes.ts'
import { fontDifference, subsetForText } from '../../../src/core/fonts/sfnt/for-text.ts'
import { withSubstitutes } from '../../../src/core/fonts/sfnt/substitution.ts'
import { characterMaps, fontFile, Outlines, readFontTables } from '../../../src/core/fonts/sfnt/truetype.ts'
import { docx, pptx } from '../../../src/core/formats/office/office.ts'
import type { Message } from '../../../src/core/i18n/message.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { textsOf } from '../../support/in-english.ts'
import { type Parts, partsOf, press, text, zipOf } from '../../support/packages.ts'
import { damagePositions } from '../../support/thorough.ts'

const GLYPHS = 2000
/** First glyph of the characters from U+4E00. Lower glyphs are Latin, from U+0020. */
const FIRST_IDEOGRAPH = 400
/** Glyph of the ligature of 一 and 丁. No character maps to it directly. */
const LIGATURE = 1999

/** GSUB with one lookup that replaces the glyphs of U+4E00 and U+4E01 by LIGATURE. */
function ligatures(): Uint8Array {
  const lookupList = new FontWriter().u16(1).u16(4).u16(4).u16(0).u16(1).u16(8)
  // Fields of the subtable: format, coverage, one set. Fields of the ligature: glyph, two components, the second component.
  lookupList
    .u16(1)
    .u16(18)
    .u16(1)
    .u16(8)
    .u16(1)
    .u16(4)
    .u16(LIGATURE)
    .u16(2)
    .u16(FIRST_IDEOGRAPH + 1)
  lookupList.u16(1).u16(1).u16(FIRST_IDEOGRAPH)
  return new FontWriter().u32(0x10000).u16(0).u16(0).u16(10).put(lookupList.done()).done()
}

/** A font of synthetic outlines for Latin and 1500 ideographs. `rights`: value of OS/2.fsType. */
function font({ rights = 0, extra = [] as [string, Uint8Array][] } = {}): Uint8Array {
  const [glyf, loca, hmtx] = [new FontWriter(), new FontWriter(), new FontWriter()]
  for (let glyph = 0; glyph < GLYPHS; glyph++) {
    loca.u32(glyf.length)
    glyf
      .u16(1)
      .put(Uint8Array.from({ length: 90 }, (_, i) => (i * glyph * 37 + (glyph >> 3)) & 255))
      .pad(4)
    hmtx.u16(500 + glyph).u16(glyph)
  }
  loca.u32(glyf.length)
  const cmap = new FontWriter().u16(0).u16(1).u16(3).u16(1).u32(12)
  const [firsts, lasts, starts] = [
    [0x20, 0x4e00],
    [0x17e, 0x4e00 + 1500],
    [3, FIRST_IDEOGRAPH],
  ]
  cmap.u16(4).u16(40).u16(0).u16(6).u16(4).u16(1).u16(2)
  for (const last of lasts!) cmap.u16(last)
  cmap.u16(0xffff).u16(0)
  for (const first of firsts!) cmap.u16(first)
  cmap.u16(0xffff)
  firsts!.forEach((first, index) => void cmap.u16((starts![index]! - first) & 0xffff))
  cmap.u16(1)
  for (let index = 0; index < 3; index++) cmap.u16(0)
  return fontFile(
    new Map([
      ['head', new FontWriter().u32(0x10000).put(new Uint8Array(46)).u16(1).u16(0).done()],
      ['maxp', new FontWriter().u32(0x10000).u16(GLYPHS).put(new Uint8Array(26)).done()],
      ['hhea', new FontWriter().u32(0x10000).put(new Uint8Array(30)).u16(GLYPHS).done()],
      ['hmtx', hmtx.done()],
      ['loca', loca.done()],
      ['glyf', glyf.done()],
      ['cmap', cmap.done()],
      ['OS/2', new FontWriter().put(new Uint8Array(8)).u16(rights).put(new Uint8Array(86)).done()],
      ['GSUB', ligatures()],
      ...extra,
    ]),
    0x10000,
  )
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const rels = (...rows: [id: string, type: string, target: string][]) =>
  `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships">${rows
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`
const GUID = '{00112233-4455-6677-8899-AABBCCDDEEFF}'
/** Independent implementation of ECMA-376 part 1, 17.8.1: the last pair of digits masks the first byte. */
const MASK = [0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00]
const obfuscated = (bytes: Uint8Array) => bytes.map((byte, at) => (at < 32 ? byte ^ MASK[at % 16]! : byte))

const word = (shown: string, odttf: Uint8Array, settings = ''): Parts => ({
  '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="odttf" ContentType="application/vnd.openxmlformats-officedocument.obfuscatedFont"/></Types>`,
  '_rels/.rels': rels(['rId1', 'officeDocument', 'word/document.xml']),
  'word/document.xml': `<?xml version="1.0"?><w:document><w:body><w:p><w:r><w:t>${shown}</w:t></w:r></w:p>${settings}</w:body></w:document>`,
  'word/_rels/document.xml.rels': rels(['rId1', 'fontTable', 'fontTable.xml']),
  'word/fontTable.xml': `<?xml version="1.0"?><w:fonts><w:font w:name="Made"><w:embedRegular r:id="rId1" w:fontKey="${GUID}"/></w:font></w:fonts>`,
  'word/_rels/fontTable.xml.rels': rels(['rId1', 'font', 'fonts/font1.odttf']),
  'word/fonts/font1.odttf': odttf,
})

/** An uncompressed, masked EOT file. */
function eot(inner: Uint8Array): Uint8Array {
  const head = new Uint8Array(120)
  const view = new DataView(head.buffer)
  view.setUint32(0, head.length + inner.length, true)
  view.setUint32(4, inner.length, true)
  view.setUint32(8, 0x20002, true)
  view.setUint32(12, 0x10000000, true)
  view.setUint16(34, 0x504c, true)
  return new Uint8Array([...head, ...inner.map((byte) => byte ^ 0x50)])
}

describe('fonts in documents', () => {
  test('Word: keeps outlines and codes that the text needs, with substitutions, and removes the rest', async () => {
    const before = font()
    const parts = word('Hello &#x4E00;丁七', obfuscated(before))
    const { outcome, bytes } = await press(docx, await zipOf(parts), 'ultra')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(textsOf((outcome as { steps: Message[] }).steps)).toContain('unused glyphs removed from 1 embedded fonts')
    const after = await partsOf(bytes)
    for (const [name, content] of Object.entries(parts)) if (!name.endsWith('odttf')) expect(text(after.get(name))).toBe(content)
    const tables = readFontTables(obfuscated(after.get('word/fonts/font1.odttf')!))!
    const [old, fresh] = [new Outlines(readFontTables(before)!), new Outlines(tables)]
    const glyphOf = (character: string) =>
      character.codePointAt(0)! < 0x4e00 ? character.codePointAt(0)! - 0x1d : character.codePointAt(0)! - 0x4e00 + FIRST_IDEOGRAPH
    const kept = [0, ...[...'Helo qZÿ一丁七三上'].map(glyphOf), LIGATURE]
    for (const glyph of kept) expect(Buffer.compare(fresh.of(glyph), old.of(glyph))).toBe(0)
    for (const glyph of [...'丂乘'].map(glyphOf)) expect(fresh.of(glyph).length).toBe(0)
    const codes = characterMaps(tables.get('cmap'))[0]!.glyphs
    expect(codes.get(0x4e00)).toBe(FIRST_IDEOGRAPH)
    expect(codes.has(0x4e02)).toBe(false)
    expect(fresh.count).toBe(GLYPHS)
    // At other levels, the font keeps all its bytes.
    const low = await partsOf((await press(docx, await zipOf(parts), 'low')).bytes)
    expect(Buffer.compare(low.get('word/fonts/font1.odttf')!, obfuscated(before))).toBe(0)
  })

  test('PowerPoint: writes the EOT header again', async () => {
    const before = font()
    const parts: Parts = {
      '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="fntdata" ContentType="application/x-fontdata"/></Types>`,
      '_rels/.rels': rels(['rId1', 'officeDocument', 'ppt/presentation.xml']),
      'ppt/presentation.xml':
        '<?xml version="1.0"?><p:presentation><p:embeddedFontLst><p:embeddedFont><p:font typeface="Made"/><p:regular r:id="rId5"/></p:embeddedFont></p:embeddedFontLst><p:x>text</p:x></p:presentation>',
      'ppt/_rels/presentation.xml.rels': rels(['rId5', 'font', 'fonts/font1.fntdata']),
      'ppt/fonts/font1.fntdata': eot(before),
    }
    const after = (await partsOf((await press(pptx, await zipOf(parts), 'ultra')).bytes)).get('ppt/fonts/font1.fntdata')!
    const view = new DataView(after.buffer, after.byteOffset)
    expect(view.getUint32(0, true)).toBe(after.length)
    expect(view.getUint32(4, true)).toBe(after.length - 120)
    const inner = after.subarray(120).map((byte) => byte ^ 0x50)
    expect(view.getUint32(60, true)).toBe(new DataView(readFontTables(inner)!.get('head')!.slice().buffer).getUint32(8))
    expect(fontDifference(before, inner, new Set([0x74, 0x65, 0x78]))).toBeUndefined()
    expect(inner.length).toBeLessThan(before.length / 2)
  })

  test.each([
    ['the font forbids it', word('x', obfuscated(font({ rights: 0x0100 })))],
    ['it has unsupported tables', word('x', obfuscated(font({ extra: [['MATH', new Uint8Array(10)]] })))],
    ['the text is imported from another file', word('x', obfuscated(font()), '<w:altChunk r:id="rId9"/>')],
    ['lists are numbered in other scripts', word('x', obfuscated(font()), '<w:numFmt w:val="hebrew1"/>')],
    ['it is not a font', word('x', new Uint8Array(70_000).fill(7))],
  ])('leaves the font unchanged when %s', async (_, parts) => {
    const after = await partsOf((await press(docx, await zipOf(parts), 'ultra')).bytes)
    expect(Buffer.compare(after.get('word/fonts/font1.odttf')!, parts['word/fonts/font1.odttf'] as Uint8Array)).toBe(0)
  })

  test('verification detects a missing outline and a changed advance, code or table', () => {
    const before = font()
    const characters = new Set([0x41, 0x4e00])
    const after = subsetForText(before, characters)!
    expect(fontDifference(before, after, characters)).toBeUndefined()
    expect(fontDifference(before, after, new Set([0x41, 0x4e05]))).toMatch(/outline|character/)
    const changed = (tag: string, at: number) => {
      const tables = new Map(readFontTables(after)!)
      const table = tables.get(tag)!.slice()
      table[at]! ^= 1
      return fontFile(tables.set(tag, table), 0x10000)
    }
    expect(fontDifference(before, changed('hmtx', (0x41 - 0x1d) * 4), characters)).toMatch(/metrics/)
    expect(fontDifference(before, changed('OS/2', 40), characters)).toMatch(/OS\/2/)
    expect(fontDifference(before, changed('maxp', 5), characters)).toBeDefined()
  })

  test('handles damaged fonts and substitutions without hanging', () => {
    const whole = font()
    const characters = new Set([0x41])
    for (const length of damagePositions(0, whole.length, 4001)) {
      subsetForText(whole.subarray(0, length), characters)
      fontDifference(whole, whole.subarray(0, length), characters)
    }
    const gsub = ligatures()
    for (const at of damagePositions(0, gsub.length * 8, 1)) {
      const broken = gsub.slice()
      broken[at >> 3]! ^= 1 << (at & 7)
      try {
        withSubstitutes(broken, new Set([FIRST_IDEOGRAPH, FIRST_IDEOGRAPH + 1]))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})
