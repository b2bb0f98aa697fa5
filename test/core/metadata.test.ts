import { describe, expect, it } from 'vitest'
import { concat } from '../../src/core/bytes/concat.ts'
import { crc32 } from '../../src/core/bytes/crc32.ts'
import { ByteWriter } from '../../src/core/bytes/writer.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { removesMetadata } from '../../src/core/model/codec.ts'
import { memorySource, readAll } from '../../src/core/model/source.ts'
import { piecesWith, splice } from '../../src/core/model/splice.ts'
import { aiffFile } from '../support/aiff-file.ts'
import { commentBlock, flacFile, paddingBlock, pictureBlock } from '../support/flac-file.ts'
import { looseMp3 } from '../support/mp3-file.ts'
import { jpegOf, photo } from '../support/packages.ts'
import { gifFile } from '../support/picture-files.ts'
import { plainPng } from '../support/plain-png.ts'
import { pressFile } from '../support/press-file.ts'
import { rawMovie, wave } from './formats/media-fixtures.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)

/** EXIF block, big-endian: Make, Orientation 6, Artist, Copyright, and a GPS directory. */
function exifBlock(): Uint8Array {
  const writer = ByteWriter.growing(false)
  writer.ascii('MM').u16(42).u32(8).u16(5)
  const values = [
    [0x010f, 'PrivateMaker\0'],
    [0x013b, 'An Artist\0\0\0'],
    [0x8298, 'Copyright Me\0'],
  ] as const
  let at = 8 + 2 + 5 * 12 + 4
  const entry = (tag: number, value: string) => {
    writer.u16(tag).u16(2).u32(value.length).u32(at)
    at += value.length
  }
  entry(...values[0])
  writer.u16(0x0112).u16(3).u32(1).u16(6).u16(0)
  entry(...values[1])
  entry(...values[2])
  writer.u16(0x8825).u16(4).u32(1).u32(at).u32(0)
  for (const [, value] of values) writer.ascii(value)
  writer.u16(1).u16(1).u16(2).u32(2).ascii('N\0\0\0').u32(0)
  return writer.finish()
}

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="PrivateTool"><dc:subject>private place</dc:subject><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of Me</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>'

const segment = (marker: number, content: Uint8Array) =>
  concat([
    new ByteWriter(new Uint8Array(4), false)
      .u16(0xff00 | marker)
      .u16(content.length + 2)
      .finish(),
    content,
  ])

const chunk = (type: string, body: Uint8Array) => {
  const head = new ByteWriter(new Uint8Array(8), false).u32(body.length).ascii(type).finish()
  return concat([head, body, new ByteWriter(new Uint8Array(4), false).u32(crc32(body, crc32(head.subarray(4)))).finish()])
}

async function taggedJpeg(): Promise<Uint8Array> {
  const plain = await jpegOf(photo(96, 64), 96, 64)
  const segments = [
    segment(0xe1, concat([utf8('Exif\0\0'), exifBlock()])),
    segment(0xe1, utf8(`http://ns.adobe.com/xap/1.0/\0${XMP}`)),
    segment(0xfe, utf8('private comment')),
  ]
  return concat([plain.subarray(0, 2), ...segments, plain.subarray(2), utf8('private bytes at the end')])
}

const taggedPng = () =>
  plainPng(
    { width: 40, height: 40, colourType: 2, bitDepth: 8 },
    (x, y) => [x * 6, y * 6, (x * y) & 255],
    chunk('eXIf', exifBlock()),
    chunk('iTXt', utf8(`XML:com.adobe.xmp\0\0\0\0\0${XMP}`)),
    chunk('tEXt', utf8('Comment\0private comment')),
    chunk('tEXt', utf8('Copyright\0Copyright Me')),
  )

