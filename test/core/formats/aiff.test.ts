import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import { aiff } from '../../../src/core/formats/wav/aiff/aiff.ts'
import { readAiff } from '../../../src/core/formats/wav/aiff/read-aiff.ts'
import { in16BitUnits, readSamples } from '../../../src/core/formats/wav/samples.ts'
import { fidelityOf } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { aiffFile, aiffOf } from '../../support/aiff-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, tones } from './media-fixtures.ts'

const scaled = (frames: number, bits: number, unit = 1, channels = 2) =>
  Int32Array.from(tones(frames, channels, 44_100), (value) => Math.round((value * 2 ** (bits - 1)) / unit) * unit)

async function samplesOf(bytes: Uint8Array): Promise<number[]> {
  const source = memorySource(bytes, 'a.aiff')
  const samples: number[] = []
  for await (const block of readSamples(source, await readAiff(source), optionsFor('high', 'aiff'))) samples.push(...in16BitUnits(block))
  return samples
}

const MARKERS = concat([Uint8Array.of(0, 1, 0, 7, 0, 0, 0, 100, 5), latin1Bytes('Verse')])
const CHUNKS: [string, Uint8Array][] = [
  ['NAME', latin1Bytes('Song')],
  ['MARK', MARKERS],
  ['COMT', Uint8Array.of(0, 1, 1, 2, 3, 4, 0, 0, 0, 2, 72, 105)],
  ['INST', new Uint8Array(20).fill(3)],
  ['APPL', latin1Bytes('testdata')],
  ['(c) ', latin1Bytes('Mine')],
]

