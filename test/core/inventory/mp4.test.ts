import fc from 'fast-check'
import { zlibSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { box, boxes, findBox, fullBox, latin1Bytes, words } from '../../../src/core/containers/isobmff/box.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { roundsOf } from '../../support/thorough.ts'
import { press, rawMovie } from '../formats/media-fixtures.ts'
import { compared, expectSurvival, flipped, itemsIn, overwritten, positionOf } from './reading.ts'
import { richMovie } from './rich-movie.ts'

const movie = richMovie()
const moovStart = [...boxes(movie, 0, movie.length)].find(({ type }) => type === 'moov')!.start

describe('inventory of a film', () => {
  it('lists tracks, times, colours, metadata and trailing bytes', async () => {
    expect(await itemsIn('mov', movie)).toMatchObject({
      video_tracks: ['video 0'],
      audio_tracks: ['audio 0'],
      subtitle_tracks: ['subtitle 0 tx3g = 1 samples'],
      other_tracks: ['data 0 tmcd = 1 samples'],
      languages: ['video 0 = deu'],
      durations: ['video 0 = 0.4 s', 'audio 0 = 1.0 s', 'subtitle 0 = 0.5 s'],
      edit_lists: ['video 0 = empty 0.2 play 0.4'],
      chapters: ['0 = 0.0 Start', '1 = 0.5 End'],
      colour: expect.arrayContaining(['video 0 color_transfer = smpte2084', 'video 0 color_range = pc']),
      rotation: ['video 0 turned = -90', 'video 0 pixel shape = 16:15'],
      tags: expect.arrayContaining(['title = Test', 'comment = A comment', 'mood = calm', 'video 0 title = Main view']),
      covers: [expect.stringMatching(/^cover = png 3x2 /)],
      track_references: ['video 0 tmcd = data 0'],
      timecode: [expect.stringMatching(/^data 0 = frame \d+ of 25 a second/)],
      gapless_data: ['iTunSMPB = 00000000 00000840'],
      trailing_bytes: [expect.stringMatching(/^behind the last box = 9 bytes /)],
    })
  })

  it('reads the colours of a ProRes track without a colour box from its first frame', async () => {
    const file = rawMovie(2)
    const moov = [...boxes(file, 0, file.length)].find(({ type }) => type === 'moov')!
    const track = [...boxes(file, moov.body, moov.end)].find(({ type }) => type === 'trak')!
    const table = (type: string) => findBox(file, track, 'mdia', 'minf', 'stbl', type)!.body
    file.set(latin1Bytes('apcn'), table('stsd') + 12)
    const frame = new DataView(file.buffer, file.byteOffset).getUint32(table('stco') + 8)
    file.set(concat([latin1Bytes('icpf'), new Uint8Array(14), Uint8Array.of(9, 2, 6)]), frame + 4)
    const changed = file.with(frame + 22, 1)
    expect((await itemsIn('mov', file))['colour']).toEqual(['video 0 color_primaries = bt2020', 'video 0 color_space = smpte170m'])
    expect(await compared('mov', 'mov', file, changed)).toMatchObject({ kind: 'lost', loss: { kind: 'colour' } })
  })

  it('reads a compressed index', async () => {
    const moov = movie.slice(moovStart, [...boxes(movie, 0, movie.length)].find(({ type }) => type === 'moov')!.end)
    const packed = box('cmov', box('dcom', latin1Bytes('zlib')), box('cmvd', words(moov.length), zlibSync(moov)))
    const file = concat([movie.subarray(0, moovStart), box('moov', packed), movie.subarray(moovStart + moov.length)])
    expect(await itemsIn('mov', file)).toEqual(await itemsIn('mov', movie))
  })

  it('adds the times of fragments', async () => {
    const [moov] = [...boxes(movie, 0, movie.length)].filter(({ type }) => type === 'moov')
    const sound = [...boxes(movie, moov!.body, moov!.end)].filter(({ type }) => type === 'trak')[1]!
    const id = findBox(movie, sound, 'tkhd')!
    const run = (base: number) =>
      box(
        'moof',
        fullBox('mfhd', 0, words(1)),
        box('traf', fullBox('tfhd', 8, words(2, 1000)), fullBox('tfdt', 0, words(base)), fullBox('trun', 0x100, words(2, 3000, 5000))),
      )
    expect(id.end).toBeGreaterThan(id.body)
    const file = concat([movie.subarray(0, movie.length - 9), run(8000), run(16_000)])
    // Sound of 8 kHz: one second in the index, and two fragments of one second each.
    expect((await itemsIn('mov', file))['durations']).toContain('audio 0 = 3.0 s')
  })

  it('refuses a box that is longer than its parent', async () => {
    const trak = positionOf(movie, 'trak', moovStart)
    await expect(itemsIn('mov', overwritten(movie, trak - 4, '\0\x0f\xff\xff'))).rejects.toMatchObject({ reason: 'malformed' })
  })

  it('survives truncated and damaged indexes', { timeout: 60_000 }, async () => {
    await expectSurvival('mov', movie.slice(moovStart), 7)
  })

  it('survives tables that tell more rows than they have', async () => {
    for (const type of ['stts', 'stsc', 'stsz', 'stco', 'elst', 'chpl', 'tref']) {
      const at = positionOf(movie, type, moovStart)
      const items = await itemsIn('mov', overwritten(movie, at + 8, '\xff\xff\xff\xff')).catch((error: unknown) => error)
      expect(items).toBeDefined()
    }
  })
})

describe('loss of any item of a film', () => {
  let result: Uint8Array
  beforeAll(async () => {
    const pressed = await press(mov, movie, 'medium', 'mp4')
    expect(pressed.outcome).toMatchObject({ kind: 'compressed', inventory: { chapters: 2, covers: 1, tags: 5 } })
    result = pressed.bytes
  })

  /** Boxes that become free space, by the kind whose items go with them. */
  const REMOVED: readonly (readonly [kind: string, box: string])[] = [
    ['chapters', 'chpl'],
    ['colour', 'colr'],
    ['covers', 'covr'],
    ['durations', 'edts'],
    ['gapless_data', 'iTunSMPB'],
    ['outer_boxes', 'uuid'],
    ['rotation', 'pasp'],
    ['side_data', 'mdcv'],
    ['side_data', 'clli'],
    ['tags', '\xa9nam'],
    ['tags', '\xa9cmt'],
    ['track_references', 'tref'],
    ['user_data', 'AllF'],
  ]
  it('is found if a box is removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REMOVED), async ([kind, type]) => {
        const verdict = await compared('mov', 'mp4', movie, overwritten(result, positionOf(result, type), 'free'))
        expect(verdict).toMatchObject({ kind: 'lost', loss: { kind } })
      }),
      { numRuns: roundsOf(40) },
    )
  })

  /** Bytes that are changed: text or box type, and the offset behind its start. */
  const CHANGED: readonly (readonly [kind: string, mark: string, offset: number])[] = [
    ['chapters', 'Start', 2],
    ['colour', 'nclx', 5],
    ['covers', 'covr', 27],
    ['dispositions', 'tkhd', 7],
    ['durations', 'stts', 18],
    ['edit_lists', 'elst', 19],
    ['languages', 'mdhd', 25],
    ['rotation', 'pasp', 11],
    ['side_data', 'mdcv', 9],
    ['sound_format', 'soun', 0],
    ['tags', 'A comment', 3],
    ['tags', 'calm', 1],
    ['tags', 'Main view', 1],
    ['timecode', 'tmcd\0\0\0\0', 27],
    ['trailing_bytes', 'trailing!', 4],
    ['user_data', 'AllF', 4],
  ]
  it('is found if a value is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CHANGED), async ([kind, mark, offset]) => {
        const at = positionOf(result, mark) + offset
        const isTime = kind === 'edit_lists' || kind === 'durations'
        const verdict = await compared('mov', 'mp4', movie, isTime ? overwritten(result, at, '\0') : flipped(result, at))
        expect(verdict.kind === 'lost' || verdict.kind === 'unreadable', `${kind}: ${JSON.stringify(verdict)}`).toBe(true)
      }),
      { numRuns: roundsOf(120) },
    )
  })

  it('is found if a track is removed', async () => {
    for (let at = result.indexOf(0x74); at >= 0; at = result.indexOf(0x74, at + 1)) {
      if (Buffer.from(result.subarray(at, at + 4)).toString('latin1') !== 'trak') continue
      expect(await compared('mov', 'mp4', movie, overwritten(result, at, 'free'))).toMatchObject({ kind: 'lost' })
    }
  })
})
