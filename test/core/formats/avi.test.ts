import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { readAvi } from '../../../src/core/containers/riff/avi.ts'
import { chunkHeader } from '../../../src/core/containers/riff/riff.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { partsOf, probeJob, readJob } from '../../../src/core/formats/film/avi/job.ts'
import { type Mp3Sound, mp3Frames, mp3Track } from '../../../src/core/formats/film/avi/mp3-frames.ts'
import { runPart } from '../../../src/core/formats/film/avi/parts.ts'
import { runsOf } from '../../../src/core/formats/film/avi/sounds.ts'
import type { FinishedPart } from '../../../src/core/model/segmented.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { noise, optionsFor, press, rawAvi } from './media-fixtures.ts'

/** Encodes each part separately, the last one first, then joins and verifies them. */
async function inParts(file: Uint8Array, output: OutputId, frames: number) {
  const source = memorySource(file, 'film.avi')
  const options = optionsFor('medium', output)
  const job = await probeJob(source, await readJob(source, options), options)
  const plans = await partsOf(source, job, frames)
  const parts: FinishedPart[] = []
  for (const plan of plans.toReversed()) {
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const receipt = await runPart(source, job, JSON.parse(JSON.stringify(plan)), into, options)
    parts.unshift({ plan, receipt, result: await into.finish() })
  }
  const sink = memorySink(file.length, 'out')
  const outcome = await avi.join(source, parts, sink, options)
  const result = await sink.finish()
  expect(await avi.verify(source, result, outcome, options)).toMatchObject({ equal: true })
  return { outcome, result, plans }
}

/** The pictures of `rawAvi` in two RIFF forms with OpenDML indexes and without `idx1`. Every other picture is not a key frame. */
function openDml(frames: number): Uint8Array {
  const plain = rawAvi(frames)
  const size = 64 * 48 * 2
  const le = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer)
  const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const chunk = (id: string, ...parts: Uint8Array[]) => {
    const body = concat(parts)
    return concat([chunkHeader(id, body.length), body, new Uint8Array(body.length & 1)])
  }
  const find = (id: string) => plain.findIndex((_, at) => String.fromCharCode(...plain.subarray(at, at + 4)) === id)
  const half = frames / 2
  const movi = find('movi')
  const pictures = (from: number) => plain.subarray(movi + 4 + from * (size + 8), movi + 4 + (from + half) * (size + 8))
  // Standard index: 2 longs per entry, type 1 (chunks), entry count, `00db`, base, reserved. Entries: offset and size; the size's top bit
  // means "no key frame".
  const standard = (base: number) =>
    chunk(
      'ix00',
      le(0x01000002, half),
      ascii('00db'),
      le(base, 0, 0),
      ...Array.from({ length: half }, (_, i) => le(i * (size + 8) + 8, (size | (i % 2 ? 0x80000000 : 0)) >>> 0)),
    )
  const indexBytes = 32 + half * 8
  const headers = (first: number, second: number) => {
    // Super index: 4 longs per entry, type 0 (indexes), two entries of offset, size and duration.
    const indx = chunk('indx', le(4, 2), ascii('00db'), le(0, 0, 0, first, 0, indexBytes, half, second, 0, indexBytes, half))
    const strl = find('strl')
    const old = plain.subarray(strl - 8, strl + new DataView(plain.buffer, plain.byteOffset).getUint32(strl - 4, true))
    const avih = find('avih')
    return chunk('LIST', ascii('hdrl'), plain.subarray(avih, avih + 64), chunk('LIST', old.subarray(8), indx))
  }
  const at = 12 + headers(0, 0).length + 12
  const form = (name: string, ...parts: Uint8Array[]) => chunk('RIFF', ascii(name), ...parts)
  const build = (first: number, second: number) => [
    form('AVI ', headers(first, second), chunk('LIST', ascii('movi'), pictures(0), standard(at))),
    form('AVIX', chunk('LIST', ascii('movi'), pictures(half), standard(second - half * (size + 8)))),
  ]
  const first = at + half * (size + 8)
  const second = build(first, 0)[0]!.length + 24 + half * (size + 8)
  return concat(build(first, second))
}

