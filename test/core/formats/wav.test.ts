import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeIma, ImaEncoder } from '../../../src/core/formats/wav/ima.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { SnrMeter } from '../../../src/core/metrics/snr.ts'
import { fidelityOf } from '../../../src/core/model/codec.ts'
import { Resampler } from '../../../src/core/sound/resample.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, press, tones, wave } from './media-fixtures.ts'

const scaled = (frames: number, channels: number, bits: number, unit = 1) =>
  Int32Array.from(tones(frames, channels, 44100), (value) => Math.round((value * 2 ** (bits - 1)) / unit) * unit)

describe('exact', () => {
  it.each([
    ['24 bits that hold 16', 24, 256, '16-bit PCM'],
    ['16 bits that hold 8', 16, 256, '8-bit PCM'],
    ['32 bits that hold 24', 32, 256, '24-bit PCM'],
  ])('stores fewer bits: %s', async (_, bits, unit, wanted) => {
    const file = wave(scaled(5000, 2, bits, unit), bits, 2, 44100)
    const { outcome, bytes } = await press(wav, file, 'high', 'wav')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(JSON.stringify(inEnglish(outcome))).toContain(wanted)
    expect(bytes.length).toBeLessThan(file.length * 0.77)
  })

  it('returns a file with two formats unchanged, because readers differ in the one they use', async () => {
    const other = Uint8Array.of(1, 0, 1, 0, 0x44, 0xac, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0)
    const file = wave(scaled(5000, 2, 24, 256), 24, 2, 44100, [['fmt ', other]])
    const { outcome } = await press(wav, file, 'high', 'wav')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: 'the WAVE file has several `fmt ` chunks; only one is allowed',
    })
  })

  it('keeps other chunks byte for byte and in order', async () => {
    const bext = Uint8Array.from({ length: 701 }, (_, i) => i & 127)
    const file = wave(scaled(3000, 1, 24, 256), 24, 1, 48000, [
      ['bext', bext],
      ['JUNK', new Uint8Array(400)],
      ['cue ', Uint8Array.of(1, 0, 0, 0)],
    ])
    const { bytes } = await press(wav, file, 'high', 'wav')
    const found = new TextDecoder('latin1').decode(bytes)
    expect(found.includes(new TextDecoder('latin1').decode(bext))).toBe(true)
    expect(found.indexOf('bext')).toBeLessThan(found.indexOf('cue '))
    expect(found.includes('JUNK')).toBe(false)
  })

  it('returns samples that use all 16 bits unchanged', async () => {
    expect((await press(wav, wave(scaled(2000, 2, 16), 16, 2, 44100), 'high', 'wav')).outcome).toMatchObject({ reason: 'no_gain' })
  })

  it('keeps any samples at high, whatever their unused bits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(16, 24, 32), fc.integer({ min: 0, max: 20 }), fc.integer(), async (bits, zeros, seed) => {
        const random = noise(seed)
        const values = Int32Array.from({ length: 600 }, () => (Math.floor((random() - 0.5) * 2 ** bits) >> zeros) << zeros)
        const { outcome } = await press(wav, wave(values, bits, 2, 44100), 'high', 'wav')
        // The service compares every sample. A lossless codec either shrinks the file or reports no_gain.
        expect(outcome.kind === 'compressed' ? fidelityOf(outcome) : outcome.reason).toMatch(/lossless|no_gain/)
      }),
      { numRuns: 40 },
    )
  })
})

describe('lossy', () => {
  it('result sizes: low ≤ medium ≤ high, above the floors', async () => {
    const file = wave(scaled(44100, 2, 24), 24, 2, 44100)
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome, bytes } = await press(wav, file, quality, 'wav')
      if (outcome.kind === 'compressed' && outcome.loss) expect(outcome.loss.sound?.snrDb).toBeGreaterThan(20)
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(sizes[0]).toBeLessThan(file.length / 5)
  })

  it('keeps both kinds of ADPCM decoder close to the sound', () => {
    const encoder = new ImaEncoder(44100, 1)
    const samples = scaled(encoder.blockSamples, 1, 16)
    const { block, decoded, multiplied } = encoder.encode(samples)
    expect([...decodeIma(block, 1).subarray(0, samples.length)]).toEqual([...decoded])
    const error = (other: Int32Array) => Math.sqrt(samples.reduce((sum, value, i) => sum + (value - other[i]!) ** 2, 0) / samples.length)
    expect(error(decoded)).toBeLessThan(700)
    expect(error(multiplied)).toBeLessThan(700)
  })
})

