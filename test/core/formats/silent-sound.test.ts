import { describe, expect, it } from 'vitest'
import { LAZY_MEDIA_CODECS } from '../../../src/core/formats/lazy-media.ts'
import { LAZY_PRESS_CODECS } from '../../../src/core/formats/lazy-press.ts'
import { libraryOf } from '../../../src/core/library.ts'
import { SnrMeter } from '../../../src/core/metrics/snr.ts'
import { readAll } from '../../../src/core/model/source.ts'
import { noise, wave } from './media-fixtures.ts'

const { compress, verify } = libraryOf({ ...LAZY_PRESS_CODECS, ...LAZY_MEDIA_CODECS })
const [HERTZ, FRAMES] = [44_100, 40_000]

const random = noise(7)
/** Sounds of 16 bits: digital silence, dither of one step, and tones at −70 dBFS. */
const SOUNDS: { readonly [name: string]: (i: number) => number } = {
  silence: () => 0,
  dither: () => Math.round(random() * 2 - 1),
  'a recording at −70 dBFS': (i) => Math.round(14 * Math.sin(i * 0.063) + random() - 0.5),
}
const waveOf = (name: string) =>
  wave(
    Int32Array.from({ length: FRAMES }, (_, i) => SOUNDS[name]!(i)),
    16,
    1,
    HERTZ,
  )

// Opus decodes silence to noise at about −120 dBFS: the ratio was −Infinity dB, and the original came back as `below_floor`.
describe('sound that is silent or nearly so', () => {
  it.each(
    Object.keys(SOUNDS).flatMap((name) => (['mp3', 'opus', 'flac'] as const).map((output) => [name, output] as const)),
  )('of %s becomes %s, with a true receipt', async (name, output) => {
    const bytes = waveOf(name)
    const { receipt, result } = await compress(bytes, { name: 'a.wav', output })
    expect(receipt.result, JSON.stringify(receipt.result)).toMatchObject({ outcome: 'compressed' })
    if (name === 'silence') expect(receipt.result).not.toHaveProperty('snr_db')
    const { findings } = await verify(bytes, await readAll(result), receipt)
    expect(findings.filter(({ verdict }) => verdict === 'false')).toEqual([])
  })

  it('stays silent through a second conversion', async () => {
    const first = await compress(waveOf('silence'), { name: 'a.wav', output: 'opus' })
    const bytes = await readAll(first.result)
    const { receipt } = await compress(bytes, { name: 'a.opus', output: 'flac' })
    expect(JSON.stringify(receipt.result)).not.toContain('below_floor')
  })

  it('has no excuse for noise that players play', () => {
    const meter = new SnrMeter()
    meter.add(new Float32Array(1000), new Float32Array(1000).fill(2 ** -16))
    expect(meter.heardDecibels).toBe(Number.NEGATIVE_INFINITY)
    const quiet = new SnrMeter()
    quiet.add(new Float32Array(1000), new Float32Array(1000).fill(2 ** -18))
    expect(quiet.heardDecibels).toBe(Number.POSITIVE_INFINITY)
  })
})
