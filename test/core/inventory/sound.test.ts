import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { id3Tag, synchsafe } from '../../../src/core/containers/id3/id3.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { aiff } from '../../../src/core/formats/wav/aiff/aiff.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { aiffFile } from '../../support/aiff-file.ts'
import { commentBlock, flacFile, pictureBlock } from '../../support/flac-file.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { press, tones, wave } from '../formats/media-fixtures.ts'
import { compared, expectSurvival, flipped, itemsIn, overwritten, positionOf } from './reading.ts'

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const le = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer)
const part = (id: string, body: Uint8Array) => concat([ascii(id), le(body.length), body, new Uint8Array(body.length & 1)])
const list = (type: string, ...parts: Uint8Array[]) => concat([ascii(type), ...parts])

/** PNG header of 3 × 2 pixels. */
const PNG = concat([Uint8Array.of(0x89), ascii('PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0')])
const frame = (id: string, body: Uint8Array) => concat([ascii(id), Uint8Array.of(...synchsafe(body.length), 0, 0), body])
const tagWith = (...frames: Uint8Array[]) => {
  const body = concat(frames)
  return concat([ascii('ID3\x04\0\0'), Uint8Array.of(...synchsafe(body.length)), body])
}
const ID3 = tagWith(
  frame('TIT2', ascii('\x03Song')),
  frame('TPE1', ascii('\x03First\0Second')),
  frame('TXXX', ascii('\x03Mood\0calm')),
  frame('APIC', concat([ascii('\x03image/png\0\x03Front\0'), PNG])),
)

const INFO: [string, Uint8Array] = [
  'LIST',
  list('INFO', part('INAM', ascii('Song\0')), part('IGNR', ascii('Folk\0')), part('IKEY', ascii('words\0'))),
]
const EXTRA: [string, Uint8Array][] = [
  INFO,
  ['id3 ', ID3],
  ['bext', new Uint8Array(602).fill(65)],
  ['iXML', ascii('<BWFXML/>')],
  ['cue ', concat([le(1, 7, 100), ascii('data'), le(0, 0, 100)])],
  ['LIST', list('adtl', part('labl', concat([le(7), ascii('Verse\0')])))],
  ['smpl', new Uint8Array(36).fill(3)],
  ['JUNK', ascii('note of an editor')],
]
const samples = tones(44_100, 2, 44_100)
const values = (bits: number) => Int32Array.from(samples, (value) => Math.round(value * 2 ** 13) * 2 ** (bits - 16))
const rich = (bits: number, extra = EXTRA) => concat([wave(values(bits), bits, 2, 44_100, extra), ascii('tail')])

describe('inventory of WAVE', () => {
  it('lists chunks, cue points, labels, loops, tags, covers and trailing bytes', async () => {
    expect(await itemsIn('wav', rich(24))).toMatchObject({
      chunks: [
        expect.stringMatching(/^bext = 602 bytes/),
        expect.stringMatching(/^iXML = 9 bytes/),
        expect.stringMatching(/^JUNK = 17 bytes/),
      ],
      covers: ['type 3 Front = png 3x2'],
      cue_points: ['cue 7 = 100', 'labl 7 = Verse'],
      durations: ['sound = 1.0 s'],
      loops: [expect.stringMatching(/^smpl = /)],
      sound_format: ['channels = 2'],
      tags: ['title = Song', 'genre = Folk', 'ikey = words', 'artist = First', 'artist = Second', 'mood = calm'],
      trailing_bytes: [expect.stringMatching(/^behind the RIFF form = 4 bytes/)],
    })
  })

  it('reads the 64-bit sizes of RF64', async () => {
    const plain = rich(16, [INFO])
    const data = plain.length - 4 - 12 - 24 - 8 - INFO[1].length - 8
    const ds64 = part('ds64', concat([le(plain.length + 24, 0, data, 0, 44_100, 0, 0)]))
    const form = concat([ascii('RF64\xff\xff\xff\xffWAVE'), ds64, plain.subarray(12)])
    const at = positionOf(form, 'data', 60)
    expect(await itemsIn('wav', overwritten(form, at + 4, '\xff\xff\xff\xff'))).toEqual(await itemsIn('wav', plain))
  })

  it('survives truncated and damaged files', { timeout: 60_000 }, async () => {
    await expectSurvival('wav', rich(16).slice(0, 2000), 11)
  })
})

