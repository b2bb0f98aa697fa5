import fc from 'fast-check'
import createLazPerf from 'laz-perf/lib/node/laz-perf.js'
import { describe, expect, it } from 'vitest'
import { las } from '../../../src/core/formats/las/las.ts'
import { laz } from '../../../src/core/formats/las/laz.ts'
import type { Options, Source } from '../../../src/core/model/codec.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { lasFile } from '../../support/las-file.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'

const POINT_FORMATS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const lazPerf = createLazPerf()

/** Decodes records of a LAZ file with laz-perf, a decoder that shares no code with Whittle. */
async function decodeWithLazPerf(file: Uint8Array): Promise<Uint8Array> {
  const engine = await lazPerf
  const data = engine._malloc(file.length)
  engine.HEAPU8.set(file, data)
  const reader = new engine.LASZip()
  reader.open(data, file.length)
  const [count, bytes] = [reader.getCount(), reader.getPointLength()]
  const point = engine._malloc(bytes)
  const records = new Uint8Array(count * bytes)
  for (let i = 0; i < count; i++) {
    reader.getPoint(point)
    records.set(engine.HEAPU8.subarray(point, point + bytes), i * bytes)
  }
  reader.delete()
  engine._free(point)
  engine._free(data)
  return records
}

const pointsOf = (file: Uint8Array) => {
  const view = new DataView(file.buffer, file.byteOffset)
  const count = view.getUint8(25) >= 4 ? Number(view.getBigUint64(247, true)) : view.getUint32(107, true)
  const start = view.getUint32(96, true)
  return file.subarray(start, start + count * view.getUint16(105, true))
}

describe('las', () => {
  it.each(POINT_FORMATS)('encodes point format %i as a smaller LAZ file that decodes to the same points', async (format) => {
    const file = lasFile({ format, points: 3000, extraBytes: 3, strayBytes: 11, trailingBytes: 500, vlrs: 2 })
    const { outcome, bytes } = await pressFile(las, file, 'a.las')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThan(file.length * 0.8)
    expect(bytes[104]).toBe(format | 0x80)
  })

  // laz-perf does not support wave packets.
  it.each([0, 1, 2, 3, 6, 7, 8])('writes several chunks of point format %i that laz-perf decodes', async (format) => {
    const file = lasFile({ format, points: 60_000, extraBytes: format % 2 })
    const { bytes } = await pressFile(las, file, 'a.las')
    expect(bytes.length).toBeLessThan(file.length)
    expect(Buffer.compare(await decodeWithLazPerf(bytes), pointsOf(file))).toBe(0)
  })

  it.each([0, 1, 2, 3, 4])('encodes LAS 1.%i', async (minor) => {
    const file = lasFile({ format: 1, points: 2000, minor })
    expect((await pressFile(las, file, 'a.las')).outcome.kind).toBe('compressed')
  })

  it.each([6, 10])('encodes LAS 1.5, point format %i', async (format) => {
    const file = lasFile({ format, points: 2000, minor: 5, trailingBytes: 40 })
    const { outcome, bytes } = await pressFile(las, file, 'a.las')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect([bytes[25], bytes[94]! | (bytes[95]! << 8)]).toEqual([5, 393])
  })

  it('keeps every bit of random records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...POINT_FORMATS),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer(),
        async (format, points, extraBytes, seed) => {
          // Noise does not shrink, so this test bypasses the sink that rejects larger results.
          const file = lasFile({ format, points, extraBytes, content: 'noise', seed })
          const source = memoryPair(file)
          await las.compress(source.source, source.sink, source.options)
          expect(await las.verify(source.source, source.result(), { kind: 'unchanged', reason: 'no_gain' }, source.options)).toEqual({
            equal: true,
          })
        },
      ),
      { numRuns: roundsOf(60) },
    )
  })

  it('detects every altered byte of a stored result', async () => {
    const file = lasFile({ format: 7, points: 400, trailingBytes: 60, strayBytes: 4 })
    const pair = memoryPair(file)
    const outcome = await las.compress(pair.source, pair.sink, pair.options)
    const random = randomNumbers(3)
    for (let i = 0; i < 60; i++) {
      const result = pair.result(Math.floor(random() * pair.bytes().length))
      const verdict = await las.verify(pair.source, result, outcome, pair.options)
      // The last bytes of a stream are padding that no decoder reads, and the LASzip record has two informative fields.
      if (verdict.equal) expect(result.altered).toSatisfy((at: number) => isSlack(pair.bytes(), at))
    }
  })

  it('keeps only a small part of a large file in memory', async () => {
    const whole = lasFile({ format: 3, points: 250_000 })
    let largest = 0
    const pair = memoryPair(whole)
    const source: Source = {
      ...pair.source,
      read: async (offset, length) => {
        largest = Math.max(largest, length)
        return pair.source.read(offset, length)
      },
    }
    await las.compress(source, pair.sink, pair.options)
    expect(largest).toBeLessThanOrEqual(50_000 * 34)
  })

  describe('bad input is returned unchanged', () => {
    const sound = lasFile({ format: 3, points: 500, vlrs: 3, strayBytes: 2 })
    it.each([
      ['LAS 1.6', 25, [6], 'unsupported_feature'],
      ['an unknown point format', 104, [11], 'unsupported_feature'],
      ['a record shorter than its format', 105, [20, 0], 'malformed'],
      ['more VLRs than fit', 100, [0xff, 0xff, 0xff, 0xff], 'malformed'],
      ['points behind the end', 96, [0xff, 0xff, 0xff, 0x7f], 'malformed'],
      ['points inside the header', 96, [10, 0, 0, 0], 'malformed'],
      ['four billion points', 107, [0xff, 0xff, 0xff, 0xff], 'malformed'],
      ['a header longer than the file', 94, [0xff, 0xff], 'malformed'],
    ])('rejects %s', async (_, at, patch, reason) => {
      const file = sound.slice()
      file.set(patch, at)
      expect((await pressFile(las, file, 'a.las')).outcome).toMatchObject({ kind: 'unchanged', reason })
    })

    it('survives truncation at any byte', async () => {
      for (const length of damagePositions(105, sound.length, 173)) {
        const { outcome } = await pressFile(las, sound.slice(0, length), 'a.las')
        expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
      }
      expect((await pressFile(las, sound, 'a.las')).outcome.kind).toBe('compressed')
    })

    it('survives flipped bits in the header', async () => {
      const random = randomNumbers(9)
      for (let i = 0; i < roundsOf(300); i++) {
        const file = sound.slice()
        file[4 + Math.floor(random() * 450)]! ^= 1 << (random() * 8)
        const { outcome, defect } = await pressFile(las, file, 'a.las')
        expect(defect).toBeUndefined()
        if (outcome.kind === 'unchanged') expect(['malformed', 'unsupported_feature', 'no_gain']).toContain(outcome.reason)
      }
    })

    it('returns a file of three points, which would grow, unchanged', async () => {
      const { outcome } = await pressFile(las, lasFile({ format: 0, points: 3, vlrs: 0 }), 'a.las')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    })
  })
})

