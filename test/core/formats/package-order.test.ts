/** Order of levels for pictures in packages: a stronger level is never larger, PNG photographs become JPEG, and drawings stay PNG. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epub } from '../../../src/core/formats/epub/epub.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { kmz } from '../../../src/core/formats/kmz/kmz.ts'
import { ofd } from '../../../src/core/formats/ofd/ofd.ts'
import { docx } from '../../../src/core/formats/office/office.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import type { Codec, Quality } from '../../../src/core/model/codec.ts'
import { inEnglish } from '../../support/in-english.ts'
import { document, drawing } from '../../support/office.ts'
import { jpegOf, type Parts, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { roundsOf } from '../../support/thorough.ts'

async function pressed(codec: Codec, zip: Uint8Array, quality: Quality) {
  return await press(codec, zip, quality, { jpg, png })
}

/** Synthetic photograph with soft shapes and grain. */
function grainy(width: number, height: number, seed = 1): Uint8Array {
  const rows = photo(width, height, seed)
  let state = seed
  return rows.map((value) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.max(0, Math.min(255, value + (state >>> 28) - 8))
  })
}

/** Synthetic drawing with bars and letters in a few flat colours. */
function drawn(width: number, height: number, seed = 1): Uint8Array {
  const colours = [
    [255, 255, 255],
    [20, 30, 120],
    [200, 40, 30],
    [240, 200, 60],
  ]
  return Uint8Array.from({ length: width * height * 3 }, (_, index) => {
    const [x, y] = [Math.floor(index / 3) % width, Math.floor(index / 3 / width)]
    const isLetter = y % 12 < 8 && (x * 7 + Math.floor(y / 12) * 5 + seed) % 11 < 3 && x % 6 < 4
    const colour = isLetter ? 1 : x > width / 2 && y > height / 2 ? 2 + (Math.floor(x / 40) % 2) : 0
    return colours[colour]![index % 3]!
  })
}

const wordWith = (file: Uint8Array, inches: number, name = 'image1.png') =>
  zipOf(document(drawing('rId7', inches, inches), [['rId7', `media/${name}`]], { [`word/media/${name}`]: file }))

const page = (mm: number) =>
  `<?xml version="1.0"?><ofd:Page xmlns:ofd="http://www.ofdspec.org/2016"><ofd:ImageObject ID="9" CTM="${mm} 0 0 ${mm} 0 0" ResourceID="5"/></ofd:Page>`
const ofdWith = (file: Uint8Array, mm: number, media = '<ofd:MultiMedia ID="5" Type="Image">'): Parts => ({
  'OFD.xml': '<?xml version="1.0"?><ofd:OFD xmlns:ofd="http://www.ofdspec.org/2016"/>',
  'Doc_0/DocumentRes.xml': `<?xml version="1.0"?><ofd:Res xmlns:ofd="http://www.ofdspec.org/2016" BaseLoc="Res">${media}<ofd:MediaFile>p.png</ofd:MediaFile></ofd:MultiMedia></ofd:Res>`,
  'Doc_0/Pages/Page_0/Content.xml': page(mm),
  'Doc_0/Res/p.png': file,
})

