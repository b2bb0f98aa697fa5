import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { box, boxes, boxOf, findBox, fullBox, latin1Bytes, rebuild, words } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { m4a } from '../../../src/core/formats/film/m4a/m4a.ts'
import { playedM4a } from '../../../src/core/formats/film/m4a/played.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import type { Outcome } from '../../../src/core/model/codec.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { isEngineError } from '../../../wasm/engine-error.ts'
import { commentBlock, flacFile, pictureBlock } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { check, compressWithReceipt, falseFieldsOfClaim, falseOf, uncheckedFields } from '../../support/receipts.ts'
import { appleLossless } from '../../support/sound-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, tones } from './media-fixtures.ts'

const options = optionsFor('medium', 'mp3')
const HERTZ = 44_100
const FRAMES = 30_000
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const WANTED = tones(FRAMES, 2, HERTZ)

/** AAC with an edit list and tags. */
async function aacFile(): Promise<Uint8Array> {
  const samples = Int32Array.from(WANTED, (value) => Math.round(value * 32_000))
  const entries = ['TITLE=Söng', 'ARTIST=One', 'ARTIST=Zwei', 'TRACKNUMBER=3', 'COPYRIGHT=(c)', 'MOOD=calm']
  const bytes = flacFile(samples, { channels: 2, hertz: HERTZ, blocks: [commentBlock(...entries), pictureBlock(PIXEL)] })
  return (await press(flac, bytes, 'high', 'm4a')).bytes
}

/** Changes the index, which is in front of the media data: what it grows by is taken from the free space behind it. */
function withIndex(file: Uint8Array, change: (moov: Uint8Array) => Uint8Array[]): Uint8Array {
  const top = [...boxes(file, 0, file.length)]
  const moov = top.find(({ type }) => type === 'moov')!
  const next = top[top.indexOf(moov) + 1]!
  const changed = boxOf('moov', change(file.subarray(moov.start, moov.end)))
  const space = next.end - moov.start - changed.length
  if (next.type !== 'free' || space < 8) throw new RangeError('no free space behind the index')
  return concat([file.subarray(0, moov.start), changed, box('free', new Uint8Array(space - 8)), file.subarray(next.end)])
}

const whole = (moov: Uint8Array) => ({ body: 8, end: moov.length })
const withoutEdits = (moov: Uint8Array) =>
  rebuild(moov, whole(moov), (child) =>
    child.type === 'trak'
      ? boxOf(
          'trak',
          rebuild(moov, child, ({ type }) => (type === 'edts' ? null : undefined)),
        )
      : undefined,
  )
const userData = (...items: Uint8Array[]) =>
  box(
    'udta',
    fullBox('meta', 0, fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0)), boxOf('ilst', items)),
  )
const value = (type: number, bytes: Uint8Array) => box('data', words(type, 0), bytes)
const free = (name: string, type: number, bytes: Uint8Array) =>
  box('----', fullBox('mean', 0, latin1Bytes('com.apple.iTunes')), fullBox('name', 0, latin1Bytes(name)), value(type, bytes))

async function played(bytes: Uint8Array): Promise<number[]> {
  using movie = await readMovie(memorySource(bytes, 'a'))
  const left: number[] = []
  const sound = await playedM4a(memorySource(bytes, 'a'), movie)
  for await (const planar of sound.samples(options)) for (const sample of planar[0]!) left.push(sample)
  return left
}

/** Decibels by which the first channel of the source is stronger than its difference to a decoded one. */
function ratio(found: readonly number[]): number {
  const [power, difference] = found.reduce(
    ([a, b], sample, i) => [a + WANTED[2 * i]! ** 2, b + (WANTED[2 * i]! * (32_000 / 32_768) - sample) ** 2],
    [0, 0],
  )
  return 10 * Math.log10(power / difference)
}

const detail = (outcome: Outcome) => (outcome.kind === 'unchanged' ? (inEnglish(outcome.detail) ?? '') : outcome.kind)

describe('decoded sound of M4A', () => {
  it('begins with the first sample of the source and ends with the last, by the edit list', async () => {
    const found = await played(await aacFile())
    expect(found).toHaveLength(FRAMES)
    expect(ratio(found)).toBeGreaterThan(25)
  })

  it('begins and ends where iTunSMPB tells, in files without an edit list', async () => {
    const smpb = latin1Bytes(` 00000000 00000400 00000100 ${FRAMES.toString(16).padStart(16, '0')} 00000000`)
    const file = withIndex(await aacFile(), (moov) =>
      withoutEdits(moov).map((part) =>
        Buffer.from(part.subarray(4, 8)).toString() === 'udta' ? userData(free('iTunSMPB', 1, smpb)) : part,
      ),
    )
    const found = await played(file)
    expect(found).toHaveLength(FRAMES)
    expect(ratio(found)).toBeGreaterThan(25)
  })

  it('is all that was encoded if neither tells anything', async () => {
    const found = await played(withIndex(await aacFile(), withoutEdits))
    expect(found.length % 1024).toBe(0)
    expect(found.length).toBeGreaterThan(FRAMES)
  })
})

