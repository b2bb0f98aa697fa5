import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { chunkHeader } from '../../../src/core/containers/riff/riff.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { verifyAvi } from '../../../src/core/formats/film/avi/verify.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../support/in-english.ts'
import { optionsFor, press, rawAvi, tones, wave } from '../formats/media-fixtures.ts'

const text = (file: Uint8Array) => Buffer.from(file).toString('latin1')
const ascii = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0))
const u32 = (file: Uint8Array, at: number) => new DataView(file.buffer, file.byteOffset).getUint32(at, true)

function resized(file: Uint8Array, at: number, size: number): Uint8Array {
  const copy = file.slice()
  new DataView(copy.buffer).setUint32(at + 4, size, true)
  return copy
}

/** All chunks except media chunks, found by the test's own parser. */
function chunksOf(file: Uint8Array, from: number, to: number): { id: string; at: number; size: number }[] {
  const found: ReturnType<typeof chunksOf> = []
  for (let at = from; at + 8 <= to; at += 8 + u32(file, at + 4) + (u32(file, at + 4) & 1)) {
    const [id, size] = [text(file.subarray(at, at + 4)), u32(file, at + 4)]
    const kind = text(file.subarray(at + 8, at + 12))
    found.push({ id: id === 'LIST' || id === 'RIFF' ? kind : id, at, size })
    if ((id === 'LIST' && kind !== 'movi') || id === 'RIFF') found.push(...chunksOf(file, at + 12, at + 8 + size))
  }
  return found
}

