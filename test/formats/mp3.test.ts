import { describe, expect, it } from 'vitest'
import { concat } from '../../src/bytes/concat.ts'
import { id3Tag } from '../../src/containers/id3/id3.ts'
import { mp3 } from '../../src/formats/mp3/mp3.ts'
import { wav } from '../../src/formats/wav/wav.ts'
import { noise, press, tones, wave } from './media-fixtures.ts'

/** Frames of an MP3 made from tones, every one blown up with padding the way constant bit rates do: here by -V0. */
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
    expect(outcome).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThanOrEqual(sound.length + tag.length)
    expect(new TextDecoder('latin1').decode(bytes.subarray(0, tag.length))).toContain('Nobody')
  })

  it('is idempotent within a few bytes', async () => {
    const first = await press(mp3, await fixture('high'), 'high', 'mp3')
    const again = await press(mp3, first.bytes, 'high', 'mp3')
    expect(again.bytes.length).toBe(first.bytes.length)
  })
})

describe('low', () => {
  it('encodes again where bits are to spare, and says how much noise that is', async () => {
    const { outcome, bytes } = await press(mp3, await fixture('high'), 'low', 'mp3')
    expect(outcome).toMatchObject({ kind: 'compressed' })
    expect(bytes.length).toBeLessThan((await fixture('high')).length)
  })
})

describe('bad input', () => {
  it('truncations and bit flips never crash, and the next job works', async () => {
    const file = await fixture('low')
    const random = noise(11)
    for (let round = 0; round < 40; round++) {
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
