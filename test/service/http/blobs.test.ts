import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { r2Sink, r2Source, sha256OfBlob } from '../../../src/service/store/blobs.ts'
import { BlockCache } from '../../../src/service/store/blocks.ts'

const noise = (bytes: number) => Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255)

describe('blobs', () => {
  it('answers parallel small reads of a file with more blocks than the cache holds', async () => {
    const bytes = noise(4_500_000)
    await env.BLOBS.put('reads', bytes)
    const source = r2Source(env.BLOBS, 'reads', bytes.length, 'reads')
    const places = Array.from({ length: 300 }, (_, i) => ({ offset: (i * 1_234_567) % bytes.length, length: 1 + ((i * 7919) % 200_000) }))
    const read = await Promise.all(places.map(({ offset, length }) => source.read(offset, length)))
    read.forEach((found, i) => {
      const { offset, length } = places[i]!
      expect(Buffer.compare(found, bytes.subarray(offset, offset + length)), `read ${i}`).toBe(0)
    })
  })

  it('stores writes of any size, with a patch at the start', async () => {
    const bytes = noise(12_000_000)
    const sink = r2Sink(env.BLOBS, 'written', Number.POSITIVE_INFINITY, 'written')
    for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 3) % 1_000_003) await sink.write(bytes.slice(at, at + step))
    sink.patch(3, bytes.subarray(100, 108))
    bytes.copyWithin(3, 100, 108)
    const stored = await sink.finish()
    expect(stored.size).toBe(bytes.length)
    expect(Buffer.compare(new Uint8Array(await new Response(stored.stream()).arrayBuffer()), bytes)).toBe(0)
  })

  it('stores the same bytes without retaining the first part, which then cannot be patched', async () => {
    for (const size of [0, 1000, 5 * 1024 * 1024, 12_000_000]) {
      const sink = r2Sink(env.BLOBS, 'plain', Number.POSITIVE_INFINITY, 'plain', { patchable: false })
      const bytes = noise(size)
      for (let at = 0; at < size; at += 700_001) await sink.write(bytes.slice(at, at + 700_001))
      expect(() => sink.patch(0, Uint8Array.of(1))).toThrow()
      const stored = await sink.finish()
      expect(stored.size).toBe(size)
      expect(Buffer.compare(new Uint8Array(await new Response(stored.stream()).arrayBuffer()), bytes)).toBe(0)
    }
  })

  it('starts over after a rejected attempt', async () => {
    const sink = r2Sink(env.BLOBS, 'again', Number.POSITIVE_INFINITY, 'again', { patchable: false })
    for (let i = 0; i < 12; i++) await sink.write(noise(1_000_000))
    await sink.abort()
    expect(sink.written).toBe(0)
    const bytes = noise(7_000_000).reverse()
    for (let at = 0; at < bytes.length; at += 1_000_000) await sink.write(bytes.slice(at, at + 1_000_000))
    const stored = await sink.finish()
    expect(stored.size).toBe(bytes.length)
    expect(Buffer.compare(new Uint8Array(await new Response(stored.stream()).arrayBuffer()), bytes)).toBe(0)
  })

  it('hashes stored blobs of any length', async () => {
    for (const size of [0, 1, 262_144, 262_145, 3_000_000]) {
      const bytes = noise(size)
      await env.BLOBS.put('hashed', bytes)
      expect(await sha256OfBlob(env.BLOBS, 'hashed')).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
    await expect(sha256OfBlob(env.BLOBS, 'nothing')).rejects.toThrow()
  })

  it('shares one block cache between sources without mixing their blocks', async () => {
    const parts = Array.from({ length: 20 }, (_, i) => noise(300_000).fill(i, 0, 8))
    for (const [i, part] of parts.entries()) await env.BLOBS.put(`shared/${i}`, part)
    const fetched: Uint8Array[] = []
    const bucket = {
      get: async (key: string, options: R2GetOptions) => {
        const bytes = new Uint8Array(await (await env.BLOBS.get(key, options))!.arrayBuffer())
        fetched.push(bytes)
        return { arrayBuffer: async () => bytes.buffer }
      },
    } as unknown as R2Bucket
    {
      using blocks = new BlockCache()
      const sources = parts.map((part, i) => r2Source(bucket, `shared/${i}`, part.length, 'part', blocks))
      for (const [i, source] of sources.entries()) expect((await source.read(0, 8)).slice()).toEqual(new Uint8Array(8).fill(i))
      // Blocks of 300 kB in a cache of 2 MB.
      expect(fetched.filter(({ length }) => length > 0)).toHaveLength(6)
      await env.BLOBS.put('shared/19', new Uint8Array(300_000).fill(77))
      const again = r2Source(bucket, 'shared/19', 300_000, 'part', blocks)
      expect((await again.read(4, 1)).slice()).toEqual(Uint8Array.of(77))
    }
    await Promise.resolve()
    expect(fetched.filter(({ length }) => length > 0)).toHaveLength(0)
  })

  it('grows sequential reads, and reads a small object at once', async () => {
    const bytes = noise(9_000_000)
    await env.BLOBS.put('windows', bytes)
    const asked: R2Range[] = []
    const bucket = {
      get: (key: string, options: { range: R2Range }) => {
        asked.push(options.range)
        return env.BLOBS.get(key, options)
      },
    } as unknown as R2Bucket
    const forwards = r2Source(bucket, 'windows', bytes.length, 'windows', new BlockCache(4 * 1024 * 1024))
    for (let at = 0; at < bytes.length; at += 100_000) {
      // Simulates a parser that returns to an index at the end of the file.
      await forwards.read(8_900_000, 1000)
      expect(Buffer.compare(await forwards.read(at, 100_000), bytes.subarray(at, at + 100_000))).toBe(0)
    }
    expect(asked.length).toBeLessThan(14)
    asked.length = 0
    const small = r2Source(bucket, 'windows', bytes.length, 'windows', new BlockCache(27_000_000))
    for (let at = bytes.length - 9; at > 0; at -= 700_000) {
      expect(Buffer.compare(await small.read(at, 9), bytes.subarray(at, at + 9))).toBe(0)
    }
    expect(asked).toEqual([{ offset: 0, length: bytes.length }])
  })

  it('releases large chunks after copying them', async () => {
    const sink = r2Sink(env.BLOBS, 'freed', Number.POSITIVE_INFINITY, 'freed')
    const [large, small] = [noise(100_000), noise(1000)]
    await sink.write(large)
    await sink.write(small)
    expect([sink.written, large.length, small.length]).toEqual([101_000, 0, 1000])
    expect((await (await sink.finish()).read(99_999, 2)).slice()).toEqual(Uint8Array.of(noise(100_000)[99_999]!, noise(1)[0]!))
  })
})
