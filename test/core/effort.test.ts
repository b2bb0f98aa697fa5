/** Tests `effort`: `fast` is at most 10 % larger than `balanced`, `best` is never larger, and every effort keeps the order of levels. */
import { describe, expect, it } from 'vitest'
import { EFFORTS } from '../../src/core/catalog/effort.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'
import { type CompressOptions, compress } from '../../src/core/index.ts'
import type { Codec } from '../../src/core/model/codec.ts'
import { TargetUnreachable } from '../../src/core/model/error.ts'
import { memorySink } from '../../src/core/model/sink.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { openJob } from '../../src/core/pipeline/job.ts'
import { document, drawing } from '../support/office.ts'
import { jpegOf, photo, pngOf, zipOf } from '../support/packages.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const [WIDTH, HEIGHT] = [200, 150]

/** A smooth picture with grain, whose score depends on quality in the whole range. */
function grainy(): Uint8Array {
  const random = randomNumbers(3)
  return photo(WIDTH, HEIGHT).map((value) => Math.min(255, Math.max(0, value + 24 * (random() - 0.5))))
}

/** Prose-like text, which slower compressors make clearly smaller. */
function prose(words: number): Uint8Array {
  const random = randomNumbers(5)
  const syllables = ['ta', 'ri', 'mon', 'el', 'ver', 'a', 'sun', 'ko', 'ish', 'per']
  const word = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => syllables[Math.floor(random() * 10)]).join('')
  return new TextEncoder().encode(Array.from({ length: words }, word).join(' '))
}

const JPEG = await jpegOf(grainy(), WIDTH, HEIGHT)
const DOCUMENT = await zipOf(document(drawing('rId7', 6, 4.5), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': JPEG }))
const ARCHIVE = await zipOf({ 'a.txt': prose(5_000) })
const PNG = pngOf(grainy(), WIDTH, HEIGHT)

describe('effort', () => {
  it.each([
    ['a JPEG', JPEG, {}],
    ['a PNG', PNG, {}],
    ['a PNG at high', PNG, { quality: 'high' }],
    ['a PNG as WebP', PNG, { output: 'webp' }],
    ['a document', DOCUMENT, {}],
    ['an archive', ARCHIVE, {}],
    ['a text', prose(5_000), {}],
    ['a text as Brotli', prose(5_000), { output: 'br' }],
    ['a text as gzip', prose(5_000), { output: 'gz' }],
  ] as [string, Uint8Array, CompressOptions][])('of %s keeps its promises', async (_, file, options) => {
    const sizes: Record<string, number> = {}
    for (const effort of EFFORTS) {
      const { receipt } = await compress(file, { ...options, effort })
      expect(receipt.result.outcome).toBe('compressed')
      expect(receipt.result.ssim ?? 1).toBeGreaterThanOrEqual(0.9)
      sizes[effort] = receipt.compressed_size
    }
    const { fast = 0, balanced = 0, best = 0 } = sizes
    expect(fast).toBeLessThanOrEqual(1.1 * balanced)
    expect(best).toBeLessThanOrEqual(balanced)
    expect((await compress(file, options)).receipt.compressed_size).toBe(balanced)
  })

  it.each(EFFORTS)('%s keeps the order of levels', async (effort) => {
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const)
      sizes.push((await compress(JPEG, { quality, effort })).receipt.compressed_size)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('fast reaches a score that was asked for', async () => {
    const { receipt } = await compress(JPEG, { targetScore: 70, effort: 'fast' })
    expect(receipt.result.ssimulacra2).toBeGreaterThanOrEqual(70)
  })
})

/** A codec whose result has `sizes[effort]` bytes, as if a longer search had ended elsewhere. It counts its runs. */
function codecWith(sizes: { readonly balanced: number; readonly best: number }): Codec & { runs: number } {
  return {
    format: { ...FORMATS.data, hasEfforts: true },
    runs: 0,
    async compress(_source, sink, { effort }) {
      this.runs++
      await sink.write(new Uint8Array(effort === 'best' ? sizes.best : sizes.balanced))
      return { kind: 'compressed', steps: [] }
    },
    verify: async () => ({ equal: true }),
  }
}

describe('best', () => {
  it.each([
    [{ balanced: 50, best: 40 }, 40],
    [{ balanced: 50, best: 50 }, 50],
    [{ balanced: 40, best: 50 }, 40],
  ])('returns the smaller one of %o', async (sizes, expected) => {
    const source = memorySource(new Uint8Array(100), 'a.zip')
    const job = openJob(codecWith(sizes), source, {}, { effort: 'best', depth: 1 })
    const { result } = await job.whole(async () => memorySink(source.size, source.name))
    expect(result?.size).toBe(expected)
  })

  it('returns a result that fits a target size which the usual search misses', async () => {
    const source = memorySource(new Uint8Array(100), 'a.zip')
    const codec = codecWith({ balanced: 50, best: 40 })
    const fitting: Codec = {
      ...codec,
      compress: async (from, sink, options) => {
        if (options.effort !== 'best') throw new TargetUnreachable(50)
        return await codec.compress(from, sink, options)
      },
    }
    const job = openJob(fitting, source, {}, { effort: 'best', depth: 1 })
    expect((await job.whole(async () => memorySink(source.size, source.name))).result?.size).toBe(40)
  })

  it('runs once if the format does not depend on it', async () => {
    const codec = { ...codecWith({ balanced: 50, best: 50 }), format: FORMATS.gif }
    await openJob(codec, memorySource(new Uint8Array(100), 'a.gif'), {}, { effort: 'best' }).whole(async () => memorySink(100, 'a.gif'))
    expect(codec.runs).toBe(1)
  })
})
