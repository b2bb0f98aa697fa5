/** Quality figures of a film's receipt: the worst second and the mean of all frames, measured on decoded pictures. */

import { describe, expect, it } from 'vitest'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { analyse } from '../../../src/core/formats/film/analyse.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { comparePictures } from '../../../src/core/formats/film/compare-pictures.ts'
import { comparedSpansOf, indexPictures } from '../../../src/core/formats/film/compare-video.ts'
import { cutByTime, reorderDepth } from '../../../src/core/formats/film/cut.ts'
import { videoStream } from '../../../src/core/formats/film/decoders.ts'
import { mov, partsOf, runPart } from '../../../src/core/formats/film/film.ts'
import { joinParts } from '../../../src/core/formats/film/join.ts'
import { PartWriter } from '../../../src/core/formats/film/part-file.ts'
import { finishPart } from '../../../src/core/formats/film/part-loss.ts'
import { encodeWithFactor } from '../../../src/core/formats/film/pictures.ts'
import { QualityBySecond, SsimSampling } from '../../../src/core/formats/film/seconds.ts'
import type { Message } from '../../../src/core/i18n/message.ts'
import { SimilarityMeter } from '../../../src/core/metrics/ssim-psnr.ts'
import type { Outcome, Source } from '../../../src/core/model/codec.ts'
import type { PictureLoss } from '../../../src/core/model/loss.ts'
import type { FinishedPart } from '../../../src/core/model/segmented.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Ffmpeg, type VideoPacket } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { pictureLossOf } from '../../support/fidelity.ts'
import { textsOf } from '../../support/in-english.ts'
import { optionsFor, press, rawAvi, rawMovie } from './media-fixtures.ts'

const [WIDTH, HEIGHT] = [64, 48]

/** Luma of every decoded frame of a QuickTime film. */
async function lumaOf(bytes: Uint8Array): Promise<Uint8Array[]> {
  const source = memorySource(bytes, 'film.mov')
  const movie = await readMovie(source)
  const track = movie.tracks[0]!
  const samples = track.samples()
  using engine = new Ffmpeg()
  engine.openVideo({ ...videoStream(movie.moov, track.descriptions[0]!)!, reorder: reorderDepth(samples) })
  const frames: Uint8Array[] = []
  for (let i = 0; i < samples.count; i++) {
    engine.sendVideo(await source.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)
    while (engine.nextPicture()) frames.push(engine.luma())
  }
  engine.endVideo()
  while (engine.nextPicture()) frames.push(engine.luma())
  return frames
}

function similarity(a: Uint8Array, b: Uint8Array) {
  const meter = new SimilarityMeter(WIDTH, HEIGHT, 1)
  meter.push(a, b)
  return meter.finish()
}

