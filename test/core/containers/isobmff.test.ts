import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { box, fullBox, latin1Bytes, typeAt, u32At, words } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { verifyFilm } from '../../../src/core/formats/film/verify.ts'
import type { Outcome } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../support/in-english.ts'
import { optionsFor, rawMovie } from '../formats/media-fixtures.ts'

const PARENTS = ['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'udta']

/** Start and end of each box, found by the test's own parser. */
function layoutOf(file: Uint8Array, from = 0, to = file.length): { type: string; at: number; end: number; parentEnd: number }[] {
  const found: ReturnType<typeof layoutOf> = []
  for (let at = from; at + 8 <= to; at += u32At(file, at)) {
    const type = typeAt(file, at + 4)
    const end = at + u32At(file, at)
    found.push({ type, at, end, parentEnd: to })
    if (PARENTS.includes(type)) found.push(...layoutOf(file, at + 8, end))
  }
  return found
}

function resized(file: Uint8Array, at: number, size: number): Uint8Array {
  const copy = file.slice()
  copy.set(words(size), at)
  return copy
}

/** Options of a lossless service job: raw pictures stay raw, and only unused space is removed. */
async function pack(file: Uint8Array) {
  const options = { ...optionsFor('medium', 'mov'), lossless: true }
  const { outcome, result } = await openJob(mov, memorySource(file, 'a.mov'), {}, options).whole(async () =>
    memorySink(file.length, 'a.mov'),
  )
  return { outcome, bytes: result ? await readAll(result) : file }
}

const count = (file: Uint8Array, word: string) => Buffer.from(file).toString('latin1').split(word).length - 1

const film = rawMovie(4)
const places = layoutOf(film)
const placeOf = (type: string, which = 0) => places.filter((place) => place.type === type)[which]!

describe('an index whose boxes do not fill their parents', () => {
  it('compresses the undamaged film', async () => {
    const { outcome, bytes } = await pack(film)
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: ['index moved to the start of the file, unused space dropped'] })
    expect(count(bytes, 'trak')).toBe(2)
  })

  it.each([
    ['the last track', 'trak', 1],
    ['the media of a track', 'mdia', 1],
    ['the sample tables of a track', 'stbl', 0],
    ['the last sample table', 'stco', 1],
    ['the sample descriptions', 'stsd', 0],
    ['a sample description', '2vuy', 0],
  ])('%s longer than its parent is damage, not the end of the list', async (_, type, which) => {
    const at = type === '2vuy' ? placeOf('stsd').at + 16 : placeOf(type, which).at
    const { outcome, bytes } = await pack(resized(film, at, 0xffff))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    expect(bytes.length).toBe(film.length)
  })

  it.each([
    ['its last box', 'meta'],
    ['the list of its items', 'ilst'],
    ['one item', '\xa9nam'],
    ['the reader of its items', 'hdlr'],
  ])('user data stays as it is where %s is longer than its parent', async (_, type) => {
    const { at, end } = placeOf('udta')
    const title = box('\xa9nam', box('data', words(1, 0), latin1Bytes('Title')))
    const userData = box('udta', fullBox('meta', 0, fullBox('hdlr', 0, new Uint8Array(21)), box('ilst', title)))
    const moov = placeOf('moov')
    const longer = concat([film.subarray(0, at), userData, film.subarray(end)])
    const file = resized(longer, moov.at, moov.end - moov.at + longer.length - film.length)
    expect((await pack(file)).outcome).toMatchObject({ kind: 'compressed' })
    const child = Buffer.from(file).lastIndexOf(Buffer.from(type, 'latin1')) - 4
    expect(inEnglish((await pack(resized(file, child, u32At(file, child) + 500))).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining(`\`${type}\``),
    })
  })

  it('accepts QuickTime user data that ends with four zeros or has metadata without a version', async () => {
    const { at, end } = placeOf('udta')
    const moov = placeOf('moov')
    const metadata = box('meta', fullBox('hdlr', 0, new Uint8Array(21)), box('ilst'))
    for (const userData of [
      box('udta', box('name', latin1Bytes('Track')), words(0)),
      box('udta', metadata),
      box('udta', latin1Bytes('abc')),
    ]) {
      const longer = concat([film.subarray(0, at), userData, film.subarray(end)])
      const file = resized(longer, moov.at, moov.end - moov.at + longer.length - film.length)
      expect((await pack(file)).outcome).toMatchObject({ kind: 'compressed' })
    }
  })

  it('checks 64-bit box sizes too', async () => {
    const { at } = placeOf('udta')
    const file = concat([film.subarray(0, at), words(1), latin1Bytes('udta'), words(0, 0x7fff), film.subarray(at + 8)])
    expect((await pack(resized(file, placeOf('moov').at, film.length - placeOf('moov').at + 8))).outcome).toMatchObject({
      reason: 'malformed',
    })
  })

  it('accepts zeros at the end of a list and reports other bytes as malformed', async () => {
    const { at, end } = placeOf('moov')
    for (const [rest, wanted] of [
      [new Uint8Array(4), 'compressed'],
      [new Uint8Array(9), 'compressed'],
      [Uint8Array.of(0, 0, 0, 1), 'unchanged'],
      [concat([words(0), latin1Bytes('trak'), words(5)]), 'unchanged'],
    ] as const) {
      const file = concat([film.subarray(0, end), rest, film.subarray(end)])
      expect((await pack(resized(file, at, end - at + rest.length))).outcome.kind).toBe(wanted)
    }
  })

  it('reports a box that overlaps the next track as malformed', async () => {
    const header = placeOf('mvhd')
    const swallowed = placeOf('trak', 0)
    expect(inEnglish((await pack(resized(film, header.at, swallowed.end - header.at))).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining('the index contains 2 tracks, but only 1 of them can be reached'),
    })
  })

  it('reports an index that ends before its last track as malformed', async () => {
    const [{ at }, last] = [placeOf('moov'), placeOf('trak', 1)]
    expect((await pack(resized(film, at, last.at - at))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it.each(['mdia', 'tkhd', 'stbl', 'stsz', 'stco', 'hdlr'])("reports a second '%s' as malformed", async (type) => {
    const { at, end } = placeOf(type)
    const twice = film.subarray(at, end)
    let file = concat([film.subarray(0, end), twice, film.subarray(end)])
    for (const parent of places.filter((place) => PARENTS.includes(place.type) && place.at < at && place.end >= end))
      file = resized(file, parent.at, parent.end - parent.at + twice.length)
    expect((await pack(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('leaves a film with items at absolute file offsets unchanged', async () => {
    const items = fullBox('meta', 0, fullBox('hdlr', 0, new Uint8Array(21)), fullBox('iloc', 0, words(0x44000001, 0x00010000, 1, 40, 10)))
    const behind = await pack(concat([film, items]))
    expect(behind.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
    const { at, end } = placeOf('moov')
    const inside = await pack(resized(concat([film, items]), at, end - at + items.length))
    expect(inside.outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('does not drop a second film after the first', async () => {
    expect((await pack(concat([film, film]))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    const behindJunk = concat([film, words(3, 3), film])
    expect((await pack(behindJunk)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('keeps both tracks and all media, or the file unchanged, for any box size', async () => {
    const media = placeOf('mdat')
    const payload = Buffer.from(film.subarray(media.at + 8, media.end)).toString('latin1')
    await fc.assert(
      fc.asyncProperty(fc.nat(places.length - 1), fc.oneof(fc.integer({ min: -64, max: 5000 }), fc.nat(0xfffff)), async (which, by) => {
        const { at, end } = places[which]!
        const file = resized(film, at, Math.max(0, end - at + by))
        const { outcome, bytes } = await pack(file)
        if (outcome.kind === 'unchanged') return
        expect(count(bytes, 'trak')).toBe(2)
        expect(count(bytes, '©nam')).toBe(count(file, '©nam'))
        expect(Buffer.from(bytes).toString('latin1')).toContain(payload)
      }),
      { numRuns: 300 },
    )
  })
})

describe('verification', () => {
  it('counts tracks in the bytes of the upload without trusting box sizes', async () => {
    const kept = await pack(film)
    const movie = await readMovie(memorySource(kept.bytes, 'a'))
    const [second] = [movie.tracks[1]!.box]
    // A result without its sound track, and an upload whose box sizes hide the sound track.
    const shorter = concat([movie.moov.subarray(0, second.start), movie.moov.subarray(second.end)])
    const at = movie.top.find(({ type }) => type === 'moov')!.offset
    const without = concat([kept.bytes.subarray(0, at), resized(shorter, 0, shorter.length), kept.bytes.subarray(at + movie.moov.length)])
    const outcome: Outcome = { kind: 'compressed', steps: [] }
    const verdict = await verifyFilm(memorySource(film, 'a'), memorySource(without, 'b'), outcome, optionsFor('medium', 'mov'))
    expect(verdict).toEqual({ equal: false, difference: '2 tracks became 1' })
  })

  it('rejects a result with changed user data, references or matrix', async () => {
    const { bytes } = await pack(film)
    const outcome: Outcome = { kind: 'compressed', steps: [] }
    for (const [word, by] of [
      ['©nam', 8],
      ['tkhd', 44],
      ['vmhd', 7],
      ['mdhd', 24],
    ] as const) {
      const changed = bytes.slice()
      changed[Buffer.from(bytes).indexOf(Buffer.from(word, 'latin1')) + by]! ^= 1
      const verdict = await verifyFilm(memorySource(film, 'a'), memorySource(changed, 'b'), outcome, optionsFor('medium', 'mov'))
      expect(verdict).toMatchObject({ equal: false })
    }
  })
})

describe('fragments', () => {
  const track = box(
    'trak',
    fullBox('tkhd', 3, words(0, 0, 1, 0, 0, 0, 0, 0, 0), new Uint8Array(36), words(0, 0)),
    box(
      'mdia',
      fullBox('mdhd', 0, words(0, 0, 1000, 0, 0x55c40000)),
      fullBox('hdlr', 0, words(0), latin1Bytes('text'), words(0, 0, 0), Uint8Array.of(0)),
      box(
        'minf',
        box(
          'stbl',
          fullBox('stsd', 0, words(1), box('text', new Uint8Array(8))),
          ...['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, words(0))),
          fullBox('stsz', 0, words(0, 0)),
        ),
      ),
    ),
  )
  const mvhd = fullBox('mvhd', 0, words(0, 0, 1000, 0, 0x10000, 0x01000000, 0, 0), new Uint8Array(36), words(0, 0, 0, 0, 0, 0, 2))
  const head = concat([
    box('ftyp', latin1Bytes('iso5'), words(0)),
    box('moov', mvhd, track, box('mvex', fullBox('trex', 0, words(1, 1, 0, 0, 0)))),
    box('free', new Uint8Array(2000)),
  ])
  const fragment = (id: number, body: string) => {
    const moof = (offset: number) =>
      box(
        'moof',
        fullBox('mfhd', 0, words(1)),
        box('traf', fullBox('tfhd', 0x20000, words(id)), fullBox('trun', 0x301, words(1, offset, 40, body.length))),
      )
    return concat([moof(moof(0).length + 8), box('mdat', latin1Bytes(body))])
  }
  const whole = concat([head, fragment(1, 'first words'), fragment(1, 'second words')])

  it('are all kept in the result', async () => {
    const { outcome, bytes } = await pack(whole)
    expect(outcome.kind).toBe('compressed')
    expect(count(bytes, 'first words')).toBe(1)
    expect(count(bytes, 'second words')).toBe(1)
  })

  it('with boxes that are too long are malformed', async () => {
    const at = whole.length - fragment(1, 'second words').length
    for (const place of [at, at + 24, at + 32, at + 48]) {
      const { outcome } = await pack(resized(whole, place, u32At(whole, place) + 200))
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    }
  })

  it('after bytes that are not a box are malformed', async () => {
    const file = concat([head, fragment(1, 'first words'), words(2, 2), fragment(1, 'second words')])
    expect((await pack(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('of a track without a header are malformed', async () => {
    expect((await pack(concat([head, fragment(1, 'first words'), fragment(2, 'second words')]))).outcome).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
    })
  })
})