describe('inventory of MP3', () => {
  const sound = looseMp3(60_000)
  const ape = concat([le(6, 0), ascii('Artist\0Nobody'), ascii('APETAGEX'), le(2000, 53, 1, 0x80000000 & 0, 0, 0)])
  const old = concat([ascii('TAGOld title'), new Uint8Array(116)])

  it('lists tags of every form, covers and chapters', async () => {
    const chapter = frame(
      'CHAP',
      concat([ascii('one\0'), Uint8Array.of(0, 0, 0, 0, 0, 0, 3, 232), new Uint8Array(8).fill(255), frame('TIT2', ascii('\x03Verse'))]),
    )
    const file = concat([tagWith(frame('TIT2', ascii('\x03Song')), chapter), ID3, sound, ape, old])
    expect(await itemsIn('mp3', file)).toMatchObject({
      chapters: [expect.stringMatching(/^one = 0\.0 Verse /)],
      covers: ['type 3 Front = png 3x2'],
      sound_format: ['channels = 2'],
      tag_forms: ['ID3v2', 'ID3v2', 'ID3v1', 'APE'],
      tags: expect.arrayContaining(['title = Song', 'artist = Nobody', expect.stringMatching(/^ID3v1 = Old title/)]),
    })
  })

  it('reads tags of versions 2.2 and 2.3', async () => {
    const v22 = concat([ascii('ID3\x02\0\0'), Uint8Array.of(...synchsafe(13)), ascii('TP1\0\0\x07\0Nobody')])
    const body = concat([ascii('TIT2\0\0\0\x07\0\0\x01'), Uint8Array.of(0xff, 0xfe), ascii('H\0i\0')])
    const v23 = concat([ascii('ID3\x03\0\0'), Uint8Array.of(...synchsafe(body.length)), body])
    expect((await itemsIn('mp3', concat([v22, v23, sound])))['tags']).toEqual(['artist = Nobody', 'title = Hi'])
  })

  it('survives truncated and damaged tags', { timeout: 60_000 }, async () => {
    const file = concat([ID3, sound.subarray(0, 4176), ape, old])
    await expectSurvival('mp3', file, 13)
  })

  it('keeps an ID3v1 tag behind a truncated frame when sound is encoded again', async () => {
    const file = concat([id3Tag([['title', 'Song']]), sound.subarray(0, sound.length - 500), old])
    const { outcome, bytes } = await press(mp3, file, 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: {}, inventory: { tag_forms: 2, tags: 2 } })
    expect(Buffer.from(bytes.subarray(-128)).toString('latin1')).toContain('TAGOld title')
  })
})

describe('inventory of AIFF', () => {
  const markers = concat([
    Uint8Array.of(0, 2, 0, 7, 0, 0, 0, 100, 5),
    ascii('Verse'),
    Uint8Array.of(0, 8, 0, 0, 1, 0, 2),
    ascii('An'),
    new Uint8Array(1),
  ])
  const chunks: [string, Uint8Array][] = [
    ['NAME', ascii('Song')],
    ['ANNO', ascii('A note')],
    ['MARK', markers],
    ['INST', new Uint8Array(20).fill(3)],
    ['COMT', ascii('\0\x01dates\0')],
    ['ID3 ', ID3],
  ]
  const file = concat([aiffFile(values(24), 24, { chunks }), ascii('tail')])

  it('lists texts, markers, loops, tags, covers and trailing bytes', async () => {
    expect(await itemsIn('aiff', file)).toMatchObject({
      chunks: [expect.stringMatching(/^COMT = 8 bytes/)],
      covers: ['type 3 Front = png 3x2'],
      cue_points: ['marker 7 = 100 Verse', 'marker 8 = 256 An'],
      durations: ['sound = 1.0 s'],
      loops: [expect.stringMatching(/^INST = 20 bytes/)],
      sound_format: ['channels = 2'],
      tags: ['title = Song', 'comment = A note', 'artist = First', 'artist = Second', 'mood = calm'],
      trailing_bytes: [expect.stringMatching(/4 bytes/)],
    })
  })

  it('survives truncated and damaged files', { timeout: 60_000 }, async () => {
    await expectSurvival('aiff', file.slice(0, 1200), 11)
  })

  it.each([
    ['A note', 1],
    ['Verse', 2],
    ['dates', 1],
    ['INST', 9],
    ['Front', 1],
    ['tail', 2],
  ])('finds that %s was changed', async (name, offset) => {
    const { outcome, bytes } = await press(aiff, file, 'high', 'aiff')
    expect(outcome.kind).toBe('compressed')
    expect(await compared('aiff', 'aiff', file, flipped(bytes, positionOf(bytes, name) + offset))).toMatchObject({ kind: 'lost' })
  })
})

describe('inventory of FLAC', () => {
  const blocks: readonly (readonly [number, Uint8Array])[] = [
    commentBlock('TITLE=Song', 'REPLAYGAIN_TRACK_GAIN=-1 dB'),
    pictureBlock(PNG),
    [5, new Uint8Array(396)],
    [2, ascii('testnote')],
  ]
  const file = concat([ID3, flacFile(values(16), { blocks }), ascii('TAGOld title'), new Uint8Array(116)])

  it('lists tags of every form, covers, the cue sheet and applications', async () => {
    expect(await itemsIn('flac', file)).toMatchObject({
      chunks: [expect.stringMatching(/^application test = 4 bytes/)],
      covers: ['type 3 Front = png 3x2', 'type 3 Front = png 3x2'],
      cue_points: [expect.stringMatching(/^cue sheet = /)],
      durations: ['sound = 1.0 s'],
      sound_format: ['channels = 2'],
      tag_forms: ['ID3v2', 'ID3v1'],
      tags: expect.arrayContaining(['title = Song', 'replaygain_track_gain = -1 dB', expect.stringMatching(/^ID3v1 = Old title/)]),
    })
  })

  it('survives truncated and damaged metadata', { timeout: 60_000 }, async () => {
    await expectSurvival('flac', file.slice(0, 1500), 13)
  })

  it.each([
    ['TITLE=Song', 7],
    ['REPLAYGAIN_TRACK_GAIN', 24],
    ['testnote', 5],
    ['Old title', 2],
    ['IHDR', 7],
  ])('finds that %s was changed', async (name, offset) => {
    const { outcome, bytes } = await press(flac, file, 'medium', 'flac')
    expect(outcome.kind).toBe('compressed')
    const damaged = flipped(bytes, positionOf(bytes, name, name === 'IHDR' ? positionOf(bytes, 'fLaC') : 0) + offset)
    expect(await compared('flac', 'flac', file, damaged)).toMatchObject({ kind: 'lost' })
  })
})