describe('other outputs', () => {
  it('converts to FLAC that decodes to the same samples', async () => {
    const { outcome, bytes } = await press(wav, wave(scaled(20000, 2, 16), 16, 2, 44100), 'medium', 'flac')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(String.fromCharCode(...bytes.subarray(0, 4))).toBe('fLaC')
  })

  it('converts to MP3 whose tag gives the original number of samples', async () => {
    const { outcome } = await press(wav, wave(scaled(30000, 2, 16), 16, 2, 44100), 'medium', 'mp3')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(outcome.kind === 'compressed' && outcome.loss?.sound?.snrDb).toBeGreaterThan(15)
  })
})

describe('bad input', () => {
  it('reads truncated sound to the end of the file', async () => {
    const file = wave(scaled(4000, 2, 16, 256), 16, 2, 44100)
    const { outcome, bytes } = await press(wav, file.slice(0, file.length - 4000), 'high', 'wav')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const whole = (await press(wav, file, 'high', 'wav')).bytes
    const [cut, full] = [bytes, whole].map((one) => new DataView(one.buffer, one.byteOffset).getUint32(40, true))
    expect(full! - cut!).toBe(2000)
    expect(bytes.subarray(44, 44 + cut!)).toEqual(whole.subarray(44, 44 + cut!))
  })

  it('survives truncations and flipped bits', async () => {
    const file = wave(scaled(600, 2, 16, 256), 16, 2, 44100, [['LIST', Uint8Array.of(73, 78, 70, 79)]])
    const random = noise(3)
    for (let round = 0; round < roundsOf(120); round++) {
      const broken = file.slice(0, round % 2 ? file.length : Math.floor(random() * file.length))
      for (let flip = 0; flip < 3; flip++) broken[Math.floor(random() * Math.min(broken.length, 80))] = Math.floor(random() * 256)
      const { outcome } = await press(wav, broken, 'low', 'wav')
      expect(['compressed', 'unchanged']).toContain(outcome.kind)
    }
    expect((await press(wav, file, 'high', 'wav')).outcome.kind).toBe('compressed')
  })
})

describe('sample rates that MP3 does not have', () => {
  it.each([
    [96000, 48000],
    [88200, 44100],
    [6000, 8000],
    [47999, 48000],
  ])('resamples %d Hz to %d Hz without audible artefacts', (from, to) => {
    const sine = (hertz: number, count: number) =>
      Float32Array.from({ length: count }, (_, i) => 0.7 * Math.sin((2 * Math.PI * 997 * i) / hertz))
    const resampler = new Resampler(1, from, to)
    const input = sine(from, from)
    const made: number[] = []
    // Pushes samples in uneven steps, as files are read.
    for (let at = 0; at < input.length; at += 3001) made.push(...resampler.push([input.subarray(at, at + 3001)])[0]!)
    made.push(...resampler.finish()[0]!)
    expect(made.length).toBe(to)
    const wanted = sine(to, to)
    const meter = new SnrMeter()
    // Excludes both ends, where the filter reaches into silence.
    meter.add(wanted.subarray(500, -500), made.slice(500, -500))
    expect(meter.decibels).toBeGreaterThan(70)
  })

  it('converts 96 kHz to an MP3 of 48 kHz with the same duration', async () => {
    const values = Int32Array.from(tones(48000, 2, 96000), (value) => Math.round(value * 30000))
    const { outcome, bytes } = await press(wav, wave(values, 16, 2, 96000), 'medium', 'mp3')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: ['resampled from 96000 to 48000 Hz', 'encoded as MP3, LAME -V3'],
    })
    expect(bytes.length).toBeLessThan(30_000)
  })
})
