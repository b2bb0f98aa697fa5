/** Suggestions for WAVE files that cannot become smaller: another output, with a measured size. */

import { describe, expect, it } from 'vitest'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { inEnglish } from '../../support/in-english.ts'
import { noise, press, tones, wave } from './media-fixtures.ts'

const HERTZ = 44_100

/** Tones of varying loudness, so that stretches differ. */
const music = (seconds: number, channels: number) => {
  const sound = tones(seconds * HERTZ, channels, HERTZ)
  return Int32Array.from(sound, (value, i) => value * 30_000 * (0.2 + 0.8 * Math.abs(Math.sin(i / channels / HERTZ / 3))))
}

const suggestionOf = (outcome: object) => (outcome as { suggestion?: { output: string; estimatedBytes: number } }).suggestion

describe('suggestions', () => {
  it.each([
    ['estimates a short file exactly', 3, 0.001],
    ['estimates a long file within 5 % from five stretches', 30, 0.05],
  ])('%s', async (_, seconds, tolerance) => {
    const file = wave(music(seconds, 2), 16, 2, HERTZ)
    for (const quality of ['medium', 'high'] as const) {
      const { outcome } = await press(wav, file, quality, 'wav')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain', suggestion: { output: 'flac' } })
      const real = (await press(wav, file, quality, 'flac')).bytes.length
      expect(Math.abs(suggestionOf(outcome)!.estimatedBytes / real - 1)).toBeLessThan(tolerance)
    }
  })

  it('suggests MP3 for noise that FLAC cannot shrink, with the size at the level', async () => {
    const random = noise(3)
    const file = wave(
      Int32Array.from({ length: 2 * HERTZ }, () => random() * 65_535 - 32_768),
      16,
      1,
      HERTZ,
    )
    const { outcome } = await press(wav, file, 'high', 'wav')
    expect(inEnglish(outcome)).toMatchObject({ suggestion: { output: 'mp3' }, detail: expect.not.stringContaining('flac') })
    const real = (await press(wav, file, 'high', 'mp3')).bytes.length
    expect(Math.abs(suggestionOf(outcome)!.estimatedBytes / real - 1)).toBeLessThan(0.02)
  })

  it.each([
    65_604, 655_360,
  ])('does not suggest FLAC for %d Hz, which no frame header can store, and rejects it on request', async (hertz) => {
    const file = wave(music(1, 1), 16, 1, hertz)
    const { outcome } = await press(wav, file, 'medium', 'wav')
    expect(outcome).toMatchObject({ kind: 'unchanged', suggestion: { output: 'mp3' } })
    expect((await press(wav, file, 'medium', 'flac')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('suggests nothing if no output is smaller', async () => {
    const random = noise(4)
    const file = wave(
      Int32Array.from({ length: 6 * 4000 }, () => random() * 65_535 - 32_768),
      16,
      6,
      HERTZ,
    )
    const { outcome } = await press(wav, file, 'high', 'wav')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'no_gain',
      detail: expect.not.stringContaining('for a smaller file'),
    })
    expect(outcome).not.toHaveProperty('suggestion')
  })
})
