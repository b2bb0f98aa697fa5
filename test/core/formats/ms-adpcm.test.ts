import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { readWave } from '../../../src/core/formats/wav/header.ts'
import { readSamples } from '../../../src/core/formats/wav/samples.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { optionsFor, press } from './media-fixtures.ts'

/** Four blocks of two channels, encoded by FFmpeg 5.1 (`-c:a adpcm_ms -block_size 64`). */
const FILE = Uint8Array.from(
  Buffer.from(
    'UklGRlIBAABXQVZFZm10IDIAAAACAAIAQB8AAIA+AABAAAQAIAA0AAcAAAEAAAACAP8AAAAAwABAAPAAAADMATD/iAEY/2ZhY3QEAAAA0AAAAGRhdGEAAQAAAAAQABAAqgiRLQAAAAB3eHh4eF8fDhIFEwEM/A/h4dHfsdTD0NrNz+HU0dDf4uL/CS4vUkQyX08/MU9MLT82MwAA5ALLDBtJtCcERLY5HQ8A4M/dodbUwc7c3tDC4ODwBAQgTUpOQTNCP0AhMiArHA7i5bLA3rDQ0N3c3tTlAhAAADoCmAwLx8b0zLwYDmBAP08/NDUiLxwN4MGyz9DD1dLd6u7wIjNQQEAzQD04LhET89G+z8DQ3dve0gYDMF5NAAB9BcUJjgik9nzyHPFAPoMAAQ8BDwEPAQ8AAfAf8AEQD/ABEP8QAf8R8A8R/xAB/xH/AR/xH/EQD/Ef8R/xHw==',
    'base64',
  ),
)
/** SHA-256 of FFmpeg's decoded samples, 16 bits, little-endian. */
const DECODED = 'cb04c19bc242fb6eb6102ba9522c9038a5944a4e9ba4ebee8b7064df4f4af4d9'

async function decode(file: Uint8Array): Promise<Int16Array> {
  const source = memorySource(file, 'x.wav')
  const values: number[] = []
  for await (const samples of readSamples(source, await readWave(source), optionsFor('low', 'wav'))) values.push(...samples.values)
  return Int16Array.from(values)
}

test('decodes Microsoft ADPCM to the same samples as FFmpeg', async () => {
  const samples = await decode(FILE)
  expect(createHash('sha256').update(new Uint8Array(samples.buffer)).digest('hex')).toBe(DECODED)
})

test('decodes the present part of a truncated last block', async () => {
  const cut = FILE.slice(0, FILE.length - 20)
  new DataView(cut.buffer).setUint32(FILE.length - 256 - 4, 236, true)
  new DataView(cut.buffer).setUint32(4, cut.length - 8, true)
  const [all, part] = [await decode(FILE), await decode(cut)]
  expect(part.length).toBe(all.length - 40)
  expect(part).toEqual(all.subarray(0, part.length))
})

test('returns Microsoft ADPCM unchanged as WAVE, and converts it to MP3', async () => {
  expect((await press(wav, FILE, 'low', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  const blocks = FILE.subarray(90)
  const long = new Uint8Array(90 + 200 * blocks.length)
  long.set(FILE.subarray(0, 90))
  for (let i = 0; i < 200; i++) long.set(blocks, 90 + i * blocks.length)
  const view = new DataView(long.buffer)
  view.setUint32(4, long.length - 8, true)
  view.setUint32(86, long.length - 90, true)
  view.setUint32(78, 200 * 208, true)
  const { outcome } = await press(wav, long, 'low', 'mp3')
  expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
})

test('rejects custom coefficients and invalid block sizes', async () => {
  for (const [at, value] of [
    [44, 99],
    [32, 7],
    [40, 8],
  ] as const) {
    const odd = FILE.slice()
    new DataView(odd.buffer).setUint16(at, value, true)
    expect((await press(wav, odd, 'low', 'mp3')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  }
})
