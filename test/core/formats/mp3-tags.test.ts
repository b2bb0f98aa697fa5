import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { id3Tag, synchsafe } from '../../../src/core/containers/id3/id3.ts'
import { frameHeader, tagFrame } from '../../../src/core/containers/mpeg-audio/frame.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { verifySound } from '../../../src/core/formats/mp3/verify.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { optionsFor, press, tones, wave } from './media-fixtures.ts'

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const sound = looseMp3(60_000)

/** An ID3v2.4 tag around `body`. */
const tagOf = (body: Uint8Array, flags = 0, behind: Uint8Array = new Uint8Array()) =>
  concat([ascii('ID3'), Uint8Array.of(4, 0, flags, ...synchsafe(body.length)), body, behind])

const frame = (id: string, body: string, flags = 0) => concat([ascii(id), Uint8Array.of(...synchsafe(body.length), 0, flags), ascii(body)])

describe('tags in front of the sound', () => {
  it.each([
    ['a frame longer than its tag', tagOf(concat([frame('TIT2', '\x03Title'), ascii('TPE1\0\0\x7f\x7f\0\0\x03Nobody')]))],
    ['bytes behind the frames that are no padding', tagOf(concat([frame('TIT2', '\x03Title'), new Uint8Array(20), ascii('Nobody')]))],
    ['an extended header', tagOf(concat([Uint8Array.of(0, 0, 0, 6, 1, 0), frame('TPE1', '\x03Nobody')]), 0x40)],
    ['a footer', tagOf(frame('TPE1', '\x03Nobody'), 0x10, concat([ascii('3DI'), Uint8Array.of(4, 0, 0x10, ...synchsafe(17))]))],
    ['a compressed frame', tagOf(concat([frame('TIT2', '\x03Title'), frame('TXXX', '\x03mood\0Nobody', 8), new Uint8Array(400)]))],
    ['two tags, one behind the other', concat([id3Tag([['title', 'Title']]), id3Tag([['artist', 'Nobody']])])],
    ['a tag of version 2.2', concat([ascii('ID3'), Uint8Array.of(2, 0, 0, ...synchsafe(13)), ascii('TP1\0\0\x07\0Nobody')])],
  ])('%s: kept at every level', async (_, tag) => {
    for (const quality of ['low', 'high'] as const) {
      const { bytes, outcome } = await press(mp3, concat([tag, sound]), quality, 'mp3')
      expect(outcome.kind).toBe('compressed')
      expect(text(bytes)).toContain('Nobody')
    }
  })

  it('verifies every tag, including compressed or encrypted frames', async () => {
    const tags = [id3Tag([['title', 'Title']]), tagOf(concat([frame('TPE1', '\x03Nobody'), frame('TXXX', 'packed', 8)]))]
    const file = concat([...tags, sound])
    for (const other of [concat([tags[0]!, sound]), concat([tags[0]!, tagOf(frame('TPE1', '\x03Nobody')), sound])]) {
      const verdict = await verifySound(
        memorySource(file, 'a'),
        memorySource(other, 'b'),
        { kind: 'compressed', steps: [] },
        optionsFor('high', 'mp3'),
      )
      expect(verdict).toMatchObject({ equal: false, difference: expect.stringMatching(/tag/) })
    }
  })
})

describe('tags after the sound', () => {
  const ape = () => {
    const item = concat([Uint8Array.of(6, 0, 0, 0, 0, 0, 0, 0), ascii('Artist\0Nobody')])
    const part = (flags: number[]) =>
      concat([ascii('APETAGEX'), Uint8Array.of(0xd0, 7, 0, 0, item.length + 32, 0, 0, 0, 1, 0, 0, 0, ...flags), new Uint8Array(8)])
    return concat([part([0, 0, 0, 0xa0]), item, part([0, 0, 0, 0x80])])
  }
  const lyrics = () => {
    const body = 'LYRICSBEGININD0000200EAR00006Nobody'
    return ascii(`${body}${String(body.length).padStart(6, '0')}LYRICS200`)
  }
  const v1 = concat([ascii('TAG'), ascii('Title'.padEnd(30, '\0')), ascii('Nobody'.padEnd(30, '\0')), new Uint8Array(65)])
  const extended = concat([ascii('TAG+'), ascii('Nobody'.padEnd(60, '\0')), new Uint8Array(163)])

  it.each([
    ['APE', ape()],
    ['APE and ID3v1', concat([ape(), v1])],
    ['Lyrics3 and ID3v1', concat([lyrics(), v1])],
    ['ID3v1, extended', concat([extended, v1])],
    ['ID3v2 at the end', id3Tag([['artist', 'Nobody']])],
  ])('%s: kept byte for byte at every level', async (_, tags) => {
    for (const quality of ['low', 'high'] as const) {
      const { bytes, outcome } = await press(mp3, concat([sound, tags]), quality, 'mp3')
      expect(outcome.kind).toBe('compressed')
      expect(text(bytes).endsWith(text(tags))).toBe(true)
    }
  })

  it('keeps unknown bytes, or reports in the receipt that they were dropped', async () => {
    for (const quality of ['low', 'high'] as const) {
      const { bytes, outcome } = await press(mp3, concat([sound, ascii('a marker that nobody knows')]), quality, 'mp3')
      if (!text(bytes).includes('a marker that nobody knows')) {
        expect(inEnglish(outcome)).toMatchObject({
          steps: expect.arrayContaining([expect.stringMatching(/^not kept: 26 trailing bytes behind/)]),
        })
      }
    }
  })
})

describe("LAME's tag", () => {
  it('keeps the replay gain of the LAME tag if the sound is encoded again', async () => {
    const values = Int32Array.from(tones(120_000, 2, 44100), (value) => Math.round(value * 30_000))
    const made = (await press(wav, wave(values, 16, 2, 44100), 'high', 'mp3')).bytes.slice()
    const placeOf = (file: Uint8Array) => 4 + frameHeader(file, 0)!.sideBytes + 120
    const gain = Uint8Array.of(0x3f, 0x80, 0, 0, 0x2c, 0x14, 0x4c, 0x28)
    made.set(gain, placeOf(made) + 11)
    const { bytes, outcome } = await press(mp3, made, 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: {} } })
    expect(bytes.slice(placeOf(bytes) + 11, placeOf(bytes) + 19)).toEqual(gain)
    const header = frameHeader(bytes, 0)!
    expect(tagFrame(bytes.subarray(0, header.bytes), header)?.delay).toBe(
      tagFrame(made.subarray(0, frameHeader(made, 0)!.bytes), frameHeader(made, 0)!)?.delay,
    )
  })
})
