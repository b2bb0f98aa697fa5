/**
 * Uploads with more than 8 bits a sample, and reduced pictures: figures of the receipt compare with the full precision of the source, so
 * that rounding counts.
 */
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { readHeader } from '../../../src/core/formats/bmp/header.ts'
import { openPixels, rgbRows } from '../../../src/core/formats/bmp/pixels.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { decodedRows } from '../../../src/core/images/convert/decoders.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { pictureLossOf } from '../../support/fidelity.ts'
import { pressFile } from '../../support/press-file.ts'

const [WIDTH, HEIGHT] = [160, 120]
/** Grey gradient (0 to 1) so gentle that most samples lie between two 8-bit steps. */
const slope = (x: number, y: number) => 0.3 + x * 0.00011 + y * 0.00003

/** PSNR in dB against the exact gradient, in double precision. `shown`: RGB or RGBA rows of 8 bits from the top. */
function psnrDb(shown: Uint8Array, channels: 3 | 4): number {
  let squares = 0
  for (let i = 0; i < WIDTH * HEIGHT; i++) {
    const [r, g, b] = [0, 1, 2].map((c) => shown[i * channels + c]!)
    squares += (slope(i % WIDTH, Math.floor(i / WIDTH)) * 255 - (0.299 * r! + 0.587 * g! + 0.114 * b!)) ** 2
  }
  return 10 * Math.log10((255 * 255 * WIDTH * HEIGHT) / squares)
}

async function shownBy(rows: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const strip of rows) all.push(strip.slice())
  return concat(all)
}

/** 16-bit grey PNG of the gradient. `more`: chunks before the image data. */
function greyPng(...more: Uint8Array[]): Uint8Array {
  const data = new Uint8Array(HEIGHT * (1 + WIDTH * 2))
  const view = new DataView(data.buffer)
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) view.setUint16(y * (1 + WIDTH * 2) + 1 + x * 2, Math.round(slope(x, y) * 65535))
  const header = Uint8Array.of(0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 16, 0, 0, 0, 0)
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
  return concat([signature, chunk('IHDR', header), ...more, chunk('IDAT', deflateSync(data, { level: 1 })), chunk('IEND')])
}

/** BMP with 10 bits a colour in 32-bit pixels, rows from the bottom. */
function tenBitBmp(): Uint8Array {
  const out = new Uint8Array(66 + WIDTH * HEIGHT * 4)
  const view = new DataView(out.buffer)
  out.set([0x42, 0x4d])
  for (const [at, value] of [
    [2, out.length],
    [10, 66],
    [14, 40],
    [18, WIDTH],
    [22, HEIGHT],
    [26, 0x200001],
    [30, 3],
    [34, WIDTH * HEIGHT * 4],
    [54, 0x3ff00000],
    [58, 0xffc00],
    [62, 0x3ff],
  ] as const)
    view.setUint32(at, value, true)
  for (let i = 0; i < WIDTH * HEIGHT; i++) {
    const field = Math.round(slope(i % WIDTH, HEIGHT - 1 - Math.floor(i / WIDTH)) * 1023)
    view.setUint32(66 + i * 4, field * 0x100401, true)
  }
  return out
}

const claimOf = async (codec: Codec, file: Uint8Array, name: string, more: Parameters<typeof pressFile>[3]) => {
  const { outcome, bytes, defect } = await pressFile(codec, file, name, more)
  expect(defect).toBeUndefined()
  return { claim: pictureLossOf(outcome)!, bytes }
}

/** Largest PSNR difference in dB from rounding the gradient to 10-bit fields and to 16-bit samples. */
const ROUNDING_DB = 0.3

describe.each(['jpg', 'webp', 'avif', 'jxl'] as const)('a slope of 16 bits as %s', (output) => {
  it.each([
    [png, greyPng(), 'a.png'],
    [bmp, tenBitBmp(), 'a.bmp'],
  ] as const)('claims no higher PSNR than an independent measurement (%#)', async (codec, file, name) => {
    const { claim, bytes } = await claimOf(codec, file, name, { output, quality: 'high' })
    const found = psnrDb(await shownBy(decodedRows(output, memorySource(bytes, ''), { width: WIDTH, height: HEIGHT })), 4)
    expect(claim.psnrDb).toBeLessThan(found + ROUNDING_DB)
    expect(claim.psnrDb).toBeGreaterThan(found - 3)
  })
})

/** EXIF with orientation 6: a quarter turn clockwise. */
const TURNED = Uint8Array.of(0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0)

it.each([
  ['avif', HEIGHT, WIDTH],
  ['webp', WIDTH, HEIGHT],
  ['jxl', HEIGHT, WIDTH],
] as const)('measures a rotated 16-bit picture as %s stores it', async (output, width, height) => {
  const turned = greyPng(chunk('eXIf', TURNED))
  const { claim, bytes } = await claimOf(png, turned, 'a.png', { output, quality: 'high' })
  const straight = await claimOf(png, greyPng(), 'a.png', { output, quality: 'high' })
  expect((await shownBy(decodedRows(output, memorySource(bytes, ''), { width, height }))).length).toBe(WIDTH * HEIGHT * 4)
  expect(Math.abs(claim.psnrDb - straight.claim.psnrDb)).toBeLessThan(4)
})

it('claims no higher PSNR than measured for a 10-bit BMP reduced to a palette', async () => {
  const { claim, bytes } = await claimOf(bmp, tenBitBmp(), 'a.bmp', { output: 'bmp', quality: 'low' })
  const source = memorySource(bytes, 'a.bmp')
  const header = await readHeader(source)
  const options = { signal: new AbortController().signal } as Parameters<typeof openPixels>[2]
  const found = psnrDb(await shownBy(rgbRows(await openPixels(source, header, options), 'top-down')), 3)
  expect(claim.psnrDb).toBeLessThan(found + ROUNDING_DB)
})

it.each(['png', 'webp'] as const)('does not call a downsampled picture lossless if %s stores it exactly', async (output) => {
  const more = { output, quality: 'high', fitWithin: { width: 80, height: 80 } } as const
  const { claim } = await claimOf(bmp, tenBitBmp(), 'a.bmp', more)
  expect(claim.psnrDb).toBeGreaterThan(50)
  expect(claim.psnrDb).toBeLessThan(70)
})