describe('OpenDML', () => {
  it('reads frames by the OpenDML indexes, not chunk by chunk', async () => {
    const bytes = openDml(20)
    const whole = memorySource(bytes, 'film.avi')
    let read = 0
    const source = {
      ...whole,
      read: async (offset: number, length: number) => {
        const got = await whole.read(offset, length)
        read += got.length
        return got
      },
    }
    const { chunks } = await readAvi(source)
    expect([chunks.count, read < 4000]).toEqual([20, true])
    expect([...chunks.key.subarray(0, 4)]).toEqual([1, 0, 1, 0])
    const plain = rawAvi(20)
    const known = (await readAvi(memorySource(plain, 'plain.avi'))).chunks
    for (const i of [0, 9, 10, 19]) {
      const [a, b] = [chunks.offset[i]!, known.offset[i]!]
      expect(bytes.subarray(a, a + chunks.size[i]!)).toEqual(plain.subarray(b, b + known.size[i]!))
    }
    expect(withFidelity((await press(avi, bytes, 'medium', 'avi')).outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
  })
})

describe('AVI in parts', () => {
  it('keeps the position of every frame and encodes uncompressed sound as MP3, one frame per chunk', async () => {
    const { outcome, result, plans } = await inParts(rawAvi(60, 64, 48, 8000), 'avi', 20)
    expect(plans.map(({ facts }) => facts['kind'])).toEqual(['pictures', 'pictures', 'pictures', 'pictures', 'sound'])
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const { chunks, streams } = await readAvi(result)
    expect(chunks.indexesOfStream(0).length).toBe(60)
    expect([...chunks.indexesOfStream(0)].filter((chunk) => chunks.key[chunk]).length).toBeGreaterThanOrEqual(3)
    // 2.4 s of sound in MP3 frames of 576 samples.
    expect(Math.abs((chunks.indexesOfStream(1).length * 576) / 8000 - 2.4)).toBeLessThan(0.2)
    expect([streams[1]?.strf[0], streams[1]?.scale, streams[1]?.rate]).toEqual([0x55, 576, 8000])
  })

  it('keeps chunks outside the streams, and verifies large ones to the last byte', async () => {
    const film = rawAvi(20)
    const notes = Uint8Array.from({ length: 1_500_000 }, (_, i) => (i * 7) & 255)
    const file = concat([film, chunkHeader('XTRA', notes.length), notes])
    new DataView(file.buffer).setUint32(4, file.length - 8, true)
    const { outcome, bytes } = await press(avi, file, 'medium', 'avi')
    expect(outcome.kind).toBe('compressed')
    const changed = bytes.slice()
    changed[Buffer.from(changed).indexOf('XTRA') + 8 + notes.length - 1]! ^= 1
    const verdicts = [bytes, changed].map((result) =>
      avi.verify(memorySource(file, 'a'), memorySource(result, 'b'), outcome, optionsFor('medium', 'avi')),
    )
    expect(await Promise.all(verdicts)).toMatchObject([{ equal: true }, { equal: false, difference: "the bytes of chunk 'XTRA' changed" }])
  })

  it('converts AVI to MP4', async () => {
    const { result, plans } = await inParts(rawAvi(45, 64, 48, 8000), 'mp4', 15)
    expect(plans.length).toBe(5)
    const { tracks } = await readMovie(result)
    expect([tracks[0]?.sampleCount, tracks[0]?.samples().dts.at(-1)]).toEqual([45, 45])
  })

  it('copies MP3 frames into MP4, whatever the chunk boundaries and the bytes between frames', async () => {
    const film = await inParts(rawAvi(240, 64, 48, 44100), 'avi', 120)
    const file = await readAvi(film.result)
    const sound = file.streams[1]!
    const whole = await mp3Frames(film.result, sound, runsOf(file, sound))
    expect(whole.sizes.length).toBe(file.chunks.indexesOfStream(1).length)
    const bytes = async ({ rows, chunks }: Mp3Sound) => concat(await Promise.all(rows.map(({ offset, size }) => chunks.read(offset, size))))
    const frames = await bytes(whole)
    const random = noise(23)
    const pieces: Uint8Array[] = []
    for (let at = 0, frame = 0; frame < whole.sizes.length; at += whole.sizes[frame++]!) {
      if (frame % 50 === 7) pieces.push(Uint8Array.from({ length: 9 }, () => random() * 200))
      pieces.push(frames.slice(at, at + whole.sizes[frame]!))
    }
    const stream = concat(pieces)
    const offset: number[] = []
    const size: number[] = []
    const laid: Uint8Array[] = []
    for (let at = 0, place = 0; at < stream.length; at += size.at(-1)!) {
      laid.push(new Uint8Array(8).fill(255), stream.slice(at, at + 1 + Math.floor(random() * 3000)))
      size.push(laid.at(-1)!.length)
      offset.push((place += 8))
      place += size.at(-1)!
    }
    const runs = { count: size.length, offset: Uint32Array.from(offset), size: Uint32Array.from(size) }
    const seconds = (whole.sizes.length * 1152) / 44100
    const told = { ...sound, rate: 1000, scale: (1000 * seconds) / runs.count }
    const found = await mp3Frames(memorySource(concat(laid), 'sound'), told, runs)
    expect(found.sizes).toEqual(whole.sizes)
    expect(found.rows.length).toBeGreaterThan(3)
    expect(Buffer.compare(await bytes(found), frames)).toBe(0)
    const track = mp3Track(found, false)
    expect(track.pieces.reduce((sum, { samples }) => sum + samples, 0)).toBe(whole.sizes.length)
    expect(Buffer.compare(concat(await Promise.all(track.pieces.map(({ from, ...at }) => from.read(at.offset, at.size)))), frames)).toBe(0)

    const { outcome, bytes: movie } = await press(avi, await readAll(film.result), 'low', 'mp4')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining(['audio: MP3 frames copied without re-encoding']),
    })
    expect(outcome).toMatchObject({ copied: ['sound'], loss: { pictures: { ssim: expect.any(Number) } } })
    expect(outcome).not.toHaveProperty('loss.sound')
    const [, copied] = (await readMovie(memorySource(movie, 'film.mp4'))).tracks
    const { chunks } = copied!
    const stored = [...chunks.offset].map((start, i) => movie.subarray(start, start + chunks.size[i]!))
    expect(Buffer.compare(concat(stored), frames)).toBe(0)
  })

  it('encodes only the sound if the pictures cannot be encoded, and reports no loss of the copied pictures', async () => {
    const file = rawAvi(20, 64, 48, 8000)
    // Replaces the codec's FourCC with an unknown one.
    for (let at = 0; at < 300; at++)
      if (String.fromCharCode(...file.subarray(at, at + 4)) === 'UYVY') file.set([0x3f, 0x3f, 0x3f, 0x3f], at)
    const { outcome, bytes } = await press(avi, file, 'medium', 'avi')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: { snrDb: expect.any(Number) } }, copied: ['pictures'] })
    expect(outcome).not.toHaveProperty('loss.pictures')
    expect(bytes.length).toBeLessThan(file.length)
  })
})

