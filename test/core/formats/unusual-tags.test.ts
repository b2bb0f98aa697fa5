import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { frame, id3Tag } from '../../../src/core/containers/id3/id3.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { commentBlock, flacFile } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { itemsOf } from '../../support/inventories.ts'
import { pngOf } from '../../support/packages.ts'
import { press, tones } from './media-fixtures.ts'

const HERTZ = 44_100
const SAMPLES = Int32Array.from(tones(HERTZ / 2, 2, HERTZ), (value) => Math.round(value * 30_000))
const flacWith = (...comments: string[]) => flacFile(SAMPLES, { channels: 2, hertz: HERTZ, blocks: [commentBlock(...comments)] })
const cover = { type: 3, mime: 'image/png', description: 'Front', data: pngOf(new Uint8Array(27), 3, 3) }

async function converted(bytes: Uint8Array, output: 'm4a' | 'mp3' | 'opus') {
  const pressed = await press(MEDIA_CODECS.flac!, bytes, 'low', output, 'a.flac')
  expect(pressed).not.toHaveProperty('defect')
  return pressed
}

// In all of these, the original came back as the defect that an item would be lost.
describe('FLAC with tags that other containers store differently', () => {
  it.each(['m4a', 'mp3', 'opus'] as const)('has an ID3 tag with a cover in front: both become %s', async (output) => {
    const front = id3Tag(
      [
        ['title', 'A'],
        ['mood', 'B'],
      ],
      [cover],
    )
    const { outcome, bytes } = await converted(concat([front, flacWith('TITLE=A')]), output)
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({ kind: 'compressed', inventory: { covers: 1, tags: 2 } })
    expect((await itemsOf(output, bytes))['tags']).toEqual({ 'title = A': 1, 'mood = B': 1 })
  })

  it('has an ID3 tag with other frames in front, which is named', async () => {
    const front = id3Tag([], [], [frame('PRIV', Uint8Array.of(65, 0, 1, 2), 4)])
    const { outcome } = await converted(concat([front, flacWith('TITLE=A')]), 'm4a')
    expect(JSON.stringify(inEnglish(outcome))).toContain('frames besides texts and pictures')
  })

  it('has texts longer than 64 KiB, which stay in M4A', async () => {
    const { outcome } = await converted(flacWith(`COMMENT=${'x'.repeat(65_536)}`, `WORDS=${'y'.repeat(65_540)}`), 'm4a')
    expect(outcome, JSON.stringify(inEnglish(outcome))).toMatchObject({ kind: 'compressed', inventory: { tags: 2 } })
  })

  it('has zeros inside a text, which MP3 cannot store', async () => {
    const { outcome } = await converted(flacWith('TITLE=A\0B'), 'mp3')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    expect(JSON.stringify(inEnglish(outcome))).toContain('zero bytes in the tag \\"title\\"')
  })
})
