import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deflateRaw, deflateThorough, inflateRaw } from '../../../src/core/bytes/deflate.ts'
import { IS_THOROUGH } from '../../support/thorough.ts'

const thorough = async (bytes: Uint8Array) => (await deflateThorough(bytes, bytes.length * 2 + 1000))!
const same = async (bytes: Uint8Array) => {
  const deflated = await thorough(bytes)
  expect(Buffer.compare(inflateRawSync(deflated), bytes)).toBe(0)
  expect(Buffer.compare(inflateRaw(deflated, Math.max(1, bytes.length)), bytes)).toBe(0)
  return deflated.length
}

/** Returns text like parts of documents: two kinds of text, one after the other. */
function markup(bytes: number): Uint8Array {
  let text = ''
  let seed = 7
  while (text.length < bytes) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    text +=
      text.length < bytes * 0.6
        ? `<w:r w:rsidR="00${(seed >>> 8).toString(16)}"><w:t>${'lorem ipsum dolor sit amet consetetur'.slice(seed >>> 28, 12 + (seed >>> 27))}</w:t></w:r>`
        : `${seed >>> 12},${seed >>> 20};`
  }
  return new TextEncoder().encode(text.slice(0, bytes))
}

describe('thorough deflate', () => {
  const LENGTHS = [1, 2, 3, 257, 258, 259, 5000, 32_768, 300_000]
  const MORE_LENGTHS = [70_000, 299_999, 305_000, 400_000]
  test.each(IS_THOROUGH ? [...LENGTHS, ...MORE_LENGTHS] : LENGTHS)('round trip of %i bytes', async (length) => {
    await same(new Uint8Array(length))
    await same(Uint8Array.from({ length }, (_, at) => Math.imul(at, 2654435761) >>> 24))
    await same(markup(length))
  })

  test('is smaller than level 12 if blocks differ', async () => {
    const bytes = markup(120_000)
    expect(await same(bytes)).toBeLessThan(deflateRaw(bytes).length * 0.997)
  })

  test('merges the blocks of a counter into one, which is smaller', async () => {
    const numbers = new DataView(new ArrayBuffer(64_000))
    for (let at = 0; at < numbers.byteLength; at += 4) numbers.setUint32(at, 0x6150 + at / 4)
    // Each match needs a literal of eight to nine bits, a length and an offset of one bit each. With 130 blocks, it would need 11.6 bits.
    expect(await same(new Uint8Array(numbers.buffer))).toBeLessThan((numbers.byteLength / 4) * (11.2 / 8))
  })

  test('returns undefined above the budget', async () => {
    const bytes = markup(20_000)
    const { length } = await thorough(bytes)
    expect((await deflateThorough(bytes, length + 16))?.length).toBe(length)
    expect(await deflateThorough(bytes, length - 1)).toBeUndefined()
    expect(await deflateThorough(bytes, 0)).toBeUndefined()
  })

  test('round trip of any bytes', async () => {
    const runs = fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 90 })), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(runs, async (pieces) => {
        const bytes = Buffer.concat(pieces.flatMap(([piece, times]) => Array.from({ length: times }, () => piece)))
        if (bytes.length > 0) await same(new Uint8Array(bytes))
      }),
      { numRuns: 60, seed: 11 },
    )
  })
})
