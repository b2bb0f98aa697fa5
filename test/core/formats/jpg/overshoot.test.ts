import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { encodeRows, JpegJob, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { psnrDb } from './photo.ts'

const SIDE = 256

/** Rings and strokes: 1 in the middle, soft at the edges, 0 on the ground. */
function ink(x: number, y: number): number {
  const stroke = (distance: number) => Math.max(0, Math.min(1, 1.7 - Math.abs(distance)))
  const ring = stroke((Math.hypot((x % 32) - 15.5, (y % 32) - 15.5) - 9) * 0.9)
  return Math.max(ring, stroke(((x * 3 + y) % 61) - 30), stroke((y % 43) - 21))
}

const drawn = (ground: number, inked: number) =>
  Uint8Array.from({ length: SIDE * SIDE }, (_, i) => Math.round(ground + (inked - ground) * ink(i % SIDE, Math.floor(i / SIDE))))

async function shown(file: Uint8Array): Promise<Uint8Array> {
  const rows = await (await JpegRows.open(file)).read(SIDE)
  if (!rows) throw new Error('no rows')
  return rows
}

async function made(pixels: Uint8Array, quality: number) {
  const file = concat((await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality, scans: 'sequential' }, [pixels])).chunks)
  return { file, psnrDb: psnrDb(pixels, await shown(file)) }
}

/** Samples before clamping, around 0: decoded from the file with its quantisation steps divided by 3, so that nothing is clamped. */
async function unclamped(file: Uint8Array): Promise<number[]> {
  const gentler = file.slice()
  const table = gentler.findIndex((byte, at) => byte === 0xff && gentler[at + 1] === 0xdb) + 5
  for (let at = table; at < table + 64; at++) gentler[at] = Math.round((gentler[at] ?? 0) / 3)
  return [...(await shown(gentler))].map((sample) => 3 * (sample - 128))
}

describe('samples beyond white and black', () => {
  it.each([
    ['white', [255, 55], [235, 35]],
    ['black', [0, 200], [20, 220]],
  ] as const)('strokes on %s have a smaller error in fewer bytes than on grey', async (_, atTheEnd, within) => {
    for (const [quality, lower] of [
      [50, 46],
      [75, 73],
    ] as const) {
      const [one, other] = [await made(drawn(atTheEnd[0], atTheEnd[1]), lower), await made(drawn(within[0], within[1]), quality)]
      expect(one.file.length).toBeLessThan(other.file.length)
      expect(one.psnrDb).toBeGreaterThan(other.psnrDb + 2)
    }
  })

  it('recompressing a file also has a smaller error', async () => {
    const [white, grey] = [(await made(drawn(255, 55), 90)).file, (await made(drawn(235, 35), 90)).file]
    const again = async (file: Uint8Array) => {
      using job = await JpegJob.read(file)
      return await job.requantise(50)
    }
    expect((await again(white)).psnrDb).toBeGreaterThan((await again(grey)).psnrDb + 2)
  })

  it('has no effect on blocks without black or white', async () => {
    const { file } = await made(drawn(220, 30), 60)
    expect(createHash('sha256').update(file).digest('hex').slice(0, 16)).toBe('99e7313baa01705e')
  })

  it.each([25, 40, 60])('does not overflow fast decoders at quality %i', async (quality) => {
    const discs = Uint8Array.from({ length: SIDE * SIDE }, (_, i) =>
      Math.hypot(((i % SIDE) % 37) - 18, ((i >> 8) % 37) - 18) < 13 ? 0 : 255,
    )
    const { file } = await made(discs, quality)
    const samples = await unclamped(file)
    let most = 0
    for (let at = 0; at < samples.length; at += 8) {
      const difference = (k: number) => (samples[at + k] ?? 0) - (samples[at + 7 - k] ?? 0)
      // z10 + z12 in libjpeg's jidctfst.c, which has 13 bits
      most = Math.max(most, Math.abs(0.1353 * (difference(0) + difference(1)) + 0.3266 * (difference(2) + difference(3))))
    }
    expect(most).toBeLessThan(262)
  })
})
