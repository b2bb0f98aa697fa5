/** Tests that the option `metadata` leaves nothing private in PDF, Office and EPUB files, and removes nothing else. */
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../src/core/bytes/concat.ts'
import { readInventory } from '../../src/core/inventory/check.ts'
import type { Quality } from '../../src/core/model/codec.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { archives } from '../support/archives.ts'
import { OFFICE, relationships } from '../support/office.ts'
import { jpegOf, type Parts, partsOf, photo, text as utf8Text, zipOf } from '../support/packages.ts'
import { exifBlock, latin1 } from '../support/picture-metadata.ts'
import { check, falseOf, pressAs, withReceipt } from '../support/receipts.ts'
import { buildPdf, flate, type Part } from './formats/pdf/build.ts'
import { presentation, wordDocument, workbook } from './inventory/office.ts'

const MODES = ['safe', 'strip'] as const
type Mode = (typeof MODES)[number]
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Everything that a PDF holds as text: its bytes, and all streams that can be inflated. */
function wholeText(pdf: Uint8Array): string {
  const raw = text(pdf)
  const inflated = [...raw.matchAll(/stream\r?\n/g)].map(({ index, 0: word }) => {
    try {
      return text(inflateSync(pdf.subarray(index + word.length), { finishFlush: 2 }))
    } catch {
      return ''
    }
  })
  return [raw, ...inflated].join('\n')
}

const segment = (marker: number, content: Uint8Array) =>
  concat([Uint8Array.of(0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255), content])

/** JPEG with a private maker and place, an artist and a copyright. `quality`: 30 leaves nothing to gain. */
async function privateJpeg(side = 120, quality = 92): Promise<Uint8Array> {
  const plain = await jpegOf(photo(side, side), side, side, quality)
  const block = exifBlock({
    ifd0: [
      [0x010f, 2, 'private maker'],
      [0x8298, 2, 'Copyright Me'],
    ],
    gps: [[1, 2, 'private']],
  })
  return concat([plain.subarray(0, 2), segment(0xe1, concat([latin1('Exif\0\0'), block])), plain.subarray(2)])
}

const packet = (properties: string) =>
  `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="private toolkit"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="private" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/" xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>${' '.repeat(400)}<?xpacket end="w"?>`
const alternatives = (...texts: [string, string][]) =>
  `<rdf:Alt>${texts.map(([language, value]) => `<rdf:li xml:lang="${language}">${value}</rdf:li>`).join('')}</rdf:Alt>`

const XMP = packet(
  `<dc:title>${alternatives(['x-default', 'Public title'], ['de', 'Titel'])}</dc:title><dc:creator><rdf:Seq><rdf:li>private author</rdf:li></rdf:Seq></dc:creator><dc:rights>${alternatives(['x-default', 'Rights of Me'])}</dc:rights><xmpRights:Owner>Owner Me</xmpRights:Owner><xmp:CreateDate>2001-private</xmp:CreateDate><pdf:Producer>private program</pdf:Producer><pdfx:Company>private company</pdfx:Company><pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance><pdfuaid:part>1</pdfuaid:part>`,
)
const INFORMATION =
  '<</Title(Public title)/Author(private author)/Producer(private program)/CreationDate(D:2001private)/Keywords(private)/Company(private)/Trapped/False>>'

interface Wishes {
  readonly information?: string
  readonly xmp?: string
  readonly version?: string
  /** Further entries of the picture. */
  readonly picture?: string
}

