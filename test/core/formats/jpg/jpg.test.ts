import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../../../src/core/catalog/floors.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { readHeader } from '../../../../src/core/formats/jpg/segments.ts'
import { fidelityOf, type Options, type Outcome, type Quality } from '../../../../src/core/model/codec.ts'
import { TargetUnreachable } from '../../../../src/core/model/error.ts'
import { lossOf, pixelLoss } from '../../../../src/core/model/loss.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { encodeRows, JpegJob, type RowsIn } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureLossOf, withFidelity } from '../../../support/fidelity.ts'
import { textsOf } from '../../../support/in-english.ts'
import { roundsOf } from '../../../support/thorough.ts'
import { photo } from './photo.ts'

const WIDTH = 420
const HEIGHT = 310

const options = (more: Partial<Options> = {}): Options => ({
  quality: 'medium',
  output: 'jpg',
  memoryBudget: 96 << 20,
  signal: new AbortController().signal,
  progress: () => undefined,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  ...more,
})

async function press(bytes: Uint8Array, more: Partial<Options> = {}) {
  const source = memorySource(bytes, 'photo.jpg')
  const pressed = await openJob(jpg, source, {}, options(more)).whole(async () => memorySink(bytes.length, 'photo.jpg'))
  const result = pressed.result ? await pressed.result.read(0, pressed.result.size) : bytes
  return { outcome: pressed.outcome, bytes: result, defect: 'defect' in pressed ? pressed.defect : undefined }
}

async function encoded(pixels: RowsIn['pixels'] = 'rgb', quality = 93, more: Partial<RowsIn> = {}) {
  const rows = photo(WIDTH, HEIGHT, pixels === 'gray' ? 1 : pixels === 'cmyk' ? 4 : 3)
  return concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels, quality, scans: 'sequential', ...more }, [rows])).chunks)
}

const segment = (marker: number, content: Uint8Array | string) => {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return concat([new Uint8Array([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]), body])
}

/** JPEG with additional segments after its SOI marker. */
const withSegments = (bytes: Uint8Array, ...segments: Uint8Array[]) => concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)])

