import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { SIGNATURES } from '../../../src/core/catalog/signatures.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { otherType, otherTypeOf } from '../../../src/core/pipeline/other-types.ts'

const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** Transport stream whose payload is source code, so that most bytes are printable. */
function transportStream(packets: number): Uint8Array {
  const line = "import { packet } from 'stream'; // const a = 1;\n".repeat(4)
  const packet = (index: number) => `G\x41\x00${String.fromCharCode(0x10 | (index & 15))}${line.slice(0, 184)}`
  return latin1(Array.from({ length: packets }, (_, index) => packet(index)).join(''))
}

/** Four frames of AAC, as HLS sends them. */
const adts = () =>
  concat(Array.from({ length: 4 }, () => concat([Uint8Array.of(0xff, 0xf1, 0x4c, 0x80, 0x05, 0xff, 0xfc), new Uint8Array(40)])))

const pixmap = latin1(`P6\n40 30\n255\n${'abcdefghij'.repeat(360)}`)

describe('types without a compressor', () => {
  it('are at least 150', () => {
    expect(new Set(SIGNATURES.map(({ title }) => title)).size).toBeGreaterThanOrEqual(150)
  })

  it.each(SIGNATURES)('$title ($extension) is recognised by its bytes at $offset', ({ title, extension, offset, bytes }) => {
    const head = new Uint8Array(offset + bytes.length + 600).fill(0xee)
    head.set(latin1(bytes), offset)
    const found = otherType(head, `file.${extension}`)
    // Another type may share the first bytes and have a longer signature, but never a shorter one.
    const longest = Math.max(...SIGNATURES.filter((one) => one.title === found?.title).map((one) => one.bytes.length))
    expect(found).toBeDefined()
    if (found?.title !== title && !/ZIP|film/.test(found!.title)) expect(longest).toBeGreaterThanOrEqual(bytes.length)
  })

  it.each([
    ['a transport stream', transportStream(20), 'clip.ts', 'MPEG transport stream (TS, M2TS)'],
    ['a transport stream of one packet', latin1(`G\x41\xe1\x30\xb7\0${'\xff'.repeat(182)}`), 'part.ts', 'MPEG transport stream (TS, M2TS)'],
    ['a pixmap of letters', pixmap, 'picture.txt', 'Netpbm picture (PPM, PGM, PBM)'],
    ['HEIC', latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'IMG.jpg', 'HEIC picture'],
    ['a segment of a stream', latin1('\0\0\0\x2csidx\0\0\0\0\0\0\0\x01'), 'a.m4v', 'MPEG-4 media segment (M4S)'],
    ['AAC behind an ID3 tag', concat([latin1('ID3\x04\0\0\0\0\0\x0a'), new Uint8Array(10), adts()]), 'a.aac', 'AAC sound (ADTS)'],
    ["Monkey's Audio behind an ID3 tag", latin1('ID3\x03\0\0\0\0\0\x02\0\0MAC \x96\x0f\0\0'), 'a.ape', "Monkey's Audio (APE)"],
    ['WebM', latin1('\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm'), 'a', 'WebM film'],
    [
      'an OpenDocument text',
      latin1(`PK\x03\x04${'\0'.repeat(26)}mimetypeapplication/vnd.oasis.opendocument.text`),
      'a.zip',
      'OpenDocument text (ODT)',
    ],
    [
      'an old Word document',
      latin1(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(600)}`),
      'letter.doc',
      'Word document before 2007 (DOC)',
    ],
  ])('%s is named, and is never text', async (_, bytes, name, title) => {
    expect(otherType(bytes, name)).toMatchObject({ title, isBinary: true })
    expect((await identify(memorySource(bytes, name)))?.id).not.toBe('text')
  })

  it('are found behind an ID3 tag of any length, where other MP3 files stay MP3', async () => {
    const tag = concat([latin1('ID3\x04\0\0\0\x06\0\0'), new Uint8Array(6 << 14)])
    const [sound, frames] = [concat([tag, adts()]), concat([tag, Uint8Array.of(0xff, 0xfb, 0x90, 0), new Uint8Array(413)])]
    expect(await identify(memorySource(sound, 'a.mp3'))).toBeUndefined()
    expect(await otherTypeOf(memorySource(sound, 'a.mp3'))).toMatchObject({ title: 'AAC sound (ADTS)' })
    for (const bytes of [frames, tag]) expect((await identify(memorySource(bytes, 'a.mp3')))?.id).toBe('mp3')
  })

  it.each([
    ['code.ts', 'export const value: number = 1\n'.repeat(100)],
    ['packet.ts', 'G'.padEnd(188, 'const ')],
    ['notes.txt', 'MZ is the abbreviation of Mark Zbikowski.\n'],
    ['log.txt', 'PACK 1 of 3\nRow 2\n'],
    ['model.txt', 'ORC armies\nGRIB files\n'],
    ['picture.md', 'P6 is a road in Latvia.\n'],
  ])('a text that begins like a signature stays text: %s', async (name, text) => {
    expect((await identify(memorySource(latin1(text), name)))?.id).toBe('text')
  })

  it('are not found in any prefix of random bytes by reading outside of them', () => {
    const bytes = latin1('PK\x03\x04\xff\xf1P6\nftypMZ\x1a\x45\xdf\xa3')
    for (let length = 0; length <= bytes.length; length++) expect(() => otherType(bytes.subarray(0, length))).not.toThrow()
  })
})
