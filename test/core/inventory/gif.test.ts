import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { gif } from '../../../src/core/formats/gif/gif.ts'
import { damaging, expectNoHarm, itemsOf, verdictOf } from '../../support/inventories.ts'
import { gifFile, plainCodes } from '../../support/picture-files.ts'
import { latin1, photoXmp } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'

const [WIDTH, HEIGHT] = [40, 30]
const PALETTE = Array.from({ length: 768 }, (_, i) => (i * 7) & 255)
const flat = (index: number) => new Uint8Array(WIDTH * HEIGHT).fill(index)
const striped = (from: number) => Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => from + ((i % WIDTH) >> 3))

const subBlocks = (content: Uint8Array) => {
  const parts: Uint8Array[] = []
  for (let at = 0; at < content.length; at += 255)
    parts.push(Uint8Array.of(Math.min(255, content.length - at)), content.subarray(at, at + 255))
  return concat([...parts, Uint8Array.of(0)])
}
const comment = (text: string) => concat([Uint8Array.of(0x21, 0xfe), subBlocks(latin1(text))])
const application = (name: string, content: Uint8Array) => concat([Uint8Array.of(0x21, 0xff, 11), latin1(name), subBlocks(content)])
const xmpExtension = (xmp: Uint8Array) =>
  concat([
    Uint8Array.of(0x21, 0xff, 11),
    latin1('XMP DataXMP'),
    xmp,
    Uint8Array.of(1),
    Uint8Array.from({ length: 256 }, (_, i) => 255 - i),
    Uint8Array.of(0),
  ])
const HEADER_BYTES = 13 + 768
/** Puts extensions in front of the first frame. */
const withExtensions = (file: Uint8Array, ...more: Uint8Array[]) =>
  concat([file.subarray(0, HEADER_BYTES), ...more, file.subarray(HEADER_BYTES)])

const EXTENSIONS: { readonly [name: string]: { readonly kept: Uint8Array; readonly altered: Uint8Array; readonly kind: string } } = {
  comment: { kept: comment('by Ada'), altered: comment('by Eve'), kind: 'comments' },
  xmp: { kept: xmpExtension(photoXmp()), altered: xmpExtension(photoXmp(1)), kind: 'xmp_properties' },
  profile: {
    kept: application('ICCRGBG1012', latin1('profile bytes')),
    altered: application('ICCRGBG1012', latin1('other bytes')),
    kind: 'icc_profile',
  },
  other: { kept: application('MAKERDAT1.0', latin1('data')), altered: application('MAKERDAT1.0', latin1('date')), kind: 'chunks' },
}
const KEPT = Object.values(EXTENSIONS).map(({ kept }) => kept)

