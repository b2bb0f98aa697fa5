/** Tests renditions: which part of a picture they show, at which size, upright and without metadata. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../src/core/bytes/concat.ts'
import type { OutputId } from '../../src/core/catalog/outputs.ts'
import { readPictureHeader } from '../../src/core/embedded/image-header.ts'
import { PRESS_CODECS } from '../../src/core/formats/press.ts'
import { readWebpFile } from '../../src/core/formats/webp/file.ts'
import { decodedRows } from '../../src/core/images/convert/decoders.ts'
import { planRendition } from '../../src/core/images/convert/rendition.ts'
import { cropped } from '../../src/core/images/raster/crop.ts'
import { uprightRaster } from '../../src/core/images/raster/orientation.ts'
import type { Raster } from '../../src/core/images/raster/raster.ts'
import { memorySource, readAll } from '../../src/core/index.ts'
import { frameOf, type Rendition, renditionSize } from '../../src/core/model/rendition.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { identify } from '../../src/core/pipeline/identify.ts'
import { openJob, optionsOf } from '../../src/core/pipeline/job.ts'
import { avifOf } from '../support/avif-file.ts'
import { textsOf } from '../support/in-english.ts'
import { jpegOf, photo, pngOf } from '../support/packages.ts'
import { bmpFile, gifFile } from '../support/picture-files.ts'
import { exifBlock, latin1 } from '../support/picture-metadata.ts'
import { webpOf } from '../support/webp-file.ts'

const [WIDTH, HEIGHT] = [256, 192]
const SIZE = { width: WIDTH, height: HEIGHT }
const PIXELS = photo(WIDTH, HEIGHT)

async function make(file: Uint8Array, rendition: Rendition, output: OutputId = 'webp') {
  const source = memorySource(file, 'picture')
  const format = (await identify(source))!
  const sink = memorySink(source.size, '')
  const job = openJob(PRESS_CODECS[format.id]!, source, PRESS_CODECS, { output, rendition })
  const { outcome, result } = await job.whole(async () => sink)
  return { outcome, bytes: result && (await readAll(result)), codec: PRESS_CODECS[format.id]! }
}

async function sizeOf(bytes: Uint8Array = new Uint8Array()): Promise<[number, number]> {
  const isWebp = bytes[0] === 0x52
  const found = isWebp ? await readWebpFile(memorySource(bytes, ''), new AbortController().signal) : readPictureHeader(bytes)
  return [found?.width ?? 0, found?.height ?? 0]
}

/** Colour of the middle of a picture. */
async function middleOf(bytes: Uint8Array, output: 'jpg' | 'png' | 'webp', [width = 0, height = 0]: readonly number[]): Promise<number[]> {
  const strips: Uint8Array[] = []
  for await (const strip of decodedRows(output, memorySource(bytes, ''), { width, height })) strips.push(strip.slice())
  const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 4
  return [...concat(strips).subarray(at, at + 3)]
}

const anySize = fc.record({ width: fc.integer({ min: 1, max: 5000 }), height: fc.integer({ min: 1, max: 5000 }) })
const anyRendition = fc.record({
  width: fc.integer({ min: 1, max: 3000 }),
  height: fc.integer({ min: 1, max: 3000 }),
  fit: fc.constantFrom('contain', 'cover', 'crop'),
  focus: fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 0, max: 1, noNaN: true }) }),
})

