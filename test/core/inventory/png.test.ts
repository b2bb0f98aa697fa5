import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { damaging, expectNoHarm, itemsOf, readOrRefuse, verdictOf } from '../../support/inventories.ts'
import { latin1, photoExif, photoXmp, u16, u32 } from '../../support/picture-metadata.ts'
import { plainPng } from '../../support/plain-png.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'

const PROFILE = latin1('not a real profile, but bytes that must stay')
const CHUNKS: { readonly [type: string]: Uint8Array } = {
  iCCP: concat([latin1('name\0\0'), deflateSync(PROFILE)]),
  gAMA: u32(45455),
  pHYs: concat([u32(11811, 11811), Uint8Array.of(1)]),
  eXIf: photoExif(),
  tEXt: latin1('Author\0Ada'),
  zTXt: concat([latin1('Comment\0\0'), deflateSync(latin1('caf\xe9'))]),
  iTXt: concat([latin1('XML:com.adobe.xmp\0\0\0\0\0'), photoXmp()]),
  tIME: Uint8Array.of(7, 232, 1, 2, 3, 4, 5),
  prVt: latin1('private, safe to copy'),
}
/** Kind of the item that a chunk brings. */
const KINDS: { readonly [type: string]: readonly string[] } = {
  iCCP: ['icc_profile'],
  gAMA: ['colour_signalling'],
  pHYs: ['resolution'],
  eXIf: ['exif_tags', 'gps_tags', 'maker_notes', 'further_pictures'],
  tEXt: ['comments'],
  zTXt: ['comments'],
  iTXt: ['xmp_properties'],
  tIME: ['chunks'],
  prVt: ['chunks'],
}

const FORM = { width: 64, height: 64, colourType: 2, bitDepth: 8 } as const
const wave = (x: number, y: number) => [x * 3, y * 2, (x + y) & 127]
const described = (...more: Uint8Array[]) =>
  plainPng(FORM, wave, ...Object.entries(CHUNKS).map(([type, data]) => chunk(type, data)), ...more)

interface Found {
  readonly type: string
  readonly data: Uint8Array
}

function chunksOf(file: Uint8Array): Found[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const found: Found[] = []
  for (let at = 8; at < file.length; at += 12 + view.getUint32(at)) {
    const data = file.subarray(at + 8, at + 8 + view.getUint32(at))
    found.push({ type: Buffer.from(file.subarray(at + 4, at + 8)).toString('latin1'), data })
  }
  return found
}

const pngOf = (chunks: readonly Found[]) =>
  concat([Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), ...chunks.map(({ type, data }) => chunk(type, data))])
/** Removes a chunk, or replaces its content with other bytes of a similar form. */
const damaged = (file: Uint8Array, type: string, how: 'remove' | 'alter') =>
  pngOf(chunksOf(file).flatMap((one) => (one.type !== type ? [one] : how === 'remove' ? [] : [{ type, data: altered(one) }])))

function altered({ type, data }: Found): Uint8Array {
  if (type === 'eXIf') return photoExif(true, 6)
  if (type === 'iTXt') return concat([latin1('XML:com.adobe.xmp\0\0\0\0\0'), photoXmp(1)])
  const copy = data.slice()
  copy[type === 'pHYs' ? 2 : copy.length - 1]! ^= 3
  return copy
}

