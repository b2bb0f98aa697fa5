/** Tests of node:zlib in workerd where it differs from Node.js. */
import { createZstdCompress } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { pipeTransform } from '../../../src/core/bytes/pipe-transform.ts'
import { unzstdStream, zstdStream } from '../../../src/core/bytes/zstd.ts'

/** Base64 digits of a xorshift32 generator: any encoder saves a quarter, and output buffers fill up. */
function digits(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  for (let i = 0, state = 1; i < length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[i] = alphabet.charCodeAt(state & 63)
  }
  return bytes
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 262_144) yield bytes.slice(at, at + 262_144)
}

async function all(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return concat(chunks)
}

describe('zstd in workerd', () => {
  it('selects the search depth', async () => {
    const bytes = new TextEncoder().encode(
      Array.from({ length: 2500 }, (_, i) => `<row id="${i}" of="${Math.imul(i, i) % 977}"/>`).join('\n'),
    )
    const [deep, shallow] = [
      await all(zstdStream(slices(bytes), bytes.length)),
      await all(zstdStream(slices(bytes), bytes.length, 'shallow')),
    ]
    expect(deep.length).toBeLessThan(shallow.length)
    expect(await all(unzstdStream(slices(shallow), bytes.length))).toEqual(bytes)
  })

  it('ends correctly for every position of the last block in the output buffer', async () => {
    const bytes = digits(1_500_000)
    for (let length = 700_000; length <= bytes.length; length += 7_001) {
      const engine = createZstdCompress({ params: { 100: 1, 201: 1 }, pledgedSrcSize: length, chunkSize: 262_144 })
      const packed = await all(pipeTransform(engine, slices(bytes.subarray(0, length))))
      const back = await all(unzstdStream(slices(packed), length))
      expect(back.length, `${length} bytes`).toBe(length)
    }
  })
})