describe('laz', () => {
  it('returns LAZ unchanged', async () => {
    const { bytes } = await pressFile(las, lasFile({ format: 1, points: 2000 }), 'a.las')
    expect((await pressFile(laz, bytes, 'a.laz')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })
})

/** Encodes a file with a codec, without the size limit. */
function memoryPair(file: Uint8Array) {
  const pieces: Uint8Array[] = []
  const patches: [number, Uint8Array][] = []
  const read = (bytes: Uint8Array) => async (offset: number, length: number) => bytes.subarray(offset, offset + length)
  const asSource = (bytes: Uint8Array): Source => ({
    name: 'a.las',
    size: bytes.length,
    read: read(bytes),
    stream: () => new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
  })
  const bytes = () => {
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    for (const [offset, patch] of patches) whole.set(patch, offset)
    return whole
  }
  const sink = {
    written: 0,
    async write(chunk: Uint8Array) {
      pieces.push(chunk)
      this.written += chunk.length
    },
    patch: (offset: number, patch: Uint8Array) => void patches.push([offset, patch]),
    abort: () => Promise.reject(new Error('not needed')),
  }
  const options: Options = {
    quality: 'medium',
    output: 'laz',
    memoryBudget: 96 << 20,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  }
  const result = (altered = -1) => {
    const copy = bytes()
    if (altered >= 0) copy[altered]! ^= 0x55
    return { ...asSource(copy), altered }
  }
  return { source: asSource(file), sink, options, bytes, result }
}

/** True if a byte of this layered file with one VLR and one chunk has no effect on decoding. */
function isSlack(file: Uint8Array, at: number): boolean {
  const view = new DataView(file.buffer)
  const record = 375 + 75
  if (at >= record && at < record + 54) return true // reserved, description
  if (at >= record + 54 + 4 && at < record + 54 + 32) return true // version, options, special EVLRs
  const firstChunk = view.getUint32(96, true) + 8
  const sizes = firstChunk + 36 + 4
  let end = sizes + 4 * 10
  for (let i = 0; i < 10; i++) {
    end += view.getUint32(sizes + 4 * i, true)
    if (at < end && at >= end - 4) return true
  }
  return at >= file.length - 60 - 4 && at < file.length - 60
}
