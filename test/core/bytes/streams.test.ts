/** zlib, zstd and brotli in WebAssembly, compared with those of Node. */
import * as node from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brotliStream, unbrotliStream } from '../../../src/core/bytes/brotli.ts'
import { concat } from '../../../src/core/bytes/concat.ts'
import { deflateStream } from '../../../src/core/bytes/deflate.ts'
import { inflateStream, inflateZlib } from '../../../src/core/bytes/inflate-stream.ts'
import { unzstdStream, zstdStream } from '../../../src/core/bytes/zstd.ts'
import { EngineError } from '../../../wasm/engine-error.ts'
import type { Container } from '../../../wasm/libdeflate/libdeflate.ts'
import { Zstd } from '../../../wasm/zstd/zstd.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const MOST = 1 << 24

async function* sliced(bytes: Uint8Array, step = 50_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.slice(at, at + step)
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const found: Uint8Array[] = []
  for await (const chunk of chunks) found.push(chunk)
  return concat(found)
}

const plain = (bytes: Uint8Array) => new Uint8Array(bytes)
const failure = (what: string) => expect.objectContaining({ engine: 'deflate', failure: what })

/** A log of 120 kB, then noise, then a part of the log again: more than the buffers of the engines. */
const random = randomNumbers(1)
const lines = Array.from({ length: 2500 }, (_, at) => `Jun ${at % 30} 04:${at % 60} sshd(${Math.floor(random() * 3e4)}): failure; uid=0\n`)
const text = new TextEncoder().encode(lines.join(''))
const mixed = concat([text, Uint8Array.from({ length: 70_000 }, () => random() * 256), text.subarray(30_000)])

const FILES: readonly [string, Uint8Array][] = [
  ['nothing', new Uint8Array()],
  ['a byte', Uint8Array.of(7)],
  ['a log', text],
  ['a log with noise', mixed],
  ['zeros', new Uint8Array(300_000)],
]

const DECODERS = {
  raw: [node.deflateRawSync, (input, most) => inflateStream('raw', input, most)],
  zlib: [node.deflateSync, (input, most) => inflateStream('zlib', input, most)],
  gzip: [node.gzipSync, (input, most) => inflateStream('gzip', input, most)],
  zstd: [node.zstdCompressSync, unzstdStream],
  brotli: [node.brotliCompressSync, unbrotliStream],
} as const satisfies Record<
  string,
  readonly [(bytes: Uint8Array) => Uint8Array, (input: AsyncIterable<Uint8Array>, most: number) => AsyncGenerator<Uint8Array>]
>
const NAMES = Object.keys(DECODERS) as (keyof typeof DECODERS)[]

describe.each(FILES)('%s', (_name, bytes) => {
  it('has the same bytes as Node’s zstd, at every level in use', async () => {
    for (const level of [22, 12]) {
      const params = { 100: level, 101: 23, 102: 21, 103: 23, 201: 1 }
      const expected = node.createZstdCompress({ params, pledgedSrcSize: bytes.length })
      expected.end(bytes)
      const packed = await all(zstdStream(sliced(bytes), bytes.length, 'as deep as its level', level))
      expect(packed).toEqual(await all(expected))
      expect(await all(unzstdStream(sliced(packed, 777), bytes.length))).toEqual(bytes)
    }
  })

  it('has the same bytes as Node’s brotli', async () => {
    const windowLog = Math.max(16, Math.min(22, Math.ceil(Math.log2(bytes.length + 16))))
    const { constants } = node
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: windowLog,
      [constants.BROTLI_PARAM_LGBLOCK]: Math.min(18, 38 - windowLog),
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    const packed = await all(brotliStream(sliced(bytes), bytes.length))
    expect(packed).toEqual(plain(node.brotliCompressSync(bytes, { params })))
    expect(await all(unbrotliStream(sliced(packed, 777), bytes.length))).toEqual(bytes)
  })

  it.each(NAMES)('%s of Node is decompressed', async (name) => {
    const [compress, decompress] = DECODERS[name]
    expect(await all(decompress(sliced(compress(bytes), 3000), bytes.length))).toEqual(bytes)
  })

  it('Deflate in segments is read by Node', async () => {
    const packed = await all(deflateStream(sliced(bytes), 9))
    expect(plain(node.inflateRawSync(packed))).toEqual(bytes)
  })
})

it('Deflate in segments is not larger than zlib’s best level', async () => {
  for (const bytes of [text, mixed, concat(Array.from({ length: 20 }, () => mixed))])
    expect((await all(deflateStream(sliced(bytes), 9))).length).toBeLessThan(node.deflateRawSync(bytes, { level: 9, memLevel: 9 }).length)
})

