import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import { decodeWebp, WEBP_MEMORY_MAX, WebpEncoder, WebpRows } from '../../../wasm/webp/webp.ts'
import { photo } from './jpg/photo.ts'

function webp(width: number, height: number, channels: 3 | 4, quality: number): Uint8Array {
  using encoder = new WebpEncoder(width, height, channels)
  encoder.write(photo(width, height, channels))
  encoder.encode({ quality, method: 2 })
  return encoder.file()
}

function rowsOf(file: Uint8Array, width: number, height: number): Uint8Array | undefined {
  using rows = WebpRows.open(file, width, height)
  return rows && concat(Array.from(rows.strips(), (strip) => strip.slice()))
}

describe('WebP decoded row by row', () => {
  it.each([
    1, 2, 16, 17, 24, 25, 47, 64,
  ] as const)('equals the picture that libwebp decodes at once, with alpha, %i rows high', (height) => {
    for (const width of [1, 2, 15, 33]) {
      for (const channels of [3, 4] as const) {
        for (const quality of [20, 90]) {
          const file = webp(width, height, channels, quality)
          expect(Buffer.compare(rowsOf(file, width, height)!, decodeWebp(file, width, height)!)).toBe(0)
        }
      }
    }
  })

  it('fails before transparency exhausts the memory of the isolate', () => {
    const [width, height] = [2000, 1500]
    const row = photo(width, 1, 4)
    using encoder = new WebpEncoder(width, height, 4)
    for (let y = 0; y < height; y++) encoder.write(row.map((value, i) => (i % 4 === 3 ? Math.imul(i + y, 2654435761) >>> 24 : value)))
    expect(() => encoder.encode({ quality: 80, method: 4 })).toThrow(EngineError)
    expect(encoder.memoryBytes).toBeLessThanOrEqual(WEBP_MEMORY_MAX)
  })

  it('reports another size or damage', () => {
    const file = webp(64, 64, 4, 90)
    expect(rowsOf(file, 64, 63)).toBeUndefined()
    expect(rowsOf(file.subarray(0, 40), 64, 64)).toBeUndefined()
    for (let at = 30; at < file.length; at += 7) {
      const damaged = file.slice()
      damaged[at] = 255 - (damaged[at] ?? 0)
      expect(rowsOf(damaged, 64, 64)?.length ?? 0).toBeLessThanOrEqual(64 * 64 * 4)
    }
    expect(rowsOf(file, 64, 64)).toHaveLength(64 * 64 * 4)
  })
})