describe('the part that a rendition shows', () => {
  it('lies within the picture, and the result is never larger than the part', () => {
    fc.assert(
      fc.property(anySize, anyRendition, (picture, rendition) => {
        const frame = frameOf(picture, rendition)
        const size = renditionSize(frame, rendition) ?? frame
        expect(frame.left).toBeGreaterThanOrEqual(0)
        expect(frame.top).toBeGreaterThanOrEqual(0)
        expect(frame.left + frame.width).toBeLessThanOrEqual(picture.width)
        expect(frame.top + frame.height).toBeLessThanOrEqual(picture.height)
        expect(Math.min(frame.width, frame.height, size.width, size.height)).toBeGreaterThanOrEqual(1)
        expect(size.width).toBeLessThanOrEqual(frame.width)
        expect(size.height).toBeLessThanOrEqual(frame.height)
      }),
    )
  })

  it('fills the whole frame with `cover`, if the picture is large enough', () => {
    fc.assert(
      fc.property(anyRendition, fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 2000 }), (asked, moreX, moreY) => {
        const rendition = { ...asked, fit: 'cover' } as const
        const frame = frameOf({ width: asked.width + moreX, height: asked.height + moreY }, rendition)
        const size = renditionSize(frame, rendition) ?? frame
        expect([size.width, size.height]).toEqual([asked.width, asked.height])
      }),
    )
  })

  it('is the same part in the stored picture, whatever its orientation', async () => {
    const stored: Raster = {
      width: 7,
      height: 5,
      channels: 1,
      async *rows() {
        yield Uint8Array.from({ length: 35 }, (_, i) => i)
      },
    }
    const all = async (raster: Raster) => {
      const strips: Uint8Array[] = []
      for await (const strip of raster.rows()) strips.push(strip.slice())
      return { width: raster.width, height: raster.height, samples: [...concat(strips)] }
    }
    const small = fc.record({
      width: fc.integer({ min: 1, max: 7 }),
      height: fc.integer({ min: 1, max: 7 }),
      focus: anyRendition.map(({ focus }) => focus),
    })
    await fc.assert(
      fc.asyncProperty(small, fc.integer({ min: 1, max: 8 }), async (asked, orientation) => {
        const rendition = { ...asked, fit: 'crop' } as const
        const { frame } = planRendition(stored, rendition, orientation)
        const upright = uprightRaster(stored, orientation)
        expect(await all(uprightRaster(cropped(stored, frame), orientation))).toEqual(
          await all(cropped(upright, frameOf(upright, rendition))),
        )
      }),
    )
  })

  it('is cut row by row, and no row below it is read', async () => {
    let strips = 0
    const tall: Raster = {
      width: 1000,
      height: 100_000,
      channels: 3,
      async *rows() {
        for (; strips < 1000; strips++) yield new Uint8Array(100 * 1000 * 3).fill(strips)
      },
    }
    let bytes = 0
    for await (const strip of cropped(tall, { left: 10, top: 150, width: 50, height: 60 }).rows()) bytes += strip.length
    expect(bytes).toBe(50 * 60 * 3)
    expect(strips).toBeLessThanOrEqual(3)
  })
})

