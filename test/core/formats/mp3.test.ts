import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { id3Tag, synchsafe } from '../../../src/core/containers/id3/id3.ts'
import { frameHeader } from '../../../src/core/containers/mpeg-audio/frame.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { decodePlayedSound } from '../../../src/core/formats/mp3/reencode.ts'
import { playedSamples, readStream } from '../../../src/core/formats/mp3/stream.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { SnrMeter } from '../../../src/core/metrics/snr.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { Lame } from '../../../wasm/lame/lame.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, tones, wave } from './media-fixtures.ts'

/** An MP3 of tones encoded with -V0, every frame padded to a constant bit rate. */
async function fixture(quality: 'high' | 'low'): Promise<Uint8Array> {
  const samples = Int32Array.from(tones(60000, 2, 44100), (value) => Math.round(value * 30000))
  return (await press(wav, wave(samples, 16, 2, 44100), quality, 'mp3')).bytes
}

describe('lossless', () => {
  it('drops padding of tags and keeps their frames', async () => {
    const sound = await fixture('high')
    const tag = id3Tag([
      ['title', 'Tones'],
      ['artist', 'Nobody'],
      ['mood', 'flat'],
    ])
    const padded = concat([tag, new Uint8Array(5000)])
    const size = padded.length - 10
    padded.set([(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127], 6)
    const { outcome, bytes } = await press(mp3, concat([padded, sound]), 'high', 'mp3')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThanOrEqual(sound.length + tag.length)
    expect(new TextDecoder('latin1').decode(bytes.subarray(0, tag.length))).toContain('Nobody')
  })

  it('gives nearly the same size in a second pass', async () => {
    const first = await press(mp3, await fixture('high'), 'high', 'mp3')
    const again = await press(mp3, first.bytes, 'high', 'mp3')
    expect(again.bytes.length).toBe(first.bytes.length)
  })
})

/** An ID3v2.3 tag with a picture that cannot be decoded. */
function tagOf(bytes: number): Uint8Array {
  const body = new Uint8Array(bytes).fill(7)
  body.set([0, ...new TextEncoder().encode('image/jpeg'), 0, 3, 0])
  const frame = concat([new TextEncoder().encode('APIC'), Uint8Array.of(bytes >> 24, bytes >> 16, bytes >> 8, bytes, 0, 0), body])
  return concat([Uint8Array.of(0x49, 0x44, 0x33, 3, 0, 0, ...synchsafe(frame.length)), frame])
}

describe('low', () => {
  it('repacks the original frames if encoding again is not smaller', async () => {
    const tag = tagOf(40_000)
    const [low, high] = await Promise.all(
      (['low', 'high'] as const).map((level) => press(mp3, concat([tag, looseMp3(88_200)]), level, 'mp3')),
    )
    expect(withFidelity(low!.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(Buffer.compare(low!.bytes, high!.bytes)).toBe(0)
    expect(low!.bytes.length).toBeLessThan(40_000 + looseMp3(88_200).length / 4)
  })

  it('keeps an APE tag without a header after the sound', async () => {
    const text = (value: string) => new TextEncoder().encode(value)
    const item = concat([Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0), text('Title\0Tones')])
    const footer = concat([text('APETAGEX'), Uint8Array.of(0xe8, 3, 0, 0, item.length + 32, 0, 0, 0, 1, 0, 0, 0), new Uint8Array(12)])
    const { outcome, bytes } = await press(mp3, concat([await fixture('high'), item, footer]), 'low', 'mp3')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: [expect.stringContaining('LAME')] })
    expect(Buffer.from(bytes).subarray(-footer.length - item.length)).toEqual(Buffer.from(concat([item, footer])))
  })

  it('does not encode the sound again if the tags in front are too large to patch after them', async () => {
    const tag = tagOf(5_300_000)
    const { outcome, bytes } = await press(mp3, concat([tag, await fixture('high')]), 'low', 'mp3')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(Buffer.compare(bytes.subarray(0, tag.length), tag)).toBe(0)
    const samples = Int32Array.from(tones(60000, 2, 44100), (value) => Math.round(value * 30000))
    const huge = tagOf(17_000_000)
    const kept = await press(mp3, concat([huge, await fixture('high')]), 'low', 'mp3')
    expect(withFidelity(kept.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(Buffer.compare(kept.bytes.subarray(0, huge.length), huge)).toBe(0)
    const wide = wave(samples, 16, 2, 44100, [['id3 ', tag]])
    expect((await press(wav, wide, 'low', 'mp3')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('encodes high bit rates again and reports the noise', async () => {
    const { outcome, bytes } = await press(mp3, await fixture('high'), 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(bytes.length).toBeLessThan((await fixture('high')).length)
  })
})

describe('encoder delay', () => {
  const [hertz, count] = [44_100, 60_000]
  const options = { ...optionsFor('low', 'mp3') }

  /** Sound in a file without a tag: players start at the first sample, encoder delay included. */
  function untold(rate = hertz, channels: 1 | 2 = 2): Uint8Array {
    using lame = new Lame({ channels, hertz: rate, vbrQuality: 0 })
    const sound = tones(count, channels, rate)
    const planar = Array.from({ length: channels }, (_, c) =>
      Float32Array.from({ length: count }, (_, i) => sound[i * channels + c]! * 0.9),
    )
    const stream = concat([...lame.encode(planar), lame.finish()])
    return stream.slice(frameHeader(stream, 0)!.bytes)
  }

  it.each([
    [44_100, 2],
    [48_000, 1],
    [22_050, 2],
    [16_000, 1],
  ] as const)('writes no delay for a file of %i Hz without one, and keeps its first sample', async (rate, channels) => {
    const file = untold(rate, channels)
    const { outcome, bytes } = await press(mp3, file, 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: { snrDb: expect.any(Number) } } })
    const [before, after] = [await readStream(memorySource(file, 'a'), options), await readStream(memorySource(bytes, 'b'), options)]
    expect(after.tag?.facts).toMatchObject({ kind: 'Xing', frames: before.frames })
    expect(after.tag?.facts).not.toHaveProperty('delay')
    expect(after.frames).toBe(before.frames)
    // Decodes the frames directly, without regard to tags, and compares sample by sample.
    expect(await snrOfFrames(file, bytes)).toBeGreaterThan(15)
  })

  it('measures a file cut out of louder sound as players decode it, without the overlap of the first frame', async () => {
    // The first ten of the frames, 1044 bytes each and without bit reservoir, are removed. Unknown bytes in front prevent repacking.
    const cut = concat([new Uint8Array(10), looseMp3(40_000).subarray(10 * 1044)])
    const { outcome, bytes } = await press(mp3, cut, 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: { snrDb: expect.any(Number) } } })
    const { loss } = outcome as { loss: { sound: { snrDb: number } } }
    expect(loss.sound.snrDb).toBeCloseTo(await snrOfFrames(cut, bytes), 0)
  })

  it('does not encode sound again if its tag follows unknown bytes, because players ignore that tag', async () => {
    const file = concat([new Uint8Array(10), await fixture('high')])
    const { bytes } = await press(mp3, file, 'low', 'mp3')
    expect(playedSamples(await readStream(memorySource(bytes, 'b'), options))).toEqual(
      playedSamples(await readStream(memorySource(file, 'a'), options)),
    )
    expect(Buffer.from(bytes).includes('LAME')).toBe(true)
    expect(Buffer.compare(bytes, file)).toBe(0)
  })

  async function snrOfFrames(a: Uint8Array, b: Uint8Array): Promise<number> {
    const [x, y] = [await allSamples(a), await allSamples(b)]
    expect(y.length).toBe(x.length)
    const meter = new SnrMeter()
    meter.add(x, y)
    return meter.decibels
  }

  async function allSamples(file: Uint8Array): Promise<Float32Array> {
    const source = memorySource(file, 'file')
    const { tag: _, ...stream } = await readStream(source, options)
    const start = (_?.bytes.length ?? 0) + stream.audioOffset
    using engine = new Ffmpeg()
    const parts: Float32Array[] = []
    for await (const [first] of decodePlayedSound(
      engine,
      0,
      source,
      { ...stream, tag: undefined, audioOffset: start, frontBytes: start },
      options,
    ))
      parts.push(first!)
    const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) all.set(part, (at += part.length) - part.length)
    return all
  }
})

describe('bad input', () => {
  it('survives truncations and flipped bits, and the next job works', async () => {
    const file = await fixture('low')
    const random = noise(11)
    for (let round = 0; round < roundsOf(40); round++) {
      const broken = file.slice(0, round % 2 ? file.length : Math.floor(random() * file.length))
      for (let flip = 0; flip < 4; flip++) broken[Math.floor(random() * broken.length)] = Math.floor(random() * 256)
      const { outcome } = await press(mp3, broken, round % 3 ? 'high' : 'low', 'mp3')
      expect(['compressed', 'unchanged']).toContain(outcome.kind)
    }
    expect((await press(mp3, new Uint8Array([0x49, 0x44, 0x33, 4, 0, 0, 127, 127, 127, 127]), 'high', 'mp3')).outcome).toMatchObject({
      reason: 'malformed',
    })
    expect((await press(mp3, file, 'high', 'mp3')).outcome.kind).toMatch(/compressed|unchanged/)
  })
})