describe.each(NAMES)('damaged %s', (name) => {
  const [compress, decompress] = DECODERS[name]
  const packed = compress(mixed.subarray(0, 60_000))

  it('is refused if it ends early', async () => {
    for (const length of [0, 1, 5, 1000, packed.length - 1])
      await expect(all(decompress(sliced(packed.subarray(0, length)), MOST))).rejects.toThrow(failure('truncated'))
  })

  it('never gives more than the limit', async () => {
    const bomb = compress(new Uint8Array(5_000_000))
    let bytes = 0
    const read = async () => {
      for await (const chunk of decompress(sliced(bomb), 1_000_000)) bytes += chunk.length
    }
    await expect(read()).rejects.toThrow(failure('too_large'))
    expect(bytes).toBeLessThanOrEqual(1_000_000)
  })

  it('gives bytes or an EngineError for any change of a byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: packed.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = plain(packed)
        damaged[at]! ^= change
        try {
          await all(decompress(sliced(damaged), MOST))
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('leaves bytes after its end unread', async () => {
    const more = concat([packed, new Uint8Array(100_000)])
    expect(await all(decompress(sliced(more, 10_000), MOST))).toEqual(mixed.subarray(0, 60_000))
  })
})

describe('checksums', () => {
  const packed: Record<'zlib' | 'gzip', Uint8Array> = { zlib: node.deflateSync(text), gzip: node.gzipSync(text) }

  it.each(['zlib', 'gzip'] as const)('of %s are checked', async (container: Container & ('zlib' | 'gzip')) => {
    const damaged = plain(packed[container])
    damaged[damaged.length - (container === 'gzip' ? 8 : 1)]! ^= 1
    await expect(all(inflateStream(container, sliced(damaged), MOST))).rejects.toThrow(failure('damaged'))
  })

  it('of zstd are checked', async () => {
    const frame = plain(await all(zstdStream(sliced(text), text.length)))
    frame[frame.length - 1]! ^= 1
    await expect(all(unzstdStream(sliced(frame), MOST))).rejects.toThrow(failure('damaged'))
  })
})

describe('gzip members', () => {
  const [first, second] = [node.gzipSync(text.subarray(0, 5000)), node.gzipSync(text.subarray(5000, 9000))]

  it.each([1, 7, first.length, 100_000])('are read one after the other, in chunks of %i bytes', async (step) => {
    const file = concat([first, second, new Uint8Array(300)])
    expect(await all(inflateStream('gzip', sliced(file, step), MOST))).toEqual(text.subarray(0, 9000))
  })

  it('are followed by another one or by zeros, not by other bytes', async () => {
    const junk = new TextEncoder().encode('junk')
    for (const step of [first.length, 100_000])
      await expect(all(inflateStream('gzip', sliced(concat([first, junk]), step), MOST))).rejects.toThrow(failure('damaged'))
  })
})

describe('zlib that may be cut', () => {
  it('gives the bytes before its end', async () => {
    const packed = node.deflateSync(text)
    const cut = packed.subarray(0, packed.length >> 1)
    const expected = plain(node.inflateSync(cut, { finishFlush: node.constants.Z_SYNC_FLUSH }))
    expect(expected.length).toBeGreaterThan(30_000)
    expect(inflateZlib(cut, MOST, { mayBeCut: true })).toEqual(expected)
    expect(await all(inflateStream('zlib', sliced(cut), MOST, { mayBeCut: true }))).toEqual(expected)
    expect(() => inflateZlib(cut, MOST)).toThrow(failure('truncated'))
    // The engine is reused after the failure.
    expect(inflateZlib(packed, text.length)).toEqual(text)
    expect(() => inflateZlib(packed, text.length - 1)).toThrow(failure('too_large'))
  })

  it('is still refused if it is damaged', () => {
    const packed = plain(node.deflateSync(text))
    packed.fill(255, 1000, 2000)
    expect(() => inflateZlib(packed, MOST, { mayBeCut: true })).toThrow(failure('damaged'))
  })
})

it.each([27, 30])('a zstd frame with a window of 2^%i bytes is refused before its memory is taken', async (windowLog) => {
  // Magic number, frame header without content size, window descriptor, an empty last block (RFC 8878, 3.1.1).
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, 1, 0, 0)
  await expect(all(unzstdStream(sliced(frame), MOST))).rejects.toThrow(failure('memory'))
})

it('parameters that are not allowed are errors of the caller', () => {
  expect(() => Zstd.compressor(1, { 101: 99 })).toThrow(failure('misuse'))
})