/** Computes the figures of all frames by definition, independent of the codec except for its decoder. */
async function measured(before: Uint8Array, after: Uint8Array, rate: number) {
  const [old, made] = [await lumaOf(before), await lumaOf(after)]
  expect(made.length).toBe(old.length)
  const seconds = new Map<number, { mse: number[]; ssim: number[] }>()
  for (const [i, frame] of old.entries()) {
    const { ssim, psnrDb } = similarity(frame, made[i]!)
    const second = Math.floor(i / rate)
    const { mse, ssim: values } = seconds.get(second) ?? seconds.set(second, { mse: [], ssim: [] }).get(second)!
    mse.push(255 ** 2 / 10 ** (psnrDb / 10))
    values.push(ssim)
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const psnrDb = (mse: number[]) => 10 * Math.log10(255 ** 2 / mean(mse))
  const all = [...seconds.values()]
  return {
    ssim: Math.min(...all.map(({ ssim }) => mean(ssim))),
    psnrDb: Math.min(...all.map(({ mse }) => psnrDb(mse))),
    mean: { ssim: mean(all.flatMap(({ ssim }) => ssim)), psnrDb: psnrDb(all.flatMap(({ mse }) => mse)) },
  }
}

/** Pictures of the second half: frames 50 to 62 are noise, so that one second is worse than all others. */
function burst(frames: number): Uint8Array {
  const film = rawMovie(frames, WIDTH, HEIGHT)
  const size = WIDTH * HEIGHT * 2
  const start = filmStart(film)
  let state = 5
  for (let at = start + 50 * size; at < start + 62 * size; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    if (at % 2) film[at] = 64 + (state >>> 25)
  }
  return film
}

/** Offset of the media of `rawMovie`: after `ftyp`, `free` and the header of `mdat`. */
function filmStart(film: Uint8Array): number {
  const view = new DataView(film.buffer, film.byteOffset)
  const free = view.getUint32(0)
  return free + view.getUint32(free) + 8
}

describe('figures of a film', () => {
  it("the encoder's reconstruction equals the decoded picture for every frame, also between references", () => {
    using engine = new Ffmpeg()
    engine.openVideo({ decoder: 'rawvideo', extradata: new Uint8Array(), width: 128, height: 96, tag: 0x59565955, bitsPerSample: 16 })
    let state = 9
    const old = Array.from({ length: 30 }, (_, frame) =>
      Uint8Array.from({ length: 128 * 96 * 2 }, (_, i) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return i % 2 ? 128 + 70 * Math.sin((i + frame * 6) / 29) + (state >>> 28) : 128
      }),
    )
    const packets: (VideoPacket & { mse: number; ssim: number })[] = []
    const keep = (packet: VideoPacket | undefined) => packet && packets.push({ ...packet, ...engine.measurePacket() })
    const asked: [string, string][] = [
      ['crf', '30'],
      ['bframes', '3'],
      ['b-adapt', '0'],
      ['psy', '0'],
    ]
    for (const [frame, bytes] of old.entries()) {
      engine.sendVideo(bytes, frame, true)
      expect(engine.nextPicture()).toBeDefined()
      if (frame === 0) engine.openEncoder('medium', asked, { num: 25, den: 1 }, 25, true)
      keep(engine.encode(frame, frame === 0))
    }
    for (let packet = engine.drainEncoder(); packet; packet = engine.drainEncoder()) keep(packet)
    expect(packets.length).toBe(30)
    // The packets are reordered, so there are frames between references.
    expect(packets.map(({ pts }) => pts)).not.toEqual(old.map((_, i) => i))
    const claims = new Map(packets.map((packet) => [packet.pts, packet]))

    using decoders = new Ffmpeg()
    decoders.openVideo({ decoder: 'rawvideo', extradata: new Uint8Array(), width: 128, height: 96, tag: 0x59565955, bitsPerSample: 16 }, 0)
    decoders.openVideo({ decoder: 'h264', extradata: new Uint8Array(), width: 128, height: 96, tag: 0, bitsPerSample: 24, reorder: 3 }, 1)
    let shown = 0
    const compare = () => {
      for (let picture = decoders.nextPicture(1); picture; picture = decoders.nextPicture(1), shown++) {
        decoders.sendVideo(old[shown]!, shown, true, 0)
        decoders.nextPicture(0)
        const found = decoders.comparePictures(true)
        const claimed = claims.get(shown)!
        expect(found).toEqual({ mse: claimed.mse, ssim: claimed.ssim })
        expect(10 * Math.log10(255 ** 2 / found.mse)).toBeCloseTo(claimed.psnrDb, 6)
      }
    }
    for (const [i, { bytes, key }] of packets.entries()) {
      decoders.sendVideo(bytes, i, key, 1)
      compare()
    }
    decoders.endVideo(1)
    compare()
    expect(shown).toBe(30)
  })

  it('equal the worst second and the mean of all frames, computed by definition', async () => {
    const film = burst(100)
    const { outcome, bytes, verifiedShare } = { verifiedShare: undefined, ...(await press(mov, film, 'low', 'mov')) }
    const loss = pictureLossOf(outcome)
    const found = await measured(film, bytes, 25)
    expect(loss.measuredAt).toBe('second')
    expect(loss.psnrDb).toBeCloseTo(found.psnrDb, 3)
    expect(loss.mean?.psnrDb).toBeCloseTo(found.mean.psnrDb, 3)
    // SSIM is measured on six frames per second.
    expect(Math.abs(loss.ssim - found.ssim)).toBeLessThan(0.01)
    expect(Math.abs(loss.mean!.ssim - found.mean.ssim)).toBeLessThan(0.01)
    expect(loss.psnrDb).toBeLessThan(loss.mean!.psnrDb - 1)
    expect(verifiedShare).toBe(1)
  })

  it('counts a second that spans two parts once', () => {
    const [whole, first, second] = [new QualityBySecond(), new QualityBySecond(), new QualityBySecond()]
    for (let i = 0; i < 100; i++) {
      const [time, mse, ssim] = [i / 25, i === 60 ? 90 : 1 + (i % 7), i % 4 ? undefined : 1 - i / 1000]
      whole.add(time, mse, ssim)
      const part = i < 60 ? first : second
      part.add(time, mse, ssim)
    }
    const joined = new QualityBySecond()
    for (const part of [second, first]) joined.addTable(part.table())
    const figures = joined.figures(1 / 25)!
    expect(figures).toEqual(whole.figures(1 / 25))
    // On its own, the second part's share of that second would be worse.
    expect(second.figures(1 / 25)!.worst.psnrDb).toBeLessThan(figures.worst.psnrDb)
  })

  it('merges less than half a second at the end into the second before it', () => {
    const seconds = new QualityBySecond()
    for (let i = 0; i < 25; i++) seconds.add(i / 25, 1, 0.99)
    for (let i = 25; i < 30; i++) seconds.add(i / 25, 100, 0.5)
    const { worst } = seconds.figures(1 / 25)!
    expect(worst.psnrDb).toBeCloseTo(10 * Math.log10(255 ** 2 / ((25 + 500) / 30)), 9)
    expect(worst.ssim).toBeCloseTo((25 * 0.99 + 5 * 0.5) / 30, 9)
  })

  it.each([1, 5, 24, 25, 29.97, 60, 240])('measures SSIM in every second at %d frames per second', (rate) => {
    const sampling = new SsimSampling()
    const taken = new Map<number, number>()
    for (let i = 0; i < rate * 20; i++) {
      const second = Math.floor(i / rate + 1e-6)
      taken.set(second, (taken.get(second) ?? 0) + (sampling.includes(i / rate) ? 1 : 0))
    }
    expect(Math.min(...taken.values())).toBeGreaterThanOrEqual(Math.min(1, rate))
    expect(Math.max(...taken.values())).toBeLessThanOrEqual(6)
  })
})

