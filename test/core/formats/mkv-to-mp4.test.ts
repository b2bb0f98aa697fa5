import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import type { Track } from '../../../src/core/containers/isobmff/track.ts'
import { opusPacketSamples } from '../../../src/core/containers/xiph/opus-packets.ts'
import { cutByTime } from '../../../src/core/formats/film/cut.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { mkv } from '../../../src/core/formats/film/mkv/mkv.ts'
import { readMkvFilm } from '../../../src/core/formats/film/mkv/to-mp4/mkv-film.ts'
import { openAsMp4 } from '../../../src/core/formats/film/mkv/to-mp4/mp4-film.ts'
import { locatedParts } from '../../../src/core/formats/film/mkv/to-mp4/picture-part.ts'
import { framesDifference } from '../../../src/core/formats/film/mkv/to-mp4/verify-frames.ts'
import { type PicturesHead, readParts } from '../../../src/core/formats/film/part-file.ts'
import type { PartPlan } from '../../../src/core/model/segmented.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { inEnglish } from '../../support/in-english.ts'
import { attachment, chapters, element, number, space, tags, text } from '../../support/mkv-file.ts'
import { matroskaOf } from '../../support/mkv-from-mp4.ts'
import { AAC, AVC, filmOf, float, PICTURES, type TestFilm, type TestFrame, type TestTrack } from '../../support/mkv-tracks.ts'
import { randomBytes } from '../../support/ogg-file.ts'
import { pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { optionsFor, press, rawMovie } from './media-fixtures.ts'

/** Space that MP4 does without, so that every film becomes smaller. */
const SPACE = space(6000)
const pressed = (film: TestFilm) =>
  pressFile(mkv, filmOf({ ...film, more: [SPACE, ...(film.more ?? [])] }), 'a.mkv', { output: 'mp4', lossless: true })
const movieOf = (bytes: Uint8Array) => readMovie(memorySource(bytes, 'a.mp4'))

/** Bytes of all samples of a track. */
function samplesIn(bytes: Uint8Array, track: Track): Uint8Array[] {
  const { count, offset, size } = track.samples()
  return Array.from({ length: count }, (_, i) => bytes.subarray(offset[i]!, offset[i]! + size[i]!))
}

/** Times in seconds at which samples are shown. */
function timesIn(track: Track, movieTimescale: number): number[] {
  const { count, dts, composition } = track.samples()
  const edits = track.edits ?? []
  const empty = edits[0]?.mediaTime === -1 ? edits[0].duration / movieTimescale : 0
  const skipped = edits.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  return Array.from({ length: count }, (_, i) => empty + (dts[i]! + composition[i]! - skipped) / track.timescale)
}

const bytesOf = (i: number, length = 40 + (i % 7)) => randomBytes(length, i + 1)
/** Frames of a track at times. */
const at = (track: number, times: readonly number[]): TestFrame[] =>
  times.map((time, i) => ({ track, time, bytes: bytesOf(i + 100 * track), isKey: i === 0 }))
const rounded = (count: number, milliseconds: number, start = 0) =>
  Array.from({ length: count }, (_, i) => Math.round(start + i * milliseconds))

describe('Matroska to MP4', () => {
  it('keeps every frame, and times of reordered frames', async () => {
    // Display order of a film with two B-frames between others.
    const times = [21, 146, 62, 104, 271, 187, 229]
    const frames = [...at(1, times), ...at(2, rounded(12, 21.333))]
    const { outcome, bytes } = await pressed({ tracks: [AVC, AAC], frames })
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({
      kind: 'compressed',
      inventory: { video_tracks: 1, audio_tracks: 1 },
    })
    expect(outcome).not.toHaveProperty('loss')
    using movie = await movieOf(bytes)
    const [video, audio] = movie.tracks as [Track, Track]
    expect(samplesIn(bytes, video).map((one) => [...one])).toEqual(frames.slice(0, 7).map((frame) => [...frame.bytes]))
    expect(timesIn(video, movie.timescale).map((time) => Math.round(time * 1000))).toEqual(times)
    expect([...video.samples().sync]).toEqual([1, 0, 0, 0, 0, 0, 0])
    // All times of the sound are multiples of a packet, rounded.
    expect([audio.timescale, audio.samples().dts[11]]).toEqual([48_000, 11 * 1024])
  })

  it('writes the exact times of a steady rate that the file tells', async () => {
    const track = { ...AVC, more: [number(0x23e383, 41_708_333)] }
    const { bytes } = await pressed({ tracks: [track], frames: at(1, rounded(30, 1001 / 24)) })
    using movie = await movieOf(bytes)
    const [video] = movie.tracks as [Track]
    expect([video.timescale, video.samples().dts[29]]).toEqual([24_000, 29 * 1001])
  })

  it('writes the stored times of any other rate', async () => {
    const times = [0, 33, 100, 101, 400]
    const { bytes } = await pressed({ tracks: [{ ...AVC, more: [number(0x23e383, 33_333_333)] }], frames: at(1, times) })
    using movie = await movieOf(bytes)
    expect(timesIn(movie.tracks[0]!, movie.timescale).map((time) => Math.round(time * 1000))).toEqual(times)
  })

  it('begins a track later with an empty edit', async () => {
    const { bytes } = await pressed({ tracks: [AVC, AAC], frames: [...at(1, [0, 40, 80]), ...at(2, rounded(5, 21.333, 1500))] })
    using movie = await movieOf(bytes)
    expect(movie.tracks[1]!.edits![0]).toMatchObject({ duration: 1500, mediaTime: -1 })
  })

  it('leaves out the samples of Opus that are not played', async () => {
    const head = concat([new TextEncoder().encode('OpusHead'), Uint8Array.of(1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0)])
    const packets = rounded(10, 20).map((time, i) => ({ track: 2, time, bytes: concat([Uint8Array.of(0xfc), bytesOf(i)]) }))
    const last = { ...packets[9]!, group: [element(0x75a2, Uint8Array.of(0x4c, 0x4b, 0x40), 1)] }
    const opus = { number: 2, codec: 'A_OPUS', config: head, more: [number(0x56aa, 6_500_000)] }
    const { outcome, bytes } = await pressed({ tracks: [opus], frames: [...packets.slice(0, 9), last] })
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    using movie = await movieOf(bytes)
    // 312 samples at the start; 5 ms at the end.
    expect(movie.tracks[0]!.edits).toEqual([{ duration: Math.ceil((9600 - 312 - 240) / 48), mediaTime: 312, rate: 0x10000 }])
    expect([[0xfc], [0xfd], [0xff, 3], []].map((start) => opusPacketSamples(Uint8Array.from(start)))).toEqual([960, 1920, 2880, 0])
  })

  it.each<[string, number, readonly number[], (sizes: readonly number[]) => number[]]>([
    ['Xiph', 0x02, [260, 40, 50], () => [2, 255, 5, 40]],
    ['EBML', 0x06, [260, 40, 50], ebmlSizes],
    ['equal sizes', 0x04, [50, 50, 50], () => [2]],
  ])('reads several frames in a block (%s)', async (_, lacing, sizes, encoded) => {
    const parts = sizes.map((size, i) => bytesOf(i, size))
    const { outcome, bytes } = await pressed({
      tracks: [AAC],
      frames: [{ track: 2, time: 0, lacing, bytes: concat([Uint8Array.from(encoded(sizes)), ...parts]) }, ...at(2, [64])],
    })
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    using movie = await movieOf(bytes)
    expect(samplesIn(bytes, movie.tracks[0]!).map((one) => [...one])).toEqual([...parts, bytesOf(200)].map((one) => [...one]))
  })

  it('puts back the bytes that are left out of each frame', async () => {
    const stripped = element(0x6d80, [element(0x6240, [element(0x5034, [number(0x4254, 3, 1), element(0x4255, Uint8Array.of(9, 8))])])])
    const { bytes } = await pressed({ tracks: [{ ...AAC, more: [stripped] }], frames: at(2, rounded(3, 21.333)) })
    using movie = await movieOf(bytes)
    const [first] = samplesIn(bytes, movie.tracks[0]!)
    expect([...first!]).toEqual([9, 8, ...bytesOf(200)])
  })

  it('keeps languages, names, tags, chapters, covers, colours, rotation and the shape of pixels', async () => {
    const colour = element(0x55b0, [
      ...[
        number(0x55b1, 9, 1),
        number(0x55ba, 16, 1),
        number(0x55bb, 9, 1),
        number(0x55b9, 1, 1),
        number(0x55bc, 1000, 2),
        number(0x55bd, 400, 2),
      ],
      element(
        0x55d0,
        [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329, 1000, 0.005].map((value, i) => float(0x55d1 + i, value)),
      ),
    ])
    const turned = element(0x7670, [number(0x7671, 0, 1), float(0x7675, -90)])
    const video = [...PICTURES, number(0x54b0, 128, 2), number(0x54ba, 48, 2), colour, turned]
    const { outcome, bytes } = await pressed({
      tracks: [
        { ...AVC, video, more: [text(0x22b59c, 'fre'), text(0x22b59d, 'fr-CA'), text(0x536e, 'Main')] },
        { ...AAC, more: [number(0x88, 0, 1), text(0x22b59c, 'ger')] },
      ],
      frames: [...at(1, [0, 40]), ...at(2, [0, 21])],
      info: [text(0x7ba9, 'Film'), element(0x4461, Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0), 1)],
      more: [tags(), chapters(), attachment('cover.png', 'image/png', pngOf(new Uint8Array(3 * 16 * 16), 16, 16))],
    })
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({
      kind: 'compressed',
      inventory: { languages: 3, tags: 4, chapters: 1, covers: 1, colour: 4, rotation: 2, side_data: 2, dispositions: 1, sound_format: 1 },
    })
    expect(outcome).not.toHaveProperty('removed')
    const found = Buffer.from(bytes)
    for (const box of ['colr', 'nclx', 'mdcv', 'clli', 'pasp', 'elng', 'chpl', 'covr']) expect(found.includes(box), box).toBe(true)
  })

  it('tells what MP4 has no place for and that is no content', async () => {
    const target = element(0x1254c367, [
      element(0x7373, [element(0x63c0, [number(0x63c5, 7, 1)]), element(0x67c8, [text(0x45a3, 'BPS'), text(0x4487, '1')])]),
    ])
    const { outcome } = await pressed({ tracks: [AAC], frames: at(2, rounded(3, 21.333)), more: [target] })
    expect(outcome).toMatchObject({ kind: 'compressed', removed: [{ kind: 'chunks', count: 1, why: 'output_cannot_store' }] })
  })

  it.each<[string, Partial<TestFilm>, RegExp]>([
    ['Vorbis', { tracks: [AVC, { number: 2, codec: 'A_VORBIS' }] }, /track 2 \(A_VORBIS\)/],
    ['subtitles of a style', { tracks: [AVC, AAC, subtitle('S_TEXT/ASS')] }, /track 3 \(S_TEXT\/ASS\)/],
    ['an attached font', { more: [attachment('a.ttf', 'font/ttf', bytesOf(1))] }, /`a.ttf`/],
    ['H.264 without configuration', { tracks: [{ number: 1, codec: AVC.codec, video: PICTURES }, AAC] }, /track 1 .* configuration/],
    ['transparency', { tracks: [{ ...AVC, video: [...PICTURES, number(0x53c0, 1, 1)] }, AAC] }, /track 1 .* transparent/],
    ['a track without frames', { frames: at(1, [0, 40]) }, /track 2 .* no frames/],
    ['sound that goes back', { frames: [...at(1, [0, 40]), ...at(2, [30, 0])] }, /track 2 .* go back/],
    [
      'additions to blocks',
      {
        frames: [
          ...at(2, [0]),
          {
            track: 1,
            time: 0,
            bytes: bytesOf(1),
            group: [element(0x75a1, [element(0xa6, [number(0xee, 4, 1), element(0xa5, bytesOf(2))])])],
          },
        ],
      },
      /additional data/,
    ],
    ['chapters in chapters', { more: [element(0x1043a770, [element(0x45b9, [element(0xb6, [element(0xb6, [])])])])] }, /nested/],
  ])('leaves a file with %s as it is, and says why', async (_, film, why) => {
    const { outcome } = await pressed({ tracks: [AVC, AAC], frames: [...at(1, [0, 40]), ...at(2, [0, 21])], ...film })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect(JSON.stringify(inEnglish(outcome))).toMatch(why)
  })

  it('of encrypted tracks is not made', async () => {
    const encrypted = element(0x6d80, [element(0x6240, [element(0x5035, [])])])
    const { outcome } = await pressed({ tracks: [{ ...AAC, more: [encrypted] }], frames: at(2, [0, 21]) })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted' })
  })

  it('with any times, sizes and order of tracks keeps every frame', async () => {
    const frame = fc.record({ track: fc.constantFrom(1, 2), step: fc.nat(200), size: fc.integer({ min: 1, max: 90 }), isKey: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 2, maxLength: 40 }), async (steps) => {
        const times = [0, 0, 0]
        const first = [1, 2].map((track) => ({ track, time: 0, bytes: bytesOf(track), isKey: true }))
        const others = steps.map(({ track, step, size, isKey }, i) => ({
          track,
          time: (times[track]! += step),
          bytes: bytesOf(i, size),
          isKey,
        }))
        const frames = [...first, ...others]
        const { outcome, bytes } = await pressed({ tracks: [AVC, AAC], frames })
        expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
        using movie = await movieOf(bytes)
        for (const [i, track] of movie.tracks.entries()) {
          const own = frames.filter((one) => one.track === i + 1)
          expect(samplesIn(bytes, track).map((one) => [...one])).toEqual(own.map((one) => [...one.bytes]))
          const shown = timesIn(track, movie.timescale).map((time) => time * 1000)
          for (const [k, one] of own.entries()) expect(Math.abs(shown[k]! - one.time)).toBeLessThanOrEqual(1.5)
        }
      }),
      { numRuns: roundsOf(15) },
    )
  })

  it('survives damage to the tracks and blocks', async () => {
    const film = filmOf({ tracks: [AVC, AAC], frames: [...at(1, [0, 40, 80]), ...at(2, [0, 21, 43])], more: [SPACE] })
    await fc.assert(
      fc.asyncProperty(fc.nat(film.length - 1), fc.nat(255), async (place, value) => {
        const { outcome } = await pressFile(mkv, film.with(place, value), 'a.mkv', { output: 'mp4', lossless: true })
        expect(['compressed', 'unchanged']).toContain(outcome.kind)
      }),
      { numRuns: roundsOf(60) },
    )
  })
})