/** Page with a picture, its XMP, a preview, private data, and metadata of the document. */
async function privatePdf({ information = INFORMATION, xmp = XMP, version = '1.7', picture = '' }: Wishes = {}): Promise<Uint8Array> {
  const jpeg = await privateJpeg()
  const lines = Array.from({ length: 400 }, (_, line) => `${line % 9} ${line} m ${line * 3} 90 l S`).join('\n')
  const pictureXmp = packet(
    `<dc:rights>${alternatives(['x-default', 'Picture rights'])}</dc:rights><dc:subject>private subject</dc:subject>`,
  )
  const objects: Part[] = [
    '<</Type/Catalog/Pages 2 0 R/Metadata 6 0 R/PieceInfo<</Editor<</Private(private data)>>>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 120 120]/Contents 4 0 R/Resources<</XObject<</I 5 0 R/Thumb 5 0 R/Metadata 5 0 R>>>>/Thumb 9 0 R/Metadata 10 0 R/LastModified(D:private)/PieceInfo<</Editor<</LastModified(D:private)>>>>>>',
    { dict: '', data: `${lines}\nq 120 0 0 120 0 0 cm /I Do Q q 20 0 0 20 0 0 cm /Thumb Do /Metadata Do Q` },
    {
      dict: `/Type/XObject/Subtype/Image/Width 120/Height 120/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode/Metadata 8 0 R${picture}`,
      data: jpeg,
    },
    { dict: '/Type/Metadata/Subtype/XML', data: xmp },
    information,
    { dict: '/Type/Metadata/Subtype/XML/Filter/FlateDecode', data: flate(pictureXmp) },
    { dict: '/Width 20/Height 20/BitsPerComponent 8/ColorSpace/DeviceGray', data: 'private thumbnail'.padEnd(400, '.') },
    { dict: '/Type/Metadata/Subtype/XML', data: packet('<dc:subject>private page</dc:subject>') },
  ]
  return buildPdf(objects, { version, trailer: '/Info 7 0 R' })
}

const pressPdf = (bytes: Uint8Array, metadata: Mode | undefined, quality: 'high' | 'medium' | 'low' = 'medium') =>
  pressAs('pdf', 'file.pdf', bytes, 'pdf', quality, { metadata })

async function itemsOf(id: 'pdf' | 'docx' | 'xlsx' | 'pptx', bytes: Uint8Array) {
  const inventory = await readInventory(id, memorySource(bytes, 'x'), new AbortController().signal)
  return new Map([...(inventory ?? [])].map(([kind, items]) => [kind, [...items.keys()]]))
}

