import { describe, expect, it } from 'vitest'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { press, rawMovie } from './media-fixtures.ts'

/** The film of the fixtures with 32-bit float sound: half as many samples in the same bytes. */
function floatMovie(peak: number): Uint8Array {
  const file = rawMovie(30)
  const view = new DataView(file.buffer, file.byteOffset)
  const last = (type: string) => Buffer.from(file).lastIndexOf(Buffer.from(type, 'latin1'))
  file.set(new TextEncoder().encode('fl32'), last('sowt'))
  view.setUint16(last('fl32') + 4 + 18, 32)
  const count = view.getUint32(last('stsz') + 12) / 2
  view.setUint32(last('stsz') + 8, 4)
  view.setUint32(last('stsz') + 12, count)
  view.setUint32(last('stts') + 12, count)
  view.setUint32(last('stsc') + 16, count)
  const start = view.getUint32(last('stco') + 12)
  for (let i = 0; i < count; i++) view.setFloat32(start + i * 4, 0.5 * Math.sin(i / 9))
  view.setFloat32(start + 2000, peak)
  return file
}

describe('float sound of a film', () => {
  it.each([3.1, -1.2, Number.NaN, Number.POSITIVE_INFINITY])('copies sound with a sample of %d', async (peak) => {
    const file = floatMovie(peak)
    const { outcome, bytes } = await press(mov, file, 'medium', 'mov')
    expect(outcome).toMatchObject({ kind: 'compressed', copied: ['sound'] })
    const [before, after] = [await readMovie(memorySource(file, 'a')), await readMovie(memorySource(bytes, 'b'))]
    const soundOf = (movie: typeof before, from: Uint8Array) => {
      const { chunks } = movie.tracks[1]!
      return Buffer.from(from.subarray(chunks.offset[0]!, chunks.offset[0]! + chunks.size[0]!))
    }
    expect(soundOf(after, bytes).equals(soundOf(before, file))).toBe(true)
  })

  it('encodes sound within full scale as AAC', async () => {
    const { outcome } = await press(mov, floatMovie(1), 'medium', 'mov')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([expect.stringContaining('audio: pcm_f32be → AAC')]),
    })
  })
})
