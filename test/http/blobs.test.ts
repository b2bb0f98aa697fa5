import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { r2Sink, r2Source } from '../../src/store/blobs.ts'

const noise = (bytes: number) => Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255)

describe('blobs', () => {
  it('answers many small reads at once, all over a file of more blocks than are kept', async () => {
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

  it('stores what was written in pieces of any size, patched at the start', async () => {
    const bytes = noise(12_000_000)
    const sink = r2Sink(env.BLOBS, 'written', Number.POSITIVE_INFINITY, 'written')
    for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 3) % 1_000_003) await sink.write(bytes.slice(at, at + step))
    sink.patch(3, bytes.subarray(100, 108))
    bytes.copyWithin(3, 100, 108)
    const stored = await sink.finish()
    expect(stored.size).toBe(bytes.length)
    expect(Buffer.compare(new Uint8Array(await new Response(stored.stream()).arrayBuffer()), bytes)).toBe(0)
  })

  it('frees large chunks as soon as they are copied', async () => {
    const sink = r2Sink(env.BLOBS, 'freed', Number.POSITIVE_INFINITY, 'freed')
    const [large, small] = [noise(100_000), noise(1000)]
    await sink.write(large)
    await sink.write(small)
    expect([sink.written, large.length, small.length]).toEqual([101_000, 0, 1000])
    expect((await (await sink.finish()).read(99_999, 2)).slice()).toEqual(Uint8Array.of(noise(100_000)[99_999]!, noise(1)[0]!))
  })
})
