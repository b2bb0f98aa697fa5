import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { readAvi } from '../../../src/core/containers/riff/avi.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { compareSound, gaplessPacketSamples, indexBlocks } from '../../../src/core/formats/film/compare-sound.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { decodedSound } from '../../../src/core/formats/film/sound.ts'
import { verifyFilm } from '../../../src/core/formats/film/verify.ts'
import { SnrMeter } from '../../../src/core/metrics/snr.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { noise, optionsFor, rawAvi, rawMovie } from './media-fixtures.ts'

const HERTZ = 8000
const PCM = { decoder: 'pcm_s16le', extradata: new Uint8Array(), hertz: HERTZ, channels: 1, bitsPerSample: 16, blockAlign: 2, tag: 0 }

/** Noise without a pattern, so that no shift matches by chance. */
function hiss(seconds: number, seed: number): Int16Array {
  const random = noise(seed)
  let low = 0
  return Int16Array.from({ length: seconds * HERTZ }, () => (low = low * 0.8 + (random() - 0.5) * 8000))
}

function laid(samples: Int16Array) {
  const bytes = new Uint8Array(samples.buffer)
  const runs = { count: 1, offset: Float64Array.of(0), size: Float64Array.of(bytes.length) }
  return indexBlocks(memorySource(bytes, 'sound'), PCM, runs)
}

describe('comparison of new sound with old sound', () => {
  const options = optionsFor('medium', 'mov')

  it('detects a replaced or shifted stretch in long sound', async () => {
    const old = hiss(90, 1)
    expect(await compareSound(laid(old), laid(old), 0, 120, options)).toBeUndefined()
    const later = new Int16Array(old.length + 1024)
    later.set(old, 1024)
    expect(await compareSound(laid(old), laid(later), 1024, 20, options)).toBeUndefined()
    expect(await compareSound(laid(old), laid(later), 0, 20, options)).toMatch(/the sound differs at 0.0 s/)
    const mixed = old.slice()
    mixed.set(hiss(40, 2), 50 * HERTZ)
    expect(await compareSound(laid(old), laid(mixed), 0, 20, options)).toMatch(/the sound differs at 5\d/)
  })

  it('accepts short sound with the noise in the receipt', async () => {
    const old = hiss(5, 3)
    const rough = old.map((value) => Math.round(value / 512) * 512)
    expect(await compareSound(laid(old), laid(rough), 0, 10, options)).toBeUndefined()
    expect(await compareSound(laid(old), laid(rough), 0, 40, options)).toMatch(/dB of sound instead of 40/)
  })

  it('counts samples that a decoder cannot restore towards the ratio in the receipt', async () => {
    const old = hiss(1, 5)
    const rough = old.slice()
    for (let i = HERTZ / 2; i < HERTZ; i++) {
      old[i]! /= 4
      rough[i] = old[i]! + ((i % 2) - 0.5) * 1000
    }
    const meter = new SnrMeter()
    meter.add(old, rough)
    const faded = { ...laid(rough), unrestorable: HERTZ / 2 }
    expect(await compareSound(laid(old), faded, 0, meter.decibels, options)).toBeUndefined()
    expect(await compareSound(laid(old), faded, 0, meter.decibels + 1.1, options)).toMatch(/dB of sound instead of/)
  })

  it('does not treat packets with gaps as gapless', () => {
    const samples = (dts: number[]) => ({ ...NONE, count: dts.length - 1, dts: Float64Array.from(dts) })
    expect(gaplessPacketSamples(samples([0, 1024, 2048, 3072, 3500]), 44100, 44100)).toBe(1024)
    expect(gaplessPacketSamples(samples([0, 21, 43, 64, 85]), 1000, 48000)).toBe(1024)
    expect(gaplessPacketSamples(samples([0, 1024, 9000, 10024, 11048]), 44100, 44100)).toBeUndefined()
  })

  it('detects different sound and a shifted edit list in verification', async () => {
    const file = rawMovie(50)
    const { outcome, bytes, source } = await pressed(mov, file, 'mov')
    expect(await verifyFilm(source, memorySource(bytes, 'b'), outcome, options)).toEqual({ equal: true, share: 1 })
    const other = file.slice()
    const [, sound] = (await readMovie(memorySource(file, 'a'))).tracks
    // Inverts a quarter of the sound.
    const view = new DataView(other.buffer, sound!.chunks.offset[0], sound!.chunks.size[0])
    for (let at = 0; at < view.byteLength / 4; at += 2) view.setInt16(at, -view.getInt16(at, true), true)
    expect((await verifyFilm(memorySource(other, 'a'), memorySource(bytes, 'b'), outcome, options)).equal).toBe(false)
    const [, made] = (await readMovie(memorySource(bytes, 'b'))).tracks
    const moved = bytes.slice()
    const elst = indexOf(moved, 'elst', moved.length - 1)
    // Edit list version 1: eight bytes of version, flags and count, eight of duration, then the media time.
    const places = new DataView(moved.buffer)
    expect(places.getUint32(elst + 4 + 20)).toBe(made!.edits![0]!.mediaTime)
    places.setUint32(elst + 4 + 20, made!.edits![0]!.mediaTime + 200)
    expect((await verifyFilm(source, memorySource(moved, 'b'), outcome, options)).equal).toBe(false)
  })

  it('copies sound whose duration contradicts its times, and still encodes the pictures', async () => {
    const file = rawMovie(50)
    const stts = indexOf(file, 'stts', file.length - 1)
    // `stts`: version and flags, one run, its sample count, then the duration of each sample.
    const delta = new DataView(file.buffer, stts + 16)
    expect(delta.getUint32(0)).toBe(1)
    delta.setUint32(0, 10)
    const { outcome, bytes, source } = await pressed(mov, file, 'mov')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: {} } })
    expect(await verifyFilm(source, memorySource(bytes, 'b'), outcome, options)).toEqual({ equal: true, share: 1 })
  })

  it('keeps AVI sound in sync, as MP3 and as AAC', async () => {
    const file = rawAvi(60, 64, 48, 44100)
    for (const output of ['avi', 'mp4'] as const) {
      const { outcome, bytes, source, options: own } = await pressed(avi, file, output)
      expect(await avi.verify(source, memorySource(bytes, 'b'), outcome, own)).toEqual({ equal: true, share: 1 })
      const other = file.slice()
      const { chunks } = await readAvi(source)
      const view = new DataView(other.buffer)
      for (const chunk of chunks.indexesOfStream(1)) {
        for (let i = 0; i + 1 < chunks.size[chunk]!; i += 2)
          view.setInt16(chunks.offset[chunk]! + i, 9000 * Math.sin((chunk * 977 + i) / 40), true)
      }
      const verdict = await avi.verify(memorySource(other, 'a'), memorySource(bytes, 'b'), outcome, own)
      expect(verdict).toMatchObject({ equal: false, difference: expect.stringMatching(/sound/) })
    }
  })
})

