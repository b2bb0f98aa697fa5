import { describe, expect, it } from 'vitest'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { findBox } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { chaptersOf } from '../../../src/core/containers/xiph/chapters.ts'
import { chaptersOfList, chaptersOfTrack, chapterTrack } from '../../../src/core/formats/film/m4a/chapters.ts'
import { m4a } from '../../../src/core/formats/film/m4a/m4a.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { withoutFlacMetadata } from '../../../src/core/formats/flac/without-metadata.ts'
import { ogg } from '../../../src/core/formats/ogg/ogg.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { commentBlock, flacFile } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { itemsOf } from '../../support/inventories.ts'
import { chaptersM4a, opusSound } from '../../support/sound-file.ts'
import { press, tones } from './media-fixtures.ts'

const COMMENTS = ['TITLE=Book', 'CHAPTER000=00:00:00.000', 'CHAPTER000NAME=Eins', 'CHAPTER7=00:00:00.50', 'CHAPTER7NAME=Zwölf']
const flacOf = (...entries: string[]) => {
  const samples = Int32Array.from(tones(44_100, 2, 44_100), (value) => Math.round(value * 32_000))
  return flacFile(samples, { channels: 2, hertz: 44_100, blocks: [commentBlock(...entries)] })
}
const SOURCES: { readonly [format: string]: readonly [codec: Codec, bytes: () => Uint8Array] } = {
  flac: [flac, () => flacOf(...COMMENTS)],
  m4a: [m4a, chaptersM4a],
  opus: [ogg, () => opusSound({ entries: COMMENTS, bitsPerSecond: 500_000 })],
}

/** Chapters in Vorbis comments. */
const COMMENTED = [/^chapter001 = 00:00:00.000$/, /^chapter001name = Eins$/, /^chapter002 = 00:00:00.500$/, /^chapter002name = Zwölf$/]
/** Chapters as the inventory of each output names them. */
const CHAPTERS: { readonly [output: string]: readonly RegExp[] } = {
  m4a: [/^0 = 0.0 Eins$/, /^1 = 0.5 Zwölf$/],
  mp3: [/^contents = /, /^chp0 = 0.0 Eins /, /^chp1 = 0.5 Zwölf /],
  flac: COMMENTED,
  opus: COMMENTED,
}

describe('chapters of sound', () => {
  it.each<[string, OutputId]>([
    ['flac', 'm4a'],
    ['flac', 'mp3'],
    ['flac', 'opus'],
    ['m4a', 'm4a'],
    ['m4a', 'mp3'],
    ['m4a', 'opus'],
    ['opus', 'm4a'],
    ['opus', 'mp3'],
  ])('of %s stay in %s', async (format, output) => {
    const [codec, bytes] = SOURCES[format]!
    const pressed = await press(codec, bytes(), 'low', output, `a.${format}`)
    expect(pressed.outcome, JSON.stringify(inEnglish(pressed.outcome))).toMatchObject({ kind: 'compressed', inventory: { chapters: 2 } })
    expect(JSON.stringify(pressed.outcome)).not.toMatch(/"kind":"(?:chapters|other_tracks|track_references)"/)
    const found = Object.keys((await itemsOf(output, pressed.bytes))['chapters'] ?? {})
    expect(found).toHaveLength(CHAPTERS[output]!.length)
    for (const expected of CHAPTERS[output]!) expect(found.filter((item) => expected.test(item))).toHaveLength(1)
  })

  it('stay when the metadata of FLAC is removed', async () => {
    const stripped = await withoutFlacMetadata(memorySource(flacOf(...COMMENTS), 'a.flac'), 'strip')
    const items = await itemsOf('flac', (await stripped.read(0, stripped.size)).slice())
    expect(Object.keys(items['chapters'] ?? {})).toHaveLength(4)
    expect(items['tags']).toBeUndefined()
  })

  it.each([
    ['links', ['CHAPTER001=00:00:00.000', 'CHAPTER001URL=https://example.com']],
    ['a time that is no time', ['CHAPTER001=now']],
    ['a title without a time', ['CHAPTER001NAME=One']],
    ['the same number twice', ['CHAPTER001=00:00:00.000', 'CHAPTER01=00:00:01.000']],
    ['a title of 256 bytes', ['CHAPTER001=00:00:00.000', `CHAPTER001NAME=${'a'.repeat(256)}`]],
    ['256 chapters', Array.from({ length: 256 }, (_, i) => `CHAPTER${i}=00:00:00.${String(i).padStart(3, '0')}`)],
  ])('with %s are refused', async (_, entries) => {
    for (const output of ['m4a', 'mp3', 'opus'] as const) {
      const { outcome } = await press(flac, flacOf(...entries), 'low', output, 'a.flac')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
      expect(JSON.stringify(inEnglish(outcome))).toContain('chapters')
    }
  })

  it('of M4A are a list and a track that players of Apple show, also after a second time', async () => {
    const first = await press(flac, flacOf(...COMMENTS), 'low', 'm4a', 'a.flac')
    const second = await press(m4a, first.bytes, 'low', 'm4a', 'a.m4a')
    for (const { bytes } of [first, second]) {
      using movie = await readMovie(memorySource(bytes, 'a.m4a'))
      const { moov, moovBox, tracks } = movie
      expect(tracks.map(({ handler }) => handler)).toEqual(['soun', 'text'])
      const titles = chapterTrack(movie, tracks[0]!)!
      // The lowest flag of the header enables a track.
      expect(moov[findBox(moov, titles.box, 'tkhd')!.body + 3]! & 1).toBe(0)
      const expected = [
        { seconds: 0, title: 'Eins' },
        { seconds: 0.5, title: 'Zwölf' },
      ]
      expect(await chaptersOfTrack(memorySource(bytes, 'a.m4a'), titles)).toEqual(expected)
      expect(chaptersOfList(moov, moovBox)).toEqual(expected)
      expect(titles.duration / titles.timescale).toBe(1)
    }
  })

  it('that begin later than the sound are a list in M4A, because a track has no place for the time before', async () => {
    const { outcome, bytes } = await press(flac, flacOf('CHAPTER1=00:00:00.250', 'CHAPTER1NAME=Late'), 'low', 'm4a', 'a.flac')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { chapters: 1 } })
    using movie = await readMovie(memorySource(bytes, 'a.m4a'))
    expect(movie.tracks).toHaveLength(1)
  })

  it('are read in the order of their times', () => {
    const chapters = chaptersOf([
      ['chapter2', '1:00:00'],
      ['chapter1name', 'b'],
      ['chapter1', '01:01:01.250'],
    ])
    expect(chapters).toEqual([
      { seconds: 3600, title: '' },
      { seconds: 3661.25, title: 'b' },
    ])
  })
})
