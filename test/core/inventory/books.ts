/** Builds an EPUB, an OFD, a KMZ and a Shapefile bundle that hold every kind of their inventories. */
import { type Parts, photo, pngOf } from '../../support/packages.ts'

const X = 'xmlns="http://www.w3.org/1999/xhtml"'

export const book = (): Parts => ({
  mimetype: 'application/epub+zip',
  'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
  'OPS/book.opf': `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Tales</dc:title><meta property="dcterms:modified">2024-01-01</meta></metadata><manifest><item id="p1" href="p1.xhtml" media-type="application/xhtml+xml"/><item id="p2" href="p2.xhtml" media-type="application/xhtml+xml"/><item id="i" href="i.png" media-type="image/png"/></manifest><spine><itemref idref="p1"/><itemref idref="p2" linear="no"/></spine></package>`,
  'OPS/nav.xhtml': `<html ${X}><body><nav epub:type="toc"><ol><li><a href="p1.xhtml">One</a></li></ol></nav></body></html>`,
  'OPS/p1.xhtml': `<!DOCTYPE html><html ${X}><body><p id="a">One&nbsp;tale</p><img src="i.png" alt="A ship"/><a href="https://example.com/">more</a>${'<p>filler &amp; text</p>'.repeat(300)}</body></html>`,
  'OPS/p2.xhtml': `<html ${X}><body><video src="v.mp4"/><p>Two</p></body></html>`,
  'OPS/toc.ncx': '<ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src="p1.xhtml"/></navPoint></navMap></ncx>',
  'OPS/s.css': 'p { color: red }',
  'OPS/f.ttf': Uint8Array.from({ length: 50 }, (_, index) => index),
  'OPS/i.png': pngOf(photo(60, 40), 60, 40),
  'OPS/v.mp4': Uint8Array.from({ length: 80 }, (_, index) => index * 5),
})

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
const ODF = `xmlns:office="${OASIS}:office:1.0" xmlns:text="${OASIS}:text:1.0" xmlns:draw="${OASIS}:drawing:1.0" xmlns:svg="${OASIS}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="${OASIS}:meta:1.0" xmlns:style="${OASIS}:style:1.0" xmlns:table="${OASIS}:table:1.0"`
const listed = (path: string, type: string) => `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`

/** An OpenDocument text that holds every kind of the inventory. */
export const textDocument = (): Parts => ({
  mimetype: 'application/vnd.oasis.opendocument.text',
  'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0">${listed('/', 'application/vnd.oasis.opendocument.text')}${listed('content.xml', 'text/xml')}${listed('Pictures/i.png', 'image/png')}${listed('Thumbnails/thumbnail.png', 'image/png')}</manifest:manifest>`,
  'content.xml': `<office:document-content ${ODF}><office:body><office:text><text:tracked-changes><text:changed-region><text:deletion/></text:changed-region></text:tracked-changes><text:p><text:bookmark text:name="here"/><office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p></office:annotation><text:a xlink:href="https://example.com/">more</text:a></text:p><draw:frame svg:width="5cm" svg:height="3cm"><draw:image xlink:href="Pictures/i.png"/><svg:desc>A ship</svg:desc></draw:frame><draw:frame svg:width="5cm" svg:height="3cm"><draw:object xlink:href="./Object 1"/></draw:frame><table:table><table:table-cell table:formula="of:=1+1"/></table:table>${'<text:p>filler &amp; text</text:p>'.repeat(300)}</office:text></office:body></office:document-content>`,
  'styles.xml': `<office:document-styles ${ODF}><office:master-styles><style:master-page style:name="Standard"/></office:master-styles></office:document-styles>`,
  'meta.xml': `<office:document-meta ${ODF}><office:meta><meta:generator>Writer/1</meta:generator><dc:title>Tales</dc:title><dc:creator>Ann</dc:creator><meta:user-defined meta:name="Copyright">Ann</meta:user-defined><meta:user-defined meta:name="Client">Bob</meta:user-defined><meta:document-statistic meta:page-count="2"/></office:meta></office:document-meta>`,
  'Object 1/content.xml': `<office:document-content ${ODF}><office:body/></office:document-content>`,
  'Object 2': Uint8Array.from({ length: 90 }, (_, index) => index * 3),
  'ObjectReplacements/Object 2': Uint8Array.from({ length: 90 }, (_, index) => index * 7),
  'Basic/Standard/Module1.xml': '<script:module xmlns:script="http://openoffice.org/2000/script">Sub Main : End Sub</script:module>',
  'Fonts/a.ttf': Uint8Array.from({ length: 50 }, (_, index) => index),
  'Pictures/i.png': pngOf(photo(60, 40), 60, 40),
  'Thumbnails/thumbnail.png': pngOf(photo(30, 20), 30, 20),
})