describe('AIFF', () => {
  it.each([
    ['24 bits that hold 16', 24, 256, undefined],
    ['16 bits that hold 8', 16, 256, undefined],
    ['32 bits that hold 24', 32, 256, 'NONE'],
    ['little-endian 24 bits that hold 16', 24, 256, 'sowt'],
  ] as const)('stores fewer bits: %s', async (_, bits, unit, compression) => {
    const file = aiffFile(scaled(5000, bits, unit), bits, { chunks: CHUNKS, ...(compression && { compression }) })
    expect((await identify(memorySource(file, 'a.wav')))?.id).toBe('aiff')
    const { outcome, bytes } = await press(aiff, file, 'high', 'aiff')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 2, cue_points: 1, loops: 1, tags: 2 } })
    expect(fidelityOf(outcome)).toBe('lossless')
    expect(bytes.length).toBeLessThan(file.length * 0.78)
    expect(latin1Of(bytes.subarray(0, 12))).toBe(
      latin1Of(file.subarray(0, 4)) + latin1Of(bytes.subarray(4, 8)) + (compression ? 'AIFC' : 'AIFF'),
    )
    expect(await samplesOf(bytes)).toEqual(await samplesOf(file))
    for (const [, body] of CHUNKS) expect(latin1Of(bytes)).toContain(latin1Of(body))
  })

  it('keeps any samples at high, in any order of bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(8, 16, 24, 32),
        fc.constantFrom(undefined, 'NONE', 'sowt', 'twos'),
        fc.integer({ min: 0, max: 24 }),
        fc.integer(),
        async (bits, compression, zeros, seed) => {
          const random = noise(seed)
          const values = Int32Array.from({ length: 600 }, () => (Math.floor((random() - 0.5) * 2 ** bits) >> zeros) << zeros)
          const file = aiffFile(values, bits, compression === undefined ? {} : { compression })
          const { outcome, bytes, ...rest } = await press(aiff, file, 'high', 'aiff')
          expect(rest).not.toHaveProperty('defect')
          expect(outcome.kind === 'compressed' ? fidelityOf(outcome) : outcome.reason).toMatch(/lossless|no_gain/)
          expect(await samplesOf(bytes)).toEqual(await samplesOf(file))
        },
      ),
      { numRuns: roundsOf(40) },
    )
  })

  it('stores floats that hold 16 bits as integers', async () => {
    const floats = new DataView(new ArrayBuffer(8000 * 4))
    tones(4000, 2, 44_100).forEach((value, i) => {
      floats.setFloat32(i * 4, Math.round(value * 32_768) / 32_768)
    })
    const file = aiffOf(new Uint8Array(floats.buffer), 4000, 32, { compression: 'fl32' })
    const { outcome, bytes } = await press(aiff, file, 'high', 'aiff')
    expect(fidelityOf(outcome)).toBe('lossless')
    expect(bytes.length).toBeLessThan(file.length * 0.52)
    expect(latin1Of(bytes)).toContain('NONE')
    expect(await samplesOf(bytes)).toEqual(await samplesOf(file))
  })

  it('has levels in order, and G.711 as AIFF-C at low', async () => {
    const file = aiffFile(scaled(44_100, 24), 24)
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes } = await press(aiff, file, quality, 'aiff')
      if (outcome.kind === 'compressed' && outcome.loss) expect(outcome.loss.sound?.snrDb).toBeGreaterThan(20)
      sizes.push(bytes.length)
      if (quality === 'low') expect(latin1Of(bytes.subarray(8, 16))).toBe('AIFCFVER')
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(sizes[0]).toBeLessThan(file.length * 0.4)
  })

  it('drops padding of zeros, and keeps other bytes in such a chunk', async () => {
    const file = aiffFile(scaled(3000, 16), 16, {
      chunks: [
        ['FLLR', new Uint8Array(400)],
        ['FLLR', latin1Bytes('note')],
      ],
    })
    const { outcome, bytes } = await press(aiff, file, 'high', 'aiff')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 1 } })
    expect(bytes.length).toBe(file.length - 408)
  })

  it('becomes FLAC with its chunks as foreign metadata', async () => {
    const file = aiffFile(scaled(20_000, 16), 16, { chunks: CHUNKS })
    const { outcome, bytes } = await press(aiff, file, 'medium', 'flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 2, cue_points: 1, loops: 1, tags: 2 } })
    expect(outcome).not.toHaveProperty('removed')
    expect(latin1Of(bytes)).toMatch(/TITLE=Song.*aiffFORM.*aiffSSND/s)
  })

  it('becomes MP3 with its texts as tags', async () => {
    const { outcome, bytes } = await press(aiff, aiffFile(scaled(30_000, 16), 16, { chunks: CHUNKS }), 'medium', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: {} }, inventory: { tags: 2 } })
    expect(latin1Of(bytes.subarray(0, 200))).toMatch(/TIT2.*Song/s)
  })

  it('keeps a sample rate with a fraction, which other outputs refuse', async () => {
    const rate = [0x40, 0x0d, 0xad, 0xdd, 0x17, 0x45, 0xd1, 0x74, 0x5d, 0x17]
    const file = aiffFile(scaled(5000, 16, 256), 16, { rate })
    const { outcome, bytes } = await press(aiff, file, 'high', 'aiff')
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(latin1Of(bytes)).toContain(latin1Of(Uint8Array.from(rate)))
    expect((await press(aiff, file, 'medium', 'flac')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('suggests FLAC if nothing smaller fits into AIFF', async () => {
    const { outcome } = await press(aiff, aiffFile(scaled(9000, 16), 16), 'high', 'aiff')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain', suggestion: { output: 'flac' } })
    expect(JSON.stringify(inEnglish(outcome))).toContain('AIFF cannot store this audio')
  })
})

describe('damaged AIFF', () => {
  const file = aiffFile(scaled(3000, 24, 256), 24, { chunks: CHUNKS })
  const soundAt = latin1Of(file).indexOf('SSND')

  it.each([
    ['that is cut off', file.subarray(0, -500), /the file has/],
    ['whose sound is shorter than COMM declares', file.with(soundAt + 7, file[soundAt + 7]! - 6), /declares|chunk/],
    ['with two sound chunks', file.slice(), /several/],
    ['without COMM', file.with(12, 0x58), /no `COMM` chunk/],
    ['with no channels', file.with(21, 0), /number of channels/],
    ['of unknown compression', aiffFile(scaled(100, 16), 16, { compression: 'MAC3' }), /not supported/],
  ])('%s stays unchanged', async (name, bytes, detail) => {
    if (name === 'with two sound chunks') bytes.set(latin1Bytes('SSND'), latin1Of(bytes).indexOf('APPL'))
    const { outcome } = await press(aiff, bytes, 'high', 'aiff')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: expect.stringMatching(/malformed|unsupported/),
      detail: expect.stringMatching(detail),
    })
  })

  it('gives an outcome for any damage, and no defect', async () => {
    const random = noise(5)
    for (let round = 0; round < roundsOf(120); round++) {
      const at = Math.floor(random() * 300)
      const damaged = round % 5 === 0 ? file.slice(0, at * 20) : file.with(at, Math.floor(random() * 256))
      for (const output of ['aiff', 'flac'] as const) expect(await press(aiff, damaged, 'high', output)).not.toHaveProperty('defect')
    }
  })
})
