import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import { ByteWriter } from '../../../src/core/bytes/writer.ts'
import { framesOf } from '../../../src/core/formats/flac/decode.ts'
import { blockHeader, type FlacFile, readFlac } from '../../../src/core/formats/flac/file.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { parseSeekTable } from '../../../src/core/formats/flac/seek-table.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { commentBlock, flacFile, paddingBlock, pictureBlock, seekTableBlock } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, tones } from './media-fixtures.ts'

const sound = (frames: number, channels = 2, bits = 16) =>
  Int32Array.from(tones(frames, channels, 44_100), (value) => Math.round(value * 2 ** (bits - 1)))
const pressFlac = (bytes: Uint8Array) => press(flac, bytes, 'medium', 'flac')
const rich = () => [
  commentBlock('TITLE=Song', 'replaygain_track_gain=-1 dB'),
  seekTableBlock(0, 4096, 5000, 20_000, 2 ** 40),
  [2, latin1Bytes('testapplication')] as const,
  [5, new Uint8Array(396)] as const,
  pictureBlock(new Uint8Array(50).fill(7)),
  [64, latin1Bytes('a block of the future')] as const,
  paddingBlock(500),
]

async function samplesOf(bytes: Uint8Array): Promise<{ file: FlacFile; samples: number[]; offsets: Map<number, number> }> {
  const source = memorySource(bytes, 'a.flac')
  const file = await readFlac(source)
  const samples: number[] = []
  const offsets = new Map<number, number>()
  for await (const frame of framesOf(source, file, optionsFor('medium', 'flac'))) {
    offsets.set(samples.length / file.info.channels, frame.offset)
    for (const sample of frame.samples) samples.push(sample)
  }
  return { file, samples, offsets }
}

describe('FLAC', () => {
  it.each([
    ['8 bits, mono', 1, 8, 8000],
    ['12 bits', 2, 12, 22_050],
    ['16 bits, six channels', 6, 16, 48_000],
    ['24 bits at 96 kHz', 2, 24, 96_000],
    ['32 bits', 2, 32, 44_100],
  ])('keeps every sample of %s', async (_, channels, bits, hertz) => {
    const values = sound(9000, channels, bits)
    const { outcome, bytes } = await pressFlac(flacFile(values, { channels, bits, hertz }))
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(outcome).not.toHaveProperty('loss')
    const { file, samples } = await samplesOf(bytes)
    expect(file.info).toMatchObject({ channels, bits, hertz, samples: 9000 })
    expect(samples).toEqual([...values])
  })

  it('keeps every sample of any sound', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3000 }),
        fc.constantFrom(1, 2, 3),
        fc.constantFrom(8, 16, 24),
        fc.integer(),
        async (frames, channels, bits, seed) => {
          const random = noise(seed)
          const values = Int32Array.from({ length: frames * channels }, (_, i) => Math.round((random() - 0.5) * 2 ** (bits - 1 - (i % 5))))
          const { bytes } = await pressFlac(flacFile(values, { channels, bits, blocks: [paddingBlock(64)] }))
          expect((await samplesOf(bytes)).samples).toEqual([...values])
        },
      ),
      { numRuns: roundsOf(25) },
    )
  })

  it('keeps all metadata blocks in order, without padding', async () => {
    const { outcome, bytes } = await pressFlac(flacFile(sound(30_000), { blocks: rich() }))
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 1, covers: 1, cue_points: 1, tags: 2 } })
    const { file } = await samplesOf(bytes)
    expect(file.blocks.map(({ type }) => type)).toEqual([4, 3, 2, 5, 6, 64])
    for (const text of ['a test', 'TITLE=Song', 'testapplication', 'a block of the future']) expect(latin1Of(bytes)).toContain(text)
  })

  it('writes a seek table for the new frames', async () => {
    const { bytes } = await pressFlac(flacFile(sound(30_000), { blocks: rich() }))
    const { file, offsets } = await samplesOf(bytes)
    const table = file.blocks.find(({ type }) => type === 3)!
    const points = parseSeekTable(bytes.subarray(table.offset, table.offset + table.size))
    // Samples 4096 and 5000 are in the same frame, and sample 2^40 is behind the end.
    expect(points.map(({ sample }) => sample)).toEqual([0, 4096, 16_384])
    for (const { sample, offset } of points) expect(offset).toBe(offsets.get(sample))
  })

  it('drops only the padding if the frames do not become smaller', async () => {
    const best = (await pressFlac(flacFile(sound(9000)))).bytes
    const at = best.length - (best.length - 42)
    const padded = concat([
      best.subarray(0, 4),
      Uint8Array.of(0),
      best.subarray(5, 42),
      blockHeader(1, 300, true),
      new Uint8Array(300),
      best.subarray(at),
    ])
    const { outcome, bytes } = await pressFlac(padded)
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['padding inside the tags dropped'] })
    expect(bytes).toEqual(best)
    expect((await pressFlac(best)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('keeps ID3 tags in front and behind', async () => {
    const front = concat([Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 15), latin1Bytes('TIT2\0\0\0\x05\0\0\x03Song')])
    const behind = concat([latin1Bytes('TAGOld title'), new Uint8Array(116)])
    const file = concat([front, flacFile(sound(9000)), behind])
    expect((await identify(memorySource(file, 'a.mp3')))?.id).toBe('flac')
    const { outcome, bytes } = await pressFlac(file)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tag_forms: 2, tags: 2 } })
    expect(bytes.subarray(0, 25)).toEqual(front)
    expect(bytes.subarray(-128)).toEqual(behind)
  })

  it('reads a stream whose header does not tell the number of samples', async () => {
    const file = flacFile(sound(9000), { blocks: rich() })
    new ByteWriter(file, false)
      .at(21)
      .u8(file[21]! & 0xf0)
      .u32(0)
    const { outcome, bytes } = await pressFlac(file)
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect((await samplesOf(bytes)).file.info.samples).toBe(9000)
  })
})

