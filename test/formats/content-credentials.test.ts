/** Files that carry content credentials (C2PA) come back as they are: their signature covers every byte. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../src/bytes/concat.ts'
import { jpg } from '../../src/formats/jpg/jpg.ts'
import { png } from '../../src/formats/png/png.ts'
import { chunk } from '../../wasm/png/chunks.ts'
import { jpegOf, photo, pngOf } from '../support/packages.ts'
import { pressFile } from '../support/press-file.ts'

const SIDE = 96
const ascii = (text: string) => new TextEncoder().encode(text)
const word = (value: number) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
const box = (type: string, ...parts: Uint8Array[]) => {
  const body = concat(parts)
  return concat([word(body.length + 8), ascii(type), body])
}

/** A JUMBF superbox (ISO/IEC 19566-5) of this type and label, with no more in it than its description. */
const superbox = (name: string) =>
  box(
    'jumb',
    box('jumd', ascii(name), Uint8Array.of(0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71), Uint8Array.of(3), ascii(`${name}\0`)),
  )

/** APP11 (ISO/IEC 18477-3, B.1) behind the start of the image. */
function jpegWith(file: Uint8Array, jumbf: Uint8Array): Uint8Array {
  const body = concat([ascii('JP'), Uint8Array.of(0, 1), word(1), jumbf])
  const segment = concat([Uint8Array.of(0xff, 0xeb, (body.length + 2) >> 8, (body.length + 2) & 255), body])
  return concat([file.subarray(0, 2), segment, file.subarray(2)])
}

/** Behind IHDR. */
const pngWith = (file: Uint8Array, ...chunks: Uint8Array[]) => concat([file.subarray(0, 33), ...chunks, file.subarray(33)])

const SIGNED = { kind: 'unchanged', reason: 'signed', detail: 'content credentials (C2PA)' }

describe.each(['high', 'medium', 'low'] as const)('at %s', (quality) => {
  it.each(['jpg', 'webp'] as const)('a JPEG with credentials stays, %s asked for', async (output) => {
    const file = await jpegOf(photo(SIDE, SIDE), SIDE, SIDE)
    expect((await pressFile(jpg, jpegWith(file, superbox('c2pa')), 'a.jpg', { quality, output })).outcome).toEqual(SIGNED)
    // Other JUMBF is no signature.
    expect((await pressFile(jpg, jpegWith(file, superbox('json')), 'a.jpg', { quality })).outcome.kind).toBe('compressed')
  })

  it.each(['png', 'jpg'] as const)('a PNG with credentials stays, %s asked for', async (output) => {
    const file = pngOf(photo(SIDE, SIDE), SIDE, SIDE)
    const signed = pngWith(file, chunk('caBX', superbox('c2pa')))
    expect((await pressFile(png, signed, 'a.png', { quality, output })).outcome).toEqual(SIGNED)
    expect((await pressFile(png, file, 'a.png', { quality, output })).outcome.kind).toBe('compressed')
  })
})
