import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { roundsOf } from '../../support/thorough.ts'
import { press, rawAvi } from '../formats/media-fixtures.ts'
import { compared, expectSurvival, flipped, itemsIn, overwritten, positionOf } from './reading.ts'

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const le = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer)
const part = (id: string, body: Uint8Array) => concat([ascii(id), le(body.length), body, new Uint8Array(body.length & 1)])

const INFO = part(
  'LIST',
  concat([ascii('INFO'), part('INAM', ascii('Song\0')), part('ICMT', Uint8Array.of(0xe9, 0x74, 0xe9, 0)), part('IKEY', ascii('words\0'))]),
)
const EXTRA = concat([
  INFO,
  part('IDIT', ascii('THU NOV 26 2026\n\0')),
  part('JUNK', ascii('note of a camera')),
  part('strz', ascii('unknown!')),
])

/** Adds chunks behind the first stream header list, and at the top level in front of `JUNK`. */
function rich(): Uint8Array {
  const plain = rawAvi(25, 64, 48, 8000)
  const strl = positionOf(plain, 'strl')
  const strlEnd = strl + new DataView(plain.buffer).getUint32(strl - 4, true)
  // `vprp`: aspect ratio 4 : 3 for 64 × 48 would be square; 8 : 3 makes pixels twice as wide.
  const shape = part('vprp', concat([le(0, 0, 25, 64, 48), Uint8Array.of(3, 0, 8, 0), le(64, 48, 0)]))
  const names = concat([part('strn', ascii('Main view\0')), shape])
  const headers = concat([plain.subarray(0, strlEnd), names, plain.subarray(strlEnd)])
  const junk = positionOf(headers, 'JUNK')
  const file = concat([headers.subarray(0, junk), EXTRA, headers.subarray(junk)])
  const view = new DataView(file.buffer)
  view.setUint32(4, file.length - 8, true)
  view.setUint32(16, view.getUint32(16, true) + names.length, true)
  view.setUint32(strl - 4, view.getUint32(strl - 4, true) + names.length, true)
  return concat([file, ascii('tail')])
}

const film = rich()

describe('inventory of AVI', () => {
  it('lists streams, tags, chunks, pixel shape and trailing bytes', async () => {
    expect(await itemsIn('avi', film)).toEqual({
      audio_tracks: ['audio 0'],
      chunks: [expect.stringMatching(/^JUNK = 16 bytes/), expect.stringMatching(/^strz = 8 bytes/)],
      durations: ['video 0 = 1.0 s', 'audio 0 = 1.0 s'],
      rotation: ['video 0 pixel shape = 2:1'],
      sound_format: ['audio 0 = 1 channels'],
      tags: ['video 0 title = Main view', 'title = Song', 'comment = été', 'ikey = words', 'idit = THU NOV 26 2026'],
      trailing_bytes: [expect.stringMatching(/^behind the RIFF form = 4 bytes/)],
      video_tracks: ['video 0'],
    })
  })

  it('survives truncated and damaged headers', { timeout: 60_000 }, async () => {
    await expectSurvival('avi', film.slice(0, 1500), 7)
    await expectSurvival('avi', film.slice(-1000), 97)
  })
})

describe.each(['avi', 'mp4', 'mov'] as const satisfies readonly OutputId[])('AVI to %s', (output) => {
  let result: Uint8Array
  beforeAll(async () => {
    const pressed = await press(avi, film, 'medium', output)
    expect(pressed.outcome).toMatchObject({
      kind: 'compressed',
      inventory: { tags: 5, rotation: 1, audio_tracks: 1, video_tracks: 1, durations: 2 },
    })
    const removed = 'removed' in pressed.outcome ? pressed.outcome.removed : undefined
    const why = 'output_cannot_store'
    if (output === 'avi') expect(removed).toBeUndefined()
    else
      expect(removed).toEqual([
        { kind: 'chunks', count: 2, why },
        { kind: 'trailing_bytes', count: 1, why },
      ])
    result = pressed.bytes
  })

  const CONTENT: readonly (readonly [text: string, offset: number])[] = [
    ['Main view', 1],
    ['Song', 1],
    ['words', 1],
    ['THU NOV', 4],
    [output === 'avi' ? 'vprp' : 'pasp', output === 'avi' ? 30 : 11],
    [output === 'avi' ? 'note of' : 'Song', 2],
    [output === 'avi' ? 'tail' : 'Song', 3],
  ]

  it('loss of any item is found', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CONTENT), async ([text, offset]) => {
        const verdict = await compared('avi', output, film, flipped(result, positionOf(result, text) + offset))
        expect(verdict, text).toMatchObject({ kind: 'lost' })
      }),
      { numRuns: roundsOf(40) },
    )
  })

  it('loss of a stream is found', async () => {
    const at = positionOf(result, output === 'avi' ? 'strl' : 'trak')
    const damaged = overwritten(result, at, output === 'avi' ? 'strx' : 'free')
    expect((await compared('avi', output, film, damaged)).kind).toBe('lost')
  })
})