const O = 'xmlns:ofd="http://www.ofdspec.org/2016"'

/** `twin`: name of a second font file with the same bytes, which level `ultra` merges. */
export const ofdDocument = (): Parts => ({
  'OFD.xml': `<ofd:OFD ${O}><ofd:DocBody><ofd:DocInfo><ofd:Title>Invoice</ofd:Title><ofd:CustomDatas><ofd:CustomData Name="no">7</ofd:CustomData></ofd:CustomDatas></ofd:DocInfo></ofd:DocBody></ofd:OFD>`,
  'Doc_0/Document.xml': `<ofd:Document ${O}><ofd:CommonData><ofd:PageArea><ofd:PhysicalBox>0 0 210 297</ofd:PhysicalBox></ofd:PageArea></ofd:CommonData><ofd:Pages><ofd:Page ID="1" BaseLoc="Pages/1.xml"/></ofd:Pages><ofd:Outlines><ofd:OutlineElem Title="Part 1"/></ofd:Outlines></ofd:Document>`,
  'Doc_0/PublicRes.xml': `<ofd:Res ${O} BaseLoc="Res"><ofd:Fonts><ofd:Font ID="1" FontName="Song"><ofd:FontFile>a.ttf</ofd:FontFile></ofd:Font><ofd:Font ID="2" FontName="Kai"><ofd:FontFile>twin.ttf</ofd:FontFile></ofd:Font></ofd:Fonts><ofd:MultiMedias><ofd:MultiMedia ID="3" Type="Image"><ofd:MediaFile>i.png</ofd:MediaFile></ofd:MultiMedia></ofd:MultiMedias></ofd:Res>`,
  'Doc_0/Pages/1.xml': `<ofd:Page ${O}><ofd:Content><ofd:Layer><ofd:ImageObject ResourceID="3" CTM="50 0 0 30 0 0"/></ofd:Layer></ofd:Content>${'<ofd:TextObject>filler &amp; text</ofd:TextObject>'.repeat(300)}</ofd:Page>`,
  'Doc_0/Annots/1.xml': `<ofd:PageAnnot ${O}><ofd:Annot Type="Stamp"><ofd:Remark>paid</ofd:Remark></ofd:Annot><ofd:URI URI="https://example.com/"/></ofd:PageAnnot>`,
  'Doc_0/Attachs/list.xml': `<ofd:Attachments ${O}><ofd:Attachment Name="original.xml"/></ofd:Attachments>`,
  'Doc_0/Res/a.ttf': Uint8Array.from({ length: 5000 }, (_, index) => (index * index) >> 3),
  'Doc_0/Res/twin.ttf': Uint8Array.from({ length: 5000 }, (_, index) => (index * index) >> 3),
  'Doc_0/Res/i.png': pngOf(photo(60, 40), 60, 40),
})

export const kmzMap = (): Parts => ({
  'doc.kml': `<kml><Document>${'<Placemark><name>a</name></Placemark>'.repeat(200)}<GroundOverlay><Icon><href>files/i.png</href></Icon></GroundOverlay></Document></kml>`,
  'files/i.png': pngOf(photo(60, 40), 60, 40),
  'files/model.dae': `<COLLADA>${'<p>1 2 3</p>'.repeat(100)}</COLLADA>`,
})

/** A table with two records of one field, and the header of a file of points. */
export function shapes(): Parts {
  const table = Buffer.alloc(32 + 32 + 1 + 2 * 11)
  table.writeUInt32LE(2, 4)
  table.writeUInt16LE(65, 8)
  table.writeUInt16LE(11, 10)
  table.write('NAME', 32, 'latin1')
  table.write('C', 43, 'latin1')
  table[48] = 10
  table[64] = 0x0d
  table.write(' Berlin     Rome      ', 65, 'latin1')
  const points = Buffer.alloc(100 + 500)
  points.writeInt32BE(9994, 0)
  points.writeInt32LE(1, 32)
  points.writeDoubleLE(12.5, 36)
  return { 'towns.shp': new Uint8Array(points), 'towns.dbf': new Uint8Array(table), 'towns.prj': 'GEOGCS["GCS_WGS_1984"]'.repeat(20) }
}
