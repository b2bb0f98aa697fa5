import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { damaging, expectNoHarm, itemsOf, verdictOf } from '../../support/inventories.ts'
import { jpegOf, photo } from '../../support/packages.ts'
import { latin1, photoExif, photoshopBlock, photoXmp, u16, u32 } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'

const XMP = 'http://ns.adobe.com/xap/1.0/\0'
const EXTENDED = 'http://ns.adobe.com/xmp/extension/\0'
const GUID = '0123456789ABCDEF0123456789ABCDEF'
const segment = (marker: number, ...parts: Uint8Array[]) => {
  const content = concat(parts)
  return concat([Uint8Array.of(0xff, marker), u16(content.length + 2), content])
}

/** XMP of a depth map in two extended segments. */
const DEPTH = new TextEncoder().encode(
  '<rdf:RDF xmlns:rdf="r"><rdf:Description xmlns:GDepth="d" GDepth:Near="1.5" GDepth:Data="QUJD"/></rdf:RDF>',
)
const extended = (from: number, to: number, depth = DEPTH) =>
  segment(0xe1, latin1(EXTENDED + GUID), u32(depth.length, from), depth.subarray(from, to))

/** Segments by name, each with another content of the same kind. */
const SEGMENTS: {
  readonly [name: string]: { readonly kept: Uint8Array; readonly altered: Uint8Array; readonly kinds: readonly string[] }
} = {
  jfif: {
    kept: segment(0xe0, latin1('JFIF\0\x01\x01\x01'), u16(300, 300), u16(0)),
    altered: segment(0xe0, latin1('JFIF\0\x01\x01\x01'), u16(72, 72), u16(0)),
    kinds: ['resolution'],
  },
  exif: {
    kept: segment(0xe1, latin1('Exif\0\0'), photoExif()),
    altered: segment(0xe1, latin1('Exif\0\0'), photoExif(true, 8)),
    kinds: ['exif_tags', 'gps_tags', 'maker_notes', 'further_pictures'],
  },
  xmp: { kept: segment(0xe1, latin1(XMP), photoXmp()), altered: segment(0xe1, latin1(XMP), photoXmp(2)), kinds: ['xmp_properties'] },
  depth: { kept: extended(40, DEPTH.length), altered: extended(40, DEPTH.length - 1), kinds: ['xmp_properties'] },
  photoshop: {
    kept: segment(0xed, latin1('Photoshop 3.0\0'), photoshopBlock()),
    altered: segment(0xed, latin1('Photoshop 3.0\0'), photoshopBlock('Calm')),
    kinds: ['iptc_fields'],
  },
  profile: {
    kept: segment(0xe2, latin1('ICC_PROFILE\0\x01\x01'), latin1('profile bytes')),
    altered: segment(0xe2, latin1('ICC_PROFILE\0\x01\x01'), latin1('other bytes')),
    kinds: ['icc_profile'],
  },
  other: {
    kept: segment(0xe5, latin1('RMETA\0'), latin1('data of a maker')),
    altered: segment(0xe5, latin1('RMETA\0'), latin1('other data')),
    kinds: ['segments'],
  },
  comment: { kept: segment(0xfe, latin1('by Ada')), altered: segment(0xfe, latin1('by Eve')), kinds: ['comments'] },
}
const FIRST_PART = extended(0, 40)

