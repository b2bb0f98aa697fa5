import { describe, expect, it } from 'vitest'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { zipOf } from '../../support/packages.ts'

const text = (s: string) => new TextEncoder().encode(s)
const recognise = async (bytes: Uint8Array, name: string) => (await identify(memorySource(bytes, name)))?.id

describe('identify', () => {
  it.each([
    ['a.txt', text('hello world\n'), 'text'],
    ['a.svg', text('<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>'), 'svg'],
    ['a.eml', text('From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\n\r\nhello'), 'eml'],
    ['a.dxf', text('  0\nSECTION\n  2\nHEADER\n'), 'dxf'],
    ['a.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'jpg'],
    ['a.png', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'jpg'],
    ['a.bin', text('%PDF-1.7\n'), 'pdf'],
  ])('%s', async (name, bytes, id) => {
    expect(await recognise(bytes, name)).toBe(id)
  })

  it.each([
    ['shapes alone', ['roads.shp'], 'shapefile'],
    ['shapes with their index', ['map/roads.SHP', 'map/roads.shx'], 'shapefile'],
    ['shapes with a projection', ['roads.shp', 'roads.prj', 'roads.cpg'], 'shapefile'],
    ['shapes beside a map of Google Earth', ['doc.kml', 'roads.shp'], 'kmz'],
    ['a table alone', ['roads.dbf'], 'zip'],
  ])('a ZIP with %s', async (_, names, id) => {
    const parts = Object.fromEntries(names.map((name) => [name, 'content']))
    expect(await recognise(await zipOf(parts), 'a.zip')).toBe(id)
  })

  // One line of "Привет" and similar words, which only has high bytes in KOI8-R, Windows-1251, Big5 and Shift-JIS.
  const cyrillic = new Uint8Array(200).fill(0xcf)
  const utf16 = (s: string, big = false) => Uint8Array.from([...s].flatMap((c) => (big ? [0, c.charCodeAt(0)] : [c.charCodeAt(0), 0])))
  it.each([
    ['cyrillic.koi8-r.txt', cyrillic, 'text'],
    ['utf-16-unmarked.txt', utf16('Lorem ipsum dolor\n'), 'text'],
    ['utf-16-unmarked', utf16('Lorem ipsum dolor\n', true), 'text'],
    ['with-control-characters.log', text('\u0001Jw_cad\n\0\0\b'), 'text'],
    ['mail-with-binary-part.eml', text('Content-Type: text/plain; charset=utf-16le\n\nT\0e\0s\0t\0'), 'eml'],
    ['mail-of-one-field.eml', text('Subject: plain\n\nhello'), 'eml'],
    ['signature.eml', text('%PDF-1.7 in a mail that is none'), 'pdf'],
    ['the-free.txt', text('The free encyclopaedia is wide.\n'), 'text'],
    ['the-wide', text('The wide world and all that is in it.\n'), 'text'],
    ['id3.md', text('ID3 tags stand in front of a sound.\n'), 'text'],
    ['pdf.md', text('# Headers\nA PDF begins with %PDF-1.7.\n'), 'text'],
    ['pdf-behind-something.bin', text('junk\n%PDF-1.7\n'), 'pdf'],
    ['list.txt', text('From: a@example.com\nTo: b@example.com\n\nhello'), 'text'],
  ])('uses the name if the encoding is unknown: %s', async (name, bytes, id) => {
    expect(await recognise(bytes, name)).toBe(id)
    if (name.startsWith('cyrillic')) expect(await recognise(bytes, 'cyrillic.bin')).toBeUndefined()
  })

  it('does not recognise noise as any format, whatever its name', async () => {
    const noise = new Uint8Array(4096).map((_, i) => (i * 197 + (i >> 3) * 31 + 5) & 255)
    expect(await recognise(noise, 'noise.jpg')).toBeUndefined()
    expect(await recognise(new Uint8Array(0), 'empty.txt')).toBeUndefined()
  })
})