describe('conversion of WAVE', () => {
  it('to FLAC keeps each text of a tag, and other chunks as foreign metadata', async () => {
    const { outcome, bytes } = await press(wav, rich(24).slice(0, -4), 'medium', 'flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chunks: 3, covers: 1, cue_points: 2, loops: 1, tags: 6 } })
    expect((await itemsIn('flac', bytes))['tags']).toEqual(expect.arrayContaining(['artist = First', 'artist = Second']))
    expect(outcome).not.toHaveProperty('removed')
  })

  it('to FLAC keeps several texts of one frame without foreign metadata', async () => {
    const { outcome } = await press(wav, wave(values(16), 16, 2, 44_100, [['id3 ', ID3]]), 'medium', 'flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { tags: 4 } })
  })

  it.each([
    ['2.4', ID3],
    ['2.3', concat([ascii('ID3\x03\0\0\0\0\0\x0fTIT2\0\0\0\x05\0\0\0Song')])],
  ])('to MP3 adds entries of LIST INFO that the ID3 tag of version %s lacks', async (_, tag) => {
    const { outcome, bytes } = await press(wav, wave(values(16), 16, 2, 44_100, [INFO, ['id3 ', tag]]), 'medium', 'mp3')
    expect(outcome.kind).toBe('compressed')
    expect((await itemsIn('mp3', bytes))['tags']).toEqual(expect.arrayContaining(['title = Song', 'genre = Folk', 'ikey = words']))
  })

  it('to MP3 reports chunks that MP3 cannot store', async () => {
    const { outcome } = await press(wav, rich(16), 'medium', 'mp3')
    const why = 'output_cannot_store'
    expect(outcome).toMatchObject({
      removed: expect.arrayContaining([
        { kind: 'chunks', count: 3, why },
        { kind: 'cue_points', count: 2, why },
        { kind: 'loops', count: 1, why },
        { kind: 'trailing_bytes', count: 1, why },
      ]),
    })
  })
})

/** Jobs whose results are damaged: format, output, file. */
const JOBS: readonly (readonly [name: string, codec: Codec, format: FormatId, output: OutputId, file: Uint8Array])[] = [
  ['WAVE', wav, 'wav', 'wav', rich(24)],
  ['FLAC', wav, 'wav', 'flac', rich(24).slice(0, -4)],
  ['MP3', wav, 'wav', 'mp3', wave(values(16), 16, 2, 44_100, [['id3 ', ID3]])],
]
/** Content that is changed: its text and the outputs that store it. */
const CONTENT: readonly (readonly [text: string, offset: number, outputs: readonly OutputId[]])[] = [
  ['bext', 400, ['wav', 'flac']],
  ['<BWFXML', 2, ['wav', 'flac']],
  ['cue ', 12, ['wav', 'flac']],
  ['Verse', 0, ['wav', 'flac']],
  ['smpl', 10, ['wav', 'flac']],
  ['note of an', 3, ['wav', 'flac']],
  ['tail', 1, ['wav']],
  ['Second', 2, ['wav', 'mp3']],
  ['calm', 1, ['wav', 'mp3']],
  ['IHDR', 7, ['wav', 'mp3']],
  ['Front', 1, ['wav', 'mp3']],
]

describe.each(JOBS)('loss of any item of %s', (_, codec, format, output, file) => {
  let result: Uint8Array
  beforeAll(async () => {
    const pressed = await press(codec, file, 'medium', output)
    expect(pressed.outcome.kind).toBe('compressed')
    result = pressed.bytes
  })

  it('is found if content is changed', async () => {
    const stored = CONTENT.filter(([, , outputs]) => outputs.includes(output))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...stored), async ([text, offset]) => {
        const verdict = await compared(format, output, file, flipped(result, positionOf(result, text) + offset))
        expect(verdict, text).toMatchObject({ kind: 'lost' })
      }),
      { numRuns: roundsOf(60) },
    )
  })

  it('is found if the number of channels or samples is changed', async () => {
    // Channels in WAVE and FLAC; number of frames in MP3.
    const at = output === 'flac' ? 20 : output === 'wav' ? positionOf(result, 'fmt ') + 10 : positionOf(result, 'Xing') + 10
    const changed = overwritten(result, at, String.fromCharCode(result[at]! ^ 2))
    expect((await compared(format, output, file, changed)).kind).toBe('lost')
  })
})
