import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import type { Outcome, Quality } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish, textOfDetail } from '../../support/in-english.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor, press, wave } from './media-fixtures.ts'

const HERTZ = 44_100
const QUALITIES = ['low', 'medium', 'high'] as const

/** Chords with a falling spectrum and a beat, interleaved, −1…1. `loudness` is the largest sample. */
function music(seconds: number, channels: number, loudness: number): Float64Array {
  const random = noise(11)
  const chord = [110, 220, 277, 330, 440, 660, 880, 1320, 2640, 5280]
  const values = Float64Array.from({ length: Math.round(seconds * HERTZ) * channels }, (_, i) => {
    const time = Math.floor(i / channels) / HERTZ
    const beat = 0.3 + 0.7 * Math.exp(-8 * (time % 0.5))
    const tones = chord.reduce((sum, hertz, k) => sum + Math.sin(2 * Math.PI * hertz * time + k + (i % channels)) / (k + 1), 0)
    return beat * (tones + (random() - 0.5) * 0.1)
  })
  const peak = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return values.map((value) => (value / peak) * loudness)
}

const integers = (values: Float64Array, bits: number) => Int32Array.from(values, (value) => Math.round(value * (2 ** (bits - 1) - 1)))

/** Samples as WAVE_FORMAT_IEEE_FLOAT, 32 bits. */
function floats(values: Float64Array, channels: number): Uint8Array {
  const file = wave(new Int32Array(Float32Array.from(values).buffer), 32, channels, HERTZ)
  file[20] = 3
  return file
}

/** Format tag, bits and data of a file whose data starts at byte 44. */
function read(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const samples = (bits: 16 | 24) =>
    Float64Array.from({ length: view.getUint32(40, true) / (bits / 8) }, (_, i) =>
      bits === 16
        ? view.getInt16(44 + 2 * i, true) / 2 ** 15
        : (view.getUint16(44 + 3 * i, true) | (view.getInt8(46 + 3 * i) << 16)) / 2 ** 23,
    )
  return { tag: view.getUint16(20, true), bits: view.getUint16(34, true), samples }
}

