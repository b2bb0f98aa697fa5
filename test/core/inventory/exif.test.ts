import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addExif } from '../../../src/core/inventory/exif.ts'
import { InventoryBuilder } from '../../../src/core/inventory/inventory.ts'
import { rangesOf } from '../../../src/core/inventory/ranges.ts'
import { exifBlock, photoExif, u32 } from '../../support/picture-metadata.ts'

async function itemsOfExif(exif: Uint8Array): Promise<{ [kind: string]: string[] }> {
  const builder = new InventoryBuilder()
  await addExif(builder, rangesOf(exif))
  return Object.fromEntries([...builder.build()].map(([kind, items]) => [kind, [...items.keys()]]))
}

describe('inventory of EXIF', () => {
  it('lists tags by name, positions, the maker note and the thumbnail', async () => {
    expect(await itemsOfExif(photoExif())).toEqual({
      exif_tags: [
        'IFD0:Make = Acme',
        'IFD0:Orientation = 1',
        'IFD0:XResolution = 300',
        'ExifIFD:ExposureTime = 0.0166666666667',
        'ExifIFD:ISO = 400',
        'ExifIFD:DateTimeOriginal = 2024:05:06 07:08:09',
      ],
      gps_tags: ['GPSLatitudeRef = N', 'GPSLatitude = 52 30 0'],
      maker_notes: [expect.stringMatching(/^maker note = 29 bytes #/)],
      further_pictures: [expect.stringMatching(/^IFD1 thumbnail = 19 bytes #/)],
    })
  })

  it('gives equal items for both byte orders', async () => {
    expect(await itemsOfExif(photoExif(false))).toEqual(await itemsOfExif(photoExif(true)))
    const many = Array.from({ length: 100 }, (_, i) => i * 700)
    const block = (littleEndian: boolean) => exifBlock({ ifd0: [[0x501b, 3, many]] }, littleEndian)
    expect(await itemsOfExif(block(false))).toEqual(await itemsOfExif(block(true)))
  })

  it('reads a directory that points at itself once', async () => {
    const block = exifBlock({ ifd0: [[0x10f, 2, 'Acme']] })
    block.set([8, 0, 0, 0], 8 + 2 + 12)
    expect(await itemsOfExif(block)).toEqual({ exif_tags: ['IFD0:Make = Acme'] })
  })

  it('counts a block that is no EXIF as one item', async () => {
    expect(await itemsOfExif(u32(1, 2, 3))).toEqual({ exif_tags: [expect.stringMatching(/^unreadable = 12 bytes #/)] })
  })

  it('reads damaged blocks without an error', async () => {
    const block = photoExif()
    await fc.assert(
      fc.asyncProperty(fc.nat(block.length - 1), fc.nat(255), fc.nat(block.length), async (at, value, length) => {
        const damaged = block.slice(0, length)
        if (at < length) damaged[at] = value
        await itemsOfExif(damaged)
      }),
    )
  })
})