describe('PDF', () => {
  it.each(MODES)('%s leaves nothing private, and keeps title, trapping and claims', async (mode) => {
    const file = await privatePdf()
    for (const quality of ['high', 'medium', 'low'] as const) {
      const made = await pressPdf(file, mode, quality)
      expect(made.defect).toBeUndefined()
      expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: mode })
      expect(/private/i.test(wholeText(made.bytes))).toBe(false)
      const items = await itemsOf('pdf', made.bytes)
      expect(items.get('document_information')).toEqual(['Title = Public title', 'Trapped = False'])
      expect(items.get('claims')).toEqual(['pdfaid:part = 2', 'pdfaid:conformance = B', 'pdfuaid:part = 1'])
      expect(items.has('application_data') || items.has('page_thumbnails')).toBe(false)
      expect(/Rights of Me/.test(wholeText(made.bytes))).toBe(mode === 'safe')
      expect(/Picture rights/.test(wholeText(made.bytes))).toBe(mode === 'safe')
      expect(falseOf(await check(...receiptOf('pdf', file, made, quality)))).toEqual([])
    }
  })

  it.each([
    ['encoded again', ''],
    ['copied', '/DecodeParms<</ColorTransform 1>>'],
  ])('removes and counts the EXIF data of a JPEG that is %s', async (_, picture) => {
    const file = await privatePdf({ picture })
    const made = await pressPdf(file, 'safe')
    expect(/private/.test(wholeText(made.bytes))).toBe(false)
    const gone = expect.objectContaining({ kind: 'gps_tags', count: 1, why: 'as_requested' })
    expect(made.outcome).toMatchObject({ kind: 'compressed', removed: expect.arrayContaining([gone]) })
    expect(/Copyright Me/.test(text(made.bytes))).toBe(picture !== '')
    expect(falseOf(await check(...receiptOf('pdf', file, made)))).toEqual([])
  })

  it('keeps dates and programs of PDF/X, which the standard requires', async () => {
    const information =
      '<</Title(T)/Author(private)/Creator(Layout 1)/Producer(Maker 2)/CreationDate(D:2001)/ModDate(D:2002)/GTS_PDFXVersion(PDF/X-4)>>'
    const xmp = packet(
      '<xmp:CreateDate>2001</xmp:CreateDate><dc:creator>private</dc:creator><pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>',
    )
    const made = await pressPdf(await privatePdf({ information, xmp }), 'strip')
    expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
    expect(/private/.test(wholeText(made.bytes))).toBe(false)
    const items = await itemsOf('pdf', made.bytes)
    expect(items.get('document_information')).toHaveLength(6)
    expect(items.get('xmp_properties')).toEqual(['xmp:CreateDate = 2001'])
  })

  it.each(archives())('keeps the claim of an archive ($name)', async ({ part, bytes }) => {
    for (const mode of MODES) {
      const made = await pressPdf(bytes, mode)
      expect(made.outcome.kind).toBe('compressed')
      expect(text(made.bytes)).toMatch(new RegExp(part === 'ua1' ? 'pdfuaid:part>1<' : `pdfaid:part>${part[0]}<`))
      expect(text(made.bytes)).toContain('>Archive<')
      expect(text(made.bytes)).not.toContain('xmp:ModifyDate')
      if (part === '4') expect(/\/Info /.test(text(made.bytes)), 'ISO 19005-4, 6.1.3').toBe(false)
    }
  })

  it('says that the metadata is still there if the file is signed', async () => {
    const file = await privatePdf({ information: '<</Author(private)/ByteRange[0 1 2 3]>>' })
    const made = await pressPdf(file, 'strip')
    expect(made.outcome).toMatchObject({ kind: 'unchanged', reason: 'signed', detail: { code: 'metadata_still_there' } })
    expect(made.bytes).toEqual(file)
  })

  it('does not touch an object that is metadata and content', async () => {
    const whole = text(await privatePdf())
    const shared = Uint8Array.from(Buffer.from(whole.replace('/Contents 4 0 R', '/Contents 6 0 R'), 'latin1'))
    const made = await pressPdf(shared, 'strip')
    expect(made.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const twice = Uint8Array.from(Buffer.from(whole.replace('/Info 7 0 R', '/Info 3 0 R'), 'latin1'))
    expect((await pressPdf(twice, 'strip')).outcome.kind).toBe('unchanged')
  })

  it('compresses a file that names its page tree as information dictionary', async () => {
    const whole = text(await privatePdf({ xmp: packet('') })).replace('/Info 7 0 R', '/Info 2 0 R')
    const made = await pressPdf(Uint8Array.from(Buffer.from(whole, 'latin1')), 'strip')
    expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
  })

  it('keeps an empty title', async () => {
    const made = await pressPdf(await privatePdf({ information: '<</Title()/Author(private)/Subject()>>' }), 'strip')
    expect(made.defect).toBeUndefined()
    expect((await itemsOf('pdf', made.bytes)).get('document_information')).toEqual(['Title ='])
  })

  it('removes packets that are no XML, and survives files that are cut off', async () => {
    const broken = await pressPdf(await privatePdf({ xmp: '<!DOCTYPE private><x>private' }), 'safe')
    expect(broken.outcome.kind).toBe('compressed')
    expect(wholeText(broken.bytes)).not.toMatch(/private/)
    const file = await privatePdf()
    for (let length = 20; length < file.length; length += Math.ceil(file.length / 12)) {
      const { outcome, defect } = await pressPdf(file.slice(0, length), 'strip')
      expect(defect).toBeUndefined()
      expect(['compressed', 'unchanged']).toContain(outcome.kind)
    }
  })

  it('changes nothing if nothing is asked for', async () => {
    const made = await pressPdf(await privatePdf(), undefined, 'high')
    expect(made.outcome).toMatchObject({ kind: 'compressed' })
    expect(made.outcome).not.toHaveProperty('metadata')
    expect(wholeText(made.bytes)).toMatch(/private author[\s\S]*private page|private page[\s\S]*private author/)
  })
})

