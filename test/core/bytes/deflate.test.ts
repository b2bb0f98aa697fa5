import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { crc32 } from '../../../src/core/bytes/crc32.ts'
import {
  adler32,
  deflateRaw,
  deflateWithin,
  gzipCompress,
  gzipDecompress,
  inflate,
  inflateRaw,
  zlibCompress,
  zlibDecompress,
} from '../../../src/core/bytes/deflate.ts'
import { inflateStream } from '../../../src/core/bytes/inflate-stream.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import { Libdeflate } from '../../../wasm/libdeflate/libdeflate.ts'
import { roundsOf } from '../../support/thorough.ts'

const encoder = new TextEncoder()
const prose = encoder.encode(
  Array.from({ length: 4000 }, (_, i) => `line ${i}: ${((i * 2654435761) >>> 7).toString(36)} of the same text\n`).join(''),
)
const noise = Uint8Array.from({ length: 100_000 }, (_, i) => Math.imul(i ^ (i >>> 3), 2654435761) >>> 13)

describe('deflate', () => {
  test.each([0, 1, 6, 9, 12])('zlib decompresses level %i', (level) => {
    for (const bytes of [prose, noise, new Uint8Array(), new Uint8Array(70_000)]) {
      expect(inflateRawSync(deflateRaw(bytes, level)).equals(bytes)).toBe(true)
      expect(inflateSync(zlibCompress(bytes, level)).equals(bytes)).toBe(true)
      expect(gunzipSync(gzipCompress(bytes, level)).equals(bytes)).toBe(true)
    }
  })

  test('level 12 beats zlib 9', () => {
    expect(deflateRaw(prose).length).toBeLessThan(deflateRawSync(prose, { level: 9 }).length)
  })

  test('switching levels does not leak memory', () => {
    const engine = new Libdeflate()
    engine.compress('raw', prose, 12)
    engine.compress('raw', prose, 1)
    const before = engine.memoryBytes
    for (let i = 0; i < roundsOf(200); i++) engine.compress('raw', prose, i % 2 ? 12 : 6)
    expect(engine.memoryBytes).toBeLessThanOrEqual(before + 65_536)
    expect(before).toBeLessThan(14 * 1024 * 1024)
  })

  test('a result above the budget is undefined, and the next call works', () => {
    expect(deflateWithin('zlib', noise, 1000)).toBeUndefined()
    const fits = deflateWithin('zlib', prose, prose.length - 1)
    expect(fits).toEqual(zlibCompress(prose))
  })

  test('an unknown level is rejected', () => {
    expect(() => deflateRaw(prose, 15)).toThrow(RangeError)
  })
})

describe('inflate', () => {
  test('decompresses the output of zlib', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 0, max: 9 }), (bytes, level) => {
        expect(inflateRaw(deflateRawSync(bytes, { level }), bytes.length)).toEqual(bytes)
        expect(zlibDecompress(deflateSync(bytes, { level }), bytes.length + 1)).toEqual(bytes)
        expect(gzipDecompress(gzipSync(bytes, { level }), 1 << 20)).toEqual(bytes)
      }),
    )
  })

  test('reports where the stream ended', () => {
    const packed = deflateSync(prose)
    const { bytes, consumed } = inflate('zlib', concat([packed, noise.subarray(0, 99)]), 1 << 20)
    expect(consumed).toBe(packed.length)
    expect(Buffer.compare(bytes, prose)).toBe(0)
  })

  test('a decompression bomb stops at the limit', () => {
    const bomb = deflateSync(new Uint8Array(20_000_000))
    expect(() => zlibDecompress(bomb, 1_000_000)).toThrow(expect.objectContaining({ failure: 'too_large' }))
    expect(zlibDecompress(bomb, 20_000_000).length).toBe(20_000_000)
  })

  test('damaged data is an error, never wrong bytes or a hang', () => {
    const packed = zlibCompress(prose)
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(packed.length), (at, flip, cut) => {
        const bent = packed.slice()
        bent[at]! ^= flip
        // The unused bits of the last byte have no meaning, so a flip there leaves the data correct.
        let bytes: Uint8Array | undefined
        try {
          bytes = zlibDecompress(bent, 1 << 20)
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
        }
        if (bytes) expect(Buffer.compare(bytes, prose)).toBe(0)
        if (cut < packed.length) expect(() => zlibDecompress(packed.subarray(0, cut), 1 << 20)).toThrow(EngineError)
      }),
      { numRuns: 300 },
    )
    expect(Buffer.compare(zlibDecompress(packed, 1 << 20), prose)).toBe(0)
  })
})

describe('checksums', () => {
  test('are those of the standards, and can be continued', () => {
    const check = encoder.encode('123456789')
    expect(crc32(check)).toBe(0xcbf43926)
    expect(adler32(check)).toBe(0x091e01de)
    expect(crc32(noise.subarray(777), crc32(noise.subarray(0, 777)))).toBe(crc32(noise))
    expect(adler32(noise.subarray(777), adler32(noise.subarray(0, 777)))).toBe(adler32(noise))
    expect(adler32(prose)).toBe(
      new DataView(deflateSync(prose).buffer, deflateSync(prose).byteOffset).getUint32(deflateSync(prose).length - 4),
    )
  })
})

async function* pieces(bytes: Uint8Array, length = 1000) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function collect(chunks: AsyncIterable<Uint8Array>) {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk.slice())
  return concat(all)
}

describe('inflate in pieces', () => {
  test('raw, zlib, gzip with members, trailing bytes', async () => {
    expect(Buffer.compare(await collect(inflateStream('raw', pieces(deflateRaw(prose)), 1 << 20)), prose)).toBe(0)
    expect(Buffer.compare(await collect(inflateStream('zlib', pieces(concat([zlibCompress(prose), noise])), 1 << 20)), prose)).toBe(0)
    const members = concat([gzipCompress(prose), gzipCompress(noise)])
    expect(Buffer.compare(await collect(inflateStream('gzip', pieces(members), 1 << 20)), concat([prose, noise]))).toBe(0)
  })

  test('is limited, and damaged data is an EngineError', async () => {
    const bomb = gzipSync(new Uint8Array(50_000_000))
    await expect(collect(inflateStream('gzip', pieces(bomb), 100_000))).rejects.toThrow(expect.objectContaining({ failure: 'too_large' }))
    const packed = zlibCompress(prose)
    await expect(collect(inflateStream('zlib', pieces(packed.subarray(0, 5000)), 1 << 20))).rejects.toThrow(EngineError)
    packed[packed.length - 2]! ^= 1
    await expect(collect(inflateStream('zlib', pieces(packed), 1 << 20))).rejects.toThrow(EngineError)
  })

  test('an error of the source is passed on unchanged', async () => {
    async function* broken() {
      yield deflateSync(prose).subarray(0, 100)
      throw new TypeError('the source broke')
    }
    await expect(collect(inflateStream('zlib', broken(), 1 << 20))).rejects.toThrow(TypeError)
  })

  test('stopping early ends the source', async () => {
    let ended = false
    async function* endless() {
      try {
        for (;;) yield noise
      } finally {
        ended = true
      }
    }
    async function* wrapped() {
      yield deflateRawSync(noise).subarray(0, 1)
      yield* endless()
    }
    await expect(collect(inflateStream('raw', wrapped(), 1 << 20))).rejects.toThrow()
    expect(ended).toBe(true)
  })
})
