import { describe, expect, it } from 'vitest'
import { codedPictureOf } from '../../../src/core/images/avif/file.ts'
import { AvifCodec, type Chroma, comparePixels, isEncoderExhausted, type RgbaPixels } from '../../../src/core/images/avif/libaom.ts'
import { photo } from './jpg/photo.ts'

/** Picture with RGBA pixels. `channels` 3: opaque. */
function pictureOf(width: number, height: number, channels: 3 | 4 = 3): RgbaPixels {
  const from = photo(width, height, channels)
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let i = 0; i < width * height; i++) for (let c = 0; c < channels; c++) pixels[4 * i + c] = from[channels * i + c]!
  return { pixels, width, height }
}

describe('the AVIF encoder', () => {
  it.each([
    ['halved', 33],
    ['fitted', 33],
    ['full', 38],
  ] as const)('keeps the colours of odd sizes (chroma %s)', async (chroma, leastDb) => {
    const picture = pictureOf(61, 35)
    using codec = await AvifCodec.open()
    const decoded = codec.decode(codec.encode(picture, 90, 6, chroma))!
    expect([decoded.width, decoded.height]).toEqual([61, 35])
    expect(comparePixels(picture, decoded, ['similarity']).similarity.psnrRgbDb).toBeGreaterThan(leastDb)
  })

  it('gives the same bytes in another instance, and after other pictures', async () => {
    const [picture, other] = [pictureOf(64, 48), pictureOf(80, 40)]
    using first = await AvifCodec.open()
    using second = await AvifCodec.open()
    second.encode(other, 40, 9, 'full')
    expect(Buffer.compare(first.encode(picture, 60, 6), second.encode(picture, 60, 6))).toBe(0)
  })

  it('stores alpha exactly enough to be equal at quality 100, and none for opaque pictures', async () => {
    const picture = pictureOf(48, 32, 4)
    using codec = await AvifCodec.open()
    const decoded = codec.decode(codec.encode(picture, 100, 6, 'full'))!
    const alpha = (one: RgbaPixels) => one.pixels.filter((_, i) => i % 4 === 3)
    expect(alpha(decoded).every((value, i) => Math.abs(value - alpha(picture)[i]!) <= 2)).toBe(true)
    expect(Buffer.from(codec.encode(pictureOf(48, 32), 60, 6)).includes('auxC')).toBe(false)
  })

  it.each([
    [8, 'none', '81001c00'],
    [8, 'halved', '81000c00'],
    [8, 'full', '81200000'],
    [10, 'none', '81005c00'],
    [10, 'full', '81204000'],
  ] as const)('describes %i bits and chroma %s in av1C, and omits the temporal delimiter', async (bits, chroma: Chroma, config) => {
    using codec = await AvifCodec.open()
    const samples = new Uint16Array(64 * 48 * 4).fill(700).map((value, i) => (i % 4 === 3 ? 1023 : value))
    const settings = { quality: 60, speed: 9, chroma }
    const picture = { samples, width: 64, height: 48 }
    const file = bits === 8 ? codec.encode(pictureOf(64, 48), 60, 9, chroma) : codec.encode16(picture, { ...settings, bits })
    const coded = codedPictureOf(file)
    expect(Buffer.from(coded.config.subarray(8)).toString('hex')).toBe(config)
    expect(coded.frame[0]! >> 3).toBe(1)
  })

  it('says that a drawing of repeated parts exceeds the memory of a photograph (avif-repeated-drawing)', async () => {
    using codec = await AvifCodec.open('search', { encoderBytes: 24 << 20 })
    const [width, height] = [512, 400]
    const isInk = (x: number, y: number) =>
      ((Math.imul((x >> 3) * 31 + ((y / 12) | 0) * 57, 2_654_435_761) >>> 24) * (x % 8) * (y % 12)) % 7 === 3
    const pixels = new Uint8Array(width * height * 3)
    for (let i = 0; i < pixels.length; i++) pixels[i] = isInk(Math.floor(i / 3) % width, Math.floor(i / 3 / width)) ? 20 : 240
    let failure: unknown
    try {
      codec.encode({ pixels, width, height, channels: 3 }, 60, 6)
    } catch (error) {
      failure = error
    }
    expect(isEncoderExhausted(failure)).toBe(true)
  })

  it('says that a picture exceeds its memory', async () => {
    using codec = await AvifCodec.open()
    const large = { pixels: new Uint8ClampedArray(4000 * 3000 * 4).fill(255), width: 4000, height: 3000 }
    expect(() => codec.encode(large, 60, 9)).toThrow(expect.objectContaining({ reason: 'over_budget' }))
  })
})