type DocumentId = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'epub'

/** A result and its receipt, for `check`. */
function receiptOf(id: DocumentId, file: Uint8Array, made: Awaited<ReturnType<typeof pressAs>>, quality: Quality = 'medium') {
  const { claims } = withReceipt(id, 'file', { quality, output: id }, { file, ...made })
  expect(claims.result.metadata).toBeDefined()
  return [{ name: 'file', file, bytes: made.bytes }, claims] as const
}

const CORE =
  '<?xml version="1.0"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><!-- private --><dc:title>Plan &amp; B</dc:title><dc:creator>private author</dc:creator><cp:lastModifiedBy>private editor</cp:lastModifiedBy><cp:keywords>private</cp:keywords><dcterms:created xsi:type="dcterms:W3CDTF">2001-01-01T00:00:00Z</dcterms:created></cp:coreProperties>'
const APP =
  '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><Template>private.dotm</Template><Company>private company</Company><Manager>private manager</Manager><TotalTime>77</TotalTime><DocSecurity>2</DocSecurity><HyperlinkBase>https://example.org/</HyperlinkBase><TitlesOfParts><vt:vector size="1" baseType="lpstr"><vt:lpstr>private list</vt:lpstr></vt:vector></TitlesOfParts></Properties>'
const CUSTOM =
  '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="title"><vt:lpwstr>private custom title</vt:lpwstr></property><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="3" name="Copyright"><vt:lpwstr>Rights of Me</vt:lpwstr></property></Properties>'

const PROPERTIES = {
  'core-properties': ['http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties', CORE],
  'extended-properties': [`${OFFICE}/extended-properties`, APP],
  'custom-properties': [`${OFFICE}/custom-properties`, CUSTOM],
} as const