describe('AVI', () => {
  const list = (id: string, ...parts: Uint8Array[]) => {
    const body = concat([ascii(id), ...parts])
    return concat([chunkHeader('LIST', body.length), body])
  }
  const info = list('INFO', chunkHeader('INAM', 6), ascii('title\0'))
  const plain = rawAvi(6, 64, 48, 8000)
  const film = resized(concat([plain, info]), 0, plain.length + info.length - 8)
  const places = chunksOf(film, 0, film.length)
  const placeOf = (id: string, which = 0) => places.filter((place) => place.id === id)[which]!

  async function pack(file: Uint8Array) {
    const options = { ...optionsFor('medium', 'avi'), lossless: true }
    const { outcome, result } = await openJob(avi, memorySource(file, 'a.avi'), {}, options).whole(async () =>
      memorySink(file.length, 'a.avi'),
    )
    return { outcome, bytes: result ? await readAll(result) : file }
  }

  it('compresses an undamaged film and keeps its tags', async () => {
    const { outcome, bytes } = await pack(film)
    expect(outcome.kind).toBe('compressed')
    expect(text(bytes)).toContain('INAM')
  })

  it.each([
    ['the headers of the sound', 'strl', 1],
    ['the format of the sound', 'strf', 1],
    ['the header of the pictures', 'strh', 0],
  ])('%s longer than their list are damage, not the end of the list', async (_, id, which) => {
    const { at } = placeOf(id, which)
    expect((await pack(resized(film, at, 0x7fff))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('reports a header that overlaps the sound as malformed', async () => {
    const [first, second] = [placeOf('strl', 0), placeOf('strl', 1)]
    expect((await pack(resized(film, first.at, second.at + second.size - first.at))).outcome).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
    })
  })

  it('keeps JUNK chunks with notes and drops JUNK chunks that only pad', async () => {
    const { at, size } = placeOf('JUNK')
    const notes = film.slice()
    notes.set(ascii('\x01\x02 notes of a camera'), at + 8)
    expect(text((await pack(notes)).bytes)).toContain('notes of a camera')
    expect((await pack(film)).bytes.length).toBeLessThan(film.length - size)
  })

  it('keeps and verifies the name of a stream', async () => {
    const strl = placeOf('strl', 1)
    const name = concat([chunkHeader('strn', 8), ascii('English\0')])
    const end = strl.at + 8 + strl.size
    let named: Uint8Array = concat([film.subarray(0, end), name, film.subarray(end)])
    for (const id of ['AVI ', 'hdrl']) named = resized(named, placeOf(id).at, placeOf(id).size + name.length)
    named = resized(named, strl.at, strl.size + name.length)
    const { bytes } = await pack(named)
    expect(text(bytes)).toContain('English')
    const changed = bytes.slice()
    changed[text(bytes).indexOf('English')] = 0x65
    const verdict = await verifyAvi(
      memorySource(named, 'a'),
      memorySource(changed, 'b'),
      { kind: 'compressed', steps: [] },
      optionsFor('medium', 'avi'),
    )
    expect(verdict).toMatchObject({ equal: false, difference: "header chunk 'strn' changed" })
  })

  it('leaves a film unchanged whose index also covers the tags (avi-index-over-tags)', async () => {
    const { at, size } = placeOf('idx1')
    for (const by of [3, 16, 19, 24]) {
      const { outcome, bytes } = await pack(resized(film, at, size + by))
      expect([outcome.kind, text(bytes).includes('INAM')], `${by} bytes`).toEqual(['unchanged', true])
    }
  })

  it('leaves a film unchanged if bytes after its last chunk belong to none (avi-bytes-left-over)', async () => {
    const marked = concat([film, ascii('MARK')])
    const { outcome } = await pack(resized(marked, 0, marked.length - 8))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('keeps all streams, media and tags, or the file unchanged, for any chunk size', async () => {
    const media = placeOf('movi')
    const sound = text(film.subarray(media.at)).split('01wb')[3]!.slice(4, 644)
    await fc.assert(
      fc.asyncProperty(fc.nat(places.length - 1), fc.oneof(fc.integer({ min: -40, max: 3000 }), fc.nat(0xffffff)), async (which, by) => {
        const { at, size } = places[which]!
        const { outcome, bytes } = await pack(resized(film, at, Math.max(0, size + by)))
        if (outcome.kind === 'unchanged') return
        expect(text(bytes).split('strh').length).toBe(3)
        expect(text(bytes)).toContain(sound)
        expect(text(bytes)).toContain('INAM')
      }),
      { numRuns: 200 },
    )
  })
})

describe('WAVE', () => {
  const integers = Int32Array.from(tones(4000, 2, 44100), (value) => Math.round(value * 32767) * 256)
  const info = concat([ascii('INFOINAM'), Uint8Array.of(6, 0, 0, 0), ascii('title\0')])
  const plain = wave(integers, 24, 2, 44100, [['LIST', info]])
  const cue = concat([chunkHeader('cue ', 28), Uint8Array.of(1, 0, 0, 0), new Uint8Array(24)])
  const file = resized(concat([plain, cue]), 0, plain.length + cue.length - 8)
  const places = chunksOf(file, 0, file.length)
  const placeOf = (id: string) => places.find((place) => place.id === id)!

  it('reports sound that exceeds the file and hides other chunks as malformed', async () => {
    const { outcome } = await press(wav, resized(file, placeOf('data').at, placeOf('data').size + 1000), 'low', 'wav')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('keeps bytes left over in the RIFF form', async () => {
    const left = concat([file, ascii('MARK')])
    const { bytes } = await press(wav, resized(left, 0, left.length - 8), 'high', 'wav')
    expect(text(bytes).endsWith('MARK')).toBe(true)
    expect(bytes.length).toBeLessThan(left.length)
  })

  it('keeps bytes after the RIFF form in WAVE and refuses FLAC, which cannot store them', async () => {
    const tail = concat([file, ascii('MARKER behind the form')])
    expect(text((await press(wav, tail, 'high', 'wav')).bytes).endsWith('MARKER behind the form')).toBe(true)
    expect((await press(wav, tail, 'high', 'flac')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('removes an incomplete last sample and reports it in the receipt', async () => {
    const cut = file.subarray(0, placeOf('data').at + 8 + 5999)
    const { outcome } = await press(wav, cut, 'high', 'wav')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining(['5 bytes of an incomplete last audio sample removed']),
    })
  })

  it('keeps zeros after the RIFF form and at its end', async () => {
    const zeros = concat([file, new Uint8Array(5000)])
    for (const one of [zeros, resized(zeros, 0, zeros.length - 8)]) {
      const { outcome, bytes, ...rest } = await press(wav, one, 'high', 'wav')
      expect(rest).not.toHaveProperty('defect')
      expect(outcome.kind).toBe('compressed')
      expect(bytes.subarray(-5000).every((byte) => byte === 0)).toBe(true)
    }
  })

  it('leaves a file with several data chunks unchanged', async () => {
    const twice = wave(integers, 24, 2, 44100, [['data', new Uint8Array(600)]])
    expect((await press(wav, twice, 'high', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('does not convert to FLAC or MP3 if a tag exceeds its list', async () => {
    const bent = resized(file, text(file).indexOf('INAM'), 0x7fff)
    for (const output of ['flac', 'mp3'] as const)
      expect((await press(wav, bent, 'high', output)).outcome).toMatchObject({ kind: 'unchanged' })
    // The WAVE result keeps the damaged list unchanged.
    expect(text((await press(wav, bent, 'high', 'wav')).bytes)).toContain('INAM\xff\x7f')
  })

  it('keeps tags and cue points, or the file unchanged, for any chunk size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(places.length - 1), fc.integer({ min: -40, max: 30_000 }), async (which, by) => {
        const { at, size } = places[which]!
        const { outcome, bytes } = await press(wav, resized(file, at, Math.max(0, size + by)), 'high', 'wav')
        if (outcome.kind === 'unchanged') return
        // `toContain` would print the whole file in the failure message.
        expect(['INAM', 'cue '].filter((id) => !text(bytes).includes(id))).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})