/** Encodes the film in parts of one second. One part may use a rate factor that is far too high. */
async function inParts(film: Uint8Array, coarse?: number) {
  const source = memorySource(film, 'film.mov')
  const options = optionsFor('low', 'mov')
  const whole = await analyse(source, options)
  const video = whole.video!
  const analysis = { ...whole, video: { ...video, cuts: cutByTime(video.pictures.samples, video.pictures.timescale, 1) } }
  const parts: FinishedPart[] = []
  for (const plan of partsOf(analysis)) {
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const receipt = await runPart(source, analysis, plan, into, options)
    let result = await into.finish()
    if (plan.index === coarse) {
      const again = memorySink(Number.POSITIVE_INFINITY, 'part')
      const part = new PartWriter(again)
      const job = { source, track: video.pictures, cut: analysis.video.cuts[coarse]!, crf: 51, part, options }
      await finishPart(part, await encodeWithFactor(job, 'most'))
      result = await again.finish()
    }
    parts.push({ plan, receipt, result })
  }
  const sink = memorySink(source.size, 'out')
  const outcome = await joinParts(source, analysis, parts, sink, options)
  return { source, outcome, result: await sink.finish() }
}

describe('floors of a film', () => {
  it('copies pictures whose worst second would be below the floors', async () => {
    const { outcome } = await inParts(burst(100), 1)
    expect(outcome).toMatchObject({ kind: 'compressed', copied: ['pictures'] })
    expect(outcome).not.toHaveProperty('loss.pictures')
    expect(textsOf((outcome as { steps: Message[] }).steps).join()).toMatch(
      /video kept unchanged: the worst second of the video would have SSIM/,
    )
  })

  it('encodes a part with a bad second again although the mean is good', async () => {
    const loss = pictureLossOf((await press(mov, burst(400), 'low', 'mov')).outcome)
    expect(loss.psnrDb).toBeGreaterThanOrEqual(30)
    expect(loss.ssim).toBeGreaterThanOrEqual(0.9)
  })
})

describe('verification of a film', () => {
  const tooGood = (outcome: Outcome, more: Partial<PictureLoss>): Outcome =>
    outcome.kind === 'compressed' ? { ...outcome, loss: { ...outcome.loss, pictures: { ...pictureLossOf(outcome), ...more } } } : outcome

  it.each(['mov', 'avi'] as const)('%s: detects receipts whose worst second or mean is too good', async (kind) => {
    const film = kind === 'mov' ? rawMovie(60) : rawAvi(60)
    const codec = kind === 'mov' ? mov : avi
    const { outcome, bytes } = await press(codec, film, 'low', kind)
    const { ssim, psnrDb, mean } = pictureLossOf(outcome)
    const judge = (told: Outcome) => codec.verify(memorySource(film, 'a'), memorySource(bytes, 'b'), told, optionsFor('low', kind))
    expect(await judge(outcome)).toEqual({ equal: true, share: 1 })
    for (const more of [
      { psnrDb: psnrDb + 0.2 },
      { ssim: ssim + 0.008 },
      { mean: { ...mean!, psnrDb: mean!.psnrDb + 0.2 } },
      { mean: { ...mean!, ssim: mean!.ssim + 0.008 } },
    ])
      expect(await judge(tooGood(outcome, more))).toMatchObject({ equal: false })
  })

  it('decodes stretches of long films, each of which detects a receipt that is too good', async () => {
    const { source, outcome, result } = await inParts(rawMovie(250))
    const options = optionsFor('low', 'mov')
    const laid = async (film: Source) => {
      const { moov, tracks } = await readMovie(film)
      return indexPictures({ source: film, moov, track: tracks[0]! })!
    }
    const films = [await laid(source), await laid(result)] as const
    const stretches = comparedSpansOf(...films, 4)
    expect(stretches.length).toBe(4)
    const loss = pictureLossOf(outcome)
    const frames = stretches.map(({ from, to }) => Math.round((to - from) * 25))
    expect(Math.min(...frames)).toBeGreaterThanOrEqual(50)
    for (const [i, { from }] of stretches.entries())
      expect(from).toBeGreaterThanOrEqual((stretches[i - 1]?.to ?? Number.NEGATIVE_INFINITY) - 1e-9)
    for (const [i, stretch] of stretches.entries()) {
      expect(await comparePictures(films, [stretch], loss, options)).toEqual({ frames: frames[i] })
      const found = await comparePictures(films, [stretch], { ...loss, psnrDb: loss.mean!.psnrDb + 1 }, options)
      expect(found.difference).toMatch(/instead of/)
    }
    expect(await comparePictures(films, stretches, loss, options)).toEqual({ frames: frames.reduce((sum, count) => sum + count) })
  })
})
