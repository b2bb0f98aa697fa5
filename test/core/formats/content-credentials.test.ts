/** Files with content credentials (C2PA) stay unchanged, because the signature covers every byte. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { mp4 } from '../../../src/core/formats/film/film.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { tiff } from '../../../src/core/formats/tiff/tiff.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { GENERATORS } from '../../support/generators.ts'
import { inEnglish } from '../../support/in-english.ts'
import { jpegOf, photo, pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { buildTiff } from './tiff/build-tiff.ts'

const SIDE = 96
const ascii = (text: string) => new TextEncoder().encode(text)
const word = (value: number) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
const box = (type: string, ...parts: Uint8Array[]) => {
  const body = concat(parts)
  return concat([word(body.length + 8), ascii(type), body])
}

/** A JUMBF superbox (ISO/IEC 19566-5) with this type and label, which contains only its description box. */
const superbox = (name: string) =>
  box(
    'jumb',
    box('jumd', ascii(name), Uint8Array.of(0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71), Uint8Array.of(3), ascii(`${name}\0`)),
  )

/** Inserts an APP11 segment (ISO/IEC 18477-3, B.1) after the start of the image. */
function jpegWith(file: Uint8Array, jumbf: Uint8Array): Uint8Array {
  const body = concat([ascii('JP'), Uint8Array.of(0, 1), word(1), jumbf])
  const segment = concat([Uint8Array.of(0xff, 0xeb, (body.length + 2) >> 8, (body.length + 2) & 255), body])
  return concat([file.subarray(0, 2), segment, file.subarray(2)])
}

/** Inserts chunks after IHDR. */
const pngWith = (file: Uint8Array, ...chunks: Uint8Array[]) => concat([file.subarray(0, 33), ...chunks, file.subarray(33)])

/** A `uuid` box with content credentials (C2PA 2.1, A.5.1). */
const filmBox = (first = 0xd8) =>
  box(
    'uuid',
    Uint8Array.of(first, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81),
    superbox('c2pa'),
  )

/** Appends a chunk to a RIFF form. */
function riffWith(file: Uint8Array, id: string): Uint8Array {
  const body = superbox('c2pa')
  const size = new Uint8Array(new Uint32Array([body.length]).buffer)
  const longer = concat([file, ascii(id), size, body, new Uint8Array(body.length & 1)])
  new DataView(longer.buffer).setUint32(4, longer.length - 8, true)
  return longer
}

const SIGNED = { kind: 'unchanged', reason: 'signed', detail: expect.stringContaining('signed with Content Credentials (C2PA)') }

describe.each(['high', 'medium', 'low'] as const)('at %s', (quality) => {
  it.each(['jpg', 'webp'] as const)('leaves a JPEG with credentials unchanged (output %s)', async (output) => {
    const file = await jpegOf(photo(SIDE, SIDE), SIDE, SIDE)
    expect(inEnglish((await pressFile(jpg, jpegWith(file, superbox('c2pa')), 'a.jpg', { quality, output })).outcome)).toEqual(SIGNED)
    // JUMBF of another type is not a signature.
    expect((await pressFile(jpg, jpegWith(file, superbox('json')), 'a.jpg', { quality })).outcome.kind).toBe('compressed')
  })

  it.each(['png', 'jpg'] as const)('leaves a PNG with credentials unchanged (output %s)', async (output) => {
    const file = pngOf(photo(SIDE, SIDE), SIDE, SIDE)
    const signed = pngWith(file, chunk('caBX', superbox('c2pa')))
    expect(inEnglish((await pressFile(png, signed, 'a.png', { quality, output })).outcome)).toEqual(SIGNED)
    expect((await pressFile(png, file, 'a.png', { quality, output })).outcome.kind).toBe('compressed')
  })
})

it('leaves a TIFF with credentials unchanged, but not one with another private field', async () => {
  const store = superbox('c2pa')
  const tiffWith = (tag: number) =>
    buildTiff([
      { width: 97, height: 61, bits: 8, samples: 3, rowsPerStrip: 20, extra: [{ tag, type: 7, count: store.length, bytes: store }] },
    ])
  expect(inEnglish((await pressFile(tiff, tiffWith(52545), 'a.tif')).outcome)).toEqual(SIGNED)
  expect((await pressFile(tiff, tiffWith(65000), 'a.tif')).outcome.kind).toBe('compressed')
})

describe('films and sound', () => {
  it.each(['mp4', 'mov'] as const)('leaves %s with credentials unchanged for the same and another output format', async (id) => {
    const file = await GENERATORS[id][0].make()
    for (const output of ['mp4', 'mov'] as const) {
      expect(inEnglish((await pressFile(mp4, concat([file, filmBox()]), `a.${id}`, { quality: 'low', output })).outcome)).toEqual(SIGNED)
    }
    // A `uuid` box with another UUID is not a signature.
    expect((await pressFile(mp4, concat([file, filmBox(0xd9)]), `a.${id}`, { quality: 'low' })).outcome.kind).toBe('compressed')
  })

  it.each([
    ['avi', avi],
    ['wav', wav],
  ] as const)('leaves %s with credentials unchanged', async (id, codec) => {
    const file = await GENERATORS[id][0].make()
    expect(inEnglish((await pressFile(codec, riffWith(file, 'C2PA'), `a.${id}`, { quality: 'low' })).outcome)).toEqual(SIGNED)
    expect((await pressFile(codec, riffWith(file, 'XYZ1'), `a.${id}`, { quality: 'low' })).outcome.kind).toBe('compressed')
  })
})