describe('M4A of AAC', () => {
  it.each(['mp3', 'opus'] as const)('becomes %s of the same length, with all tags and the cover', async (output) => {
    const bytes = await aacFile()
    const { outcome, bytes: result } = await press(m4a, bytes, 'low', output)
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 6, covers: 1, durations: 1, sound_format: 1 } })
    expect(outcome).not.toHaveProperty('removed')
    const verdict = (other: Uint8Array) =>
      m4a.verify(memorySource(bytes, 'a'), memorySource(other, 'b'), outcome, optionsFor('low', output))
    expect(await verdict(result)).toMatchObject({ equal: true })
    expect(await verdict(result.subarray(0, result.length - 1500))).toMatchObject({ equal: false })
  })

  it('has a receipt whose noise is measured again', async () => {
    const made = await compressWithReceipt('m4a', 'a.m4a', await aacFile(), 'mp3', 'low')
    const checked = await check(made, made.claims)
    expect([falseOf(checked), uncheckedFields(checked)]).toEqual([[], []])
    expect(await falseFieldsOfClaim(made, { snr_db: made.claims.result.snr_db! + 0.5 })).toContain('snr_db')
  })

  it('stays unchanged as FLAC, which would be larger', async () => {
    const { outcome } = await press(m4a, await aacFile(), 'medium', 'flac')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('names binary tags, which other formats cannot store', async () => {
    const file = withIndex(await aacFile(), (moov) =>
      rebuild(moov, whole(moov), ({ type }) =>
        type === 'udta' ? userData(box('gnre', value(0, Uint8Array.of(0, 18))), box('cpil', value(21, Uint8Array.of(1)))) : undefined,
      ),
    )
    const { outcome } = await press(m4a, file, 'low', 'mp3')
    expect(outcome).toMatchObject({
      kind: 'compressed',
      inventory: { tags: 1 },
      removed: [{ kind: 'user_data', count: 1, why: 'output_cannot_store' }],
    })
  })

  it('keeps time of creation and language as tags', async () => {
    const file = withIndex(await aacFile(), (moov) => {
      const changed = moov.slice()
      const view = new DataView(changed.buffer)
      const [outer] = [...boxes(changed, 0, changed.length)]
      view.setUint32(findBox(changed, outer!, 'mvhd')!.body + 4, 3_660_779_045)
      const media = findBox(changed, outer!, 'trak', 'mdia', 'mdhd')!
      // Five bits for each letter of `deu`.
      view.setUint16(media.body + 20, (4 << 10) | (5 << 5) | 21)
      return rebuild(changed, whole(changed), () => undefined)
    })
    const { outcome, bytes } = await press(m4a, file, 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 8 } })
    expect(outcome).not.toHaveProperty('removed')
    const text = Buffer.from(bytes).toString('latin1')
    expect([text.includes('2020-01-02T03:04:05Z'), text.includes('TLAN')]).toEqual([true, true])
  })
})

describe('M4A of Apple Lossless', () => {
  it('becomes FLAC with the same samples of 24 bits', async () => {
    const bytes = appleLossless()
    const { outcome, bytes: result } = await press(m4a, bytes, 'low', 'flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 2, durations: 1, sound_format: 1 } })
    expect(outcome).not.toHaveProperty('loss')
    expect(result.length).toBeLessThan(bytes.length)
    const other = flacFile(new Int32Array(4800 * 2), { channels: 2, hertz: 24_000 })
    const different = await m4a.verify(memorySource(bytes, 'a'), memorySource(other, 'b'), outcome, optionsFor('low', 'flac'))
    expect(different).toMatchObject({ equal: false })
  })

  it('becomes MP3 with a measured noise', async () => {
    expect((await press(m4a, appleLossless(), 'low', 'mp3')).outcome).toMatchObject({ kind: 'compressed', loss: { sound: {} } })
  })
})

describe('M4A files that are not converted', () => {
  const entryOf = (bytes: Uint8Array) => Buffer.from(bytes).indexOf('mp4a')
  const edited = (change: (edits: Uint8Array) => void) => (bytes: Uint8Array) => {
    const file = bytes.slice()
    change(file.subarray(Buffer.from(file).indexOf('elst') + 4))
    return file
  }
  it.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    [
      'another codec',
      (bytes) => {
        const file = bytes.slice()
        file.set(latin1Bytes('ac-3'), entryOf(file))
        return file
      },
      'AAC-LC',
    ],
    ['sound at double speed', edited((edits) => edits.set([2], 17)), 'another speed'],
    [
      'packets that claim to last for hours',
      (bytes) => {
        const file = bytes.slice()
        // Box type, version and flags, number of rows, packets of the row, then their duration.
        const at = Buffer.from(file).indexOf('stts')
        file.set([0x10, 0, 0, 0], at + 16)
        return file
      },
      'gaps',
    ],
    ['an empty edit', edited((edits) => edits.fill(255, 12, 16)), 'several stretches'],
    [
      'a list of chapters that is cut off',
      (bytes) =>
        withIndex(bytes, (moov) =>
          rebuild(moov, whole(moov), ({ type }) =>
            type === 'udta'
              ? box('udta', fullBox('chpl', 0x1000000, words(0), Uint8Array.of(1), words(0, 0), Uint8Array.of(9, 65)))
              : undefined,
          ),
        ),
      'chapters',
    ],
  ])('%s', async (_, change, text) => {
    const pressed = await press(m4a, change(await aacFile()), 'low', 'mp3')
    expect(pressed.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect(detail(pressed.outcome)).toContain(text)
  })

  it('damaged ones never end in a defect or another error', async () => {
    const random = noise(5)
    const bytes = await aacFile()
    const outputs: readonly OutputId[] = ['mp3', 'opus', 'flac']
    for (let round = 0; round < roundsOf(12); round++) {
      const damaged = bytes.slice()
      const within = round % 2 === 0 ? 2500 : damaged.length
      for (let flips = 0; flips < 3; flips++) damaged[Math.floor(random() * within)]! ^= 1 + Math.floor(random() * 255)
      const pressed = await press(m4a, damaged, 'low', outputs[round % 3]!).catch((error: unknown) => {
        expect(error instanceof CodecError || isEngineError(error)).toBe(true)
        return {}
      })
      expect(pressed).not.toHaveProperty('defect')
    }
  })
})