describe('inventory of JPEG', () => {
  let plain = new Uint8Array()
  let original = new Uint8Array()
  let result: Uint8Array = new Uint8Array()
  const withTail = (file: Uint8Array) => concat([file, latin1('\xff\xd8\xff\xfe\0\x04ab\xff\xd9'), latin1('film of a motion photo')])
  beforeAll(async () => {
    const coded = await jpegOf(photo(128, 96), 128, 96)
    plain = concat([coded.subarray(0, 2), coded.subarray(coded[3] === 0xe0 ? 20 : 2)]) as typeof plain
    const segments = [...Object.values(SEGMENTS).map(({ kept }) => kept), FIRST_PART]
    original = withTail(concat([plain.subarray(0, 2), ...segments, plain.subarray(2)])) as typeof original
    const pressed = await pressFile(jpg, original, 'a.jpg')
    if (pressed.outcome.kind !== 'compressed') throw new Error('nothing was gained')
    result = pressed.bytes
  })

  /** Replaces a segment of the result with another one, or removes it. */
  const damaged = (file: Uint8Array, name: string, how: 'remove' | 'alter') => {
    const { kept, altered } = SEGMENTS[name]!
    const at = Buffer.from(file).indexOf(kept)
    if (at < 0) return file
    return concat([file.subarray(0, at), how === 'alter' ? altered : new Uint8Array(), file.subarray(at + kept.length)])
  }

  it('lists what the segments hold', async () => {
    const items = await itemsOf('jpg', original)
    expect(items).toMatchObject({
      comments: { 'comment = by Ada': 1 },
      exif_tags: { 'ExifIFD:ISO = 400': 1 },
      gps_tags: { 'GPSLatitudeRef = N': 1 },
      iptc_fields: { 'Headline = Storm': 1, 'Keywords = sea; wind': 1 },
      resolution: { 'resolution = 300 × 300 dpi': 1 },
      xmp_properties: { 'xmp:Rating = 4': 1, 'GDepth:Near = 1.5': 1, 'GDepth:Data = QUJD': 1 },
    })
    const names = (kind: string) => Object.keys(items[kind]!).map((item) => item.replace(/ = .*| #.*/, ''))
    expect(names('segments')).toEqual(['APP5 RMETA'])
    expect(names('icc_profile')).toEqual(['profile'])
    expect(names('further_pictures')).toEqual(['IFD1 thumbnail', 'JPEG after the end'])
    expect(names('trailing_bytes')).toEqual(['after the picture'])
  })

  it.each(Object.keys(SEGMENTS))('a result without its segment %s, or with another one, is rejected', async (name) => {
    for (const how of ['remove', 'alter'] as const) {
      const verdict = await verdictOf({ format: 'jpg' }, original, damaged(result, name, how))
      expect(verdict.kind).toBe('lost')
      if (verdict.kind === 'lost') expect(SEGMENTS[name]!.kinds).toContain(verdict.loss.kind)
    }
  })

  it('any damage to the metadata of a result is found', async () => {
    const damage = fc.record({ name: fc.constantFrom(...Object.keys(SEGMENTS)), how: fc.constantFrom('remove' as const, 'alter' as const) })
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), fc.nat(20), async (several, cut) => {
        const bytes = several.reduce((file, { name, how }) => damaged(file, name, how), result)
        const verdict = await verdictOf({ format: 'jpg' }, original, bytes.subarray(0, bytes.length - cut))
        expect(verdict.kind).toBe('lost')
      }),
      { numRuns: roundsOf(40) },
    )
  })

  it('a result whose trailing data or further picture is cut or changed is rejected', async () => {
    const end = result.length - 1
    const changed = result.slice()
    changed[end - 25]! ^= 1
    for (const bytes of [result.subarray(0, end), result.subarray(0, end - 40), changed])
      expect((await verdictOf({ format: 'jpg' }, original, bytes)).kind).toBe('lost')
  })

  it('the original is returned if a codec loses the position and does not notice', async () => {
    const codec = damaging(jpg, (file) => damaged(file, 'exif', 'remove'))
    expect((await pressFile(codec, original, 'a.jpg')).outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
  })

  it('finds an index of pictures that points at other bytes', async () => {
    const second = latin1('\xff\xd8\xff\xfe\0\x04ab\xff\xd9')
    const file = (offset: (tiffAt: number, end: number) => number) => {
      const make = (at: number) => {
        const entries = concat([u32(0x030000, 0, 0, 0), u32(0, second.length, at, 0)])
        const tiff = concat([latin1('MM\0\x2a'), u32(8), u16(1, 0xb002, 7), u32(32, 26, 0), entries])
        return concat([plain.subarray(0, 2), segment(0xe2, latin1('MPF\0'), tiff), plain.subarray(2)])
      }
      return concat([make(offset(2 + 4 + 4, make(0).length)), second])
    }
    const right = file((tiffAt, end) => end - tiffAt)
    expect(Object.keys((await itemsOf('jpg', right))['further_pictures']!)).toEqual([
      'pictures in the index = 2',
      'picture 0 = type 030000',
      expect.stringMatching(/^picture 1 = type 000000, 10 bytes #/),
      expect.stringMatching(/^JPEG after the end = 10 bytes #/),
    ])
    const wrong = file((tiffAt, end) => end - tiffAt - 3)
    expect(await verdictOf({ format: 'jpg' }, right, wrong)).toMatchObject({ kind: 'lost', loss: { kind: 'further_pictures' } })
  })

  it('reads hostile files without harm', async () => {
    await expectNoHarm('jpg', original, 13)
    const bytes = () => fc.uint8Array({ maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(bytes(), async (more) => void (await itemsOf('jpg', concat([latin1('\xff\xd8\xff'), more])))),
      { numRuns: roundsOf(100) },
    )
  })
})