describe('verification of MP4 from Matroska', () => {
  const frames = [...at(1, [0, 40, 80]), ...at(2, rounded(4, 21.333))]
  const film = { tracks: [AVC, AAC], frames }
  const difference = async (original: TestFilm, bytes: Uint8Array) =>
    framesDifference(memorySource(filmOf(original), 'a'), memorySource(bytes, 'b'), optionsFor('medium', 'mp4'))

  it.each<[string, TestFrame[], RegExp]>([
    ['another byte', frames.with(1, { ...frames[1]!, bytes: frames[1]!.bytes.with(3, 1) }), /frame 1 changed/],
    ['another time', frames.with(1, { ...frames[1]!, time: 60 }), /another time/],
    ['another key frame', frames.with(1, { ...frames[1]!, isKey: true }), /key frame/],
    ['a missing frame', frames.slice(0, -1), /samples too many/],
    ['a further frame', [...frames, { track: 2, time: 85, bytes: bytesOf(1) }], /is missing/],
  ])('notices %s', async (_, changed, what) => {
    const { bytes } = await pressed(film)
    expect(await difference(film, bytes)).toBeUndefined()
    expect(await difference({ ...film, frames: changed }, bytes)).toMatch(what)
  })
})

const subtitle = (codec: string): TestTrack => ({ number: 3, codec, type: 17 })

