/** Generates Word documents from a few parts. */
import type { Parts } from './packages.ts'

export const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
export const relationships = (rows: [id: string, type: string, target: string, mode?: string][]) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<Relationships xmlns="${PACKAGE}/relationships">${rows
    .map(([id, type, target, mode]) => `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`)
    .join('')}</Relationships>`
export const TYPES = `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="png" ContentType="image/png"/><Default Extension="jpeg" ContentType="image/jpeg"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`

/** Returns a drawing with a picture. Width and height are in inches. */
export const drawing = (id: string, width: number, height: number, crop = '') => {
  const size = `cx="${Math.round(width * 914400)}" cy="${Math.round(height * 914400)}"`
  return `<w:drawing><wp:inline><wp:extent ${size}/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="${id}"/>${crop}<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>`
}
export const body = (content: string) =>
  `<?xml version="1.0"?><w:document><w:body>${content}${'<w:p>filler &amp; text</w:p>'.repeat(200)}</w:body></w:document>`

export function document(
  content: string,
  images: [id: string, target: string][],
  parts: Parts,
  extra: [string, string, string, string?][] = [],
): Parts {
  return {
    '[Content_Types].xml': TYPES,
    '_rels/.rels': relationships([['rId1', `${OFFICE}/officeDocument`, 'word/document.xml'], ...extra]),
    'word/document.xml': body(content),
    'word/_rels/document.xml.rels': relationships(images.map(([id, target]) => [id, `${OFFICE}/image`, target])),
    'word/vbaProject.bin': Uint8Array.from({ length: 500 }, (_, index) => index & 255),
    ...parts,
  }
}