describe('inventory of PNG', () => {
  let result = new Uint8Array()
  beforeAll(async () => {
    const pressed = await pressFile(png, described(), 'a.png', { quality: 'high' })
    if (pressed.outcome.kind !== 'compressed') throw new Error('nothing was gained')
    result = new Uint8Array(pressed.bytes)
  })

  it('lists what the chunks hold', async () => {
    const items = await itemsOf('png', described())
    expect(Object.keys(items['chunks']!)).toEqual([expect.stringMatching(/^PNG tIME #/), expect.stringMatching(/^PNG prVt #/)])
    expect(items).toMatchObject({
      colour_signalling: { 'gAMA = 0000b18f': 1 },
      comments: { 'comment = Author: Ada': 1, 'comment = café': 1 },
      exif_tags: { 'IFD0:Make = Acme': 1 },
      gps_tags: { 'GPSLatitude = 52 30 0': 1 },
      resolution: { 'resolution = 300 × 300 dpi': 1 },
      xmp_properties: { 'xmp:Rating = 4': 1 },
    })
    expect(Object.keys(items['icc_profile']!)).toEqual([expect.stringMatching(/^profile = 44 bytes #/)])
  })

  it.each(Object.keys(CHUNKS))('a result without its chunk %s, or with another content, is rejected', async (type) => {
    for (const how of ['remove', 'alter'] as const) {
      const verdict = await verdictOf({ format: 'png' }, described(), damaged(result, type, how))
      expect(verdict.kind).toBe('lost')
      if (verdict.kind === 'lost') expect(KINDS[type]).toContain(verdict.loss.kind)
    }
  })

  it('any damage to the metadata of a result is found', async () => {
    const damage = fc.record({ type: fc.constantFrom(...Object.keys(CHUNKS)), how: fc.constantFrom('remove' as const, 'alter' as const) })
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (several) => {
        const bytes = several.reduce((file, { type, how }) => damaged(file, type, how), result as Uint8Array)
        fc.pre(Buffer.compare(bytes, result) !== 0)
        expect((await verdictOf({ format: 'png' }, described(), bytes)).kind).toBe('lost')
      }),
      { numRuns: roundsOf(40) },
    )
  })

  it('the original is returned if a codec loses a comment and does not notice', async () => {
    const codec = damaging(png, (file) => damaged(file, 'tEXt', 'remove'))
    expect((await pressFile(codec, described(), 'a.png')).outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
    const harmless = damaging(png, (file) => file)
    expect((await pressFile(harmless, described(), 'a.png')).outcome.kind).toBe('compressed')
  })

  it('a background colour and unknown chunks that depend on the pixels may go', async () => {
    const original = described(chunk('bKGD', u16(1, 2, 3)), chunk('prVT', latin1('unsafe to copy')))
    expect(await verdictOf({ format: 'png' }, original, result)).toMatchObject({
      kind: 'kept',
      fields: { removed: [{ kind: 'chunks', count: 2, why: 'stale' }] },
    })
  })

  it('lists frames, delays and the number of plays of an animation', async () => {
    const control = (sequence: number, numerator: number, denominator: number) =>
      chunk('fcTL', concat([u32(sequence, 64, 64, 0, 0), u16(numerator, denominator), Uint8Array.of(0, 0)]))
    const file = plainPng(FORM, wave, chunk('acTL', u32(2, 3)), control(0, 1, 10), control(1, 5, 0))
    expect(await itemsOf('png', file)).toEqual({
      delays: { '0 = 100 ms': 1, '1 = 50 ms': 1 },
      frames: { frame: 2 },
      loop: { 'plays = 3': 1 },
    })
  })

  it('lists the signalling and the bit depth of HDR', async () => {
    const file = plainPng(
      { ...FORM, bitDepth: 16 },
      wave,
      chunk('cICP', Uint8Array.of(9, 16, 0, 1)),
      chunk('mDCV', new Uint8Array(24).fill(7)),
      chunk('cLLI', u32(10_000_000, 4_005_000)),
    )
    expect(await itemsOf('png', file)).toEqual({
      bit_depth: { 'bits = 16': 1 },
      colour_signalling: {
        'code points = 9/16 full range': 1,
        [`mastering display = ${'07'.repeat(24)}`]: 1,
        'light levels = 1000 400.5 cd/m²': 1,
      },
    })
  })

  it('digests the values of 16-bit measurements, whatever the filter', async () => {
    const form = { width: 16, height: 16, colourType: 0, bitDepth: 16 } as const
    const heights = plainPng(form, (x, y) => [1000 + x * y])
    const changed = plainPng(form, (x, y) => [1000 + x * y + (x + y === 30 ? 1 : 0)])
    const { data_values: values } = await itemsOf('png', heights)
    expect(Object.keys(values!)).toEqual([expect.stringMatching(/^values = \d+ from 1000 to 1225 #/)])
    expect((await verdictOf({ format: 'png' }, heights, changed)).kind).toBe('lost')
    const filtered = await pressFile(png, heights, 'a.png', { quality: 'high' })
    expect((await itemsOf('png', filtered.bytes))['data_values']).toEqual(values)
    expect(
      await itemsOf(
        'png',
        plainPng(form, (x, y) => [(x * 16 + y) * 256]),
      ),
    ).toEqual({})
  })

  it('keeps bytes after IEND, but not zeros', async () => {
    const tail = (bytes: Uint8Array) => concat([plainPng(FORM, wave), bytes])
    expect(await itemsOf('png', tail(new Uint8Array(9)))).toEqual({})
    expect(Object.keys((await itemsOf('png', tail(latin1('PK'))))['trailing_bytes']!)).toEqual([expect.stringMatching(/= 2 bytes #/)])
  })

  it('a chunk with a wrong checksum makes a result unreadable', async () => {
    const broken = result.slice()
    broken[broken.length - 20]! ^= 1
    expect((await verdictOf({ format: 'png' }, described(), broken)).kind).toBe('unreadable')
  })

  it('reads hostile files without harm', async () => {
    await expectNoHarm('png', described(), 97)
    const bomb = concat([latin1('Comment\0\0'), deflateSync(new Uint8Array(32 * 1024 * 1024))])
    await readOrRefuse('png', plainPng(FORM, wave, chunk('zTXt', bomb), chunk('iCCP', bomb)))
  })
})
