import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { damaging, expectNoHarm, itemsOf, verdictOf } from '../../support/inventories.ts'
import { bmpFile } from '../../support/picture-files.ts'
import { latin1 } from '../../support/picture-metadata.ts'
import { pressFile } from '../../support/press-file.ts'

const [WIDTH, HEIGHT] = [40, 30]
const PROFILE = latin1('profile bytes that stay')

/** BMP with a version 5 header, a resolution and a profile after the pixels, then bytes after both. */
function versionFive(): Uint8Array {
  const old = bmpFile(
    WIDTH,
    HEIGHT,
    Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => (Math.floor(i / 30) * 40) & 255),
  )
  const pixels = old.subarray(54)
  const head = new Uint8Array(14 + 124)
  head.set(old.subarray(0, 54))
  const view = new DataView(head.buffer)
  view.setUint32(2, head.length + pixels.length + PROFILE.length, true)
  view.setUint32(10, head.length, true)
  view.setUint32(14, 124, true)
  view.setUint32(38, 11811, true)
  view.setUint32(42, 11811, true)
  view.setUint32(14 + 56, 0x4d424544, true)
  view.setUint32(14 + 112, 124 + pixels.length, true)
  view.setUint32(14 + 116, PROFILE.length, true)
  return concat([head, pixels, PROFILE, latin1('bytes after the picture')])
}

describe('inventory of BMP', () => {
  const original = versionFive()

  it('lists resolution, colour space, profile and trailing bytes', async () => {
    const items = await itemsOf('bmp', original)
    expect(items).toMatchObject({
      colour_signalling: { 'BMP colour space = profile': 1 },
      resolution: { 'resolution = 300 × 300 dpi': 1 },
    })
    expect(Object.keys(items['icc_profile']!)).toEqual([expect.stringMatching(/^profile = 23 bytes #/)])
    expect(Object.keys(items['trailing_bytes']!)).toEqual([expect.stringMatching(/= 23 bytes #/)])
  })

  it('a result that lacks one of them is rejected', async () => {
    const pressed = await pressFile(bmp, original, 'a.bmp')
    if (pressed.outcome.kind !== 'compressed') throw new Error('nothing was gained')
    const result = pressed.bytes
    expect(pressed.outcome.inventory).toEqual({ colour_signalling: 1, icc_profile: 1, resolution: 1, trailing_bytes: 1 })
    const profileAt = Buffer.from(result).indexOf(PROFILE)
    for (const [at, kind] of [
      [39, 'resolution'],
      [14 + 57, 'colour_signalling'],
      [profileAt, 'icc_profile'],
      [result.length - 1, 'trailing_bytes'],
    ] as const) {
      const damaged = result.slice()
      damaged[at]! ^= 0x55
      expect(await verdictOf({ format: 'bmp' }, original, damaged)).toMatchObject({ kind: 'lost', loss: { kind } })
      const codec = damaging(bmp, (file) => {
        const copy = file.slice()
        copy[at]! ^= 0x55
        return copy
      })
      expect((await pressFile(codec, original, 'a.bmp')).outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
    }
  })

  it('reads hostile files without harm', async () => {
    await expectNoHarm('bmp', original, 7)
    for (let at = 2; at < 138; at++) {
      const damaged = original.slice()
      damaged.fill(0xff, at, at + 4)
      await expectNoHarm('bmp', damaged, damaged.length - 1)
    }
  })
})