describe('AVI index that contradicts the file', () => {
  const film = rawAvi(10, 64, 48, 8000)
  const at = (id: string) => Buffer.from(film).indexOf(id)
  const index = at('idx1') + 8
  const offsets = async (file: Uint8Array) => [...(await readAvi(memorySource(file, 'a.avi'))).chunks.offset.subarray(0, 20)]

  it('ignores an index whose offsets point inside chunks (two chunks of different size swapped)', async () => {
    const movi = at('movi') + 4
    const [picture, sound] = [64 * 48 * 2 + 8, 640 + 8]
    const moved = film.slice()
    moved.set(film.subarray(movi + picture, movi + picture + sound), movi)
    moved.set(film.subarray(movi, movi + picture), movi + sound)
    const { chunks } = await readAvi(memorySource(moved, 'a.avi'))
    expect([chunks.stream[0], chunks.offset[0]]).toEqual([1, movi + 8])
    expect([chunks.stream[1], chunks.offset[1]]).toEqual([0, movi + sound + 8])
  })

  it('adds a frame that the index omits, because players show it', async () => {
    const less = film.slice()
    less.set(new TextEncoder().encode('7Fdb'), index + 4 * 16)
    expect(await offsets(less)).toEqual(await offsets(film))
  })

  it('reports a film whose sound is shifted by an extra picture byte as malformed', async () => {
    const pair = 64 * 48 * 2 + 8 + 640 + 8
    const inPicture = (frame: number) => at('movi') + 4 + frame * pair + 1000
    const shifted = film.slice().copyWithin(inPicture(1) + 1, inPicture(1), inPicture(9))
    const { outcome } = await press(avi, shifted, 'medium', 'avi')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('returns a file with a second film after the first unchanged, because players play both', async () => {
    const { outcome } = await press(avi, concat([film, film]), 'high', 'avi')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: 'the AVI file contains a second RIFF `AVI ` list, which players append to the first',
    })
  })

  it('returns a file with headers after the media unchanged, because no player shows it', async () => {
    const [hdrl, media] = [at('hdrl') - 8, at('movi') - 8]
    const turned = concat([film.subarray(0, hdrl), film.subarray(media), film.subarray(hdrl, media)])
    const { outcome } = await press(avi, turned, 'high', 'avi')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', detail: expect.stringContaining('comes before the header list') })
  })

  it('returns a file with a second index unchanged, because players add its entries', async () => {
    const twice = concat([film, film.subarray(index - 8)])
    new DataView(twice.buffer).setUint32(4, twice.length - 8, true)
    const { outcome } = await press(avi, twice, 'high', 'avi')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      detail: 'the AVI file has a second `idx1` list, which players add to the first',
    })
  })

  it('returns a file with a second header in a stream list unchanged, because players count it as a stream', async () => {
    const [strl, strh] = [at('strl') - 8, at('strh')]
    const again = concat([film.subarray(0, strh), film.subarray(strh, strh + 64), film.subarray(strh)])
    const view = new DataView(again.buffer)
    for (const size of [4, at('hdrl') - 4, strl + 4]) view.setUint32(size, view.getUint32(size, true) + 64, true)
    const { outcome } = await press(avi, again, 'high', 'avi')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      detail: expect.stringContaining('a stream must have exactly one header (`strh`) and one format (`strf`)'),
    })
  })

  it.each([
    [
      'reports a stream list with another name, whose sound would be dropped, as malformed',
      'LIST',
      8,
      'the file contains 2 streams, but only 1 of them are in the header list',
    ],
    ['reports a stream of unknown type as malformed', 'strh', 8, 'a stream has an unknown type; known are video, audio, text and MIDI'],
  ])('%s', async (_, id, behind, detail) => {
    const broken = film.slice()
    // The last chunk before the padding belongs to the sound stream.
    broken.set(Uint8Array.of(1, 0, 0, 0), Buffer.from(film.subarray(0, at('JUNK'))).lastIndexOf(id) + behind)
    const { outcome } = await press(avi, broken, 'medium', 'avi')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'malformed', detail: expect.stringContaining(detail) })
  })
})
