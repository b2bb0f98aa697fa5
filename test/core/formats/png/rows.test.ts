import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { EngineError } from '../../../../wasm/engine-error.ts'
import { chunk, startOfPng } from '../../../../wasm/png/chunks.ts'
import { decodePng, PngEncoder, PngEngine, pngRows, QUICK_EFFORT, rowBytesOf, THOROUGH_EFFORT } from '../../../../wasm/png/png.ts'

async function* once(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Deterministic noise with structure. */
function samples(count: number, seed = 1): Uint8Array {
  let state = seed
  return Uint8Array.from({ length: count }, (_, i) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return ((i >> 3) & 127) + ((state >>> 20) & 15)
  })
}

const FORMS = [
  { colourType: 0, bitDepth: 1 },
  { colourType: 0, bitDepth: 4 },
  { colourType: 0, bitDepth: 8 },
  { colourType: 0, bitDepth: 16 },
  { colourType: 2, bitDepth: 8 },
  { colourType: 2, bitDepth: 16 },
  { colourType: 4, bitDepth: 8 },
  { colourType: 6, bitDepth: 8 },
  { colourType: 6, bitDepth: 16 },
] as const

describe('PNG rows', () => {
  for (const form of FORMS)
    for (const [width, height] of [
      [1, 1],
      [7, 13],
      [333, 211],
    ] as const)
      it(`colour type ${form.colourType}, ${form.bitDepth} bits, ${width} x ${height}: decodes the rows that it encoded`, async () => {
        const header = { width, height, ...form }
        const rowBytes = rowBytesOf(header, width)
        const rows = samples(rowBytes * height)
        const unused = (8 - ((width * form.bitDepth * (form.colourType === 0 ? 1 : 8)) % 8)) % 8
        if (unused) for (let y = 0; y < height; y++) rows[(y + 1) * rowBytes - 1]! &= 255 << unused
        const encoder = new PngEncoder(header, width < 100 ? THOROUGH_EFFORT : QUICK_EFFORT, {
          chunks: [{ type: 'tEXt', data: Uint8Array.of(65, 0, 66) }],
        })
        const pieces: Uint8Array[] = []
        for (let y = 0; y < height; y++) {
          encoder.writeRow(rows.subarray(y * rowBytes, (y + 1) * rowBytes))
          pieces.push(...encoder.take())
        }
        pieces.push(...encoder.finish())
        const out = new Uint8Array(rows.length)
        const info = await decodePng(once(concat(pieces)), 'native', (row, y) => out.set(row, y * rowBytes))
        expect(info.header).toMatchObject(header)
        expect(info.chunks.map(({ type }) => type)).toEqual(['tEXt'])
        expect(out).toEqual(rows)
      })

  it('writes the bare predictor stream for PDF', () => {
    const header = { width: 50, height: 20, colourType: 0, bitDepth: 8 } as const
    const encoder = new PngEncoder(header, QUICK_EFFORT, { bare: true })
    for (let y = 0; y < 20; y++) encoder.writeRow(new Uint8Array(50).fill(y))
    expect(inflateSync(concat(encoder.finish())).length).toBe(51 * 20)
  })

  it('expands palettes with alpha, in batches', async () => {
    const header = {
      width: 4,
      height: 2,
      colourType: 3,
      bitDepth: 2,
      palette: Uint8Array.of(1, 2, 3, 40, 50, 60, 7, 8, 9),
      paletteAlpha: Uint8Array.of(0, 128),
    } as const
    const encoder = new PngEncoder(header)
    encoder.writeRow(Uint8Array.of(0b00011000))
    encoder.writeRow(Uint8Array.of(0b10010000))
    const rows: number[] = []
    for await (const batch of pngRows(once(concat(encoder.finish()), 7), 'rgba8')) rows.push(...batch.rows)
    expect(rows).toEqual([1, 2, 3, 0, 40, 50, 60, 128, 7, 8, 9, 255, 1, 2, 3, 0, 7, 8, 9, 255, 40, 50, 60, 128, 1, 2, 3, 0, 1, 2, 3, 0])
  })

  it('reads stored, fixed and dynamic blocks as zlib writes them', async () => {
    const header = { width: 100, height: 700, colourType: 2, bitDepth: 8 } as const
    const filtered = samples(301 * 700).map((v, i) => (i % 301 === 0 ? 0 : v))
    const expected = filtered.filter((_, i) => i % 301 !== 0)
    for (const level of [0, 1, 6, 9])
      for (const strategy of [0, 2, 4]) {
        const file = concat([startOfPng(100, 700, header, false), chunk('IDAT', deflateSync(filtered, { level, strategy })), chunk('IEND')])
        const out: number[] = []
        await decodePng(once(file), 'native', (row) => void out.push(...row))
        expect(Buffer.compare(Uint8Array.from(out), expected)).toBe(0)
      }
  })

  it('rejects damage and misuse with an EngineError', async () => {
    const encoder = new PngEncoder({ width: 64, height: 64, colourType: 2, bitDepth: 8 })
    for (let y = 0; y < 64; y++) encoder.writeRow(samples(192, y))
    const file = concat(encoder.finish())
    const decode = (bytes: Uint8Array) => decodePng(once(bytes), 'rgb8', () => undefined)
    await decode(file)
    for (let at = 0; at < file.length; at += 97) {
      await expect(decode(file.subarray(0, at))).rejects.toBeInstanceOf(EngineError)
      const bad = file.slice()
      bad[at]! ^= 1 << (at % 8)
      await expect(decode(bad)).rejects.toBeInstanceOf(EngineError)
    }
    expect(() => new PngEngine({ width: 0, height: 1, colourType: 2, bitDepth: 8 })).toThrow(EngineError)
  })
})
