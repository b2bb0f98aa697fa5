import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { chunkHeader } from '../../../src/core/containers/riff/riff.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { inEnglish, textOfDetail } from '../../support/in-english.ts'
import { press, tones, wave } from './media-fixtures.ts'

/** A WAVE file of float samples. `extra` chunks follow the data. */
function floatWave(values: Float64Array, bits: 32 | 64, channels = 2, extra: [string, Uint8Array][] = []): Uint8Array {
  const fmt = new DataView(new ArrayBuffer(16))
  fmt.setUint16(0, 3, true)
  fmt.setUint16(2, channels, true)
  fmt.setUint32(4, 44100, true)
  fmt.setUint32(8, (44100 * channels * bits) / 8, true)
  fmt.setUint16(12, (channels * bits) / 8, true)
  fmt.setUint16(14, bits, true)
  const data = bits === 32 ? new Float32Array(values) : values.slice()
  const chunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body, new Uint8Array(body.length & 1)])
  const parts = [
    chunk('fmt ', new Uint8Array(fmt.buffer)),
    chunk('data', new Uint8Array(data.buffer)),
    ...extra.map(([id, body]) => chunk(id, body)),
  ]
  return chunk('RIFF', concat([new TextEncoder().encode('WAVE'), ...parts]))
}

const sound = (peak: number) => {
  const values = tones(20_000, 2, 44100).map((value) => value * 0.9)
  values[12_345] = peak
  return values
}

const CASES: [string, (bits: 32 | 64) => Uint8Array, string][] = [
  ['a peak at 3.1', (bits) => floatWave(sound(3.1), bits), '3.10 times full scale'],
  ['a peak at −1.02', (bits) => floatWave(sound(-1.02), bits), '1.02 times full scale'],
  ['a sample that is infinite', (bits) => floatWave(sound(Number.NEGATIVE_INFINITY), bits), 'infinite or not a number'],
  ['a sample that is no number', (bits) => floatWave(sound(Number.NaN), bits), 'infinite or not a number'],
]

describe.each([32, 64] as const)('%i-bit float beyond full scale', (bits) => {
  it.each(CASES)('%s: no level clips the sound, and no clipping output is suggested', async (_, make, why) => {
    const file = make(bits)
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { outcome } = await press(wav, file, quality, 'wav')
      if (outcome.kind === 'compressed') {
        // Doubles that are exact in single precision.
        expect(outcome).not.toHaveProperty('loss')
        continue
      }
      expect(outcome).not.toHaveProperty('suggestion')
      expect(textOfDetail(outcome.detail)).not.toMatch(/flac|mp3/i)
      expect(textOfDetail(outcome.detail)).toContain(why)
    }
  })

  it.each(CASES)('%s: rejects FLAC and MP3 with the reason', async (_, make, why) => {
    for (const output of ['flac', 'mp3'] as const) {
      const { outcome } = await press(wav, make(bits), 'medium', output)
      expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: expect.stringContaining(why) })
    }
  })

  it('suggests FLAC for sound up to full scale, and says whether it is exact', async () => {
    const { outcome } = await press(wav, floatWave(sound(1), bits), 'high', 'wav')
    if (outcome.kind === 'compressed') return
    expect(textOfDetail(outcome.detail)).toMatch(/`format=flac` \(rounded to 24 bits\)/)
    const flac = await press(wav, floatWave(sound(1), bits), 'medium', 'flac')
    expect(inEnglish(flac.outcome)).toMatchObject({
      kind: 'compressed',
      loss: { sound: {} },
      steps: expect.arrayContaining(['floating-point samples rounded to 24-bit integers']),
    })
  })
})

describe('chunks', () => {
  const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const integers = Int32Array.from(tones(20_000, 2, 44100), (value) => Math.round(value * 32767))
  const cue = concat([Uint8Array.of(1, 0, 0, 0), new Uint8Array(24)])
  const file = wave(integers, 16, 2, 44100, [
    ['cue ', cue],
    ['LIST', ascii('adtllabl\x0a\0\0\0\x01\0\0\0verse\0')],
    ['LIST', ascii('INFOINAM\x05\0\0\0song\0\0')],
    ['iXML', ascii('<BWFXML/>')],
  ])

  it('names chunks that MP3 cannot store in the receipt', async () => {
    const { outcome } = await press(wav, file, 'medium', 'mp3')
    expect(inEnglish(outcome)).toMatchObject({
      steps: expect.arrayContaining(
        ['cue points', 'labels of cue points', 'chunk `iXML`'].map((what) => `not kept, because mp3 cannot store it: ${what}`),
      ),
    })
    expect(JSON.stringify(inEnglish(outcome))).not.toContain('INFO')
  })

  it('stores chunks in FLAC as `flac --keep-foreign-metadata` does, labels without cue points too', async () => {
    for (const one of [file, wave(integers, 16, 2, 44100, [['LIST', ascii('adtllabl\x0a\0\0\0\x01\0\0\0verse\0')]])]) {
      const { bytes, outcome } = await press(wav, one, 'medium', 'flac')
      expect(Buffer.from(bytes).includes(Buffer.from('adtllabl'))).toBe(true)
      expect(JSON.stringify(inEnglish(outcome))).not.toContain('not kept')
    }
  })

  it('stores an ID3 tag with chapters in FLAC', async () => {
    const frame = concat([ascii('CHAP'), Uint8Array.of(0, 0, 0, 20, 0, 0), ascii('one\0'), new Uint8Array(16)])
    const tag = concat([ascii('ID3'), Uint8Array.of(4, 0, 0, 0, 0, 0, frame.length), frame])
    const { bytes } = await press(wav, wave(integers, 16, 2, 44100, [['id3 ', tag]]), 'medium', 'flac')
    expect(Buffer.from(bytes).includes(Buffer.from(frame))).toBe(true)
  })

  it('keeps the WAVE file if its chunks are too large for FLAC', async () => {
    const large = wave(integers, 16, 2, 44100, [['iXML', new Uint8Array(4 * 1024 * 1024 + 2)]])
    const { outcome } = await press(wav, large, 'medium', 'flac')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('keeps padding chunks that hold non-zero bytes', async () => {
    const wide = Int32Array.from(integers, (value) => value * 256)
    const { bytes, outcome } = await press(
      wav,
      wave(wide, 24, 2, 44100, [
        ['JUNK', ascii('notes of a recorder!')],
        ['PAD ', new Uint8Array(99)],
      ]),
      'high',
      'wav',
    )
    expect(outcome.kind).toBe('compressed')
    expect(Buffer.from(bytes).includes(Buffer.from('notes of a recorder!'))).toBe(true)
    expect(Buffer.from(bytes).includes(Buffer.from('PAD '))).toBe(false)
  })

  it('does not treat ambisonic channels as speakers', async () => {
    const ambisonic = wave(integers, 16, 2, 44100)
    const fmt = new DataView(new ArrayBuffer(40))
    fmt.setUint16(0, 0xfffe, true)
    new Uint8Array(fmt.buffer).set(ambisonic.subarray(22, 36), 2)
    fmt.setUint16(16, 22, true)
    fmt.setUint16(18, 16, true)
    new Uint8Array(fmt.buffer).set([1, 0, 0, 0, 0x21, 7, 0xd3, 0x11, 0x86, 0x44, 0xc8, 0xc1, 0xca, 0, 0, 0], 24)
    const form = concat([ascii('WAVE'), chunkHeader('fmt ', 40), new Uint8Array(fmt.buffer), ambisonic.subarray(36)])
    const { outcome } = await press(wav, concat([chunkHeader('RIFF', form.length), form]), 'low', 'wav')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})
