import { describe, expect, it } from 'vitest'
import { outputFacts } from '../../../src/core/catalog/outputs.ts'
import { m4a } from '../../../src/core/formats/film/m4a/m4a.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { press, rawMovie, soundMovie } from './media-fixtures.ts'

const withBrand = (brand: string) => {
  const file = soundMovie(20)
  file.set(Buffer.from(brand), 8)
  return file
}
const idOf = async (bytes: Uint8Array, name: string) => (await identify(memorySource(bytes, name)))?.id

describe('M4A', () => {
  it('is recognised by its brand, or by its name if the brand tells nothing', async () => {
    expect(await idOf(withBrand('M4A '), 'a.mp4')).toBe('m4a')
    expect(await idOf(withBrand('M4B '), 'book')).toBe('m4a')
    expect(await idOf(withBrand('isom'), 'a.m4a')).toBe('m4a')
    expect(await idOf(withBrand('isom'), 'a.mp4')).toBe('mp4')
    expect(await idOf(rawMovie(2), 'a.m4a')).toBe('mov')
    expect(await idOf(withBrand('avif'), 'a.m4a')).not.toBe('m4a')
  })

  it('is sound: its media type is audio/mp4', () => {
    expect(outputFacts('m4a')).toMatchObject({ mediaType: 'audio/mp4', extension: 'm4a' })
  })

  it.each(['high', 'medium', 'low'] as const)('keeps lossless sound as it is at %s, and drops unused space', async (quality) => {
    const file = soundMovie(40)
    const { outcome, bytes } = await press(m4a, file, quality, 'm4a')
    expect(outcome).toMatchObject({ kind: 'compressed', copied: ['sound'], inventory: { audio_tracks: 1, tags: 1 } })
    expect(outcome).not.toHaveProperty('loss')
    expect(Buffer.from(bytes).toString('latin1', 0, 12)).toContain('ftypM4A ')
    expect(bytes.length).toBeLessThan(file.length)
  })

  it('becomes AAC in an MP4 file if that is asked for', async () => {
    const { outcome } = await press(m4a, soundMovie(100), 'medium', 'mp4')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { sound: {} } })
  })
})
