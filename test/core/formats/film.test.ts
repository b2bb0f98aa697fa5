import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { box, latin1Bytes, words } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { analyse } from '../../../src/core/formats/film/analyse.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { partsOf as aviParts, readJob } from '../../../src/core/formats/film/avi/job.ts'
import { cutByTime } from '../../../src/core/formats/film/cut.ts'
import { mov, mp4, partsOf, runPart } from '../../../src/core/formats/film/film.ts'
import { joinParts } from '../../../src/core/formats/film/join.ts'
import { PartWriter } from '../../../src/core/formats/film/part-file.ts'
import { finishPart } from '../../../src/core/formats/film/part-loss.ts'
import { encodeWithFactor } from '../../../src/core/formats/film/pictures.ts'
import { verifyFilm } from '../../../src/core/formats/film/verify.ts'
import type { FinishedPart, PartPlan, PartTotals } from '../../../src/core/model/segmented.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { pictureLossOf, withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, rawAvi, rawMovie } from './media-fixtures.ts'

describe('QuickTime and MP4', () => {
  it('encodes raw pictures as H.264 and PCM as AAC, with the index first and metadata kept', async () => {
    const file = rawMovie(30)
    const { outcome, bytes } = await press(mov, file, 'medium', 'mov')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(outcome).not.toHaveProperty('copied')
    expect(pictureLossOf(outcome).ssim).toBeGreaterThan(0.9)
    expect(pictureLossOf(outcome).psnrDb).toBeGreaterThan(30)
    expect(bytes.length).toBeLessThan(file.length / 5)
    const movie = await readMovie(memorySource(bytes, 'out'))
    expect(movie.top.map(({ type }) => type)).toEqual(['ftyp', 'moov', 'mdat'])
    expect(movie.tracks.map(({ descriptions }) => descriptions[0]?.type)).toEqual(['avc1', 'mp4a'])
    expect(movie.tracks[0]?.sampleCount).toBe(30)
    expect(new TextDecoder('latin1').decode(bytes)).toContain('Test')
  })

  it('gives the same bytes when an engine reuses the memory of another', async () => {
    const first = await press(mov, rawMovie(20), 'medium', 'mov')
    // Encodes other pictures first, so that the engine's memory is not empty.
    await press(mov, rawMovie(12, 96, 64), 'low', 'mp4')
    expect((await press(mov, rawMovie(20), 'medium', 'mov')).bytes).toEqual(first.bytes)
  })

  it('result sizes: low ≤ medium ≤ high', async () => {
    const file = rawMovie(20)
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await press(mov, file, quality, 'mov')).bytes.length)
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
  })

  it('converts MOV to MP4 on request', async () => {
    const { bytes } = await press(mov, rawMovie(10), 'medium', 'mp4')
    expect((await readMovie(memorySource(bytes, 'out'))).brand).toBe('isom')
  })

  it('reads a compressed index', async () => {
    const file = rawMovie(10)
    const { top, moov } = await readMovie(memorySource(file, 'a'))
    const at = top.find(({ type }) => type === 'moov')!
    const packed = box('moov', box('cmov', box('dcom', latin1Bytes('zlib')), box('cmvd', words(moov.length), deflateSync(moov))))
    expect(at.offset + at.size).toBe(file.length)
    const squeezed = concat([file.subarray(0, at.offset), packed])
    expect((await press(mov, squeezed, 'medium', 'mov')).bytes).toEqual((await press(mov, file, 'medium', 'mov')).bytes)
    const damaged = squeezed.slice()
    damaged[squeezed.length - 9]! ^= 1
    expect((await press(mov, damaged, 'medium', 'mov')).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('plans parts for a film too large for one message, unless nothing is encoded', async () => {
    const options = optionsFor('medium', 'mov')
    const [small, large] = [rawMovie(30), rawMovie(30, 512, 384)].map((bytes) => memorySource(bytes, 'film.mov'))
    expect(await mov.plan(small!, options)).toEqual({ kind: 'whole' })
    expect(await mov.plan(large!, options)).toMatchObject({
      kind: 'parts',
      parts: [{ facts: { kind: 'pictures' } }, { facts: { kind: 'sound' } }],
    })
    expect(await mov.plan(large!, { ...options, lossless: true })).toEqual({ kind: 'whole' })
    const clip = memorySource(rawAvi(30, 512, 384), 'film.avi')
    expect(await avi.plan(clip, optionsFor('medium', 'avi'))).toMatchObject({ kind: 'parts', parts: [{ index: 0 }] })
  })

  it('only drops unused space in a lossless job', async () => {
    const bytes = rawMovie(6)
    const source = memorySource(bytes, 'film.mov')
    const sink = memorySink(bytes.length, 'out')
    const options = { ...optionsFor('low', 'mov'), lossless: true }
    const outcome = await mov.compress(source, sink, options)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless', copied: ['pictures', 'sound'] })
    expect(await verifyFilm(source, await sink.finish(), outcome, options)).toMatchObject({ equal: true })
  })

  it('joins separately encoded parts into one film with every frame', async () => {
    const source = memorySource(rawMovie(75), 'film.mov')
    const options = optionsFor('medium', 'mov')
    const whole = await analyse(source, options)
    const video = whole.video!
    const cuts = cutByTime(video.pictures.samples, video.pictures.timescale, 1)
    expect(cuts.length).toBe(4)
    const analysis = { ...whole, video: { ...video, cuts } }
    const parts: FinishedPart[] = []
    // Parts run in reverse order, as queues may deliver them. One part needs a lower rate factor.
    for (const plan of partsOf(analysis).reverse()) {
      const into = memorySink(Number.POSITIVE_INFINITY, 'part')
      const own = plan.index === 1 ? { ...analysis, level: { ...analysis.level, crf: 19 } } : analysis
      const receipt = await runPart(source, own, JSON.parse(JSON.stringify(plan)), into, options)
      parts.unshift({ plan, receipt, result: await into.finish() })
    }
    const sink = memorySink(source.size, 'out')
    const outcome = await joinParts(source, analysis, parts, sink, options)
    const result = await sink.finish()
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(await verifyFilm(source, result, outcome, options)).toMatchObject({ equal: true })
    expect((await readMovie(result)).tracks[0]?.sampleCount).toBe(75)
  })

  it('joins parts that were encoded with a smaller memory profile', async () => {
    const source = memorySource(rawMovie(75), 'film.mov')
    const options = optionsFor('medium', 'mov')
    const whole = await analyse(source, options)
    const video = whole.video!
    const analysis = { ...whole, video: { ...video, cuts: cutByTime(video.pictures.samples, video.pictures.timescale, 1) } }
    const parts: FinishedPart[] = []
    for (const plan of partsOf(analysis)) {
      const into = memorySink(Number.POSITIVE_INFINITY, 'part')
      const receipt = await runPart(source, analysis, plan, into, options)
      let result = await into.finish()
      if (parts.length === 1) {
        const cut = analysis.video.cuts[1]!
        const other = memorySink(Number.POSITIVE_INFINITY, 'part')
        const part = new PartWriter(other)
        await finishPart(part, await encodeWithFactor({ source, track: video.pictures, cut, crf: 27, part, options }, 'least'))
        result = await other.finish()
      }
      parts.push({ plan, receipt, result })
    }
    const sink = memorySink(source.size, 'out')
    const outcome = await joinParts(source, analysis, parts, sink, options)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(await verifyFilm(source, await sink.finish(), outcome, options)).toMatchObject({ equal: true })
  })

  it('stops encoding and copies the pictures if other parts did not become smaller', async () => {
    const source = memorySource(rawMovie(30), 'film.mov')
    const options = optionsFor('medium', 'mov')
    const plans = partsOf(await analyse(source, options))
    const part = async (plan: PartPlan, soFar: PartTotals) => {
      const into = memorySink(Number.POSITIVE_INFINITY, 'part')
      const receipt = await mov.compressPart(source, plan, into, options, soFar)
      return { plan, receipt, result: await into.finish() }
    }
    const { receipt } = await part(plans[0]!, { bytes: 0, replaces: 0 })
    const all = receipt.replaces!
    expect([all, receipt.facts['frames']]).toEqual([30 * 64 * 48 * 2, 30])
    const enough = [
      { bytes: all, replaces: all },
      { bytes: all, replaces: all * 0.1 },
    ]
    for (const soFar of enough) expect((await part(plans[0]!, soFar)).receipt.facts['frames']).toBe(30)
    const hopeless = { bytes: all * 0.25, replaces: all * 0.21 }
    const parts = await Promise.all(plans.map((plan) => part(plan, hopeless)))
    expect(parts.map((made) => made.receipt.facts['frames'])).toEqual([0, undefined])
    const sink = memorySink(source.size, 'out')
    const outcome = await mov.join(source, parts, sink, options)
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      loss: { sound: { snrDb: expect.any(Number) } },
      copied: ['pictures'],
      steps: [expect.stringMatching(/^audio/), expect.anything()],
    })
    expect(outcome).not.toHaveProperty('loss.pictures')
    expect(await verifyFilm(source, await sink.finish(), outcome, options)).toEqual({ equal: true, share: 1 })

    const clip = memorySource(rawAvi(30), 'film.avi')
    const frames = async (output: 'avi' | 'mp4') => {
      const request = optionsFor('medium', output)
      const [plan] = await aviParts(clip, await readJob(clip, request))
      return (await avi.compressPart(clip, plan!, memorySink(Number.POSITIVE_INFINITY, 'part'), request, hopeless)).facts['frames']
    }
    expect([await frames('avi'), await frames('mp4')]).toEqual([0, 30])
  })

  it('stops a single growing part midway and copies the pictures', async () => {
    const { bytes } = await press(mov, rawMovie(240), 'low', 'mov')
    const source = memorySource(bytes, 'film.mov')
    let share = 0
    const options = { ...optionsFor('high', 'mov'), progress: (done: number) => void (share = Math.max(share, done)) }
    const analysis = await analyse(source, options)
    const [plan] = partsOf(analysis)
    const receipt = await runPart(source, analysis, plan!, memorySink(Number.POSITIVE_INFINITY, 'part'), options)
    expect(receipt.facts['frames']).toBe(0)
    expect(share).toBeLessThan(0.7)
    expect((await press(mov, bytes, 'high', 'mov')).outcome).not.toHaveProperty('loss.pictures')
  })

  it('encodes AAC far above the level again, in sync', async () => {
    const fat = (await press(avi, rawAvi(60, 64, 48, 44100), 'high', 'mp4')).bytes
    const { outcome, bytes } = await press(mp4, fat, 'low', 'mp4')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining(['audio: aac → AAC, 48 kbit/s']) })
    expect(bytes.length).toBeLessThan(fat.length * 0.7)
    const [before, after] = await Promise.all([fat, bytes].map(async (file) => (await readMovie(memorySource(file, 'a'))).tracks[1]!))
    // Encoder delays of both encoders: 1024 samples each.
    expect([before!.edits?.[0]?.mediaTime, after!.edits?.[0]?.mediaTime]).toEqual([1024, 2048])
  })

  it('detects a changed byte of sound in verification', async () => {
    const file = rawMovie(8)
    const source = memorySource(file, 'a.mov')
    const options = { ...optionsFor('high', 'mov'), lossless: true }
    const sink = memorySink(file.length, 'out')
    const outcome = await mov.compress(source, sink, options)
    const bytes = sink.bytes().slice()
    bytes[bytes.length - 5]! ^= 1
    expect((await verifyFilm(source, memorySource(bytes, 'b'), outcome, options)).equal).toBe(false)
  })

  it('needs at most 100 MB of engine memory', async () => {
    const source = memorySource(rawMovie(4, 320, 240), 'film.mov')
    const options = optionsFor('medium', 'mov')
    const analysis = await analyse(source, options)
    const receipt = await runPart(source, analysis, partsOf(analysis)[0]!, memorySink(Number.POSITIVE_INFINITY, 'part'), options)
    expect(Number(receipt.facts['memoryBytes'])).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('AVI', () => {
  it('encodes AVI pictures as H.264 in AVI', async () => {
    const file = rawAvi(30)
    const { outcome, bytes } = await press(avi, file, 'medium', 'avi')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(bytes.length).toBeLessThan(file.length / 5)
    expect(new TextDecoder('latin1').decode(bytes.subarray(0, 400))).toContain('H264')
  })

  it.each(['mp4', 'mov'] as const)('converts AVI to %s on request: every frame at its position, sound as AAC', async (output) => {
    const file = rawAvi(30, 64, 48, 8000)
    const { outcome, bytes } = await press(avi, file, 'medium', output)
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const movie = await readMovie(memorySource(bytes, 'out'))
    expect(movie.brand).toBe(output === 'mp4' ? 'isom' : 'qt  ')
    expect(movie.tracks.map(({ descriptions }) => descriptions[0]?.type)).toEqual(['avc1', 'mp4a'])
    const [video, sound] = movie.tracks
    expect([video?.sampleCount, video?.timescale]).toEqual([30, 25])
    expect(video?.samples().dts.at(-1)).toBe(30)
    expect((sound!.sampleCount * 1024) / 8000).toBeCloseTo(1.2, 0)
  })

  it('detects a changed picture in a movie made from AVI', async () => {
    const file = rawAvi(12)
    const { outcome, bytes } = await press(avi, file, 'medium', 'mp4')
    const broken = bytes.slice()
    for (let at = bytes.length - 60; at < bytes.length - 20; at++) broken[at]! ^= 0x55
    const verdict = await avi.verify(memorySource(file, 'a'), memorySource(broken, 'b'), outcome as never, optionsFor('medium', 'mp4'))
    expect(verdict.equal).toBe(false)
  })
})

describe('bad input', () => {
  it.each([
    ['more samples in a chunk than there are numbers for', 4, 0xffffffff],
    ['no samples in a chunk', 4, 0],
    ['no chunk to begin with', 0, 0],
    ['no description of its samples', 8, 0],
  ])('returns a film whose chunk table players read differently unchanged (%s)', async (_, column, value) => {
    const film = Buffer.from(rawMovie(10))
    film.writeUInt32BE(value, film.indexOf('stsc') + 12 + column)
    const { outcome } = await press(mov, new Uint8Array(film), 'high', 'mov')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining('samples and sample description'),
    })
  })

  it.each([
    ['mvhd', 100],
    ['tkhd', 84],
    ['mdhd', 24],
  ])("reports '%s' that ends before its last field as malformed, and writes nothing after it", async (type, bytes) => {
    const film = Buffer.from(rawMovie(10))
    const at = film.indexOf(type) - 4
    // The remaining bytes become a box of an unknown type.
    const short = film.readUInt32BE(at) - 8
    film.writeUInt32BE(short, at)
    film.writeUInt32BE(8, at + short)
    film.write('junk', at + short + 4, 'latin1')
    const { outcome } = await press(mov, new Uint8Array(film), 'medium', 'mov')
    expect(inEnglish(outcome)).toMatchObject({
      reason: 'malformed',
      detail: expect.stringContaining(`the \`${type}\` box has ${bytes - 8} bytes`),
    })
  })

  it('survives truncations and flipped bits in the index, and the next job works', async () => {
    const film = rawMovie(3)
    const made = (await press(mov, rawMovie(5), 'medium', 'mp4')).bytes
    const random = noise(5)
    for (let round = 0; round < roundsOf(60); round++) {
      const [codec, file] = round % 2 ? ([mov, film] as const) : ([mp4, made] as const)
      const broken = file.slice(0, round % 5 ? file.length : Math.floor(random() * file.length))
      const from = codec === mov ? file.length - 1400 : 0
      for (let flip = 0; flip < 3; flip++) broken[from + Math.floor(random() * 1400)] = Math.floor(random() * 256)
      const { outcome } = await press(codec, broken, 'high', codec === mov ? 'mov' : 'mp4')
      expect(['compressed', 'unchanged']).toContain(outcome.kind)
    }
    const clip = rawAvi(3)
    for (let round = 0; round < roundsOf(30); round++) {
      const broken = clip.slice(0, round % 4 ? clip.length : Math.floor(random() * clip.length))
      for (let flip = 0; flip < 3; flip++) broken[Math.floor(random() * 300)] = Math.floor(random() * 256)
      expect(['compressed', 'unchanged']).toContain((await press(avi, broken, 'high', 'avi')).outcome.kind)
    }
    expect((await press(mov, film, 'medium', 'mov')).outcome.kind).toBe('compressed')
  })
})

it("returns a movie with tracks before 'mvhd' unchanged, because FFmpeg would not show a result with edit lists", async () => {
  const film = Buffer.from(rawMovie(10))
  const at = film.indexOf('mvhd') - 4
  const [mvhd, trak] = [film.subarray(at, at + film.readUInt32BE(at)), at + film.readUInt32BE(at)]
  const behind = trak + film.readUInt32BE(trak)
  const turned = new Uint8Array(Buffer.concat([film.subarray(0, at), film.subarray(trak, behind), mvhd, film.subarray(behind)]))
  expect(turned.length).toBe(film.length)
  const { outcome } = await press(mov, turned, 'medium', 'mov')
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'unchanged',
    reason: 'unsupported_feature',
    detail: 'a track comes before the movie header (`mvhd`)',
  })
})