/** Adds all properties, a preview and a private photograph to a package. `core`: name of the part with core properties. */
async function withPrivateParts(parts: Parts, main: string, media: string, core = 'docProps/core.xml'): Promise<Parts> {
  const files = { 'core-properties': core, 'extended-properties': 'docProps/app.xml', 'custom-properties': 'docProps/custom.xml' }
  const kinds = ['core-properties', 'extended-properties', 'custom-properties'] as const
  const owner = main.replace(/([^/]+)$/, '_rels/$1.rels')
  const types = kinds
    .filter((kind) => !String(parts['[Content_Types].xml']).includes(files[kind]))
    .map((kind) => `<Override PartName="/${files[kind]}" ContentType="application/vnd.openxmlformats-package.${kind}+xml"/>`)
  const preview =
    '<Override PartName="/docProps/preview.jpeg" ContentType="image/jpeg"/><Default Extension="jpg" ContentType="image/jpeg"/>'
  return {
    ...parts,
    '[Content_Types].xml': String(parts['[Content_Types].xml']).replace('</Types>', `${types.join('')}${preview}</Types>`),
    '_rels/.rels': relationships([
      ['rId1', `${OFFICE}/officeDocument`, main],
      ...kinds.map((kind, index): [string, string, string] => [`rIdP${index}`, PROPERTIES[kind][0], files[kind]]),
      ['rIdT', 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail', 'docProps/preview.jpeg'],
    ]),
    ...Object.fromEntries(kinds.map((kind) => [files[kind], PROPERTIES[kind][1]])),
    'docProps/preview.jpeg': await privateJpeg(40),
    [owner]: String(parts[owner]).replace(
      '</Relationships>',
      `<Relationship Id="rIdM" Type="${OFFICE}/image" Target="/${media}"/></Relationships>`,
    ),
    [media]: await privateJpeg(),
  }
}

/** Workbook as Excel saves it: with the folder of the file, in a user's home. */
function savedWorkbook(): Parts {
  const parts = workbook()
  const folder =
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x15"><x15ac:absPath url="C:\\Users\\private &amp; name\\a>b\\" xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent>'
  return { ...parts, 'xl/workbook.xml': String(parts['xl/workbook.xml']).replace('<sheets>', `${folder}<sheets>`) }
}

const PACKAGES = [
  ['docx', () => withPrivateParts(wordDocument(), 'word/document.xml', 'word/media/image9.jpg')],
  ['xlsx', () => withPrivateParts(savedWorkbook(), 'xl/workbook.xml', 'xl/media/image9.jpg')],
  ['pptx', () => withPrivateParts(presentation(), 'ppt/presentation.xml', 'ppt/media/image9.jpg')],
] as const

/** Text of all parts of a package, and of its directory. */
const packageText = async (bytes: Uint8Array) => [text(bytes), ...[...(await partsOf(bytes)).values()].map((part) => text(part))].join('\n')

describe.each(PACKAGES)('%s', (id, make) => {
  it.each(MODES)('%s leaves nothing private, and keeps title, protection and content', async (mode) => {
    const parts = await make()
    const file = await zipOf(parts, 6)
    for (const quality of ['high', 'medium', 'ultra'] as const) {
      const made = await pressAs(id, 'file', file, id, quality, { metadata: mode })
      expect(made.defect).toBeUndefined()
      expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: mode })
      expect(/private/.test(await packageText(made.bytes))).toBe(false)
      const after = await partsOf(made.bytes)
      expect(utf8Text(after.get('docProps/core.xml'))).toContain('<dc:title>Plan &amp; B</dc:title>')
      expect(utf8Text(after.get('docProps/app.xml'))).toMatch(/<DocSecurity>2<.*<HyperlinkBase>https:\/\/example.org\/</)
      expect(/Rights of Me/.test(utf8Text(after.get('docProps/custom.xml')))).toBe(mode === 'safe')
      expect(after.has('docProps/preview.jpeg')).toBe(false)
      for (const name of ['[Content_Types].xml', '_rels/.rels']) expect(utf8Text(after.get(name))).not.toMatch(/preview|rIdT/)
      const gone = expect.objectContaining({ kind: 'gps_tags', count: 1, why: 'as_requested' })
      expect(made.outcome).toMatchObject({ removed: expect.arrayContaining([gone]) })
      expect(falseOf(await check(...receiptOf(id, file, made, quality)))).toEqual([])
    }
  })
})

