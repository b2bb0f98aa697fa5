/** Conversions: inventories compare between PNG, JPEG, GIF, BMP, WebP and AVIF. */
import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { expectNoHarm, itemsOf, verdictOf } from '../../support/inventories.ts'
import { jpegOf, photo } from '../../support/packages.ts'
import { gifFile } from '../../support/picture-files.ts'
import { latin1, photoExif, photoXmp, u16, u32 } from '../../support/picture-metadata.ts'
import { plainPng } from '../../support/plain-png.ts'
import { pressFile } from '../../support/press-file.ts'

const [WIDTH, HEIGHT] = [96, 64]
const PIXELS = photo(WIDTH, HEIGHT)
const sample = (x: number, y: number) => [...PIXELS.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3)]
const TEXTS = [
  chunk('tEXt', latin1('Author\0Ada')),
  chunk('iTXt', concat([latin1('Title\0\0\0de\0Titel\0'), new TextEncoder().encode('Größe')])),
]
const described = (orientation: number, ...more: Uint8Array[]) =>
  plainPng(
    { width: WIDTH, height: HEIGHT, colourType: 2, bitDepth: 8 },
    sample,
    chunk('iCCP', concat([latin1('name\0\0'), deflateSync(latin1('profile bytes that stay'))])),
    chunk('pHYs', concat([u32(2850, 2850), Uint8Array.of(1)])),
    chunk('eXIf', photoExif(false, orientation)),
    chunk('iTXt', concat([latin1('XML:com.adobe.xmp\0\0\0\0\0'), photoXmp()])),
    ...more,
  )
const removedOf = (outcome: unknown) => (outcome as { removed?: readonly { kind: string; count: number; why: string }[] }).removed

describe('inventory of converted pictures', () => {
  const original = described(6, ...TEXTS)

  it.each([
    ['webp', []],
    ['avif', [{ kind: 'exif_tags', count: 1, why: 'stale' }]],
  ] as const)('a PNG as %s keeps metadata and says what it cannot store', async (output, more) => {
    const { outcome, bytes, defect } = await pressFile(png, original, 'a.png', { output })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { icc_profile: 1, gps_tags: 2, maker_notes: 1, xmp_properties: 3 } })
    const kinds = ['comments', 'languages', 'resolution']
    expect(removedOf(outcome)).toEqual(
      expect.arrayContaining([...more, ...kinds.map((kind) => expect.objectContaining({ kind, why: 'output_cannot_store' }))]),
    )
    expect(removedOf(outcome)).toHaveLength(kinds.length + more.length)
    const items = await itemsOf(output, bytes)
    expect(items['exif_tags']).toMatchObject({ [`IFD0:Orientation = ${output === 'avif' ? 1 : 6}`]: 1 })
    await expectNoHarm(output, bytes, 37)
  })

  it('a PNG as JPEG keeps texts and a resolution that is no whole number', async () => {
    const { outcome, bytes, defect } = await pressFile(png, original, 'a.png', { output: 'jpg' })
    expect(defect).toBeUndefined()
    expect(removedOf(outcome)).toEqual([{ kind: 'languages', count: 1, why: 'output_cannot_store' }])
    expect(await itemsOf('jpg', bytes)).toMatchObject({
      comments: { 'comment = Author: Ada': 1, 'comment = Title: Größe': 1 },
      resolution: { 'resolution = 72 × 72 dpi': 1 },
    })
  })

  it('texts that no JPEG segment stores, as UTF-8, are left out and reported', async () => {
    const long = chunk('tEXt', concat([latin1('Comment\0'), new Uint8Array(40_000).fill(0xe9)]))
    const { outcome, defect } = await pressFile(png, described(1, long), 'a.png', { output: 'jpg' })
    expect(defect).toBeUndefined()
    expect(removedOf(outcome)).toEqual([{ kind: 'comments', count: 1, why: 'output_cannot_store' }])
  })

  it('a GIF as PNG or JPEG keeps its comment and XMP', async () => {
    const pixels = Uint8Array.from({ length: 128 * 128 }, (_, i) => 120 + 80 * Math.sin((i & 127) / 30) * Math.cos(i / 5000))
    const file = gifFile(
      128,
      128,
      Array.from({ length: 768 }, (_, i) => Math.floor(i / 3)),
      [{ pixels, delay: 0 }],
    )
    const xmp = concat([Uint8Array.of(0x21, 0xff, 11), latin1('XMP DataXMP'), photoXmp(), Uint8Array.of(1)])
    const trailer = Uint8Array.from({ length: 257 }, (_, i) => 255 - Math.min(i, 255))
    const comment = concat([Uint8Array.of(0x21, 0xfe, 6), latin1('by Ada'), Uint8Array.of(0)])
    const original = concat([file.subarray(0, 781), xmp, trailer, comment, file.subarray(781)])
    for (const output of ['png', 'jpg'] as const) {
      const { outcome, bytes, defect } = await pressFile(gif, original, 'a.gif', { output })
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('compressed')
      expect(removedOf(outcome)).toBeUndefined()
      expect(await itemsOf(output, bytes)).toMatchObject({ comments: { 'comment = by Ada': 1 }, xmp_properties: { 'xmp:Rating = 4': 1 } })
    }
  })

  it('a JPEG as WebP keeps EXIF and reports the density and other segments', async () => {
    const coded = await jpegOf(PIXELS, WIDTH, HEIGHT)
    const app = (marker: number, content: Uint8Array) => concat([Uint8Array.of(0xff, marker), u16(content.length + 2), content])
    const rest = coded.subarray(coded[3] === 0xe0 ? 20 : 2)
    const jfif = app(0xe0, concat([latin1('JFIF\0\x01\x01\x01'), u16(300, 300), u16(0)]))
    const original = concat([
      coded.subarray(0, 2),
      jfif,
      app(0xe1, concat([latin1('Exif\0\0'), photoExif()])),
      app(0xe5, latin1('MAKER\0x')),
      rest,
    ])
    const { outcome, defect } = await pressFile(jpg, original, 'a.jpg', { output: 'webp' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { exif_tags: 6, gps_tags: 2, further_pictures: 1 } })
    expect(
      removedOf(outcome)
        ?.map(({ kind }) => kind)
        .sort(),
    ).toEqual(['resolution', 'segments'])
  })
})

