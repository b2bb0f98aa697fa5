import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bmp } from '../../../src/core/formats/bmp/bmp.ts'
import { readHeader } from '../../../src/core/formats/bmp/header.ts'
import { openPixels, rgbRows } from '../../../src/core/formats/bmp/pixels.ts'
import { encodeRle4, encodeRle8, rleBytes, rleRowStarts, rleRows } from '../../../src/core/formats/bmp/rle.ts'
import type { Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { pictureLossOf, withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'

const base = {
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  output: 'bmp' as const,
  quality: 'high' as Quality,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
}
const run = async (bytes: Uint8Array, quality: Quality, more: object = {}) => {
  const source = memorySource(bytes, 'test.bmp')
  const pressed = await openJob(bmp, source, {}, { ...base, quality, ...more } as never).whole(async () =>
    memorySink(source.size, source.name),
  )
  return { ...pressed, bytes: pressed.result ? await readAll(pressed.result) : undefined }
}

interface Made {
  width: number
  height: number
  bits: number
  dibBytes?: number
  compression?: number
  masks?: number[]
  palette?: number[]
  rows: Uint8Array // stored rows with padding
  topDown?: boolean
}

function bmpOf({ width, height, bits, dibBytes = 40, compression = 0, masks = [], palette = [], rows, topDown = false }: Made): Uint8Array {
  const entry = dibBytes === 12 ? 3 : 4
  const outside = dibBytes === 40 ? masks.length * 4 : 0
  const pixelsAt = 14 + dibBytes + outside + (palette.length / 3) * entry
  const out = new Uint8Array(pixelsAt + rows.length)
  const view = new DataView(out.buffer)
  out.set([0x42, 0x4d])
  view.setUint32(2, out.length, true)
  view.setUint32(10, pixelsAt, true)
  view.setUint32(14, dibBytes, true)
  if (dibBytes === 12) {
    view.setUint16(18, width, true)
    view.setUint16(20, height, true)
    view.setUint16(22, 1, true)
    view.setUint16(24, bits, true)
  } else {
    view.setInt32(18, width, true)
    view.setInt32(22, topDown ? -height : height, true)
    view.setUint16(26, 1, true)
    view.setUint16(28, bits, true)
    view.setUint32(30, compression, true)
    view.setInt32(38, 2835, true)
    view.setInt32(42, 2835, true)
    view.setUint32(46, palette.length / 3, true)
  }
  masks.forEach((mask, i) => {
    view.setUint32(54 + 4 * i, mask, true)
  })
  for (let i = 0; i * 3 < palette.length; i++)
    for (let c = 0; c < 3; c++) out[14 + dibBytes + outside + entry * i + c] = palette[3 * i + 2 - c] ?? 0
  out.set(rows, pixelsAt)
  return out
}

async function pixelsOf(bytes: Uint8Array): Promise<number[][]> {
  const source = memorySource(bytes, 'x.bmp')
  const pixels = await openPixels(source, await readHeader(source), base as never)
  const rows: number[][] = []
  for await (const row of rgbRows(pixels, 'top-down')) rows.push([...row])
  return rows
}

const stride = (width: number, bits: number) => Math.ceil((width * bits) / 32) * 4
const photo = (width: number, height: number) => {
  const rows = new Uint8Array(stride(width, 24) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++)
        rows[y * stride(width, 24) + 3 * x + c] =
          128 + 60 * Math.sin((x + 20 * c) / 17) + 50 * Math.cos(y / 13) + (((x * 73 + y * 151 + c * 31) * 2654435761) >>> 30)
  return rows
}

function runsOf(encode: (row: Uint8Array, out: Uint8Array) => number, row: readonly number[]): Uint8Array {
  const out = new Uint8Array(rleBytes(row.length))
  return out.subarray(0, encode(Uint8Array.from(row), out))
}

describe('BMP', () => {
  it('decodes the same picture from every BMP form', async () => {
    const palette = [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255]
    const index = [0, 1, 1, 3, 2, 2, 0] // one row of seven pixels
    const rgb = index.flatMap((i) => palette.slice(3 * i, 3 * i + 3))
    const padded = (row: number[], bits: number) => Uint8Array.from({ length: stride(7, bits) }, (_, i) => row[i] ?? 0)
    const pack4 = [0x01, 0x13, 0x22, 0x00]
    const bgr = index.flatMap((i) => palette.slice(3 * i, 3 * i + 3).reverse())
    const bgrx = index.flatMap((i) => [...palette.slice(3 * i, 3 * i + 3).reverse(), 0])
    const word565 = index.flatMap((i) => {
      const [r = 0, g = 0, b = 0] = palette.slice(3 * i, 3 * i + 3)
      const v = ((r >> 3) << 11) | ((g >> 2) << 5) | (b >> 3)
      return [v & 255, v >> 8]
    })
    const files: Made[] = [
      { width: 7, height: 1, bits: 8, palette, rows: padded(index, 8) },
      { width: 7, height: 1, bits: 8, palette, rows: padded(index, 8), dibBytes: 12 },
      { width: 7, height: 1, bits: 8, palette, rows: padded(index, 8), dibBytes: 64 },
      { width: 7, height: 1, bits: 4, palette, rows: padded(pack4, 4), dibBytes: 108 },
      { width: 7, height: 1, bits: 8, palette, rows: Uint8Array.from([...runsOf(encodeRle8, index), 0, 1]), compression: 1 },
      { width: 7, height: 1, bits: 4, palette, rows: Uint8Array.from([...runsOf(encodeRle4, index), 0, 1]), compression: 2 },
      { width: 7, height: 1, bits: 24, rows: padded(bgr, 24), topDown: true },
      { width: 7, height: 1, bits: 32, rows: padded(bgrx, 32), dibBytes: 124 },
      { width: 7, height: 1, bits: 16, rows: padded(word565, 16), compression: 3, masks: [0xf800, 0x7e0, 0x1f] },
    ]
    for (const file of files) expect(await pixelsOf(bmpOf(file))).toEqual([rgb])
  })

  it('decodes what it encodes as run lengths', async () => {
    const rows = fc.array(fc.oneof(fc.constant(1), fc.constant(1), fc.nat(15)), { minLength: 1, maxLength: 700 })
    await fc.assert(
      fc.asyncProperty(rows, async (row) => {
        for (const [encode, coding] of [
          [encodeRle8, 'rle8'],
          [encodeRle4, 'rle4'],
        ] as const) {
          const turned = [...row].reverse()
          const data = Uint8Array.from([...runsOf(encode, row), ...runsOf(encode, turned), 0, 1])
          const header = { width: row.length, height: 2, coding, pixelsAt: 0 } as never
          const source = memorySource(data, 'x')
          const starts = await rleRowStarts(source, header)
          for (const fromBottom of [true, false]) {
            const found: number[][] = []
            for await (const decoded of rleRows(source, header, starts, fromBottom)) found.push([...decoded])
            expect(found).toEqual(fromBottom ? [row, turned] : [turned, row])
          }
        }
      }),
      { numRuns: roundsOf(200) },
    )
  })

  it.each([
    ['rle8', encodeRle8, 4],
    ['rle4', encodeRle4, 8],
  ] as const)('ignores coded padding in run-length rows (%s)', async (coding, encode, unit) => {
    for (let width = 1; width <= 9; width++) {
      const row = Array.from({ length: Math.ceil(width / unit) * unit }, (_, x) => (x < width ? x % 5 : 0))
      const source = memorySource(Uint8Array.from([...runsOf(encode, row), 0, 1]), 'x')
      const header = { width, height: 1, coding, pixelsAt: 0 } as never
      for await (const found of rleRows(source, header, await rleRowStarts(source, header), true))
        expect([...found]).toEqual(row.slice(0, width))
    }
  })

  it('reads run lengths in ranges and rejects pictures that readers show differently', async () => {
    const [width, height] = [3000, 700]
    const rows = Array.from({ length: height }, (_, y) =>
      runsOf(
        encodeRle8,
        Array.from({ length: width }, (_v, x) => (x * 7 + y * x) & 255),
      ),
    )
    const data = Uint8Array.from([...rows.flatMap((row) => [...row]), 0, 1])
    let most = 0
    const inMemory = memorySource(data, 'x')
    const read = (at: number, count: number) => {
      most = Math.max(most, count)
      return inMemory.read(at, count)
    }
    const source = { ...inMemory, read }
    const header = { width, height, coding: 'rle8', pixelsAt: 0 } as never
    const starts = await rleRowStarts(source, header)
    for (const fromBottom of [true, false]) {
      let y = fromBottom ? 0 : height - 1
      for await (const row of rleRows(source, header, starts, fromBottom)) {
        expect(row.every((value, x) => value === ((x * 7 + y * x) & 255))).toBe(true)
        y += fromBottom ? 1 : -1
      }
    }
    expect(most).toBeLessThan(300_000)
    const damaged = (bytes: number[]) =>
      rleRowStarts(memorySource(Uint8Array.from(bytes), 'x'), { width: 4, height: 2, coding: 'rle8', pixelsAt: 0 })
    await expect(damaged([4, 1, 0, 0, 2, 1, 0, 0, 0, 1])).rejects.toThrow('skips pixels')
    await expect(damaged([4, 1, 0, 1])).rejects.toThrow('skips pixels')
    await expect(damaged([4, 1, 0, 2, 0, 1, 4, 1, 0, 1])).rejects.toThrow('skips pixels')
    await expect(damaged([4, 1, 1, 1, 0, 0, 4, 1, 0, 1])).rejects.toThrow('outside')
    await expect(damaged([4, 1, 0, 0, 4, 1, 0, 0])).rejects.toThrow('has no end marker')
    await expect(damaged([4, 1, 0, 0, 4, 1, 0, 0, 0, 0, 0, 1])).resolves.toHaveLength(3)
  })

  it('is lossless at high, with fewer bits, the same resolution and correct top-down rows', async () => {
    const rows = new Uint8Array(stride(60, 24) * 40)
    for (let y = 0; y < 40; y++) rows.fill(y % 5 ? 200 : 30, y * stride(60, 24), y * stride(60, 24) + 180)
    for (const topDown of [false, true]) {
      const file = bmpOf({ width: 60, height: 40, bits: 24, rows, topDown })
      const { outcome, bytes } = await run(file, 'high')
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(bytes!.length).toBeLessThan(800)
      expect(await pixelsOf(bytes!)).toEqual(await pixelsOf(file))
      expect((await readHeader(memorySource(bytes!, 'x'))).pixelsPerMetre).toEqual([2835, 2835])
    }
  })

  it('keeps low ≤ medium ≤ high within the targets, meets a target size, and is lossless on request', async () => {
    const file = bmpOf({ width: 200, height: 150, bits: 24, rows: photo(200, 150) })
    const sizes: number[] = []
    for (const [quality, psnrDb] of [
      ['low', 32],
      ['medium', 35],
    ] as const) {
      const { outcome, bytes } = await run(file, quality)
      if (!bytes) throw new Error(JSON.stringify(outcome))
      expect(pictureLossOf(outcome).psnrDb).toBeGreaterThanOrEqual(psnrDb)
      sizes.push(bytes.length)
    }
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1]!)
    expect(sizes[1]).toBeLessThan(file.length / 2.5)
    expect((await run(file, 'high')).outcome).toMatchObject({ reason: 'no_gain' })
    expect((await run(file, 'low', { lossless: true })).outcome).toMatchObject({ kind: 'unchanged' })
    const { bytes } = await run(file, 'high', { targetSize: sizes[1]! + 500 })
    expect(bytes!.length).toBeLessThan(sizes[1]! + 500)
    await expect(run(file, 'high', { targetSize: 200 })).rejects.toThrow(/bytes/)
  })

  it('keeps alpha, spare bytes and the colour profile', async () => {
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000]
    const rows = Uint8Array.from({ length: 64 * 4 }, (_, i) => i)
    const alpha = bmpOf({ width: 8, height: 8, bits: 32, dibBytes: 108, compression: 3, masks, rows })
    for (const quality of ['low', 'high'] as const) expect((await run(alpha, quality)).outcome).toMatchObject({ reason: 'no_gain' })
    const word = { width: 2, height: 1, bits: 16, dibBytes: 56, compression: 3, rows: Uint8Array.of(0x1f, 0, 0x1f, 0) }
    const clear = bmpOf({ ...word, masks: [0x7c00, 0x3e0, 0x1f, 0x8000] })
    expect(inEnglish((await run(clear, 'high')).outcome)).toMatchObject({
      reason: 'no_gain',
      detail: 'the BMP uses transparency, which needs all of its 16 bits per pixel',
    })
    const twelve = bmpOf({ ...word, masks: [0xf00, 0xf0, 0xf, 0] })
    expect((await run(twelve, 'high')).outcome).toMatchObject({ reason: 'unsupported_feature' })
    const spare = bmpOf({ width: 8, height: 8, bits: 32, rows })
    expect((await run(spare, 'low')).outcome).toMatchObject({ reason: 'no_gain' })
    const profile = new Uint8Array(40).fill(7)
    const plain = bmpOf({ width: 60, height: 40, bits: 24, dibBytes: 124, rows: new Uint8Array(180 * 40).fill(9) })
    const file = new Uint8Array(plain.length + profile.length)
    file.set(plain)
    file.set(profile, plain.length)
    const view = new DataView(file.buffer)
    view.setUint32(14 + 56, 0x4d424544, true)
    view.setUint32(14 + 112, plain.length - 14, true)
    view.setUint32(14 + 116, profile.length, true)
    const { bytes } = await run(file, 'high')
    expect((await readHeader(memorySource(bytes!, 'x'))).profile).toEqual(profile)
  })

  it('leaves a BMP unchanged if its pixels start at an odd offset', async () => {
    const rows = Uint8Array.from({ length: 90 * 120 * 3 }, (_, i) => 40 * Math.floor(i / 3600))
    const made = bmpOf({ width: 120, height: 90, bits: 24, rows })
    const behind = (bytes: number) => {
      const file = new Uint8Array(made.length + bytes).fill(7)
      file.set(made.subarray(0, 54))
      file.set(rows, 54 + bytes)
      new DataView(file.buffer).setUint32(10, 54 + bytes, true)
      return run(file, 'medium')
    }
    expect((await behind(202)).outcome).toMatchObject({ kind: 'compressed' })
    expect((await behind(201)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('rejects damaged files and invalid headers', async () => {
    const file = bmpOf({ width: 60, height: 40, bits: 24, rows: new Uint8Array(180 * 40) })
    for (let at = 1; at < file.length - 4; at += 250)
      expect((await run(file.subarray(0, at), 'low')).outcome).toMatchObject({ reason: 'malformed' })
    for (let at = 0; at < 54; at++) {
      const bad = file.slice()
      bad[at]! ^= 0xff
      expect((await run(bad, 'low')).outcome.kind).toMatch(/unchanged|compressed/)
    }
    const huge = bmpOf({ width: 20000, height: 14000, bits: 8, palette: [0, 0, 0], rows: Uint8Array.of(0, 1), compression: 1 })
    expect((await run(huge, 'low')).outcome).toMatchObject({ reason: 'over_budget' })
    expect((await run(file, 'high')).outcome.kind).toBe('compressed')
  })
})