const unchanged = async (bytes: Uint8Array) => inEnglish((await pressFlac(bytes)).outcome)

describe('damaged FLAC', () => {
  const file = flacFile(sound(20_000), { blocks: rich() })

  it.each([
    ['with a wrong MD5', file.with(30, file[30]! ^ 1), /do not match the MD5/],
    ['without its last frame', file.subarray(0, -1500), /damaged or cut off|samples in each channel/],
    [
      'with fewer samples than its header declares',
      file.with(25, file[25]! + 1),
      /20000 samples in each channel, but its header declares 20001/,
    ],
    ['with more samples than its header declares', file.with(24, file[24]! - 32), /more FLAC frames follow|but its header declares/],
    ['with bytes between its frames', concat([file.subarray(0, 4000), new Uint8Array(9), file.subarray(4000)]), /damaged/],
    ['whose frames have another sample rate', file.with(19, file[19]! ^ 0x10), /damaged/],
    ['with a block that is longer than the file', file.with(43, 0xff), /longer than the file/],
    ['with two STREAMINFO blocks', file.with(42, 0), /one STREAMINFO/],
    ['with a forbidden block', file.with(42, 127), /forbidden/],
  ])('%s stays unchanged', async (_, bytes, detail) => {
    expect(await unchanged(bytes)).toMatchObject({
      kind: 'unchanged',
      reason: expect.stringMatching(/malformed|unsupported/),
      detail: expect.stringMatching(detail),
    })
  })

  it('that declares hours of silence is refused before it is decoded', async () => {
    const bytes = file.slice()
    new ByteWriter(bytes, false)
      .at(21)
      .u8(bytes[21]! | 15)
      .u32(0xffffffff)
    expect(await unchanged(bytes)).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('of unknown length is refused when it takes longer than the caller may use', async () => {
    const bytes = file.slice()
    new ByteWriter(bytes, false)
      .at(21)
      .u8(bytes[21]! & 0xf0)
      .u32(0)
    const options = { ...optionsFor('medium', 'flac'), maxWorkSeconds: 0.001 }
    const work = flac.compress(memorySource(bytes, 'a.flac'), memorySink(bytes.length, 'a.flac'), options)
    await expect(work).rejects.toMatchObject({ reason: 'over_budget' })
  })

  it('gives an outcome for any damage, and never another sound', async () => {
    const { samples } = await samplesOf(file)
    const random = noise(5)
    for (let round = 0; round < roundsOf(80); round++) {
      const at = Math.floor(random() * file.length * (round % 2 === 0 ? 0.05 : 1))
      const damaged = round % 5 === 0 ? file.slice(0, at) : file.with(at, Math.floor(random() * 256))
      const { outcome, bytes, ...rest } = await pressFlac(damaged)
      expect(rest).not.toHaveProperty('defect')
      if (outcome.kind === 'compressed') expect((await samplesOf(bytes)).samples).toEqual(samples)
    }
  })
})

describe('verification of FLAC', () => {
  it('detects a changed block, a changed sample and a wrong seek point', async () => {
    const file = flacFile(sound(20_000), { blocks: rich() })
    const { bytes } = await pressFlac(file)
    const verdict = (result: Uint8Array) =>
      flac.verify(memorySource(file, 'a'), memorySource(result, 'b'), { kind: 'compressed', steps: [] }, optionsFor('medium', 'flac'))
    expect(await verdict(bytes)).toEqual({ equal: true })
    const { file: parsed } = await samplesOf(bytes)
    for (const { type, offset } of parsed.blocks) {
      // Byte 8 is in the offset of the first seek point, or in the content of the other blocks.
      const found = await verdict(bytes.with(offset + (type === 3 ? 15 : 8), bytes[offset + (type === 3 ? 15 : 8)]! ^ 1))
      expect(found.equal, `block of type ${type}`).toBe(false)
    }
    expect((await verdict(bytes.with(bytes.length - 900, bytes.at(-900)! ^ 1))).equal).toBe(false)
  })
})
