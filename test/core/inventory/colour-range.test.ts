import { describe, expect, it } from 'vitest'
import { boxes, findBox } from '../../../src/core/containers/isobmff/box.ts'
import { compared, overwritten, positionOf } from './reading.ts'
import { richMovie } from './rich-movie.ts'

/** A film whose first track has the given sample entry, and whose `colr` box tells a range. */
function filmWith(entry: string, range: 'pc' | 'tv'): Uint8Array {
  const movie = richMovie()
  const moov = [...boxes(movie, 0, movie.length)].find(({ type }) => type === 'moov')!
  const track = [...boxes(movie, moov.body, moov.end)].find(({ type }) => type === 'trak')!
  const film = overwritten(movie, findBox(movie, track, 'mdia', 'minf', 'stbl', 'stsd')!.body + 12, entry)
  film[positionOf(film, 'nclx') + 10] = range === 'pc' ? 0x80 : 0
  return film
}

/** The same film without a range: `nclc` has none. */
const untold = (film: Uint8Array) => overwritten(film, positionOf(film, 'nclx'), 'nclc')

// x264 leaves out the flag of limited range, because it is the default. The result was refused as if a colour had been lost.
describe('limited range that a result does not repeat', () => {
  it.each(['avc1', 'hvc1'])('is kept in %s, which has it unless it tells another one', async (entry) => {
    const film = filmWith(entry, 'tv')
    expect(await compared('mp4', 'mp4', film, untold(film))).toMatchObject({ kind: 'kept', fields: { inventory: { colour: 4 } } })
  })

  it('is lost in a result that tells full range', async () => {
    const verdict = await compared('mp4', 'mp4', filmWith('avc1', 'tv'), filmWith('avc1', 'pc'))
    expect(verdict).toMatchObject({ kind: 'lost', loss: { kind: 'colour' } })
  })

  it.each([
    ['full range', 'avc1', 'pc'],
    ['limited range of a coding without a default', 'jpeg', 'tv'],
  ] as const)('is no excuse for %s', async (_, entry, range) => {
    const film = filmWith(entry, range)
    expect(await compared('mp4', 'mp4', film, untold(film))).toMatchObject({ kind: 'lost', loss: { kind: 'colour' } })
  })
})