describe('WAVE levels', () => {
  it('dithers 24-bit music to 16 bits at medium, keeps it at high, and uses ADPCM only at low', async () => {
    const file = wave(integers(music(2, 2, 0.97), 24), 24, 2, HERTZ)
    const medium = await press(wav, file, 'medium', 'wav')
    expect(inEnglish(withFidelity(medium.outcome))).toMatchObject({
      fidelity: 'perceptual',
      steps: ['audio samples: 24-bit PCM → 16-bit PCM with triangular dither'],
    })
    expect(read(medium.bytes)).toMatchObject({ tag: 1, bits: 16 })
    expect((await press(wav, file, 'high', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    expect(read((await press(wav, file, 'low', 'wav')).bytes).tag).toBe(0x11)
  })

  it('returns 16-bit music unchanged at medium and suggests smaller outputs', async () => {
    const { outcome } = await press(wav, wave(integers(music(1, 2, 0.97), 16), 16, 2, HERTZ), 'medium', 'wav')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    const detail = outcome.kind === 'unchanged' ? textOfDetail(outcome.detail) : ''
    expect(detail).toMatch(/use `format=flac` \(lossless\) or `format=mp3` \(lossy\) for a smaller file/)
  })

  it('uses an exact G.711 law only at low', async () => {
    const law = Int32Array.from(noiseOfBytes(3000), (byte) => muLaw(byte))
    const file = wave(law, 16, 1, 8000)
    expect(read((await press(wav, file, 'low', 'wav')).bytes).tag).toBe(7)
    for (const quality of ['medium', 'high'] as const) {
      expect((await press(wav, file, quality, 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    }
  })

  it('keeps PCM or float at medium and high for any sound of 16 or more bits, with sizes low ≤ medium ≤ high', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(16, 24, 32, 'float' as const),
        fc.double({ min: -90, max: 0, noNaN: true }),
        fc.constantFrom(1, 2, 3),
        async (kind, loudnessDb, channels) => {
          const values = music(0.3, channels, 10 ** (loudnessDb / 20))
          const file = kind === 'float' ? floats(values, channels) : wave(integers(values, kind), kind, channels, HERTZ)
          const sizes: number[] = []
          for (const quality of QUALITIES) {
            const { bytes, outcome } = await press(wav, file, quality, 'wav')
            expect(outcome).not.toMatchObject({ reason: 'unsupported_feature' })
            if (quality !== 'low') expect([1, 3]).toContain(read(bytes).tag)
            sizes.push(bytes.length)
          }
          expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
        },
      ),
      { numRuns: roundsOf(25) },
    )
  })
})

describe('fewer bits only if the noise is inaudible', () => {
  it('keeps 24 bits of a quiet recording, because listeners who turn it up would hear the noise', async () => {
    const file = wave(integers(music(1, 1, 0.001), 24), 24, 1, HERTZ)
    expect((await press(wav, file, 'medium', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('keeps 24 bits of a half-scale recording that falls silent, but not of one that continues', async () => {
    const loud = music(1, 1, 0.4)
    const falling = Float64Array.from([...loud, ...loud.map((value) => value / 20_000)])
    const going = Float64Array.from([...music(2, 1, 0.4)])
    const bitsOf = async (values: Float64Array) =>
      read((await press(wav, wave(integers(values, 24), 24, 1, HERTZ), 'medium', 'wav')).bytes).bits
    expect(await bitsOf(falling)).toBe(24)
    expect(await bitsOf(going)).toBe(16)
  })

  it('returns floats above full scale and NaN unchanged', async () => {
    for (const odd of [1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const values = music(0.2, 1, 0.9)
      values[1000] = odd
      expect((await press(wav, floats(values, 1), 'medium', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
    }
  })

  it('keeps a tone below the last bit in the dither noise, and digital silence silent', async () => {
    const step = 2 ** -15
    const loud = music(0.5, 1, 0.97)
    const tone = Float64Array.from({ length: HERTZ }, (_, i) => 0.4 * step * Math.sin((2 * Math.PI * 997 * i) / HERTZ))
    const silence = new Float64Array(5000)
    const file = wave(integers(Float64Array.from([...loud, ...tone, ...silence]), 24), 24, 1, HERTZ)
    const result = read((await press(wav, file, 'medium', 'wav')).bytes)
    expect(result.bits).toBe(16)
    const samples = result.samples(16)
    const faint = samples.subarray(loud.length, loud.length + tone.length)
    const found = faint.reduce((sum, value, i) => sum + value * tone[i]!, 0) / tone.reduce((sum, value) => sum + value * value, 0)
    expect(found).toBeGreaterThan(0.9)
    expect(found).toBeLessThan(1.1)
    expect(samples.subarray(loud.length + tone.length).every((value) => value === 0)).toBe(true)
  })

  it('adds white noise with the expected power of dither', async () => {
    const values = integers(music(2, 1, 0.97), 24)
    const result = read((await press(wav, wave(values, 24, 1, HERTZ), 'medium', 'wav')).bytes).samples(16)
    const error = result.map((value, i) => (value - values[i]! / 2 ** 23) * 2 ** 15)
    const power = error.reduce((sum, value) => sum + value * value, 0) / error.length
    expect(power).toBeCloseTo(0.25, 1)
    const next = error.reduce((sum, value, i) => sum + value * (error[i + 1] ?? 0), 0) / error.length
    expect(Math.abs(next)).toBeLessThan(0.01)
  })
})

it('rejects a receipt that claims 0.1 dB too much in verification', async () => {
  for (const [quality, bits] of [
    ['medium', 24],
    ['low', 24],
  ] as [Quality, number][]) {
    const file = wave(integers(music(0.5, 2, 0.97), bits), bits, 2, HERTZ)
    const { outcome, bytes } = await press(wav, file, quality, 'wav')
    if (outcome.kind !== 'compressed' || !outcome.loss?.sound) throw new Error('no figure')
    const [a, b] = [memorySource(file, 'a.wav'), memorySource(bytes, 'b.wav')]
    const options = optionsFor(quality, 'wav')
    expect(await wav.verify(a, b, outcome, options)).toEqual({ equal: true })
    const claim: Outcome = { kind: 'compressed', loss: { sound: { snrDb: outcome.loss.sound.snrDb + 0.1 } }, steps: [] }
    expect((await wav.verify(a, b, claim, options)).equal).toBe(false)
  }
})

const noiseOfBytes = (count: number) => {
  const random = noise(5)
  return Array.from({ length: count }, () => Math.floor(random() * 256))
}

/** ITU-T G.711, table 2a. */
function muLaw(byte: number): number {
  const code = ~byte & 255
  const magnitude = (((code & 15) * 2 + 33) << ((code >> 4) & 7)) - 33
  return (code & 128 ? -magnitude : magnitude) * 4
}
