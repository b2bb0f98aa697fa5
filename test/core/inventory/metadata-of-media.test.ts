import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { id3Tag } from '../../../src/core/containers/id3/id3.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { tones, wave } from '../formats/media-fixtures.ts'
import { richMovie } from './rich-movie.ts'

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const entry = (id: string, text: string) => concat([ascii(id), Uint8Array.of(text.length, 0, 0, 0), ascii(text)])
const info = concat([ascii('INFO'), entry('INAM', 'Song\0\0'), entry('IART', 'Nobody')])
const samples = Int32Array.from(tones(22_050, 1, 44_100), (value) => Math.round(value * 2 ** 13) * 256)
const tag = id3Tag([
  ['title', 'Song'],
  ['artist', 'Nobody'],
  ['replaygain_track_gain', '-3 dB'],
])
const old = concat([ascii('TAGOld title'), new Uint8Array(116)])

const FILES: readonly (readonly [name: string, codec: Codec, file: Uint8Array])[] = [
  ['a film', mov, richMovie()],
  ['MP3', mp3, concat([tag, looseMp3(60_000), old])],
  [
    'WAVE',
    wav,
    wave(samples, 24, 1, 44_100, [
      ['LIST', info],
      ['iXML', ascii('<BWFXML/>')],
    ]),
  ],
]

describe.each(FILES)('metadata of %s', (_, codec, file) => {
  it.each(['safe', 'strip'] as const)('%s: what goes is requested, and the artist stays with `safe`', async (metadata) => {
    const job = openJob(codec, memorySource(file, 'file'), {}, { metadata })
    const { outcome, result } = await job.whole(async () => memorySink(file.length, 'file'))
    expect(outcome).toMatchObject({
      kind: 'compressed',
      removed: expect.arrayContaining([expect.objectContaining({ kind: 'tags', why: 'as_requested' })]),
    })
    expect('removed' in outcome && outcome.removed?.every(({ why }) => why === 'as_requested')).toBe(true)
    const text = Buffer.from(await result!.read(0, result!.size)).toString('latin1')
    expect(text).not.toContain('Song')
    if (codec !== mov) expect(text.includes('Nobody')).toBe(metadata === 'safe')
  })
})