/** Number of frames, size of the first, difference of the second (RFC 9559, section 10.3.3). */
function ebmlSizes([first = 0, second = 0, ...rest]: readonly number[]): number[] {
  const difference = second - first + 8191
  return [rest.length + 1, 0x40 | (first >> 8), first & 255, 0x40 | (difference >> 8), difference & 255]
}

describe('Matroska with H.264 to MP4', () => {
  const film = async (frames: number) => await matroskaOf((await press(mov, rawMovie(frames), 'high', 'mp4')).bytes)

  it('compresses the pictures as those of MP4', async () => {
    const { outcome, bytes } = await pressFile(mkv, await film(30), 'a.mkv', { output: 'mp4', quality: 'low' })
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({
      kind: 'compressed',
      loss: { pictures: { ssim: expect.any(Number) } },
      inventory: { video_tracks: 1, audio_tracks: 1 },
    })
    expect((await identify(memorySource(bytes, 'a')))?.id).toBe('mp4')
  })

  it('encodes a part from its clusters alone, as from the whole film', async () => {
    const source = memorySource(await film(30), 'a.mkv')
    const options = optionsFor('low', 'mp4')
    const read = await readMkvFilm(source, options.signal)
    using whole = await readMovie(await openAsMp4(source, read))
    const [video] = whole.tracks as [Track]
    const cuts = cutByTime(video.samples(), video.timescale, 0.3)
    expect(cuts.length).toBeGreaterThan(1)
    const parts = cuts.map((cut, index): PartPlan => ({ index, label: '', weight: 0.5, facts: { kind: 'pictures', ...cut } }))
    for (const part of locatedParts(parts, read)) {
      const sink = memorySink(Number.POSITIVE_INFINITY, 'part')
      const receipt = await mkv.compressPart(source, part, sink, options, { bytes: 0, replaces: 0 })
      expect(receipt.facts).toMatchObject({ frames: part.facts['frames'] })
      const [file] = await readParts<PicturesHead>([{ plan: part, receipt, result: await sink.finish() }])
      const times = [...file!.pts].sort((a, b) => a - b)
      expect(times).toEqual(Array.from({ length: Number(part.facts['frames']) }, (_, i) => Number(part.facts['start']) + 40 * i))
    }
  })

  it('refuses a part of another film', async () => {
    const source = memorySource(await film(5), 'a.mkv')
    const options = optionsFor('low', 'mp4')
    const plan: PartPlan = { index: 0, label: '', weight: 1, facts: { kind: 'pictures', from: 0, to: 3, start: 0, end: 99, frames: 3 } }
    const [part] = locatedParts([plan], await readMkvFilm(source, options.signal))
    const other = { ...part!, facts: { ...part!.facts, tracksAt: Number(part!.facts['tracksAt']) + 1 } }
    const sink = memorySink(Number.POSITIVE_INFINITY, 'part')
    await expect(mkv.compressPart(source, other, sink, options, { bytes: 0, replaces: 0 })).rejects.toThrow()
  })
})
