/** Small PDF/A and PDF/UA files that veraPDF accepts. Each has a feature that a careless rewriter would break. */
import { buildPdf, flate, type Part } from '../core/formats/pdf/build.ts'
import { GLYPHS, type1 } from '../core/formats/pdf/type1-font.ts'

type ArchivePart = '1b' | '2b' | '3b' | '4' | 'ua1'

export interface Archive {
  /** Feature of the archive. */
  readonly name: string
  /** Part of the standard that its metadata claims. */
  readonly part: ArchivePart
  readonly bytes: Uint8Array
}

const CLAIMS: Readonly<Record<ArchivePart, string>> = {
  '1b': '<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>',
  '2b': '<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>',
  '3b': '<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>',
  '4': '<pdfaid:part>4</pdfaid:part><pdfaid:rev>2020</pdfaid:rev>',
  ua1: '<pdfuaid:part>1</pdfuaid:part>',
}
const NAMESPACES = [
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
  'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"',
  'xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"',
].join(' ')

function xmp(part: ArchivePart): string {
  const title = '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Archive</rdf:li></rdf:Alt></dc:title>'
  const properties = `<rdf:Description rdf:about="" ${NAMESPACES}>${CLAIMS[part]}${title}<xmp:ModifyDate>2026-01-01T00:00:00Z</xmp:ModifyDate></rdf:Description>`
  return `<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>${properties}</rdf:RDF></x:xmpmeta><?xpacket end='w'?>`
}

type Encoding = 'utf-8' | 'utf-16' | 'utf-32'

/** Encodes a text as UTF-8, or as little-endian UTF-16 or UTF-32 without a byte order mark. */
function encoded(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return new Uint8Array(Buffer.from(text))
  if (encoding === 'utf-16') return new Uint8Array(Buffer.from(text, 'utf16le'))
  return new Uint8Array(Uint32Array.from(text, (letter) => letter.codePointAt(0)!).buffer)
}

interface Wishes {
  encoding?: Encoding
  /** Additional entries of the catalog. */
  catalog?: string
  trailer?: string
  /** Additional objects, numbered from 6. */
  more?: readonly Part[]
  /** True if the first of `more` is the font of the page. */
  isFont?: boolean
}

const LINES = Array.from({ length: 80 }, (_, k) => `${k} ${k} m ${k * 2} 100 l S`).join('\n')

/** Returns an archive with device-independent colours, which need no ICC profile. */
function archive(
  part: ArchivePart,
  { encoding = 'utf-8', catalog = '', trailer = '', more = [], isFont = false }: Wishes = {},
): Uint8Array {
  const text = isFont ? '\nBT /F 20 Tf 10 10 Td (A) Tj ET' : ''
  const contents = `/Artifact BMC\n/C CS 1 0 0 SC /C cs 1 0 0 sc\n${LINES}${text}\nEMC`
  const colours = '/ColorSpace<</C[/CalRGB<</WhitePoint[0.9505 1 1.089]>>]>>'
  const id = '/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]'
  const objects: Part[] = [
    `<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/Lang(en)${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<<${colours}${isFont ? '/Font<</F 6 0 R>>' : ''}>>>>`,
    { dict: '/Filter/FlateDecode', data: flate(contents) },
    { dict: '/Type/Metadata/Subtype/XML', data: encoded(xmp(part), encoding) },
    ...more,
  ]
  const version = part === '1b' ? '1.4' : part === '4' ? '2.0' : '1.7'
  return buildPdf(objects, { version, trailer: id + trailer })
}

/** Returns a Type 1 font with several glyphs. All are listed, but the page uses only one. */
function listedFont(): Part[] {
  const names = Object.keys(GLYPHS)
  const { data, lengths } = type1(names)
  const listed = names.filter((name) => name !== '.notdef')
  return [
    '<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Test/FirstChar 65/LastChar 67/Widths[600 600 500]/FontDescriptor 7 0 R>>',
    `<</Type/FontDescriptor/FontName/ABCDEF+Test/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 700/Descent 0/CapHeight 700/StemV 80/CharSet(/${listed.join('/')})/FontFile 8 0 R>>`,
    { dict: `/Length1 ${lengths[0]}/Length2 ${lengths[1]}/Length3 ${lengths[2]}`, data },
  ]
}

const STRUCTURE = '/MarkInfo<</Marked true>>/StructTreeRoot<</Type/StructTreeRoot>>/ViewerPreferences<</DisplayDocTitle true>>'
const PRIVATE = "/PieceInfo<</Test<</LastModified(D:20260101000000+00'00')/Private(words)>>>>"
const INFORMATION = "<</ModDate(D:20260101000000+00'00')>>"

export const archives = (): Archive[] => [
  ...(['1b', '2b', '3b', '4'] as const).map((part) => ({ name: `plain ${part}`, part, bytes: archive(part) })),
  { name: 'metadata in UTF-16', part: '1b', bytes: archive('1b', { encoding: 'utf-16' }) },
  { name: 'metadata in UTF-32', part: '1b', bytes: archive('1b', { encoding: 'utf-32' }) },
  {
    name: 'private data that allow an information dictionary',
    part: '4',
    bytes: archive('4', { catalog: PRIVATE, trailer: '/Info 6 0 R', more: [INFORMATION] }),
  },
  { name: 'a font that lists its glyphs', part: '2b', bytes: archive('2b', { more: listedFont(), isFont: true }) },
  { name: 'tagged', part: 'ua1', bytes: archive('ua1', { catalog: STRUCTURE }) },
]