/** Grey TIFF, little-endian, with maker, program, XMP and copyright. */
function taggedTiff(): Uint8Array {
  const pixels = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i * 7) & 255)
  const fields: [tag: number, type: number, value: number | string][] = [
    [256, 3, 64],
    [257, 3, 64],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [271, 2, 'private maker of cameras\0'],
    [273, 4, 8],
    [274, 3, 6],
    [277, 3, 1],
    [278, 3, 64],
    [279, 4, pixels.length],
    [305, 2, 'private program\0'],
    [700, 1, `${XMP}${' '.repeat(300)}`],
    [33432, 2, 'Copyright Me\0'],
  ]
  const writer = ByteWriter.growing(true)
  writer
    .ascii('II')
    .u16(42)
    .u32(8 + pixels.length)
    .bytes(pixels)
    .u16(fields.length)
  let valueAt = 8 + pixels.length + 2 + 12 * fields.length + 4
  for (const [tag, type, value] of fields) {
    const isNumber = typeof value === 'number'
    writer
      .u16(tag)
      .u16(type)
      .u32(isNumber ? 1 : value.length)
      .u32(isNumber ? value : valueAt)
    if (!isNumber) valueAt += value.length
  }
  writer.u32(0)
  for (const [, , value] of fields) if (typeof value === 'string') writer.ascii(value)
  return writer.finish()
}

async function pressed(
  format: 'jpg' | 'png' | 'gif' | 'wav' | 'aiff' | 'mp3' | 'flac' | 'mov' | 'tiff',
  bytes: Uint8Array,
  metadata: 'safe' | 'strip',
) {
  const codec = { ...PRESS_CODECS, ...MEDIA_CODECS }[format]!
  return await pressFile(codec, bytes, `file.${format}`, { metadata, quality: 'medium' })
}

