/** What stays of tags, loudness, covers, chapters and length, for every pair of formats of sound. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { FORMATS } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { chapterFrames } from '../../../src/core/containers/id3/chapters.ts'
import { id3Frames, id3Tag } from '../../../src/core/containers/id3/id3.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { commentsOf } from '../../../src/core/containers/xiph/tags.ts'
import { playedM4a } from '../../../src/core/formats/film/m4a/played.ts'
import { readFlac } from '../../../src/core/formats/flac/file.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { aiffFile } from '../../support/aiff-file.ts'
import { commentBlock, flacFile, pictureBlock, seekTableBlock } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { itemsOf } from '../../support/inventories.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { pngOf } from '../../support/packages.ts'
import { oggFlac, opusSound, surroundM4a } from '../../support/sound-file.ts'
import { optionsFor, press, tones, wave } from './media-fixtures.ts'

const HERTZ = 44_100
const COVER = pngOf(new Uint8Array(27), 3, 3)
const SAMPLES = Int32Array.from(tones(HERTZ, 2, HERTZ), (value) => Math.round(value * 30_000))

const TAGS: readonly (readonly [string, string])[] = [
  ['title', 'Söng'],
  ['artist', 'One'],
  ['album_artist', 'Various'],
  ['composer', 'Two'],
  ['track', '3'],
  ['disc', '1'],
  ['date', '2020-05-06'],
  ['replaygain_track_gain', '-6.50 dB'],
  ['replaygain_album_peak', '0.990000'],
]
const KEYS: { readonly [name: string]: string } = { album_artist: 'ALBUMARTIST', track: 'TRACKNUMBER', disc: 'DISCNUMBER' }
const CHAPTERS = [
  { seconds: 0, title: 'Eins' },
  { seconds: 0.5, title: 'Zwei' },
]
const COMMENTS = [
  ...TAGS.map(([name, value]) => `${KEYS[name] ?? name.toUpperCase()}=${value}`),
  ...CHAPTERS.flatMap(({ seconds, title }, i) => [`CHAPTER00${i}=00:00:0${seconds.toFixed(3)}`, `CHAPTER00${i}NAME=${title}`]),
]
const [, picture] = pictureBlock(COVER)
const PICTURE = `METADATA_BLOCK_PICTURE=${Buffer.from(picture).toString('base64')}`
const id3 = (chapters: boolean) =>
  id3Tag(TAGS, [{ type: 3, mime: 'image/png', description: 'Front', data: COVER }], chapters ? chapterFrames(CHAPTERS, 1) : [])
const flacSource = () => flacFile(SAMPLES, { channels: 2, hertz: HERTZ, blocks: [commentBlock(...COMMENTS), pictureBlock(COVER)] })

const SOURCES: { readonly [name: string]: () => Uint8Array | Promise<Uint8Array> } = {
  flac: flacSource,
  m4a: async () => (await press(flac, flacSource(), 'high', 'm4a')).bytes,
  mp3: () => concat([id3(true), looseMp3(HERTZ)]),
  ogg: () => oggFlac(SAMPLES, 2, [...COMMENTS, PICTURE]),
  opus: () => opusSound({ bitsPerSecond: 500_000, entries: [...COMMENTS, PICTURE] }),
  wav: () => wave(SAMPLES, 16, 2, HERTZ, [['id3 ', id3(true)]]),
  'wav without chapters': () => wave(SAMPLES, 16, 2, HERTZ, [['id3 ', id3(false)]]),
  aiff: () => aiffFile(SAMPLES, 16, { chunks: [['ID3 ', id3(true)]] }),
  'aiff without chapters': () => aiffFile(SAMPLES, 16, { chunks: [['ID3 ', id3(false)]] }),
}

const KEPT = { tags: TAGS.length, covers: 1 }
/** MP3 stores a table of contents besides two chapters; comments store time and title of each. */
const [TABLE, COMMENTED] = [
  { ...KEPT, chapters: 3 },
  { ...KEPT, chapters: 4 },
]
const CONVERTED = { ...KEPT, chapters: 2 }
const [LARGER, REFUSED] = ['no_gain', 'unsupported_feature']

/** Items that stay in each output, by source; or the reason why the file stays unchanged. */
const PAIRS: { readonly [source: string]: { readonly [output: string]: { readonly [kind: string]: number } | string } } = {
  flac: { flac: COMMENTED, m4a: CONVERTED, mp3: CONVERTED, opus: CONVERTED },
  m4a: { m4a: CONVERTED, mp3: CONVERTED, flac: LARGER, opus: CONVERTED },
  mp3: { mp3: TABLE },
  ogg: { ogg: COMMENTED, m4a: CONVERTED, mp3: CONVERTED, flac: CONVERTED },
  opus: { opus: COMMENTED, m4a: CONVERTED, mp3: CONVERTED, flac: LARGER },
  wav: { wav: TABLE, mp3: TABLE, flac: TABLE, opus: REFUSED },
  'wav without chapters': { wav: KEPT, mp3: KEPT, flac: KEPT, opus: KEPT },
  aiff: { aiff: TABLE, mp3: TABLE, flac: TABLE, opus: REFUSED },
  'aiff without chapters': { aiff: KEPT, mp3: KEPT, flac: KEPT, opus: KEPT },
}
/** Outputs of films. */
const OTHERS: readonly OutputId[] = ['mp4']
const formatOf = (name: string) => name.split(' ')[0] as keyof typeof FORMATS