describe('damage to converted pictures', () => {
  const original = described(1)
  const results: { webp: Uint8Array; avif: Uint8Array } = { webp: new Uint8Array(), avif: new Uint8Array() }
  beforeAll(async () => {
    for (const output of ['webp', 'avif'] as const) results[output] = (await pressFile(png, original, 'a.png', { output })).bytes
  })
  /** Replaces the first place of `from` with `to`, which has the same length. */
  const replaced = (file: Uint8Array, from: Uint8Array, to: Uint8Array) => {
    const copy = file.slice()
    copy.set(to, Buffer.from(file).indexOf(from))
    return copy
  }

  it.each([
    'ICCP',
    'EXIF',
    'XMP ',
  ])('a WebP whose chunk %s has another name is unreadable, and lost with its bit of the header', async (name) => {
    const renamed = replaced(results.webp, latin1(name), latin1('JUNK'))
    expect((await verdictOf({ format: 'png', output: 'webp' }, original, renamed)).kind).toBe('unreadable')
    renamed[20]! &= ~{ ICCP: 0x20, EXIF: 0x08, 'XMP ': 0x04 }[name]!
    expect((await verdictOf({ format: 'png', output: 'webp' }, original, renamed)).kind).toBe('lost')
  })

  it.each([
    ['the type of the EXIF item', latin1('Exif\0'), latin1('Junk\0'), 'exif_tags'],
    ['the type of the XMP item', latin1('application/rdf+xml'), latin1('application/rdf+jnk'), 'xmp_properties'],
    ['the references of metadata', latin1('cdsc'), latin1('junk'), 'exif_tags'],
    ['the type of the profile', latin1('colrprof'), latin1('colrjunk'), 'icc_profile'],
    ['a byte of the profile', latin1('bytes that stay'), latin1('bytes that stax'), 'icc_profile'],
    ['the maker note', latin1('version 7'), latin1('version 8'), 'maker_notes'],
  ])('an AVIF that lost %s is rejected', async (_, from, to, kind) => {
    const verdict = await verdictOf({ format: 'png', output: 'avif' }, original, replaced(results.avif, from, to))
    expect(verdict).toMatchObject({ kind: 'lost', loss: { kind } })
  })

  it('an AVIF whose HDR signalling is wrong is rejected', async () => {
    const hdr = plainPng(
      { width: 64, height: 64, colourType: 2, bitDepth: 16 },
      (x, y) => [x * 1000, y * 1000, (x + y) * 500],
      chunk('cICP', Uint8Array.of(9, 16, 0, 1)),
      chunk('mDCV', concat([u16(35400, 14600, 8500, 39850, 6550, 2300, 15635, 16450), u32(10_000_000, 50)])),
      chunk('cLLI', u32(10_000_000, 4_005_000)),
    )
    const { outcome, bytes, defect } = await pressFile(png, hdr, 'a.png', { output: 'avif' })
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { colour_signalling: 2 } })
    expect(removedOf(outcome)).toEqual([
      { kind: 'bit_depth', count: 1, why: 'output_cannot_store' },
      { kind: 'colour_signalling', count: 1, why: 'output_cannot_store' },
    ])
    for (const name of ['nclx', 'mdcv'])
      expect(await verdictOf({ format: 'png', output: 'avif' }, hdr, replaced(bytes, latin1(name), latin1('junk')))).toMatchObject({
        kind: 'lost',
        loss: { kind: 'colour_signalling' },
      })
  })
})