describe('packets that hold no sound', () => {
  it('take their playing time as silence', async () => {
    using engine = new Ffmpeg()
    const { config } = engine.openAac(44100, 1, 64000)
    const packets: Uint8Array[] = []
    const samples = Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i / 10) / 2)
    for (let i = 0; i < 6; i++) packets.push(engine.encodeAac([samples]) ?? new Uint8Array())
    // ISO/IEC 14496-3, table 4.85: ID_END alone.
    const nothing = Uint8Array.of(0xe0)
    const all = [nothing, ...packets.filter(({ length }) => length > 0)]
    const bytes = concat(all)
    let at = 0
    const runs = {
      count: all.length,
      offset: Float64Array.from(all, ({ length }) => (at += length) - length),
      size: Float64Array.from(all, ({ length }) => length),
    }
    const stream = { decoder: 'aac', extradata: config, hertz: 44100, channels: 1, bitsPerSample: 16, blockAlign: 0, tag: 0 }
    const blocks: Float32Array[] = []
    const sound = { source: memorySource(bytes, 'sound'), stream, runs, options: optionsFor('medium', 'mp4') }
    for await (const [mono] of decodedSound(engine, sound)) blocks.push(mono!)
    expect(blocks.length).toBe(all.length)
    expect(blocks[0]!.every((value) => value === 0)).toBe(true)
  })
})

const NONE = { offset: new Float64Array(), size: new Uint32Array(), composition: new Int32Array(), sync: new Uint8Array() }

/** Last position of a four-letter code before `before`. First position if `before` is 0. */
function indexOf(bytes: Uint8Array, letters: string, before: number): number {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return before ? all.lastIndexOf(letters, before, 'latin1') : all.indexOf(letters, 0, 'latin1')
}

async function pressed(codec: Codec, file: Uint8Array, output: 'mov' | 'avi' | 'mp4') {
  const source = memorySource(file, 'film')
  const options = optionsFor('medium', output)
  const sink = memorySink(file.length, 'out')
  const outcome = await codec.compress(source, sink, options)
  await sink.finish()
  return { source, options, outcome, bytes: sink.bytes().slice() }
}