describe('tags, loudness, covers, chapters and length', () => {
  it('are listed for every pair', () => {
    for (const [name, row] of Object.entries(PAIRS)) {
      const outputs: readonly OutputId[] = FORMATS[formatOf(name)].outputs
      expect(Object.keys(row).sort()).toEqual(outputs.filter((output) => !OTHERS.includes(output)).sort())
    }
  })

  const pairs = Object.entries(PAIRS).flatMap(([name, row]) => Object.entries(row).map(([output, kept]) => [name, output, kept] as const))
  it.each(pairs)('of %s in %s', async (name, output, kept) => {
    const format = formatOf(name)
    const pressed = await press(MEDIA_CODECS[format]!, await SOURCES[name]!(), 'low', output as OutputId, `a.${format}`)
    const { outcome } = pressed
    expect(pressed).not.toHaveProperty('defect')
    if (typeof kept === 'string') return expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({ reason: kept })
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({ kind: 'compressed', inventory: kept })
    expect(outcome).not.toHaveProperty('removed')
    const items = await itemsOf(output as OutputId, pressed.bytes)
    const tags = Object.keys(items['tags'] ?? {})
    expect(tags.sort()).toEqual(TAGS.map(([tag, value]) => `${tag} = ${value}`).sort())
    // The sound of an MP3 without the tag of an encoder has no length in the inventory.
    if (format !== 'mp3') expect(Object.keys(items['durations'] ?? {}).join()).toMatch(/ = 1\.0 s$/)
  })
})

describe('tags in the words of players', () => {
  it('of FLAC and Opus have the date as DATE', () => {
    expect(
      commentsOf([
        ['date', '2020'],
        ['album_artist', 'a'],
        ['disc', '1'],
        ['track', '2'],
      ]),
    ).toEqual(['DATE=2020', 'ALBUMARTIST=a', 'DISCNUMBER=1', 'TRACKNUMBER=2'])
  })

  it('of MP3 have frames of their own', () => {
    const names = ['album_artist', 'composer', 'disc', 'isrc', 'lyrics', 'comment']
    const frames = id3Frames(id3Tag(names.map((name) => [name, 'a'] as const)))
    expect(frames.map(({ id }) => id)).toEqual(['TPE2', 'TCOM', 'TPOS', 'TSRC', 'USLT', 'COMM'])
  })
})

describe('files that were refused', () => {
  it('FLAC in Ogg with a seek table becomes FLAC without it', async () => {
    const bytes = oggFlac(SAMPLES, 2, COMMENTS, [seekTableBlock(0)])
    const pressed = await press(MEDIA_CODECS.ogg!, bytes, 'high', 'flac', 'a.ogg')
    expect(pressed).not.toHaveProperty('defect')
    expect(pressed.outcome).toMatchObject({ kind: 'compressed' })
    const { blocks } = await readFlac(memorySource(pressed.bytes, 'a.flac'))
    expect(blocks.map(({ type }) => type)).toEqual([4])
  })

  it('M4A with a language of the Macintosh has it as a tag', async () => {
    const bytes = (await press(flac, flacSource(), 'high', 'm4a')).bytes.slice()
    // Version, two times, timescale and duration are in front of the language.
    const at = Buffer.from(bytes).indexOf('mdhd') + 4 + 20
    bytes.set([0, 2], at)
    const pressed = await press(MEDIA_CODECS.m4a!, bytes, 'low', 'mp3', 'a.m4a')
    expect(pressed).not.toHaveProperty('defect')
    expect(Object.keys((await itemsOf('mp3', pressed.bytes))['tags'] ?? {})).toContain('language = ger')
  })

  it('M4A in 5.1 becomes FLAC and Opus with the same order of speakers', async () => {
    const bytes = surroundM4a()
    for (const output of ['flac', 'opus'] as const) {
      const pressed = await press(MEDIA_CODECS.m4a!, bytes, 'low', output, 'a.m4a')
      expect(pressed.outcome, JSON.stringify(inEnglish(pressed.outcome))).toMatchObject({
        kind: 'compressed',
        inventory: { sound_format: 1 },
      })
    }
    using movie = await readMovie(memorySource(bytes, 'a.m4a'))
    const sound = await playedM4a(memorySource(bytes, 'a.m4a'), movie)
    const channels: number[][] = Array.from({ length: 6 }, () => [])
    for await (const planar of sound.samples(optionsFor('low', 'flac')))
      for (const [i, samples] of planar.entries()) channels[i]!.push(...samples)
    const crossings = channels.map((samples) => samples.filter((value, i) => i > 0 && value > 0 !== samples[i - 1]! > 0).length)
    // Two crossings of zero a period, in 0.27 s.
    const wanted = [200, 350, 500, 60, 800, 950].map((hertz) => 2 * 0.27 * hertz)
    for (const [i, count] of crossings.entries()) expect(Math.abs(count - wanted[i]!)).toBeLessThan(4)
  })
})