describe('a photograph stored as PNG', () => {
  it('becomes JPEG below level high at any size, and stronger levels are not larger', async () => {
    const zip = await wordWith(pngOf(grainy(130, 120), 130, 120), 6)
    const sizes: number[] = []
    for (const quality of ['ultra', 'low', 'medium', 'high'] as const) {
      const { bytes } = await pressed(docx, zip, quality)
      sizes.push(bytes.length)
      const after = await partsOf(bytes)
      expect(after.has('word/media/image1.jpeg')).toBe(quality !== 'high')
      if (quality === 'high') continue
      expect(text(after.get('word/_rels/document.xml.rels'))).toContain('media/image1.jpeg')
      expect(after.get('word/media/image1.jpeg')!.subarray(0, 2)).toEqual(Uint8Array.of(0xff, 0xd8))
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(sizes[2]).toBeLessThan(sizes[3]! * 0.7)
  })
})

it('keeps a drawing as a smaller PNG at every level', async () => {
  const zip = await wordWith(pngOf(drawn(180, 136), 180, 136), 6)
  for (const quality of ['ultra', 'low', 'medium', 'high'] as const) {
    const after = await partsOf((await pressed(docx, zip, quality)).bytes)
    expect(after.has('word/media/image1.png')).toBe(true)
  }
})

it('recompresses a drawing at full size if a reduced size saves nothing', async () => {
  const zip = await zipOf(ofdWith(pngOf(drawn(160, 160), 160, 160), 18.6))
  const [low, medium] = [await pressed(ofd, zip, 'low'), await pressed(ofd, zip, 'medium')]
  expect(low.bytes.length).toBeLessThanOrEqual(medium.bytes.length)
  expect((await partsOf(low.bytes)).get('Doc_0/Res/p.png')!.length).toBeLessThan(pngOf(drawn(160, 160), 160, 160).length)
})

describe('a photograph stored as PNG in an OFD', () => {
  const file = pngOf(grainy(72, 72), 72, 72)
  const parts = ofdWith(file, 200)

  it('becomes JPEG if only a resource list refers to it, and stronger levels are not larger', async () => {
    const sizes: number[] = []
    for (const quality of ['ultra', 'low', 'medium', 'high'] as const) {
      const { bytes, ...rest } = await pressed(ofd, await zipOf(parts), quality)
      expect('defect' in rest && rest.defect).toBeFalsy()
      sizes.push(bytes.length)
      const after = await partsOf(bytes)
      expect(after.has('Doc_0/Res/p.jpg')).toBe(quality !== 'high')
      const list = String(parts['Doc_0/DocumentRes.xml'])
      expect(text(after.get('Doc_0/DocumentRes.xml'))).toBe(quality === 'high' ? list : list.replace('p.png', 'p.jpg'))
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('is stored once under its new name if two are equal (level ultra)', async () => {
    // Two equal files: level `ultra` stores only one, under its new name.
    const list =
      '<ofd:MultiMedia ID="5" Type="Image"><ofd:MediaFile>p.png</ofd:MediaFile></ofd:MultiMedia><ofd:MultiMedia ID="6" Type="Image">'
    const twice: Parts = { ...ofdWith(file, 200, list), 'Doc_0/Res/q.png': file }
    twice['Doc_0/DocumentRes.xml'] = String(twice['Doc_0/DocumentRes.xml']).replace(
      /p\.png(?=<\/ofd:MediaFile><\/ofd:MultiMedia><\/ofd:Res>)/,
      'q.png',
    )
    const [ultra, low] = [await pressed(ofd, await zipOf(twice), 'ultra'), await pressed(ofd, await zipOf(twice), 'low')]
    expect(ultra.bytes.length).toBeLessThan(low.bytes.length)
    const one = await partsOf(ultra.bytes)
    expect([...one.keys()].filter((name) => name.includes('/Res/'))).toEqual(['Doc_0/Res/p.jpg'])
    expect(text(one.get('Doc_0/DocumentRes.xml')).match(/<ofd:MediaFile>[^<]*/g)).toEqual(['<ofd:MediaFile>p.jpg', '<ofd:MediaFile>p.jpg'])
  })

  it('keeps its name if the list declares a format or another file refers to it', async () => {
    const stated = ofdWith(file, 200, '<ofd:MultiMedia ID="5" Type="Image" Format="PNG">')
    const named = { ...parts, 'Doc_0/Other.xml': '<ofd:X>Res/p.png</ofd:X>' }
    for (const other of [stated, named])
      expect((await partsOf((await pressed(ofd, await zipOf(other), 'low')).bytes)).has('Doc_0/Res/p.png')).toBe(true)
  })
})

describe('the order of levels', () => {
  const levels = ['ultra', 'low', 'medium', 'high'] as const
  const picture = fc.record({
    kind: fc.constantFrom('photograph', 'drawing', 'jpeg', 'lean jpeg'),
    side: fc.integer({ min: 24, max: 80 }),
    seed: fc.integer({ min: 1, max: 50 }),
    inches: fc.constantFrom(0.15, 0.3, 0.6, 4),
  })
  const fileOf = async ({ kind, side, seed }: { kind: string; side: number; seed: number }) => {
    if (kind === 'photograph') return pngOf(grainy(side, side, seed), side, side)
    if (kind === 'drawing') return pngOf(drawn(side, side, seed), side, side)
    return jpegOf(grainy(side, side, seed), side, side, kind === 'jpeg' ? 95 : 30)
  }
  it('holds if a JPEG saves less than its new name may cost (renamed-at-low-only)', async () => {
    const file = await fileOf({ kind: 'photograph', side: 50, seed: 8 })
    const zip = await zipOf(ofdWith(file, 0.3 * 25.4))
    const sizes: number[] = []
    for (const quality of levels) sizes.push((await pressed(ofd, zip, quality)).bytes.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it.each([
    ['DOCX', docx],
    ['OFD', ofd],
    ['EPUB', epub],
    ['KMZ', kmz],
  ] as const)('holds in %s for any picture', async (_name, codec) => {
    await fc.assert(
      fc.asyncProperty(picture, async (asked) => {
        const file = await fileOf(asked)
        const name = asked.kind.includes('jpeg') ? 'p.jpeg' : 'p.png'
        const zip =
          codec === docx
            ? await wordWith(file, asked.inches, name)
            : await zipOf(
                codec === ofd
                  ? renamed(ofdWith(file, asked.inches * 25.4), name)
                  : { mimetype: 'application/epub+zip', 'doc.kml': '<kml/>', [name]: file },
              )
        const sizes: number[] = []
        for (const quality of levels) {
          if (quality === 'ultra' && !('ultra' in codec.format)) continue
          sizes.push((await pressed(codec, zip, quality)).bytes.length)
        }
        expect(sizes, JSON.stringify(asked)).toEqual(sizes.toSorted((a, b) => a - b))
        expect(sizes.at(-1)).toBeLessThanOrEqual(zip.length)
      }),
      { numRuns: roundsOf(3) },
    )
  })
})

const renamed = (parts: Parts, name: string): Parts =>
  Object.fromEntries(
    Object.entries(parts).map(([path, content]) => [
      path.replace('p.png', name),
      typeof content === 'string' ? content.replace('p.png', name) : content,
    ]),
  )

describe('a photograph stored as PNG in an EPUB', () => {
  const book = (extra: Parts = {}): Parts => ({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
    'OEBPS/b.opf':
      '<package><manifest><item id="c" href="pictures/p.png" media-type="image/png" properties="cover-image"/><item id="x" href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>',
    'OEBPS/a.xhtml':
      '<!DOCTYPE html>\n<html><body><img src="pictures/p.png" alt="p"/><svg><image xlink:href="./pictures/p.png"/></svg></body></html>',
    'OEBPS/pictures/p.png': pngOf(grainy(72, 72), 72, 72),
    ...extra,
  })

  it('becomes JPEG, and only the manifest and pages change', async () => {
    const parts = book({ 'OEBPS/style.css': 'p { color: red }' })
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes, ...rest } = await pressed(epub, await zipOf(parts), quality)
      expect('defect' in rest && rest.defect).toBeFalsy()
      sizes.push(bytes.length)
      const after = await partsOf(bytes)
      if (quality === 'high') {
        expect([...after.keys()]).toEqual(Object.keys(parts))
        continue
      }
      expect(inEnglish(outcome)).toMatchObject({
        steps: expect.arrayContaining(['1 of 1 pictures recompressed (1 PNG images converted to JPEG)']),
      })
      expect([...after.keys()]).toEqual(Object.keys(parts).map((name) => name.replace('p.png', 'p.jpg')))
      const expected = (name: string) => String(parts[name]).replaceAll('p.png', 'p.jpg').replace('image/png', 'image/jpeg')
      for (const name of ['OEBPS/b.opf', 'OEBPS/a.xhtml', 'OEBPS/style.css']) expect(text(after.get(name))).toBe(expected(name))
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it.each<[string, Parts]>([
    ['a style sheet', { 'OEBPS/style.css': 'body { background: url(pictures/p.png) }' }],
    ['a script', { 'OEBPS/s.js': 'show("p.png")' }],
    ['the text of a page', { 'OEBPS/b.xhtml': '<html><body>See p.png</body></html>' }],
    ['a srcset attribute', { 'OEBPS/b.xhtml': '<html><body><img srcset="pictures/p.png 2x"/></body></html>' }],
    ['a JPEG beside it', { 'OEBPS/pictures/p.jpg': 'x', 'OEBPS/pictures/P.jpeg': 'y' }],
  ])('keeps its name if %s refers to it', async (_what, extra) => {
    const after = await partsOf((await pressed(epub, await zipOf(book(extra)), 'low')).bytes)
    expect(after.has('OEBPS/pictures/p.png')).toBe(true)
  })
})