describe('a rendition', () => {
  it.each([
    [{ width: 100, fit: 'contain' }, [100, 75], ['downsampled from 256×192 to 100×75']],
    [{ width: 64, height: 64, fit: 'cover' }, [64, 64], ['cropped from 256×192 to 192×192', 'downsampled from 192×192 to 64×64']],
    [{ width: 64, height: 48, fit: 'crop' }, [64, 48], ['cropped from 256×192 to 64×48']],
    [{ width: 4000, height: 100, fit: 'contain' }, [133, 100], ['downsampled from 256×192 to 133×100']],
    [{ width: 2560, height: 1280, fit: 'cover' }, [256, 128], ['cropped from 256×192 to 256×128']],
  ] as const)('%o has the size %o', async (rendition, size, steps) => {
    const { outcome, bytes } = await make(await jpegOf(PIXELS, WIDTH, HEIGHT), rendition, 'jpg')
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(await sizeOf(bytes)).toEqual(size)
    expect(textsOf(outcome.kind === 'compressed' ? outcome.steps : []).slice(0, steps.length)).toEqual(steps)
  })

  it('of every format becomes every output', async () => {
    const palette = Array.from({ length: 768 }, (_, i) => (i * 7) & 255)
    const indices = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => ((i % WIDTH) >> 4) + 16 * (Math.floor(i / WIDTH) >> 5))
    const files = {
      jpg: await jpegOf(PIXELS, WIDTH, HEIGHT),
      png: pngOf(PIXELS, WIDTH, HEIGHT),
      webp: webpOf(PIXELS, { ...SIZE, channels: 3 }, 90),
      avif: await avifOf(PIXELS, SIZE),
      gif: gifFile(WIDTH, HEIGHT, palette, [{ pixels: indices, delay: 0 }]),
      bmp: bmpFile(WIDTH, HEIGHT, PIXELS),
    }
    for (const [name, file] of Object.entries(files)) {
      const { outcome, bytes } = await make(file, { width: 48, height: 48, fit: 'cover' })
      expect(outcome, name).toMatchObject({ kind: 'compressed' })
      expect(await sizeOf(bytes), name).toEqual([48, 48])
    }
    for (const output of ['png', 'avif'] as const)
      expect((await make(files.jpg, { width: 48, height: 48, fit: 'cover' }, output)).outcome).toMatchObject({ kind: 'compressed' })
  })

  it('shows the part around the focus', async () => {
    const quadrants = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)]
      return [x < WIDTH / 2 ? 220 : 30, y < HEIGHT / 2 ? 220 : 30, 100][i % 3]!
    })
    const file = pngOf(quadrants, WIDTH, HEIGHT)
    const shown = async (x: number, y: number) => {
      const { bytes } = await make(file, { width: 40, height: 40, fit: 'crop', focus: { x, y } }, 'png')
      return await middleOf(bytes!, 'png', [40, 40])
    }
    expect(await shown(0, 0)).toEqual([220, 220, 100])
    expect(await shown(1, 0.1)).toEqual([30, 220, 100])
    expect(await shown(0.2, 0.9)).toEqual([220, 30, 100])
    expect(await shown(1, 1)).toEqual([30, 30, 100])
  })

  it('is upright and without metadata, and the frame is that of the upright picture', async () => {
    const segment = (marker: number, content: Uint8Array) => {
      const length = content.length + 2
      return concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), content])
    }
    const plain = await jpegOf(PIXELS, WIDTH, HEIGHT)
    const exif = segment(0xe1, concat([latin1('Exif\0\0'), exifBlock({ ifd0: [[0x0112, 3, [6]]] })]))
    const iptc = segment(0xed, latin1('Photoshop 3.0\0rights reserved'))
    const file = concat([plain.subarray(0, 2), exif, iptc, plain.subarray(2), latin1('a film behind the picture')])
    for (const output of ['jpg', 'webp'] as const) {
      const { bytes, outcome } = await make(file, { width: 96, fit: 'contain' }, output)
      expect(outcome).toMatchObject({ kind: 'compressed' })
      expect(await sizeOf(bytes)).toEqual([96, 128])
      expect(Buffer.from(bytes!).toString('latin1')).not.toMatch(/Exif|EXIF|rights reserved|a film/)
    }
  })

  it('is compared with the picture again, if it is verified later', async () => {
    const file = await jpegOf(PIXELS, WIDTH, HEIGHT)
    const rendition = { width: 100, height: 100, fit: 'cover' } as const
    const { bytes, outcome, codec } = await make(file, rendition)
    const other = await make(file, { ...rendition, focus: { x: 0, y: 0 } })
    const options = optionsOf(codec.format, PRESS_CODECS, { output: 'webp', rendition })
    const verdictOf = async (result: Uint8Array) => codec.verify(memorySource(file, ''), memorySource(result, ''), outcome, options)
    expect(await verdictOf(bytes!)).toMatchObject({ equal: true })
    expect(await verdictOf(other.bytes!)).toMatchObject({ equal: false })
  })

  it('of an animation is not made', async () => {
    const frames = [0, 1].map((index) => ({ pixels: new Uint8Array(64).fill(index), delay: 10 }))
    const { outcome } = await make(
      gifFile(
        8,
        8,
        Array.from({ length: 768 }, (_, i) => i & 255),
        frames,
      ),
      { width: 4, fit: 'contain' },
    )
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})