describe('Office documents', () => {
  const word = () => withPrivateParts(wordDocument(), 'word/document.xml', 'word/media/image9.jpg')

  it('finds core properties under any name, and keeps comments and changes with their authors', async () => {
    const core = 'package/services/metadata/core-properties/1.psmdcp'
    const file = await zipOf(await withPrivateParts(wordDocument(), 'word/document.xml', 'word/media/image9.jpg', core), 6)
    const made = await pressAs('docx', 'file', file, 'docx', 'medium', { metadata: 'strip' })
    expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
    expect(utf8Text((await partsOf(made.bytes)).get(core))).toContain('Plan &amp; B')
    const items = await itemsOf('docx', made.bytes)
    expect(items.get('comments')).toEqual(['Ben Is this right?'])
    expect(items.get('changes')).toEqual(['ins Ann'])
  })

  it('removes and counts the folder of a workbook, and keeps it if nothing is asked for', async () => {
    const file = await zipOf(savedWorkbook(), 1)
    const gone = await pressAs('xlsx', 'file', file, 'xlsx', 'medium', { metadata: 'safe' })
    const item = { kind: 'properties', count: 1, why: 'as_requested' }
    expect(gone.outcome).toMatchObject({ kind: 'compressed', metadata: 'safe', removed: [item] })
    const rest = '<mc:Choice Requires="x15"></mc:Choice></mc:AlternateContent><sheets>'
    expect(utf8Text((await partsOf(gone.bytes)).get('xl/workbook.xml'))).toContain(rest)
    expect(falseOf(await check(...receiptOf('xlsx', file, gone)))).toEqual([])
    const kept = await pressAs('xlsx', 'file', file, 'xlsx', 'medium', {})
    expect((await itemsOf('xlsx', kept.bytes)).get('properties')).toEqual(['folder of the workbook = C:\\Users\\private & name\\a>b\\'])
  })

  it('says that the metadata is still there if the package is signed', async () => {
    const file = await zipOf({ ...(await word()), '_xmlsignatures/sig1.xml': '<s/>' }, 6)
    const { outcome } = await pressAs('docx', 'file', file, 'docx', 'medium', { metadata: 'strip' })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'signed', detail: { code: 'metadata_still_there_because' } })
  })

  it('does not empty a part that is also content', async () => {
    const parts = await word()
    const rels = String(parts['word/_rels/document.xml.rels'])
    parts['word/_rels/document.xml.rels'] = rels.replace(
      '</Relationships>',
      `<Relationship Id="rIdX" Type="${OFFICE}/customXml" Target="/docProps/core.xml"/></Relationships>`,
    )
    const { outcome } = await pressAs('docx', 'file', await zipOf(parts, 6), 'docx', 'medium', { metadata: 'strip' })
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'metadata_still_there_because' } })
  })

  it.each([
    '<!DOCTYPE x [<!ENTITY private "x">]><x>&private;</x>',
    '<a private',
    '',
    'private',
  ])('empties properties that are no XML: %s', async (core) => {
    const file = await zipOf({ ...(await word()), 'docProps/core.xml': core }, 6)
    const made = await pressAs('docx', 'file', file, 'docx', 'medium', { metadata: 'safe' })
    expect(made.outcome.kind).toBe('compressed')
    expect(/private/.test(await packageText(made.bytes))).toBe(false)
  })

  it('names files inside whose metadata stays', async () => {
    const file = await zipOf({ ...(await word()), 'word/media/film.mp4': 'private film'.repeat(99) }, 6)
    const { outcome } = await pressAs('docx', 'file', file, 'docx', 'medium', { metadata: 'strip' })
    const steps = outcome.kind === 'compressed' ? outcome.steps : []
    expect(steps).toContainEqual({ code: 'metadata_of_files_inside_kept', files: 1 })
  })

  it('gives an outcome for packages that are cut off, never another error', async () => {
    const file = await zipOf(await word(), 6)
    for (let length = 20; length < file.length; length += Math.ceil(file.length / 20)) {
      const { outcome } = await pressAs('docx', 'file', file.slice(0, length), 'docx', 'medium', { metadata: 'strip' })
      expect(outcome.kind).toBe('unchanged')
    }
  })
})

describe('EPUB', () => {
  it('keeps the entries of the book, and removes the metadata of its pictures', async () => {
    const opf =
      '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title><dc:creator>Ann</dc:creator></metadata><manifest><item id="a" href="a.jpg" media-type="image/jpeg"/><item id="t" href="t.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="t"/></spine></package>'
    const file = await zipOf(
      {
        mimetype: 'application/epub+zip',
        'META-INF/container.xml':
          '<container><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        'a.opf': opf,
        't.xhtml': `<html><body><img src="a.jpg"/>${'<p>text</p>'.repeat(300)}</body></html>`,
        'a.jpg': await privateJpeg(),
      },
      1,
    )
    const made = await pressAs('epub', 'file', file, 'epub', 'medium', { metadata: 'strip' })
    expect(made.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
    expect(/private/.test(await packageText(made.bytes))).toBe(false)
    expect(utf8Text((await partsOf(made.bytes)).get('a.opf'))).toBe(opf)
    expect(falseOf(await check(...receiptOf('epub', file, made)))).toEqual([])
  })
})
