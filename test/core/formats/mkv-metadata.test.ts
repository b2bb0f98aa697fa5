import { describe, expect, it } from 'vitest'
import type { RemovingMode } from '../../../src/core/catalog/metadata.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { mkv } from '../../../src/core/formats/film/mkv/mkv.ts'
import { scan } from '../../../src/core/formats/film/mkv/scan.ts'
import { verifyMatroska } from '../../../src/core/formats/film/mkv/verify.ts'
import { withoutMkvMetadata } from '../../../src/core/formats/film/mkv/without-metadata.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { element, film, number, space, text, withChecksum } from '../../support/mkv-file.ts'
import { AAC, filmOf } from '../../support/mkv-tracks.ts'
import { randomBytes } from '../../support/ogg-file.ts'
import { pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { noise, optionsFor } from './media-fixtures.ts'

const [ATTACHMENTS, TAGS, SEEK_HEAD, TAG, SIMPLE_TAG] = [0x1941a469, 0x1254c367, 0x114d9b74, 0x7373, 0x67c8]
const { signal } = new AbortController()
const options = optionsFor('medium', 'mkv')

const file = (name: string, type: string, data: Uint8Array) =>
  withChecksum(0x61a7, [text(0x466e, name), text(0x4660, type), element(0x465c, data)])
const simple = (name: string, value: string, ...inner: Uint8Array[]) =>
  withChecksum(SIMPLE_TAG, [text(0x45a3, name), text(0x4487, value), ...inner])
const FONT = randomBytes(200, 5)
const PICTURE = pngOf(randomBytes(8 * 8 * 3, 9), 8, 8)

/** Film with all that can be removed, and checksums in every element. */
const rich = () =>
  film({
    more: [
      withChecksum(TAGS, [
        withChecksum(TAG, [withChecksum(0x63c0, [number(0x68ca, 50, 1)]), simple('COPYRIGHT', '(c) Someone', simple('SORT', 'secret'))]),
        withChecksum(TAG, [simple('REPLAYGAIN_GAIN', '-3.00 dB'), simple('COMMENT', 'secret')]),
        withChecksum(TAG, [simple('LOCATION', 'secret')]),
      ]),
      withChecksum(ATTACHMENTS, [file('cover.png', 'image/png', PICTURE), file('font.ttf', 'font/ttf', FONT)]),
    ],
  })

const removed = (bytes: Uint8Array, metadata: RemovingMode, output: OutputId = 'mkv') =>
  pressFile(mkv, bytes, 'a.mkv', { ...optionsFor('medium', output), metadata })

const holds = (bytes: Uint8Array, what: string | Uint8Array) => Buffer.from(bytes).includes(what)

describe('metadata of Matroska', () => {
  it('is removed with strip, but for loudness; chapters and fonts stay', async () => {
    const { outcome, bytes } = await removed(rich(), 'strip')
    expect(outcome).toMatchObject({
      kind: 'compressed',
      metadata: 'strip',
      inventory: { video_tracks: 1, audio_tracks: 1, chapters: 1, languages: 1, attachments: 1, tags: 1 },
    })
    const words = ['secret', 'Film', 'Someone', 'cover.png', 'REPLAYGAIN_GAIN', 'font.ttf', 'Start']
    expect(words.map((word) => holds(bytes, word))).toEqual([false, false, false, false, true, true, true])
    expect([holds(bytes, FONT), holds(bytes, PICTURE)]).toEqual([true, false])
  })

  it('about rights, and covers, stay with safe', async () => {
    const { outcome, bytes } = await removed(rich(), 'safe')
    expect(outcome).toMatchObject({ kind: 'compressed', metadata: 'safe', inventory: { covers: 1, attachments: 1, tags: 3 } })
    expect(['secret', 'Film', 'Someone', '(c) Someone', 'cover.png'].map((word) => holds(bytes, word))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })

  it('does not move anything before it is compressed, and its index leads to what is left', async () => {
    const bytes = rich()
    const reduced = await withoutMkvMetadata(memorySource(bytes, 'a'), 'strip', options)
    expect(reduced.size).toBe(bytes.length)
    // A scan checks every checksum.
    const { elements } = await scan(reduced, signal)
    const before = (await scan(memorySource(bytes, 'a'), signal)).elements
    const places = new Map(before.map(({ id, at }) => [at, id]))
    expect(elements.every(({ id, at }) => places.get(at) === id)).toBe(true)
    // The first of two elements with tags is gone, and so is its entry of the index.
    expect(elements.filter(({ id }) => id === TAGS)).toHaveLength(1)
    const seeks = elements.find(({ id }) => id === SEEK_HEAD)!
    expect(Buffer.from(seeks.content!.bytes).includes(Uint8Array.of(0x12, 0x54, 0xc3, 0x67))).toBe(false)
    const { bytes: result } = await removed(bytes, 'strip')
    expect(await verifyMatroska(reduced, memorySource(result, 'b'), options)).toEqual({ equal: true })
  })

  it('is removed in MP4, too', async () => {
    const named = { ...AAC, more: [text(0x536e, 'secret')] }
    const frames = Array.from({ length: 40 }, (_, i) => ({ track: 2, time: i * 20, bytes: randomBytes(90, i) }))
    const comment = element(TAGS, [element(TAG, [simple('COMMENT', 'secret')])])
    const kept = await removed(filmOf({ tracks: [named], frames, more: [space(4000), comment] }), 'strip', 'mp4')
    expect(kept.outcome).toMatchObject({ kind: 'compressed', metadata: 'strip' })
    expect(holds(kept.bytes, 'secret')).toBe(false)
  })

  it('stays if there is none to remove, and if a picture is beside files of more than 8 MiB', async () => {
    const plain = filmOf({ tracks: [AAC], frames: [{ track: 2, time: 0, bytes: randomBytes(50, 1) }] })
    const source = memorySource(plain, 'a')
    expect(await withoutMkvMetadata(source, 'strip', options)).toBe(source)
    const large = (type: string) =>
      film({ more: [element(ATTACHMENTS, [file('a.ttf', 'font/ttf', new Uint8Array(9e6)), file('b', type, PICTURE)])] })
    await expect(withoutMkvMetadata(memorySource(large('image/png'), 'a'), 'strip', options)).rejects.toThrow(CodecError)
    expect((await removed(large('font/otf'), 'strip')).outcome).toMatchObject({ kind: 'compressed', inventory: { attachments: 2 } })
  })

  it('of damaged files gives an outcome, never another error', async () => {
    const bytes = rich()
    const random = noise(3)
    for (let round = 0; round < roundsOf(60); round++) {
      const damaged = bytes.slice()
      for (let flips = 0; flips < 3; flips++) damaged[Math.floor(random() * damaged.length)]! ^= 1 + Math.floor(random() * 255)
      const pressed = await removed(damaged, round % 2 ? 'safe' : 'strip').catch((error: unknown) => {
        expect(error).toBeInstanceOf(CodecError)
        return {}
      })
      expect(pressed).not.toHaveProperty('defect')
    }
  })
})
