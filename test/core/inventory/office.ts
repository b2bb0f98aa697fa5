/** Builds a presentation and a workbook that hold every kind of the inventory of Office documents. */
import { OFFICE, relationships } from '../../support/office.ts'
import { type Parts, photo, pngOf } from '../../support/packages.ts'

const TYPES = {
  presentation: 'application/vnd.openxmlformats-officedocument.presentationml',
  word: 'application/vnd.openxmlformats-officedocument.wordprocessingml',
  sheet: 'application/vnd.openxmlformats-officedocument.spreadsheetml',
}

const types = (parts: readonly (readonly [string, string])[]) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>${parts
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}+xml"/>`)
    .join('')}</Types>`

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A text with a comment, tracked changes, a bookmark, an alternative text, a link, macros, a font and custom XML. */
export const wordDocument = (): Parts => ({
  '[Content_Types].xml': types([
    ['word/document.xml', `${TYPES.word}.document.main`],
    ['word/comments.xml', `${TYPES.word}.comments`],
    ['docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties'],
  ]),
  '_rels/.rels': relationships([
    ['rId1', `${OFFICE}/officeDocument`, 'word/document.xml'],
    ['rId2', `${OFFICE}/core-properties`, 'docProps/core.xml'],
  ]),
  'word/document.xml': `<?xml version="1.0"?><w:document ${W}><w:body><w:p><w:ins w:id="1" w:author="Ann"><w:r><w:t>new</w:t></w:r></w:ins><w:bookmarkStart w:id="2" w:name="chapter"/><wp:docPr id="3" descr="A red house"/><w:hyperlink r:id="rId2"/></w:p>${'<w:p>filler &amp; text</w:p>'.repeat(300)}</w:body></w:document>`,
  'word/_rels/document.xml.rels': relationships([
    ['rId1', `${OFFICE}/image`, 'media/image1.png'],
    ['rId2', `${OFFICE}/hyperlink`, 'https://example.com/', 'External'],
    ['rId3', `${OFFICE}/comments`, 'comments.xml'],
    ['rId4', `${OFFICE}/vbaProject`, 'vbaProject.bin'],
    ['rId5', `${OFFICE}/font`, 'fonts/font1.odttf'],
    ['rId6', `${OFFICE}/oleObject`, 'embeddings/oleObject1.dat'],
  ]),
  'word/comments.xml': `<w:comments ${W}><w:comment w:id="1" w:author="Ben"><w:p>Is this right?</w:p></w:comment></w:comments>`,
  'word/media/image1.png': pngOf(photo(60, 40), 60, 40),
  'word/vbaProject.bin': Uint8Array.from({ length: 500 }, (_, index) => index & 255),
  'word/fonts/font1.odttf': Uint8Array.from({ length: 50 }, (_, index) => index),
  'word/embeddings/oleObject1.dat': Uint8Array.from({ length: 60 }, (_, index) => index * 3),
  'customXml/item1.xml': '<data xmlns="urn:x">value</data>',
  'docProps/core.xml':
    '<cp:coreProperties xmlns:cp="c"><dc:title xmlns:dc="d">Plan B</dc:title><dc:creator xmlns:dc="d">Ann</dc:creator></cp:coreProperties>',
})

/** A workbook with a formula, a defined name and a hidden sheet. */
export const workbook = (): Parts => ({
  '[Content_Types].xml': types([
    ['xl/workbook.xml', `${TYPES.sheet}.sheet.main`],
    ['xl/worksheets/sheet1.xml', `${TYPES.sheet}.worksheet`],
  ]),
  '_rels/.rels': relationships([['rId1', `${OFFICE}/officeDocument`, 'xl/workbook.xml']]),
  'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="Costs" sheetId="1" state="hidden" r:id="rId1"/></sheets><definedNames><definedName name="Total">Costs!$A$1</definedName></definedNames></workbook>`,
  'xl/_rels/workbook.xml.rels': relationships([['rId1', `${OFFICE}/worksheet`, 'worksheets/sheet1.xml']]),
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${Array.from({ length: 200 }, (_, row) => `<row r="${row + 1}"><c r="A${row + 1}"><f>B${row + 1}*2</f><v>${row}</v></c></row>`).join('')}</sheetData></worksheet>`,
})

/** A presentation whose slide master has `layouts` layouts. The slide uses the first one. */
export const presentation = (layouts = 3): Parts => {
  const numbers = Array.from({ length: layouts }, (_, index) => index + 1)
  const layout = (n: number) => `ppt/slideLayouts/slideLayout${n}.xml`
  return {
    '[Content_Types].xml': types([
      ...numbers.map((n) => [layout(n), `${TYPES.presentation}.slideLayout`] as const),
      ['ppt/slideMasters/slideMaster1.xml', `${TYPES.presentation}.slideMaster`],
      ['ppt/slides/slide1.xml', `${TYPES.presentation}.slide`],
    ]),
    '_rels/.rels': relationships([
      ['rId1', `${OFFICE}/officeDocument`, 'ppt/presentation.xml'],
      ['rId2', 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail', 'docProps/thumbnail.png'],
    ]),
    'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships([
      ['rId1', `${OFFICE}/slideMaster`, 'slideMasters/slideMaster1.xml'],
      ['rId2', `${OFFICE}/slide`, 'slides/slide1.xml'],
    ]),
    'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster><p:sldLayoutIdLst>${numbers.map((n) => `<p:sldLayoutId id="${n}" r:id="rId${n}"/>`).join('')}</p:sldLayoutIdLst></p:sldMaster>`,
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationships(
      numbers.map((n) => [`rId${n}`, `${OFFICE}/slideLayout`, `../slideLayouts/slideLayout${n}.xml`]),
    ),
    'ppt/slides/slide1.xml': `<p:sld>${'<p:x>text &amp; text</p:x>'.repeat(300)}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationships([['rId1', `${OFFICE}/slideLayout`, '../slideLayouts/slideLayout1.xml']]),
    'docProps/thumbnail.png': pngOf(photo(30, 20), 30, 20),
    ...Object.fromEntries(
      numbers.flatMap((n): [string, string][] => [
        [layout(n), `<p:sldLayout>${n}</p:sldLayout>`],
        [
          `ppt/slideLayouts/_rels/slideLayout${n}.xml.rels`,
          relationships([['rId1', `${OFFICE}/slideMaster`, '../slideMasters/slideMaster1.xml']]),
        ],
      ]),
    ),
  }
}
