import { describe, expect, it } from 'vitest'
import { FaxEncoder } from '../../../../src/core/bytes/ccitt/encode.ts'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { decodeFax } from '../../../../src/core/formats/pdf/images/fax-decode.ts'
import { RowScaler } from '../../../../src/core/formats/pdf/images/scale.ts'
import { latin1, nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { MAX_DECODED_BYTES } from '../../../../src/core/formats/pdf/recompress.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { buildPdf, flate, type Part } from './build.ts'
import { press } from './run.ts'

/** Smooth colour gradients with little noise, which photo detection accepts as a photo. */
function photo(width: number, height: number, channels: number): Uint8Array {
  const pixels = new Uint8Array(width * height * channels)
  let seed = 7
  for (let i = 0; i < pixels.length; i++) {
    const x = Math.floor(i / channels) % width
    const y = Math.floor(i / channels / width)
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    pixels[i] = 128 + 60 * Math.sin(x / 23 + (i % channels)) + 50 * Math.cos(y / 31) + (((seed >> 16) % 4) + ((x * y) % 5))
  }
  return pixels
}

function imageDocument(dict: string, data: Uint8Array, points: number, extra: Part[] = []): Uint8Array {
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>',
    { dict: '', data: `q ${points} 0 0 ${points} 10 10 cm /I Do Q` },
    { dict: `/Type/XObject/Subtype/Image${dict}`, data },
    ...extra,
  ])
}

async function imageOf(bytes: Uint8Array) {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (object instanceof Stream && nameOf(object.dict.get('Subtype')) === 'Image') return { reader, stream: object }
  }
  throw new Error('no image')
}

const size = (stream: Stream) => [stream.dict.get('Width'), stream.dict.get('Height')]