describe('jpg codec', () => {
  it('reaches the target of every level, each level smaller than the one before', async () => {
    const bytes = await encoded()
    const sizes: number[] = []
    for (const [quality, ssim, psnrDb] of [
      ['high', 0.98, 38],
      ['medium', 0.96, 35],
      ['low', 0.93, 32],
    ] as const) {
      const { outcome, bytes: result } = await press(bytes, { quality })
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
      expect(pictureLossOf(outcome).ssim).toBeGreaterThan(ssim - 0.001)
      expect(pictureLossOf(outcome).psnrDb).toBeGreaterThan(psnrDb - 0.1)
      sizes.push(result.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
    expect(sizes[0]).toBeLessThan(bytes.length)
  })

  it.each(['gray', 'rgb', 'cmyk'] as const)('compresses %s, baseline and progressive', async (pixels) => {
    for (const scans of ['sequential', 'progressive'] as const) {
      const bytes = concat(
        (
          await encodeRows({ width: WIDTH, height: HEIGHT, pixels, quality: 94, scans }, [
            photo(WIDTH, HEIGHT, pixels === 'gray' ? 1 : pixels === 'cmyk' ? 4 : 3),
          ])
        ).chunks,
      )
      const { outcome, defect } = await press(bytes)
      expect(defect).toBeUndefined()
      expect(outcome.kind).toBe('compressed')
    }
  })

  it('keeps every segment byte for byte', async () => {
    const exif = segment(0xe1, 'Exif\0\0MM\0*\0\0\0\x08\0\0')
    const segments = [
      exif,
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>'),
      segment(0xe2, 'ICC_PROFILE\0\x01\x01profile'),
      segment(0xed, 'Photoshop 3.0\x008BIM'),
      segment(0xfe, 'a comment'),
    ]
    const bytes = withSegments(await encoded(), ...segments)
    const { bytes: result } = await press(bytes, { quality: 'low' })
    const header = await readHeader(memorySource(result, ''), options())
    expect(header.segments.map((kept) => kept.bytes)).toEqual([...segments, header.segments.at(-1)?.bytes])
  })

  it('keeps segments between scans, or the whole file if moving them would change their meaning', async () => {
    const rows = photo(WIDTH, HEIGHT, 3)
    const coded = await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 93, scans: 'progressive' }, [rows])
    const plain = concat(coded.chunks)
    const scans: number[] = []
    for (let at = 2; at + 1 < plain.length; at++) if (plain[at] === 0xff && plain[at + 1] === 0xda) scans.push(at)
    const between = (at: number, ...segments: Uint8Array[]) => concat([plain.subarray(0, at), ...segments, plain.subarray(at)])
    const comment = segment(0xfe, 'between the scans')
    const own = segment(0xea, new Uint8Array(40_000).fill(3))
    // Insert segments before the tables of a scan and directly before EOI.
    const table = plain.lastIndexOf(0xc4, scans.at(-1)) - 1
    for (const file of [between(table, comment, own), between(plain.length - 2, comment, own)]) {
      for (const lossless of [false, true]) {
        const { outcome, bytes, defect } = await press(file, { lossless })
        expect(defect).toBeUndefined()
        if (outcome.kind !== 'compressed') continue
        expect(textsOf(outcome.steps).join()).toContain('2 segments between scans')
        const kept = (await readHeader(memorySource(bytes, ''), options())).segments.slice(-2).map((found) => found.bytes)
        expect(kept).toEqual([comment, own])
      }
      expect((await press(file)).outcome.kind).toBe('compressed')
    }
    const { outcome } = await press(between(table, segment(0xee, 'Adobe\0\x64\0\0\0\0\0')))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('keeps bytes after the picture', async () => {
    const tail = new TextEncoder().encode('MotionPhoto: a film would stand here')
    const bytes = concat([await encoded(), tail])
    const { outcome, bytes: result } = await press(bytes)
    expect(outcome.kind).toBe('compressed')
    expect(result.subarray(result.length - tail.length)).toEqual(tail)
  })

  it('updates a multi-picture index, and leaves files with a wrong index unchanged', async () => {
    const first = await encoded()
    const second = await encoded('gray', 80)
    const file = (lie: number) => {
      const index = new Uint8Array(4 + 8 + 2 + 12 + 4 + 32)
      index.set(new TextEncoder().encode('MPF\0MM\0*'))
      const view = new DataView(index.buffer)
      view.setUint32(8, 8) // offset of the first IFD
      view.setUint16(12, 1)
      view.setUint16(14, 0xb002)
      view.setUint16(16, 7)
      view.setUint32(18, 32)
      view.setUint32(22, 26) // offset of the entries, from the TIFF header
      const headBytes = 4 + index.length
      view.setUint32(30 + 4, first.length + headBytes)
      view.setUint32(30 + 16 + 4, second.length)
      view.setUint32(30 + 16 + 8, first.length + headBytes - (2 + 4 + 4) + lie)
      return concat([withSegments(first, segment(0xe2, index)), second])
    }
    const { outcome, bytes: result } = await press(file(0))
    expect(outcome.kind).toBe('compressed')
    const moved = (await readHeader(memorySource(result, ''), options())).segments[0]
    const view = new DataView((moved?.bytes ?? new Uint8Array(80)).slice().buffer)
    const at = (moved?.offset ?? 0) + 8 + view.getUint32(4 + 30 + 16 + 8)
    expect(result.subarray(at)).toEqual(second)
    expect(view.getUint32(4 + 30 + 4)).toBe(result.length - second.length)
    expect((await press(file(99999))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('only recodes losslessly on request', async () => {
    const bytes = await encoded('rgb', 80)
    const { outcome, bytes: result } = await press(bytes, { lossless: true })
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect((await JpegJob.read(result, { kind: 'hash' })).digest()).toBe((await JpegJob.read(bytes, { kind: 'hash' })).digest())
  })

  it('prefers lossless recoding if a lossy result saves almost nothing', async () => {
    const once = (await press(await encoded(), { quality: 'high' })).bytes
    const twice = await press(once, { quality: 'high' })
    expect(twice.bytes.length).toBeLessThanOrEqual(once.length)
    if (fidelityOf(twice.outcome) === 'perceptual') expect(twice.bytes.length).toBeLessThan(once.length * 0.95)
  })

  it('only recodes very coarse pictures, and ignores metadata in that decision', async () => {
    const coarse = await press(await encoded('rgb', 3))
    expect(withFidelity(coarse.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const noise = Uint8Array.from({ length: 60_000 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 24)
    const plain = await encoded()
    const heavy = withSegments(plain, ...Array.from({ length: 12 }, () => segment(0xeb, noise)))
    const { outcome, bytes } = await press(heavy)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(heavy.length - bytes.length).toBe(plain.length - (await press(plain)).bytes.length)
  })

  it('meets a target size or reports the smallest possible size', async () => {
    const bytes = await encoded()
    const least = (await press(bytes, { quality: 'low' })).bytes.length
    // Without share 0.7: sizes fall by a fifth at once where all steps reach twice those of the source.
    for (const share of [0.6, 0.45]) {
      const targetSize = Math.round(bytes.length * share)
      if (targetSize < least) continue
      const { outcome, bytes: result } = await press(bytes, { targetSize })
      expect(outcome).toMatchObject({ kind: 'compressed' })
      expect(result.length).toBeLessThanOrEqual(targetSize)
      expect(result.length).toBeGreaterThan(targetSize * 0.9)
    }
    const refusal = await press(bytes, { targetSize: 900 }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(TargetUnreachable)
    if (!(refusal instanceof TargetUnreachable)) return
    expect((await press(bytes, { targetSize: refusal.bestSize })).bytes.length).toBeLessThanOrEqual(refusal.bestSize)
  })

  it('keeps full chroma if the target size allows it', async () => {
    const bytes = await encoded('rgb', 97, { subsampled: false })
    const steps = async (share: number) => {
      const { outcome } = await press(bytes, { targetSize: Math.round(bytes.length * share) })
      return outcome.kind === 'compressed' ? textsOf(outcome.steps).join() : outcome.reason
    }
    expect(await steps(0.75)).toMatch(/^requantised/)
    expect(await steps(0.1)).toMatch(/^chroma subsampled/)
  })

  it('downsamples for a document', async () => {
    const bytes = await encoded('rgb', 93, { subsampled: false })
    const { outcome, bytes: result, defect } = await press(bytes, { fitWithin: { width: 200, height: 200 } })
    expect(defect).toBeUndefined()
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(await readHeader(memorySource(result, ''), options())).toMatchObject({ width: 200, height: 148 })
    const cmyk = await press(await encoded('cmyk'), { fitWithin: { width: 150, height: 150 } })
    expect(cmyk.outcome.kind).toBe('compressed')
    expect(await readHeader(memorySource(cmyk.bytes, ''), options())).toMatchObject({ width: 150, components: 4 })
  })

  it('verification detects another picture, a lost segment and a truncated file', async () => {
    const original = memorySource(withSegments(await encoded(), segment(0xfe, 'note')), 'a.jpg')
    const outcome: Outcome = { kind: 'compressed', ...lossOf(pixelLoss({ ssim: 1, psnrDb: 99 })), steps: [] }
    const check = async (bytes: Uint8Array) => jpg.verify(original, memorySource(bytes, 'b.jpg'), outcome, options())
    const other = concat(
      (await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 93 }, [photo(WIDTH, HEIGHT, 3, 7).reverse()])).chunks,
    )
    expect(await check(withSegments(other, segment(0xfe, 'note')))).toMatchObject({ equal: false })
    expect(await check(await encoded())).toMatchObject({ equal: false })
    expect(await check(withSegments(await encoded(), segment(0xfe, 'note')))).toMatchObject({ equal: true })
    await expect(check(withSegments((await encoded()).subarray(0, 4000), segment(0xfe, 'note')))).rejects.toThrow(/ends/)
  })
})

describe('jpg codec, scored rows as evidence', () => {
  /** Source that counts how often it is read from its first byte. */
  const counted = (bytes: Uint8Array) => {
    const source = memorySource(bytes, 'a.jpg')
    let readings = 0
    const read = (offset: number, length: number) => {
      if (offset === 0 && length > HEADER_BYTES) readings++
      return source.read(offset, length)
    }
    const stream: typeof source.stream = (...range) => {
      readings++
      return source.stream(...range)
    }
    return { source: { ...source, size: source.size, name: source.name, read, stream }, readings: () => readings }
  }
  const HEADER_BYTES = 64

  async function made(bytes: Uint8Array) {
    const sink = memorySink(bytes.length, 'a.jpg')
    const { evidence, ...outcome } = await jpg.compress(memorySource(bytes, 'a.jpg'), sink, options())
    return { evidence, outcome, bytes: sink.bytes() }
  }

  it('reuses the score of known samples, equal to a new comparison', async () => {
    const bytes = await encoded()
    const { evidence, outcome, bytes: result } = await made(bytes)
    const verified = async (...more: [unknown?]) => {
      const { source, readings } = counted(bytes)
      const verdict = await jpg.verify(source, memorySource(result, 'b.jpg'), outcome, options(), ...more)
      return { verdict, readings: readings() }
    }
    const [known, unknown] = [await verified(evidence), await verified()]
    expect(known.verdict).toMatchObject({ equal: true })
    expect(unknown.verdict).toMatchObject({ equal: true })
    if (!known.verdict.equal || !unknown.verdict.equal) throw new Error('not verified')
    expect(known.verdict.ssimulacra2).toBeCloseTo(unknown.verdict.ssimulacra2 ?? Number.NaN, 5)
    expect(known.readings).toBeLessThan(unknown.readings)
  })

  // small-score: in small pictures, searches and receipts must use the same weights for missing scales.
  it('scores small pictures as in receipts', async () => {
    for (const [width, height] of [
      [100, 76],
      [136, 66],
      [140, 128],
    ] as const) {
      const bytes = concat((await encodeRows({ width, height, pixels: 'rgb', quality: 95 }, [photo(width, height, 3)])).chunks)
      const { evidence, outcome, bytes: result } = await made(bytes)
      const verified = (...more: [unknown?]) =>
        jpg.verify(memorySource(bytes, 'a.jpg'), memorySource(result, 'b.jpg'), outcome, options(), ...more)
      const [known, unknown] = [await verified(evidence), await verified()]
      if (!known.equal || !unknown.equal) throw new Error('not verified')
      expect(known.ssimulacra2).toBeCloseTo(unknown.ssimulacra2 ?? Number.NaN, 5)
    }
  })

  it('ignores evidence of other samples', async () => {
    const bytes = await encoded()
    const { evidence, outcome } = await made(bytes)
    const check = (result: Uint8Array) =>
      jpg.verify(memorySource(bytes, 'a.jpg'), memorySource(result, 'b.jpg'), outcome, options(), evidence)
    const other = photo(WIDTH, HEIGHT, 3, 7).reverse()
    const swapped = concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 80 }, [other])).chunks)
    expect(await check(swapped)).toMatchObject({ equal: false })
    // Another quality of the same picture is compared in full and gets its own score.
    const coarser = concat(
      (await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 60 }, [photo(WIDTH, HEIGHT, 3)])).chunks,
    )
    const verdict = await check(coarser)
    const fresh = await jpg.verify(memorySource(bytes, 'a.jpg'), memorySource(coarser, 'b.jpg'), outcome, options())
    expect(verdict).toEqual(fresh)
  })
})

describe('jpg codec, invalid input', () => {
  it('reports unsupported features', async () => {
    const bytes = await encoded()
    const frame = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc0)
    const bent = (at: number, ...values: number[]) => {
      const copy = bytes.slice()
      copy.set(values, frame + at)
      return copy
    }
    expect((await press(bent(1, 0xc3))).outcome).toMatchObject({ reason: 'unsupported_feature' })
    expect((await press(bent(1, 0xc9))).outcome).toMatchObject({ reason: 'unsupported_feature' })
    expect((await press(bent(4, 12))).outcome).toMatchObject({ reason: 'unsupported_feature' })
    // duplicate-component-ids: the third component has the identifier of the first.
    expect((await press(bent(16, 1))).outcome).toMatchObject({ reason: 'unsupported_feature' })
    expect((await press(bent(5, 0xff, 0xff, 0xff, 0xff))).outcome).toMatchObject({ reason: 'over_budget' })
    expect((await press(bent(5, 0x10, 0))).outcome).toMatchObject({ reason: 'malformed' })
  })

  it('rejects more scans than a picture can have', async () => {
    const job = await JpegJob.read(await encoded('gray', 60))
    const bytes = concat(job.write('read', 'progressive', true))
    const scan = bytes.lastIndexOf(0xda) - 1
    const repeated = concat([bytes.subarray(0, -2), ...Array.from({ length: 300 }, () => bytes.subarray(scan, -2)), bytes.subarray(-2)])
    expect((await press(repeated)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('rejects a huge picture of many empty scans', { timeout: 60_000 }, async () => {
    const side = 8192
    const rows = new Uint8Array(side * 64).fill(90)
    const rowInput = JpegJob.fromRows({ width: side, height: side, pixels: 'gray' }, { kind: 'stream', quality: 50, trellis: false })
    for (let row = 0; row < side; row += 64) rowInput.write(rows)
    const bytes = concat(rowInput.end().write('made', 'progressive', true))
    const scan = bytes.lastIndexOf(0xda) - 1
    const repeated = concat([bytes.subarray(0, -2), ...Array.from({ length: 100 }, () => bytes.subarray(scan, -2)), bytes.subarray(-2)])
    expect((await press(repeated)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('survives any damage and compresses the next file', async () => {
    const good = await encoded('rgb', 85)
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
        const bytes = cut ? good.slice(0, at) : good.slice()
        if (!cut) bytes[at] = value
        if (bytes.length < 3) return
        const { outcome, bytes: result } = await press(bytes, { quality: 'low' })
        expect(result.length).toBeLessThanOrEqual(bytes.length)
        if (cut) expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
        else if (fidelityOf(outcome) === 'perceptual') {
          expect(pictureLossOf(outcome).ssim).toBeGreaterThanOrEqual(FLOOR_SSIM)
          expect(pictureLossOf(outcome).psnrDb).toBeGreaterThanOrEqual(FLOOR_PSNR_DB)
        }
      }),
      { numRuns: roundsOf(25), seed: 7 },
    )
    expect((await press(good, { quality: 'low' as Quality })).outcome.kind).toBe('compressed')
  })
})
