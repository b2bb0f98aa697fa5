/** Builds metadata blocks of pictures: EXIF, XMP and Photoshop resources with IPTC records. */
import { concat } from '../../src/core/bytes/concat.ts'

export const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))
export const u32 = (...values: number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255)))
export const u16 = (...values: number[]): Uint8Array => Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 255]))

/** Field of a directory: tag, type, and its value as numbers, text, bytes or the name of another directory. */
type ExifField = readonly [tag: number, type: number, value: readonly number[] | string | Uint8Array]
export interface ExifDirectories {
  readonly ifd0: readonly ExifField[]
  readonly exif?: readonly ExifField[]
  readonly gps?: readonly ExifField[]
  readonly ifd1?: readonly ExifField[]
}

const SIZES: { readonly [type: number]: number } = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

/** Returns an EXIF block. A rational value has two numbers. `thumbnail`: bytes that IFD1 points at. */
export function exifBlock(directories: ExifDirectories, littleEndian = true, thumbnail?: Uint8Array): Uint8Array {
  const out = new DataView(new ArrayBuffer(16 * 1024))
  const bytes = new Uint8Array(out.buffer)
  bytes.set(latin1(littleEndian ? 'II' : 'MM'))
  out.setUint16(2, 42, littleEndian)
  out.setUint32(4, 8, littleEndian)
  let end = 8
  const write = (fields: readonly ExifField[], next: boolean): { at: number; nextField: number } => {
    const at = end
    end += 2 + fields.length * 12 + 4
    out.setUint16(at, fields.length, littleEndian)
    for (const [i, [tag, type, value]] of fields.entries()) writeField(at + 2 + i * 12, tag, type, value)
    if (!next) out.setUint32(at + 2 + fields.length * 12, 0, littleEndian)
    return { at, nextField: at + 2 + fields.length * 12 }
  }
  const writeField = (at: number, tag: number, type: number, value: ExifField[2]) => {
    const content = typeof value === 'string' ? latin1(`${value}\0`) : value
    const numbers = type === 5 || type === 10 ? content.length / 2 : content.length
    const length = numbers * SIZES[type]!
    out.setUint16(at, tag, littleEndian)
    out.setUint16(at + 2, type, littleEndian)
    out.setUint32(at + 4, numbers, littleEndian)
    const target = length <= 4 ? at + 8 : end
    if (length > 4) {
      out.setUint32(at + 8, end, littleEndian)
      end += length + (length & 1)
    }
    for (let i = 0; i < content.length; i++) {
      if (SIZES[type] === 1) out.setUint8(target + i, content[i]!)
      else if (SIZES[type] === 2) out.setUint16(target + i * 2, content[i]!, littleEndian)
      else out.setUint32(target + i * 4, content[i]!, littleEndian)
    }
  }
  const pointers: ExifField[] = []
  if (directories.exif) pointers.push([0x8769, 4, [0]])
  if (directories.gps) pointers.push([0x8825, 4, [0]])
  const fields = [...directories.ifd0, ...pointers]
  const ifd0 = write(fields, true)
  const link = (tag: number, target: number) => {
    const index = fields.findIndex(([one]) => one === tag)
    out.setUint32(ifd0.at + 2 + index * 12 + 8, target, littleEndian)
  }
  if (directories.exif) link(0x8769, write(directories.exif, false).at)
  if (directories.gps) link(0x8825, write(directories.gps, false).at)
  if (directories.ifd1) {
    const at = end + 2 + (directories.ifd1.length + 2) * 12 + 4 + 64
    const ifd1 = write([...directories.ifd1, [0x201, 4, [at]], [0x202, 4, [thumbnail?.length ?? 0]]], false)
    out.setUint32(ifd0.nextField, ifd1.at, littleEndian)
    end = at
    bytes.set(thumbnail ?? new Uint8Array(), at)
    end += thumbnail?.length ?? 0
  }
  return bytes.slice(0, end)
}

/** EXIF of a photograph with a position, a maker note and a thumbnail. */
export const photoExif = (littleEndian = true, orientation = 1): Uint8Array =>
  exifBlock(
    {
      ifd0: [
        [0x10f, 2, 'Acme'],
        [0x112, 3, [orientation]],
        [0x11a, 5, [300, 1]],
      ],
      exif: [
        [0x829a, 5, [1, 60]],
        [0x8827, 3, [400]],
        [0x9003, 2, '2024:05:06 07:08:09'],
        [0x927c, 7, latin1('maker note of Acme, version 7')],
      ],
      gps: [
        [1, 2, 'N'],
        [2, 5, [52, 1, 30, 1, 0, 1]],
      ],
      ifd1: [[0x103, 3, [6]]],
    },
    littleEndian,
    latin1('\xff\xd8 small picture \xff\xd9'),
  )

/** XMP packet with a title in two languages, a rating and a structure. */
export const photoXmp = (rating = 4): Uint8Array =>
  new TextEncoder().encode(`<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmp:Rating="${rating}"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Sea</rdf:li>
<rdf:li xml:lang="de">Meer</rdf:li></rdf:Alt></dc:title><xmp:Place rdf:parseType="Resource"><xmp:City>Riga</xmp:City></xmp:Place>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`)

/** Photoshop block with IPTC records: a headline, two keywords. */
export function photoshopBlock(headline = 'Storm'): Uint8Array {
  const dataSet = (number: number, text: string) => concat([Uint8Array.of(0x1c, 2, number), u16(text.length), latin1(text)])
  const records = concat([dataSet(105, headline), dataSet(25, 'sea'), dataSet(25, 'wind')])
  const resource = (id: number, content: Uint8Array) =>
    concat([latin1('8BIM'), u16(id, 0), u32(content.length), content, new Uint8Array(content.length & 1)])
  return concat([resource(0x0404, records), resource(0x040b, latin1('https://example.org'))])
}
