import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { type Box, box, fullBox, rebuild, words } from '../../../src/core/containers/isobmff/box.ts'
import { type Movie, readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import type { Track } from '../../../src/core/containers/isobmff/track.ts'
import { maxCompositionLead } from '../../../src/core/containers/isobmff/write-fragment.ts'
import { mov, mp4 } from '../../../src/core/formats/film/film.ts'
import { decodingTimesWithLead } from '../../../src/core/formats/film/new-tracks.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { optionsFor, press, rawMovie } from './media-fixtures.ts'

const EMPTY = [fullBox('stts', 0, words(0)), fullBox('stsc', 0, words(0)), fullBox('stsz', 0, words(0, 0)), fullBox('stco', 0, words(0))]

/**
 * The same film with one fragment (ISO/IEC 14496-12, 8.8), as packagers write it. Either edit lists stay, or composition offsets are
 * negative (`trun` version 1) and there are no edit lists. `late`: duration of an empty edit in front.
 */
async function fragmented(film: Uint8Array, negative: boolean, late = 0): Promise<Uint8Array> {
  const movie = await readMovie(memorySource(film, 'film.mp4'))
  const { moov, moovBox } = movie
  const within = (type: string, old: Box, change: (child: Box) => Uint8Array | null | undefined) => box(type, ...rebuild(moov, old, change))
  const trak = (old: Box) =>
    within('trak', old, (child) => {
      if (child.type === 'edts' && late) return box('edts', fullBox('elst', 0, words(2, late, -1, 0x10000, 0, 0, 0x10000)))
      if (child.type === 'edts') return negative ? null : undefined
      if (child.type !== 'mdia') return undefined
      return within('mdia', child, (media) => {
        if (media.type !== 'minf') return undefined
        return within('minf', media, (part) => {
          if (part.type !== 'stbl') return undefined
          return box('stbl', ...rebuild(moov, part, (table) => (table.type === 'stsd' ? undefined : null)), ...EMPTY)
        })
      })
    })
  const trex = movie.tracks.map(({ id }) => fullBox('trex', 0, words(id, 1, 0, 0, 0)))
  const index = box('moov', ...rebuild(moov, moovBox, (child) => (child.type === 'trak' ? trak(child) : undefined)), box('mvex', ...trex))
  const media = movie.tracks.map((track) => mediaOf(film, track))
  const moof = (base: number) => {
    let at = base
    const trafs = movie.tracks.map((track, i) => {
      const traf = box('traf', fullBox('tfhd', 0x20000, words(track.id)), fullBox('tfdt', 0, words(0)), trun(track, at, negative))
      at += media[i]!.length
      return traf
    })
    return box('moof', fullBox('mfhd', 0, words(1)), ...trafs)
  }
  return concat([movie.ftyp!, index, moof(moof(0).length + 8), box('mdat', ...media)])
}

function mediaOf(film: Uint8Array, track: Track): Uint8Array {
  const { count, offset, size } = track.samples()
  return concat(Array.from({ length: count }, (_, i) => film.subarray(offset[i]!, offset[i]! + size[i]!)))
}

/** Track run: data offset, then duration, size, flags and composition offset of each sample. */
function trun(track: Track, base: number, negative: boolean): Uint8Array {
  const { count, dts, size, sync, composition } = track.samples()
  const delay = negative ? Math.max(...(track.edits ?? []).map(({ mediaTime }) => mediaTime), 0) : 0
  const taken = track.handler === 'vide' ? delay : 0
  const rows = Array.from({ length: count }, (_, i) =>
    words(dts[i + 1]! - dts[i]!, size[i]!, sync[i] ? 0 : 0x10000, composition[i]! - taken),
  )
  return fullBox('trun', 0x1000f01, words(count, base), ...rows)
}

const shown = ({ tracks }: Movie, index: number) => {
  const track = tracks[index]!
  const { dts, composition, count } = track.samples()
  const times = Array.from({ length: count }, (_, i) => dts[i]! + composition[i]!)
  const skipped = track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  return times.sort((a, b) => a - b).map((time) => time - skipped)
}

describe('fragmented films', () => {
  it('keeps the display time of every frame with edit lists', async () => {
    const film = (await press(mov, rawMovie(40, 96, 64), 'high', 'mp4')).bytes
    const file = await fragmented(film, false)
    const before = await readMovie(memorySource(file, 'a.mp4'))
    expect(before.fragmented).toBe(true)
    expect(before.tracks.map(({ sampleCount }) => sampleCount)).toEqual([40, expect.any(Number)])
    const { outcome, bytes } = await press(mp4, file, 'low', 'mp4')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.arrayContaining([expect.stringMatching(/h264 → H.264/)]) })
    const after = await readMovie(memorySource(bytes, 'b.mp4'))
    expect(after.fragmented).toBe(false)
    expect(shown(after, 0)).toEqual(shown(before, 0))
  })

  it('keeps the empty edit of a track that starts later', async () => {
    const film = (await press(mov, rawMovie(10, 96, 64), 'high', 'mp4')).bytes
    const source = memorySource(await fragmented(film, false, 700), 'a.mp4')
    const sink = memorySink(source.size, 'b.mp4')
    await mp4.compress(source, sink, { ...optionsFor('high', 'mp4'), lossless: true })
    const before = await readMovie(source)
    const after = await readMovie(await sink.finish())
    expect(before.tracks[0]!.edits![0]).toMatchObject({ duration: 700, mediaTime: -1 })
    expect(after.tracks.map(({ edits }) => edits?.[0])).toEqual(before.tracks.map(({ edits }) => edits?.[0]))
  })

  it('keeps fragments, display times and the largest lead with negative composition offsets', async () => {
    const film = (await press(mov, rawMovie(40, 96, 64), 'high', 'mp4')).bytes
    const file = await fragmented(film, true)
    const before = await readMovie(memorySource(file, 'a.mp4'))
    const lead = maxCompositionLead(before.tracks[0]!.samples())
    expect(lead).toBeGreaterThan(0)
    const { outcome, bytes } = await press(mp4, file, 'low', 'mp4')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      copied: ['sound'],
      steps: expect.arrayContaining([expect.stringMatching(/h264 → H.264/)]),
    })
    const after = await readMovie(memorySource(bytes, 'b.mp4'))
    expect(after.fragmented).toBe(true)
    for (const track of [0, 1]) expect(shown(after, track)).toEqual(shown(before, track))
    expect(maxCompositionLead(after.tracks[0]!.samples())).toBe(lead)
    expect(after.tracks.map(({ edits }) => edits)).toEqual(before.tracks.map(({ edits }) => edits))
  })

  it.each([
    ['more than is needed', 3],
    ['as much as is needed', 2],
    ['less, so that two pictures are decoded sooner', 1],
  ])('decoding times preserve a lead of %s', (_, lead) => {
    // Display times 5, 9, 7, 6, 8 …, as in a pyramid of B-frames. The fourth frame is shown two frames earlier than it is decoded.
    const pts = Float64Array.from([5, 9, 7, 6, 8, 13, 11, 10, 12], (frame) => frame * 100)
    const { start, durations, compositions } = decodingTimesWithLead(pts, pts.slice().sort(), lead * 100, 100)
    expect(Math.min(...compositions)).toBe(-lead * 100)
    let dts = start
    const times = Array.from(compositions, (offset, i) => {
      const time = dts + offset
      dts += durations[i]!
      return time
    })
    expect(times).toEqual([...pts])
    expect(Math.min(...durations)).toBeGreaterThan(0)
  })
})