describe('images in a PDF', () => {
  it('photos stored as samples become JPEG, smaller with each lower level', async () => {
    const bytes = imageDocument(
      '/Width 300/Height 300/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode',
      flate(photo(300, 300, 3)),
      280,
    )
    const [high, medium, low] = [await press(bytes, 'high'), await press(bytes, 'medium'), await press(bytes, 'low')]
    expect(withFidelity(medium.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const { stream } = await imageOf(medium.bytes)
    expect(nameOf(stream.dict.get('Filter'))).toBe('DCTDecode')
    expect(size(stream)).toEqual([300, 300])
    expect(low.bytes.length).toBeLessThanOrEqual(medium.bytes.length)
    expect(medium.bytes.length).toBeLessThanOrEqual(high.bytes.length)
    expect(high.bytes.length).toBeLessThan(bytes.length * 0.6)
  })

  it('a picture finer than the page needs is downsampled to the resolution of the level', async () => {
    const rows = photo(800, 800, 3)
    const { chunks } = await encodeRows({ width: 800, height: 800, pixels: 'rgb', quality: 92 }, [rows])
    const jpeg = new Uint8Array(Buffer.concat(chunks))
    const bytes = imageDocument('/Width 800/Height 800/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode', jpeg, 144)
    const { outcome, bytes: result } = await press(bytes, 'medium')
    expect(inEnglish(withFidelity(outcome))).toMatchObject({
      fidelity: 'perceptual',
      steps: expect.arrayContaining(['1 images downscaled to their size on the page']),
    })
    expect(size((await imageOf(result)).stream)).toEqual([300, 300])
  })

  it('a picture whose samples exceed memory is decoded row by row', async () => {
    const [width, height] = [2400, 2400]
    const dict = `/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode`
    const tile = photo(width, 60, 3)
    const pixels = new Uint8Array(tile.length * 40)
    for (let i = 0; i < 40; i++) pixels.set(tile, i * tile.length)
    expect(pixels.length).toBeGreaterThan(MAX_DECODED_BYTES)
    const source = imageDocument(dict, flate(pixels), 200)
    const { outcome, bytes } = await press(source, 'low')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(nameOf((await imageOf(bytes)).stream.dict.get('Filter'))).toBe('DCTDecode')
    expect(bytes.length).toBeLessThan(source.length / 10)
  })

  it('stay exact with the option lossless', async () => {
    const bytes = imageDocument(
      '/Width 200/Height 200/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode',
      flate(photo(200, 200, 3)),
      30,
    )
    const { outcome, bytes: result } = await press(bytes, 'low', { lossless: true })
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const { reader, stream } = await imageOf(result)
    expect(Buffer.compare(await reader.decoded(stream, 1 << 20), photo(200, 200, 3))).toBe(0)
  })

  it('pictures with colour key masking keep every sample', async () => {
    const dict = '/Width 200/Height 200/ColorSpace/DeviceRGB/BitsPerComponent 8/Mask[0 9 0 9 0 9]/Filter/FlateDecode'
    const { outcome } = await press(imageDocument(dict, flate(photo(200, 200, 3)), 30), 'low')
    expect(withFidelity(outcome)).toMatchObject({ fidelity: 'lossless' })
  })

  it('pictures with a transfer function keep every sample', async () => {
    const dict = '/Width 300/Height 300/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode'
    const plain = Buffer.from(imageDocument(dict, flate(photo(300, 300, 3)), 40)).toString('latin1')
    const state = '<</XObject<</I 5 0 R>>/ExtGState<</G<</TR<</FunctionType 2/N 3/Domain[0 1]>>>>>>>>'
    const bytes = Uint8Array.from(plain.replace('<</XObject<</I 5 0 R>>>>', state), (c) => c.charCodeAt(0))
    expect(withFidelity((await press(bytes, 'low')).outcome)).not.toMatchObject({ fidelity: 'perceptual' })
    const named = plain.replace('<</XObject<</I 5 0 R>>>>', '<</XObject<</I 5 0 R>>/ExtGState<</G<</TR/Identity>>>>>>')
    const identity = Uint8Array.from(named, (c) => c.charCodeAt(0))
    expect(withFidelity((await press(identity, 'low')).outcome)).toMatchObject({ fidelity: 'perceptual' })
  })

  it('CMYK photos keep four components', async () => {
    const dict = '/Width 256/Height 256/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/FlateDecode'
    const { outcome, bytes } = await press(imageDocument(dict, flate(photo(256, 256, 4)), 240), 'medium')
    expect(withFidelity(outcome)).toMatchObject({ fidelity: 'perceptual' })
    const { stream } = await imageOf(bytes)
    expect(nameOf(stream.dict.get('ColorSpace'))).toBe('DeviceCMYK')
  })

  it('indexed photos are decoded with their palette', async () => {
    const table = Buffer.from(Array.from({ length: 256 }, (_, i) => [i, 255 - i, (i * 3) & 255]).flat()).toString('hex')
    const dict = `/Width 300/Height 300/ColorSpace[/Indexed/DeviceRGB 255<${table}>]/BitsPerComponent 8/Filter/FlateDecode`
    const { outcome, bytes } = await press(imageDocument(dict, flate(photo(300, 300, 1)), 40), 'medium')
    expect(outcome.kind).toBe('compressed')
    expect((await imageOf(bytes)).stream.dict.get('Width')).toBeLessThanOrEqual(300)
  })

  it('target_size selects a lower level that fits', async () => {
    const pixels = photo(350, 350, 3)
    const bytes = imageDocument('/Width 350/Height 350/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode', flate(pixels), 150)
    const sizes = { high: 0, medium: 0, low: 0 }
    for (const quality of ['high', 'medium', 'low'] as const) sizes[quality] = (await press(bytes, quality)).bytes.length
    expect(sizes.low).toBeLessThan(sizes.medium)
    expect(sizes.medium).toBeLessThan(sizes.high)
    for (const [targetSize, expected] of [
      [sizes.high, sizes.high],
      [sizes.high - 1, sizes.medium],
      [sizes.medium - 1, sizes.low],
    ] as const) {
      expect((await press(bytes, 'high', { targetSize })).bytes.length).toBe(expected)
    }
    await expect(press(bytes, 'high', { targetSize: sizes.low - 1 })).rejects.toMatchObject({ bestSize: sizes.low })
  })

  it('pictures with a palette of spot inks keep every sample', async () => {
    const table = Buffer.from(Array.from({ length: 256 }, (_, i) => [i, 255 - i, (i * 3) & 255, 9]).flat()).toString('hex')
    const inks = '[/DeviceN[/One/Two/Three/Four]/DeviceCMYK 6 0 R]'
    const dict = `/Width 300/Height 300/ColorSpace[/Indexed${inks} 255<${table}>]/BitsPerComponent 8/Filter/FlateDecode`
    const tint = { dict: '/FunctionType 4/Domain[0 1 0 1 0 1 0 1]/Range[0 1 0 1 0 1 0 1]', data: '{}' }
    const { outcome } = await press(imageDocument(dict, flate(photo(300, 300, 1)), 40, [tint]), 'low')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  })

  it('bilevel scans become Group 4 and keep every pixel', async () => {
    const rows = new Uint8Array(125 * 1000).fill(255)
    for (let y = 100; y < 900; y++)
      for (let x = 10; x < 110; x++) if ((x * y) % 7 < 3 && y % 40 < 22) rows[y * 125 + x] = (x * 37 + (y >> 3)) & 255
    const bytes = imageDocument(
      '/Width 1000/Height 1000/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/RunLengthDecode',
      packed(rows),
      500,
    )
    const { outcome, bytes: result } = await press(bytes, 'low')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(result.length).toBeLessThan(bytes.length)
  })

  it('damaged JPEG data is copied unchanged', async () => {
    const bytes = imageDocument('/Width 99/Height 99/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode', photo(99, 99, 1), 99)
    const { bytes: result } = await press(bytes, 'low')
    const { reader, stream } = await imageOf(result)
    expect(latin1(await reader.raw(stream, 1 << 20))).toBe(latin1(photo(99, 99, 1)))
  })
})

function packed(bytes: Uint8Array): Uint8Array {
  const out: number[] = []
  for (let i = 0; i < bytes.length; i += 128) out.push(Math.min(128, bytes.length - i) - 1, ...bytes.subarray(i, i + 128))
  return Uint8Array.from([...out, 128])
}

describe('Group 4', () => {
  it.each([1, 7, 8, 9, 64, 333, 2561, 5300])('decodes what it encoded, at a width of %i pixels', (width) => {
    const rowBytes = (width + 7) >> 3
    const rows = new Uint8Array(rowBytes * 40)
    let seed = width
    for (let i = 0; i < rows.length; i++) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      rows[i] = i < rows.length / 2 ? (seed >> 16) & 255 : (seed >> 24) & 1 ? 255 : 0
    }
    const encoder = new FaxEncoder(width, 1 << 20)
    encoder.push(rows)
    const decoded = Buffer.concat([...decodeFax(encoder.end()!, width, 40)])
    const filler = 0xff >> (width & 7 || 8)
    for (let i = 0; i < rows.length; i++) {
      const mask = i % rowBytes === rowBytes - 1 ? filler : 0
      expect(decoded[i]! | mask).toBe(rows[i]! | mask)
    }
  })
})

describe('scaling', () => {
  it.each(['area', 'drawn'] as const)('keeps the mean colour (mode %s)', (mode) => {
    const scaler = new RowScaler({ width: 120, height: 60, channels: 1 }, { width: 40, height: 20 }, mode)
    const rows = Uint8Array.from({ length: 7200 }, (_, i) => (i * 31) & 255)
    const out = concat(Array.from(scaler.push(rows), (part) => part.slice()))
    const mean = (b: Uint8Array) => b.reduce((sum, v) => sum + v, 0) / b.length
    expect(out.length).toBe(800)
    expect(Math.abs(mean(out) - mean(rows))).toBeLessThan(1)
  })
})
