/** Builds small PDF files by hand, so that tests do not depend on Whittle's own writer. */
import { deflateSync } from 'node:zlib'

export type Part = string | { dict: string; data: Uint8Array | string }

export const flate = (text: string | Uint8Array): Uint8Array => new Uint8Array(deflateSync(text, { level: 1 }))

const bytesOf = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))

export interface Layout {
  /** Additional trailer entries. */
  trailer?: string
  version?: string
  /** Number of bytes by which offsets in the cross-reference table are wrong. */
  shift?: number
}

/** Builds a PDF from objects 1, 2, 3 … with a cross-reference table. Object 1 is the catalog. */
export function buildPdf(objects: readonly Part[], layout: Layout = {}): Uint8Array {
  const chunks: Uint8Array[] = []
  let length = 0
  const put = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? bytesOf(part) : part
    chunks.push(bytes)
    length += bytes.length
  }
  const offsets: number[] = []
  put(`%PDF-${layout.version ?? '1.4'}\n%\xe2\xe3\xcf\xd3\n`)
  objects.forEach((object, index) => {
    offsets.push(length)
    put(`${index + 1} 0 obj\n`)
    if (typeof object === 'string') put(object)
    else {
      put(`<<${object.dict}/Length ${object.data.length}>>\nstream\n`)
      put(object.data)
      put('\nendstream')
    }
    put('\nendobj\n')
  })
  const start = length
  put(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`)
  for (const offset of offsets) put(`${String(offset + (layout.shift ?? 0)).padStart(10, '0')} 00000 n \n`)
  put(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R${layout.trailer ?? ''}>>\nstartxref\n${start}\n%%EOF\n`)
  return new Uint8Array(Buffer.concat(chunks))
}

/** Objects of a document with `pages` pages, each with its own content stream. Extra objects follow the pages. */
export function plainDocument(pages: number, extra: readonly Part[] = [], catalog = ''): Part[] {
  const kids = Array.from({ length: pages }, (_, i) => `${3 + 2 * i} 0 R`).join(' ')
  const objects: Part[] = [`<</Type/Catalog/Pages 2 0 R${catalog}>>`, `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`]
  for (let i = 0; i < pages; i++) {
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents ${4 + 2 * i} 0 R/Resources<<>>>>`)
    const text = Array.from({ length: 200 }, (_, k) => `${k} ${i} m ${k * 2} 100 l S`).join('\n')
    objects.push({ dict: '/Filter/FlateDecode', data: flate(text) })
  }
  return [...objects, ...extra]
}

const DICTIONARY = '<</Linearized 1/L 0000000000/H[0 0]/O 3/E 0/N 3/T 0>>'

/**
 * Builds a document of three pages with outlines and a shared form. Its first object is a linearisation dictionary; its hint tables are not
 * valid.
 */
export function linearised(version: string): Uint8Array {
  const form = { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Filter/FlateDecode', data: flate('0 0 5 5 re f '.repeat(40)) }
  const objects = plainDocument(
    3,
    ['<</Type/Outlines/First 10 0 R/Last 10 0 R/Count 1>>', '<</Title(One)/Parent 9 0 R/Dest[3 0 R/Fit]>>', form],
    '/Outlines 9 0 R',
  )
  for (const [page, number] of [2, 4, 6].entries()) {
    objects[number] =
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents ${4 + 2 * page} 0 R/Resources<<${page ? '/XObject<</F 11 0 R>>' : ''}>>/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[3 0 R/Fit]>>]>>`
  }
  const plain = Buffer.from(buildPdf(objects, { version })).toString('latin1')
  // The linearisation dictionary is inserted before all objects, so all offsets move by its length.
  const head = plain.indexOf('1 0 obj')
  const own = `99 0 obj\n${DICTIONARY}\nendobj\n`
  const whole = plain.slice(0, head) + own + plain.slice(head)
  const moved = whole
    .replace(/^(\d{10}) 00000 n/gm, (_, offset: string) => `${String(Number(offset) + own.length).padStart(10, '0')} 00000 n`)
    .replace(/startxref\n(\d+)/, (_, offset: string) => `startxref\n${Number(offset) + own.length}`)
    .replace('/L 0000000000', `/L ${String(whole.length).padStart(10, '0')}`)
  return Uint8Array.from(moved, (c) => c.charCodeAt(0))
}