describe('metadata=safe and metadata=strip', () => {
  it.each([
    ['jpg', taggedJpeg],
    ['png', async () => taggedPng()],
  ] as const)('%s keeps orientation, and rights only if they are asked for', async (format, make) => {
    const bytes = await make()
    const [safe, strip] = [await pressed(format, bytes, 'safe'), await pressed(format, bytes, 'strip')]
    for (const { bytes: result, outcome } of [safe, strip]) {
      expect(outcome).toMatchObject({ kind: 'compressed' })
      expect(text(result)).not.toMatch(/private/i)
      expect(text(result)).toContain('\x01\x12\0\x03\0\0\0\x01\0\x06')
      expect(JSON.stringify(outcome)).toContain('metadata_removed_')
    }
    expect(text(safe.bytes)).toContain('Copyright Me')
    expect(text(safe.bytes)).toContain('Rights of Me')
    expect(text(strip.bytes)).not.toMatch(/ of Me|Copyright Me|An Artist|xmpmeta/)
  })

  it('gif loses its comment and keeps its loop', async () => {
    const palette = Array.from({ length: 768 }, (_, i) => i & 255)
    const plain = gifFile(20, 20, palette, [{ pixels: new Uint8Array(400).map((_, i) => i & 1), delay: 0 }])
    const comment = concat([Uint8Array.of(0x21, 0xfe, 7), utf8('private'), Uint8Array.of(0)])
    const loop = concat([Uint8Array.of(0x21, 0xff, 11), utf8('NETSCAPE2.0'), Uint8Array.of(3, 1, 0, 0, 0)])
    const at = 13 + 3 * (2 << (plain[10]! & 7))
    const { bytes } = await pressed('gif', concat([plain.subarray(0, at), loop, comment, plain.subarray(at)]), 'strip')
    expect(text(bytes)).not.toContain('private')
    expect(text(bytes)).toContain('NETSCAPE2.0')
  })

  it('wav keeps cue points and loses INFO fields except rights', async () => {
    const field = (id: string, value: string) =>
      concat([utf8(id), new ByteWriter(new Uint8Array(4), true).u32(value.length).finish(), utf8(value)])
    const list = concat([utf8('INFO'), field('INAM', 'private!'), field('ICOP', 'Mine')])
    const samples = Int32Array.from({ length: 4000 }, (_, i) => 9000 * Math.sin(i / 9))
    const whole = wave(samples, 16, 1, 8000, [
      ['LIST', list],
      ['cue ', new Uint8Array(28).fill(1, 0, 1)],
    ])
    const [safe, strip] = [await pressed('wav', whole, 'safe'), await pressed('wav', whole, 'strip')]
    for (const { bytes } of [safe, strip]) {
      expect(text(bytes)).not.toContain('private')
      expect(text(bytes)).toContain('cue ')
    }
    expect(text(safe.bytes)).toContain('Mine')
    expect(text(strip.bytes)).not.toContain('Mine')
  })

  it('aiff keeps markers and loses texts except rights', async () => {
    const samples = Int32Array.from({ length: 4000 }, (_, i) => 9000 * Math.sin(i / 9))
    const whole = aiffFile(samples, 16, {
      channels: 1,
      chunks: [
        ['NAME', utf8('private')],
        ['MARK', new Uint8Array(2)],
        ['ANNO', utf8('private!')],
        ['(c) ', utf8('Mine')],
      ],
    })
    const [safe, strip] = [await pressed('aiff', whole, 'safe'), await pressed('aiff', whole, 'strip')]
    for (const { bytes } of [safe, strip]) {
      expect(text(bytes)).not.toContain('private')
      expect(text(bytes)).toContain('MARK')
    }
    expect(text(safe.bytes)).toContain('Mine')
    expect(text(strip.bytes)).not.toContain('Mine')
  })

  it('mp3 loses its tags at both ends and keeps loudness', async () => {
    const frame = (id: string, body: string) =>
      concat([new ByteWriter(new Uint8Array(10), false).ascii(id).u32(body.length).finish(), new TextEncoder().encode(body)])
    const frames = concat([frame('TIT2', '\0private'), frame('TCOP', '\0Mine'), frame('TXXX', '\0replaygain_track_gain\0-3.2 dB')])
    const header = Uint8Array.of(0x49, 0x44, 0x33, 3, 0, 0, 0, 0, frames.length >> 7, frames.length & 127)
    const last = new Uint8Array(128).fill(32)
    last.set(utf8('TAGprivate title'))
    const whole = concat([header, frames, looseMp3(20_000), last])
    const [safe, strip] = [await pressed('mp3', whole, 'safe'), await pressed('mp3', whole, 'strip')]
    for (const { bytes } of [safe, strip]) {
      expect(text(bytes)).not.toContain('private')
      expect(text(bytes)).toContain('replaygain_track_gain')
    }
    expect(text(safe.bytes)).toContain('Mine')
    expect(text(strip.bytes)).not.toContain('Mine')
  })

  it('flac loses comments, covers and tags around the stream, and keeps loudness and speakers', async () => {
    const comments = commentBlock(
      'TITLE=private',
      'COPYRIGHT=Mine',
      'REPLAYGAIN_TRACK_GAIN=-3.2 dB',
      'WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x0003',
    )
    const application: [number, Uint8Array] = [2, utf8('testprivate')]
    const stream = flacFile(new Int32Array(8000), { blocks: [comments, pictureBlock(utf8('a cover')), application, paddingBlock(40)] })
    const last = new Uint8Array(128).fill(32)
    last.set(utf8('TAGprivate title'))
    const whole = concat([Uint8Array.of(0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 18), utf8('TIT2\0\0\0\x08\0\0\0private'), stream, last])
    const [safe, strip] = [await pressed('flac', whole, 'safe'), await pressed('flac', whole, 'strip')]
    for (const { bytes, outcome } of [safe, strip]) {
      expect(outcome).toMatchObject({ kind: 'compressed' })
      expect(text(bytes)).not.toContain('priva')
      expect(text(bytes)).toContain('REPLAYGAIN_TRACK_GAIN=-3.2 dB')
      expect(text(bytes)).toContain('CHANNEL_MASK')
    }
    expect(text(safe.bytes)).toMatch(/Mine.*a cover/s)
    expect(text(strip.bytes)).not.toMatch(/Mine|a cover/)
  })

  it('mov loses user data and dates', async () => {
    const plain = rawMovie(6)
    const at = text(plain).indexOf('mvhd')
    new ByteWriter(plain, false).at(at + 8).u32(3_800_000_000)
    const moovAt = text(plain).indexOf('moov') - 4
    const userData = concat([
      Uint8Array.of(0, 0, 0, 32),
      utf8('udta'),
      Uint8Array.of(0, 0, 0, 24),
      Uint8Array.of(0xa9),
      utf8('xyz'),
      utf8('private place+48'),
    ])
    const size = new DataView(plain.buffer, plain.byteOffset).getUint32(moovAt)
    const whole = concat([plain.subarray(0, moovAt + size), userData, plain.subarray(moovAt + size)])
    new ByteWriter(whole, false).at(moovAt).u32(size + userData.length)
    const { bytes, outcome } = await pressed('mov', whole, 'strip')
    expect(outcome.kind).toBe('compressed')
    expect(text(bytes)).not.toContain('private')
    expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(text(bytes).indexOf('mvhd') + 8)).toBe(0)
  })

  it('tiff keeps pixels and rights, and zeros the values of removed fields', async () => {
    const file = taggedTiff()
    for (const mode of ['safe', 'strip'] as const) {
      const { outcome, bytes } = await pressed('tiff', file, mode)
      expect(outcome).toMatchObject({ kind: 'compressed', metadata: mode })
      expect(text(bytes)).not.toMatch(/private/)
      expect(/Copyright Me/.test(text(bytes))).toBe(mode === 'safe')
      expect(/Rights of Me/.test(text(bytes))).toBe(mode === 'safe')
    }
  })

  it('returns the file without its metadata if the codec gains nothing more', async () => {
    const once = await pressed('png', taggedPng(), 'strip')
    const tagged = concat([once.bytes.subarray(0, 33), chunk('tEXt', utf8('Comment\0private')), once.bytes.subarray(33)])
    const again = await pressed('png', tagged, 'strip')
    expect(again.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
    expect(text(again.bytes)).not.toContain('private')
    expect(again.bytes.length).toBeLessThanOrEqual(once.bytes.length)
  })

  it('is offered for exactly the formats whose codec can remove metadata', () => {
    const codecs = Object.values({ ...PRESS_CODECS, ...MEDIA_CODECS })
    const able = codecs.filter((codec) => removesMetadata(codec)).map(({ format }) => format.id)
    expect(able.sort()).toEqual(
      Object.values(FORMATS)
        .filter((format) => 'metadata' in format)
        .map(({ id }) => id)
        .sort(),
    )
  })
})

