import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { maxOf } from '../../../../src/core/bytes/min-max.ts'
import { png } from '../../../../src/core/formats/png/png.ts'
import type { Quality } from '../../../../src/core/model/codec.ts'
import { fidelityOf } from '../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { chunk, readPng } from '../../../../wasm/png/chunks.ts'
import { decodePng, GATHER_BYTES, PngEngine, pngRows } from '../../../../wasm/png/png.ts'
import { pictureLossOf, withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { damagePositions, IS_THOROUGH, roundsOf } from '../../../support/thorough.ts'

const base = {
  memoryBudget: 96 * 1024 * 1024,
  signal: new AbortController().signal,
  progress: () => undefined,
  output: 'png' as const,
  inner: { depth: 0, compress: async () => ({ kind: 'unchanged' as const, reason: 'no_gain' as const }) },
}
const run = async (bytes: Uint8Array, quality: Quality, more: object = {}) => {
  const source = memorySource(bytes, 'test.png')
  const pressed = await openJob(png, source, {}, { ...base, quality, ...more } as never).whole(async () =>
    memorySink(source.size, source.name),
  )
  return { ...pressed, bytes: pressed.result ? await readAll(pressed.result) : undefined }
}
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
interface Made {
  width: number
  height: number
  colourType: number
  bitDepth: number
  interlaced?: boolean
  /** Sample of channel `c` at pixel x, y. */
  sample: (x: number, y: number, c: number) => number
  before?: Uint8Array[]
  after?: Uint8Array[]
}

function ihdr({ width, height, bitDepth, colourType, interlaced }: Made): Uint8Array {
  const data = new Uint8Array(13)
  const view = new DataView(data.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  data.set([bitDepth, colourType, 0, 0, interlaced ? 1 : 0], 8)
  return chunk('IHDR', data)
}

/** Independent encoder: unfiltered scanlines (type None), deflated. */
function zlibOf({ width, height, colourType, bitDepth, interlaced, sample }: Made): Uint8Array {
  const passes = interlaced
    ? ([
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
      ] as const)
    : ([[0, 0, 1, 1]] as const)
  const bytes: number[] = []
  for (const [x0, y0, dx, dy] of passes) {
    if (x0 >= width) continue
    for (let y = y0; y < height; y += dy) {
      bytes.push(0)
      let bitBuffer = 0
      let bits = 0
      for (let x = x0; x < width; x += dx)
        for (let c = 0; c < CHANNELS[colourType]!; c++) {
          const v = sample(x, y, c)
          if (bitDepth === 16) bytes.push(v >> 8, v & 255)
          else if (bitDepth === 8) bytes.push(v)
          else {
            bitBuffer = (bitBuffer << bitDepth) | v
            if ((bits += bitDepth) === 8) {
              bytes.push(bitBuffer)
              bitBuffer = bits = 0
            }
          }
        }
      if (bits) bytes.push(bitBuffer << (8 - bits))
    }
  }
  return deflateSync(Uint8Array.from(bytes))
}

const pngOf = (made: Made) =>
  concat([SIGNATURE, ihdr(made), ...(made.before ?? []), chunk('IDAT', zlibOf(made)), ...(made.after ?? []), chunk('IEND')])

async function rgba16(bytes: Uint8Array): Promise<Uint8Array> {
  const rows: Uint8Array[] = []
  await decodePng(once(bytes), 'rgba16', (row) => void rows.push(row.slice()))
  return concat(rows)
}
async function rgba8(bytes: Uint8Array): Promise<Uint8Array> {
  const rows: Uint8Array[] = []
  await decodePng(once(bytes), 'rgba8', (row) => void rows.push(row.slice()))
  return concat(rows)
}
async function chunkTypes(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for await (const event of readPng(once(bytes))) if (event.kind === 'chunk') found.set(event.type, event.data)
  return found
}
const text = (value: string) => new TextEncoder().encode(value)

/** Pictures of every colour type and depth, sequential and Adam7, with and without a transparent colour. */
const pictures = fc
  .record({
    form: fc.constantFrom(
      [0, 1],
      [0, 2],
      [0, 4],
      [0, 8],
      [0, 16],
      [2, 8],
      [2, 16],
      [3, 1],
      [3, 2],
      [3, 4],
      [3, 8],
      [4, 8],
      [4, 16],
      [6, 8],
      [6, 16],
    ),
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    interlaced: fc.boolean(),
    transparent: fc.boolean(),
    seed: fc.nat(1000),
    values: fc.constantFrom(1, 2, 3, 17, 255),
  })
  .map(({ form: [colourType = 0, bitDepth = 8], width, height, interlaced, transparent, seed, values }) => {
    const most = 2 ** bitDepth - 1
    const sample = (x: number, y: number, c: number) => {
      const v =
        ((x * 7 + y * 13 + seed + (colourType & 4 && c === CHANNELS[colourType]! - 1 ? x >> 2 : 0)) >> 1) % (Math.min(values, most) + 1)
      return bitDepth === 16
        ? v * (seed % 2 ? 257 : 100)
        : values === 255
          ? v
          : Math.min(most, v * Math.max(1, Math.floor(most / Math.max(1, values))))
    }
    const before: Uint8Array[] = []
    if (colourType === 3) {
      before.push(
        chunk(
          'PLTE',
          Uint8Array.from({ length: 3 << bitDepth }, (_, i) => (i * 41) & 255),
        ),
      )
      if (transparent) before.push(chunk('tRNS', Uint8Array.of(0, 128)))
    } else if (transparent && !(colourType & 4)) {
      const key = [sample(0, 0, 0), sample(0, 0, 1), sample(0, 0, 2)].slice(0, colourType ? 3 : 1)
      before.push(chunk('tRNS', Uint8Array.from(key.flatMap((v) => [v >> 8, v & 255]))))
    }
    return { width, height, colourType, bitDepth, interlaced, sample, before }
  })

describe('PNG', () => {
  it('is lossless at high in every form', async () => {
    let compressed = 0
    await fc.assert(
      fc.asyncProperty(pictures, async (made) => {
        const file = pngOf({ ...made, after: [chunk('zTXt', text(`x\0\0${'pad'.repeat(40)}`))] })
        const { outcome, bytes } = await run(file, 'high')
        if (outcome.kind === 'unchanged') {
          expect(outcome.reason).toBe('no_gain')
          return
        }
        compressed++
        expect(fidelityOf(outcome)).toBe('lossless')
        expect(await rgba16(bytes!)).toEqual(await rgba16(file))
      }),
      { numRuns: roundsOf(120) },
    )
    expect(compressed).toBeGreaterThan(roundsOf(20))
  })

  it('delivers the rows of an Adam7 picture in batches (interlaced-memory)', async () => {
    const large = {
      width: 700,
      height: 600,
      colourType: 2,
      bitDepth: 8,
      sample: (x: number, y: number, c: number) => (x * 7 + y * 3 + c) & 255,
    }
    const rows: Uint8Array[] = []
    for await (const batch of pngRows(once(pngOf({ ...large, interlaced: true })), 'rgba8')) rows.push(batch.rows)
    expect(Buffer.concat(rows)).toEqual(Buffer.from(await rgba8(pngOf(large))))
    expect(maxOf(rows.map(({ length }) => length))).toBeLessThan(400_000)
  })

  const made: Made = {
    width: 96,
    height: 72,
    colourType: 2,
    bitDepth: 8,
    sample: (x, y, c) =>
      Math.floor(128 + 70 * Math.sin((x + 9 * c) / 15) * Math.cos(y / 11) + (((x * 73 + y * 151 + c) * 2654435761) >>> 29)),
  }

  it('uses a byte for each of 13 colours if repetitions start at any pixel (byte-indices)', async () => {
    // Word of 11 pixels at even and odd positions, so that its packed half bytes differ.
    const word = [1, 12, 3, 5, 4, 11, 6, 2, 8, 10, 7]
    const place = (y: number) => (y * 29 + ((y * y) % 7)) % 19
    const sample = (x: number, y: number) => {
      const at = (x + place(y)) % 19
      return at < word.length ? word[at]! : y % 5 === 0 ? 9 : 0
    }
    const palette = Uint8Array.from({ length: 39 }, (_, at) => (at * 97) % 251)
    const upload = pngOf({ width: 127, height: 64, colourType: 3, bitDepth: 4, sample, before: [chunk('PLTE', palette)] })
    const { bytes } = await run(upload, 'high')
    if (!bytes) throw new Error('nothing was gained')
    expect(bytes[24]).toBe(8)
    expect(await rgba8(bytes)).toEqual(await rgba8(upload))
  })

  it('stays lossless with an unusual gAMA', async () => {
    const linear = pngOf({ ...made, before: [chunk('gAMA', Uint8Array.of(0, 1, 0x86, 0xa0))], after: [] })
    expect(withFidelity((await run(linear, 'low')).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const usual = pngOf({ ...made, before: [chunk('gAMA', Uint8Array.of(0, 0, 0xb1, 0x8f))], after: [] })
    expect(withFidelity((await run(usual, 'low')).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
  })

  it('keeps ancillary chunks', async () => {
    const icc = chunk('iCCP', concat([text('p\0\0'), deflateSync(new Uint8Array(200))]))
    const kept = {
      gAMA: Uint8Array.of(0, 0, 0xb1, 0x8f),
      cHRM: new Uint8Array(32).fill(1),
      pHYs: Uint8Array.of(0, 0, 11, 19, 0, 0, 11, 19, 1),
      eXIf: text('MM\0*\0\0\0\x08\0\0\0\0\0\0'),
      tEXt: text('Title\0A picture'),
      zTXt: concat([text('Long\0\0'), deflateSync(text('words '.repeat(30)))]),
      iTXt: text('XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>'),
      tIME: Uint8Array.of(7, 234, 11, 20, 1, 2, 3),
    }
    const before = [...Object.entries(kept).slice(0, 2), ...Object.entries(kept).slice(2)].map(([type, data]) => chunk(type, data))
    const bKGD = chunk('bKGD', Uint8Array.of(0, 10, 0, 20, 0, 30))
    const file = pngOf({
      ...made,
      before: [icc, chunk('sBIT', Uint8Array.of(8, 7, 6)), ...before, bKGD],
      after: [chunk('tEXt', text('Late\0one'))],
    })
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes } = await run(file, quality)
      expect(outcome.kind).toBe('compressed')
      const found = await chunkTypes(bytes!)
      for (const [type, data] of Object.entries(kept)) if (type !== 'tEXt') expect(found.get(type)).toEqual(data)
      expect(String.fromCharCode(...bytes!)).toContain('A picture')
      expect(String.fromCharCode(...bytes!)).toContain('Late')
      expect(found.get('sBIT')).toEqual(Uint8Array.of(8, 7, 6))
      expect(found.has('iCCP')).toBe(true)
      expect(found.get('bKGD')?.length).toBe(quality === 'high' ? 6 : 1)
    }
  })

  it.each([2, 6])('rounds 16 bits to 8 if no palette suffices (colour type %i)', async (colourType) => {
    const noise = (x: number, y: number, c: number) => {
      const grain = (Math.imul(x * 7919 + y * 104729 + c * 1299709, 2654435761) >>> 20) - 2048
      return Math.round(32768 + 28000 * Math.sin((x * (c + 1) + y * (3 - c) * (c - 1)) / 9 + c) + grain)
    }
    const file = pngOf({ width: 96, height: 72, colourType, bitDepth: 16, sample: noise })
    const rows = async (bytes: Uint8Array, form: 'rgba8') => {
      const out: Uint8Array[] = []
      await decodePng(once(bytes), form, (row) => void out.push(row.slice()))
      return concat(out)
    }
    const { outcome, bytes } = await run(file, 'medium')
    expect(inEnglish(withFidelity(outcome))).toMatchObject({
      kind: 'compressed',
      fidelity: 'perceptual',
      steps: expect.arrayContaining(['reduced from 16 to 8 bits per sample']),
    })
    expect(bytes?.[24]).toBe(8)
    expect(await rows(bytes!, 'rgba8')).toEqual(await rows(file, 'rgba8'))
    expect(withFidelity((await run(file, 'high')).outcome)).not.toMatchObject({ fidelity: 'perceptual' })
  })

  it('keeps low ≤ medium ≤ high within the targets, is lossless on request, and meets target size and box', async () => {
    const file = pngOf(made)
    const sizes: number[] = []
    for (const [quality, ssim, psnrDb] of [
      ['low', 0.91, 31],
      ['medium', 0.92, 33],
      ['high', 1, 0],
    ] as const) {
      const { outcome, bytes } = await run(file, quality)
      if (outcome.kind !== 'compressed' || !bytes) throw new Error(JSON.stringify(outcome))
      sizes.push(bytes.length)
      if (outcome.loss) {
        expect(pictureLossOf(outcome).ssim).toBeGreaterThanOrEqual(ssim)
        expect(pictureLossOf(outcome).psnrDb).toBeGreaterThanOrEqual(psnrDb)
      } else expect(quality).toBe('high')
    }
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1]!)
    expect(sizes[1]).toBeLessThan(sizes[2]!)
    expect((await run(file, 'low', { lossless: true })).bytes?.length).toBe(sizes[2])
    const targetSize = Math.floor((sizes[1]! + sizes[2]!) / 2)
    expect((await run(file, 'high', { targetSize })).bytes!.length).toBeLessThan(targetSize)
    await expect(run(file, 'high', { targetSize: 150 })).rejects.toThrow(/bytes/)
    const small = await run(file, 'medium', { fitWithin: { width: 48, height: 48 } })
    const view = new DataView(small.bytes!.buffer, small.bytes!.byteOffset)
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([48, 36])
  })

  it('measures translucent pictures over black and over white', async () => {
    const file = pngOf({
      ...made,
      colourType: 6,
      sample: (x, y, c) => (c === 3 ? (x < 42 ? 255 : x < 66 ? 128 : 0) : made.sample(x, y, c)),
    })
    const { outcome, bytes } = await run(file, 'medium')
    expect(pictureLossOf(outcome).psnrDb).toBeGreaterThanOrEqual(35)
    expect((await chunkTypes(bytes!)).has('tRNS')).toBe(true)
  })

  it('keeps low ≤ medium ≤ high for all shades of red, where filters may beat any palette', async () => {
    const file = pngOf({ width: 16, height: 16, colourType: 2, bitDepth: 8, sample: (x, y, c) => (c === 0 ? 16 * y + x : 0) })
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await run(file, quality)).bytes?.length ?? file.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('grey-key-of-four-bits: keeps the form, because some readers draw the transparent grey as opaque', async () => {
    const before = [chunk('tRNS', Uint8Array.of(0, 15))]
    const file = pngOf({ width: 64, height: 64, colourType: 0, bitDepth: 4, sample: (x, y) => (x * y) & 15, before })
    for (const quality of ['low', 'high'] as const) {
      const { bytes } = await run(file, quality)
      expect([...(bytes ?? file).subarray(24, 26)]).toEqual([4, 0])
      expect((await chunkTypes(bytes ?? file)).has('tRNS')).toBe(true)
    }
  })

  it('grey-key-below-eight-bits: writes no transparent grey below 8 bits', async () => {
    // Spacer: one invisible white pixel.
    const text = chunk('tEXt', new TextEncoder().encode('Software\0spacer'))
    const palette = [chunk('PLTE', Uint8Array.of(255, 255, 255)), chunk('tRNS', Uint8Array.of(0))]
    const file = pngOf({ width: 1, height: 1, colourType: 3, bitDepth: 1, sample: () => 0, before: [...palette, text] })
    const { bytes } = await run(file, 'high')
    const [bitDepth, colourType] = (bytes ?? file).subarray(24)
    expect((await chunkTypes(bytes ?? file)).has('tRNS')).toBe(true)
    expect(colourType === 0 && bitDepth! < 8).toBe(false)
  })

  it('keeps the frames of an APNG with new sequence numbers', async () => {
    const control = (sequence: number, width: number, height: number) => {
      const data = new Uint8Array(26)
      const view = new DataView(data.buffer)
      view.setUint32(0, sequence)
      view.setUint32(4, width)
      view.setUint32(8, height)
      view.setUint16(20, 1)
      view.setUint16(22, 10)
      data[24] = sequence % 3
      data[25] = sequence % 2
      return chunk('fcTL', data)
    }
    const frame = { ...made, width: 60, height: 50 }
    const fdat = (sequence: number, shift: number, cuts: number) => {
      const data = zlibOf({ ...frame, sample: (x, y, c) => made.sample(x + shift, y, c) })
      const size = Math.ceil(data.length / cuts)
      return Array.from({ length: cuts }, (_, i) => {
        const number = new Uint8Array(4)
        new DataView(number.buffer).setUint32(0, sequence + i)
        return chunk('fdAT', number, data.subarray(i * size, (i + 1) * size))
      })
    }
    const file = concat([
      SIGNATURE,
      ihdr(made),
      chunk('acTL', Uint8Array.of(0, 0, 0, 3, 0, 0, 0, 2)),
      control(0, 96, 72),
      chunk('IDAT', zlibOf(made)),
      control(1, 60, 50),
      ...fdat(2, 3, 4),
      control(6, 60, 50),
      ...fdat(7, 5, 2),
      chunk('IEND'),
    ])
    const { outcome, bytes } = await run(file, 'low')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const sequence: number[] = []
    for (let at = 8; at < bytes!.length; ) {
      const view = new DataView(bytes!.buffer, bytes!.byteOffset + at)
      const type = String.fromCharCode(...bytes!.subarray(at + 4, at + 8))
      if (type === 'fcTL' || type === 'fdAT') sequence.push(view.getUint32(8))
      at += 12 + view.getUint32(0)
    }
    expect(sequence).toEqual([0, 1, 2, 3, 4])
  })

  it('rejects damage quickly and continues with the next file', async () => {
    const file = pngOf({ ...made, width: 40, height: 30 })
    for (const at of damagePositions(0, file.length, 61)) {
      expect((await run(file.subarray(0, at), 'high')).outcome).toMatchObject({ reason: 'malformed' })
      const bad = file.slice()
      bad[at]! ^= 4
      expect((await run(bad, 'high')).outcome).toMatchObject({ kind: 'unchanged' })
    }
    const claims = (width: number, height: number) =>
      concat([SIGNATURE, ihdr({ ...made, width, height }), chunk('IDAT', zlibOf(made)), chunk('IEND')])
    expect((await run(claims(20000, 14000), 'low')).outcome).toMatchObject({ reason: 'over_budget' })
    expect((await run(claims(0, 4), 'low')).outcome).toMatchObject({ reason: 'malformed' })
    expect((await run(claims(96, 73), 'low')).outcome).toMatchObject({ reason: 'malformed' })
    expect((await run(file, 'high')).outcome.kind).toBe('compressed')
  })

  it.runIf(IS_THOROUGH)('uses the same memory at any height', () => {
    const memory = [500, 4000].map((height) => {
      const engine = new PngEngine({ width: 2000, height, colourType: 2, bitDepth: 8 })
      engine.planUnchanged()
      engine.setEffort({ level: 12, trialLevel: 6, strategies: 1, bandBytes: 131072, passes: 1 })
      engine.begin('encode', { mute: true })
      engine.frame()
      const row = new Uint8Array(6000).map((_, i) => (i * i) >> 7)
      for (let y = 0; y < height; y++) engine.takeRow(row)
      engine.frameEnd()
      return engine.memoryBytes
    })
    expect(memory[1]).toBe(memory[0])
    expect(memory[0]).toBeLessThan(20 * 1024 * 1024)
    expect(GATHER_BYTES).toBeLessThan(96 * 1024 * 1024)
  })

  it.runIf(IS_THOROUGH)('measures palettes of the widest pictures within the budget', () => {
    const look = (width: number) => {
      using engine = new PngEngine({ width, height: 40, colourType: 6, bitDepth: 8 })
      const show = () => {
        engine.frame()
        const row = new Uint8Array(width * 4)
        for (let y = 0; y < 40; y++) engine.takeRow(row.map((_, i) => ((i >> 2) * (1 + (i & 3)) + y * 3) >> 4))
        engine.frameEnd()
      }
      engine.begin('histogram')
      show()
      engine.quantise(32)
      engine.trial()
      engine.begin('indices', { alpha: true })
      show()
      return { score: engine.quality().score, bytes: engine.memoryBytes }
    }
    const widest = look(32768)
    expect(widest.score).not.toBe(0)
    expect(widest.bytes).toBeLessThan(80 * 1024 * 1024)
    const wider = look(65536)
    expect(wider.score).toBe(0) // the score is 0 (not measured), because no palette reaches the target
    expect(wider.bytes).toBeLessThan(80 * 1024 * 1024)
  })
})
