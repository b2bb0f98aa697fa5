import { describe, expect, it } from 'vitest'
import { concat } from '../../src/bytes/concat.ts'
import type { Codec, Options } from '../../src/codec/codec.ts'
import { memorySink } from '../../src/codec/sink.ts'
import { memorySource, readAll } from '../../src/codec/source.ts'
import { jpg } from '../../src/formats/jpg/jpg.ts'
import { compress } from '../../src/pipeline/compress.ts'
import { SimilarityMeter } from '../../src/quality/metrics.ts'
import { encodeRows, JpegRows } from '../../wasm/jpeg/jpeg.ts'
import { decodeWebp } from '../../wasm/webp/webp.ts'
import { pictureLossOf } from '../support/fidelity.ts'

const [WIDTH, HEIGHT] = [120, 90]
/** Lines one pixel wide of pure colours, as drawing programs and maps have them. */
const LINES = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
  const [x, y, c] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH), i % 3]
  if ((x * 3 + y * 7) % 23 === 0) return c === 0 ? 255 : 0
  if ((x * 5 - y * 2) % 29 === 0) return c === 2 ? 255 : 0
  return 255
})

const withoutAlpha = (rgba: Uint8Array) => rgba.filter((_, i) => i % 4 !== 3)
async function jpegRows(bytes: Uint8Array): Promise<Uint8Array> {
  using rows = await JpegRows.open(bytes, { colour: 'rgb' })
  return (await rows.read(HEIGHT))!
}

async function converted(codec: Codec, file: Uint8Array, output: 'webp' | 'avif') {
  const source = memorySource(file, 'picture')
  const options = {
    quality: 'medium',
    output,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  } satisfies Options as Options
  const { outcome, result } = await compress(codec, source, async () => memorySink(source.size, 'x'), options)
  return { outcome, bytes: result && (await readAll(result)) }
}

describe('conversions as readers show them', () => {
  it('faint lines of many colours as WebP: figures are those of the RGB that comes out', async () => {
    const lines = LINES.map((value) => (value ? 235 : 135))
    const input = { width: WIDTH, height: HEIGHT, pixels: 'rgb', subsampled: false, quality: 95, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [lines])).chunks)
    const { outcome, bytes } = await converted(jpg, file, 'webp')
    const claim = pictureLossOf(outcome)
    if (!bytes) throw new Error('no file')
    using meter = new SimilarityMeter(WIDTH, HEIGHT, 3)
    meter.push(await jpegRows(file), withoutAlpha(decodeWebp(bytes, WIDTH, HEIGHT)!))
    const found = meter.finish()
    expect(claim.ssim).toBeLessThanOrEqual(found.ssim + 0.001)
    expect(claim.psnrDb).toBeLessThanOrEqual(found.psnrDb + 0.1)
    expect(found.psnrRgbDb).toBeGreaterThan(25)
  })

  it('a picture whose colours alternate from pixel to pixel is not made grey', async () => {
    const rows = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
      const [x, y, c] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH), i % 3]
      return (x + y) % 2 === 0 ? [200, 20, 120][c]! : [20, 112, 90][c]!
    })
    const input = { width: WIDTH, height: HEIGHT, pixels: 'rgb', subsampled: false, quality: 95, scans: 'sequential' } as const
    const file = concat((await encodeRows(input, [rows])).chunks)
    for (const output of ['webp', 'avif'] as const)
      expect((await converted(jpg, file, output)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})