describe('damaged files', () => {
  it.each([
    'jpg',
    'png',
    'wav',
    'mp3',
    'flac',
    'mov',
  ] as const)('%s that is cut off gives an outcome, never another error', async (format) => {
    const whole = {
      jpg: await taggedJpeg(),
      png: taggedPng(),
      wav: wave(new Int32Array(500), 16, 1, 8000),
      mp3: looseMp3(5000),
      flac: flacFile(new Int32Array(500), { blocks: [commentBlock('TITLE=private')] }),
      mov: rawMovie(2),
    }
    const bytes = whole[format]
    for (let length = 12; length < bytes.length; length += Math.ceil(bytes.length / 40)) {
      const { outcome } = await pressed(format, bytes.slice(0, length), 'strip')
      expect(['compressed', 'unchanged']).toContain(outcome.kind)
    }
  })
})

describe('spliced source', () => {
  it('reads any range as the joined pieces', async () => {
    const source = memorySource(
      Uint8Array.from({ length: 100 }, (_, i) => i),
      'x',
    )
    const pieces = piecesWith(100, [
      { from: 10, to: 20 },
      { from: 30, to: 31, by: Uint8Array.of(200, 201, 202) },
    ])
    const spliced = splice(source, pieces)
    const whole = await readAll(spliced)
    expect(whole.length).toBe(92)
    for (const [offset, length] of [
      [0, 92],
      [5, 20],
      [18, 5],
      [19, 3],
      [90, 10],
      [95, 3],
    ] as const)
      expect(await spliced.read(offset, length)).toEqual(whole.slice(offset, offset + length))
  })
})