describe('inventory of GIF', () => {
  const animation = gifFile(WIDTH, HEIGHT, PALETTE, [
    { pixels: striped(1), delay: 10 },
    { pixels: striped(1), delay: 20 },
    { pixels: flat(9), delay: 30 },
    { pixels: flat(12), delay: 40 },
  ])
  const original = concat([withExtensions(animation, ...KEPT), latin1('PK after the trailer')])
  let result: Uint8Array = new Uint8Array()
  beforeAll(async () => {
    const pressed = await pressFile(gif, original, 'a.gif')
    if (pressed.outcome.kind !== 'compressed') throw new Error('nothing was gained')
    result = pressed.bytes
  })

  it('lists extensions, and joins frames that show nothing new', async () => {
    const items = await itemsOf('gif', original)
    expect(items).toMatchObject({
      comments: { 'comment = by Ada': 1 },
      delays: { '0 = 300 ms': 1, '1 = 300 ms': 1, '2 = 400 ms': 1 },
      frames: { frame: 3 },
      loop: { 'plays = 0': 1 },
      play_time: { 'whole = 1000 ms': 1 },
      xmp_properties: { 'xmp:Rating = 4': 1 },
    })
    expect(Object.keys(items)).toEqual(expect.arrayContaining(['chunks', 'icc_profile', 'trailing_bytes']))
    expect((await itemsOf('gif', result))['frames']).toEqual({ frame: 3 })
  })

  it.each(Object.keys(EXTENSIONS))('a result without its extension %s, or with another one, is rejected', async (name) => {
    const { kept, altered, kind } = EXTENSIONS[name]!
    const at = Buffer.from(result).indexOf(kept)
    for (const instead of [new Uint8Array(), altered]) {
      const bytes = concat([result.subarray(0, at), instead, result.subarray(at + kept.length)])
      expect(await verdictOf({ format: 'gif' }, original, bytes)).toMatchObject({ kind: 'lost', loss: { kind } })
    }
  })

  it('a result that lacks a frame, or whose delay, loop or tail has changed, is rejected', async () => {
    const other = (frames: Parameters<typeof gifFile>[3]) => gifFile(WIDTH, HEIGHT, PALETTE, frames)
    const [first, second, third] = [
      { pixels: striped(1), delay: 30 },
      { pixels: flat(9), delay: 30 },
      { pixels: flat(12), delay: 40 },
    ]
    const lost = async (file: Uint8Array) => {
      const verdict = await verdictOf({ format: 'gif' }, animation, file)
      return verdict.kind === 'lost' ? verdict.loss.kind : verdict.kind
    }
    expect(await lost(other([first, second, third]))).toBe('kept')
    expect(await lost(other([first, { ...third, delay: 70 }]))).toBe('delays')
    expect(await lost(other([{ ...first, delay: 60 }, { ...first, delay: 0 }, third]))).toBe('delays')
    expect(await lost(other([first, { ...second, delay: 31 }, { ...third, delay: 39 }]))).toBe('delays')
    const endless = other([first, second, third])
    const once = endless.slice()
    once[Buffer.from(once).indexOf('NETSCAPE') + 13] = 4
    expect(await lost(once)).toBe('loop')
    expect((await verdictOf({ format: 'gif' }, original, result.subarray(0, result.length - 1))).kind).toBe('lost')
  })

  it('the original is returned if a codec drops a comment and does not notice', async () => {
    const { kept } = EXTENSIONS['comment']!
    const codec = damaging(gif, (file) => {
      const at = Buffer.from(file).indexOf(kept)
      return concat([file.subarray(0, at), file.subarray(at + kept.length)])
    })
    expect((await pressFile(codec, original, 'a.gif')).outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
  })

  it('draws frames with transparency, restored areas and interlaced rows', async () => {
    /** Frame of 4 × 4 pixels at 2, 2. */
    const patch = (index: number, { disposal = 0, transparent = -1, interlaced = false }) => {
      const control = [0x21, 0xf9, 4, (disposal << 2) | (transparent < 0 ? 0 : 1), 5, 0, Math.max(0, transparent), 0]
      return Uint8Array.from([
        ...control,
        0x2c,
        2,
        0,
        2,
        0,
        4,
        0,
        4,
        0,
        interlaced ? 0x40 : 0,
        ...plainCodes(new Uint8Array(16).fill(index)),
      ])
    }
    const first = gifFile(WIDTH, HEIGHT, PALETTE, [{ pixels: flat(1), delay: 5 }])
    const frames = async (...patches: Uint8Array[]) => {
      const file = concat([first.subarray(0, first.length - 1), ...patches, Uint8Array.of(0x3b)])
      return (await itemsOf('gif', file))['frames']?.['frame'] ?? 1
    }
    expect(await frames(patch(1, {}), patch(7, { transparent: 7 }))).toBe(1)
    expect(await frames(patch(7, { disposal: 3 }), patch(1, {}))).toBe(3)
    expect(await frames(patch(7, { disposal: 3 }), patch(7, { interlaced: true }))).toBe(2)
    expect(await frames(patch(7, { disposal: 2 }), patch(7, {}))).toBe(2)
    expect(await frames(patch(7, { disposal: 2 }), patch(7, { transparent: 7 }))).toBe(3)
  })

  it('reads hostile files without harm', async () => {
    await expectNoHarm('gif', original, 61)
    const damaged = fc.tuple(fc.nat(original.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(damaged, { maxLength: 5 }), async (places) => {
        const file = original.slice()
        for (const [at, value] of places) file[at] = value
        await expectNoHarm('gif', file, file.length - 1)
      }),
      { numRuns: roundsOf(40) },
    )
  })
})
