/** Problems found in files of other programs; each test is named after its cause. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { id3Tag } from '../../../src/core/containers/id3/id3.ts'
import { type Box, box, boxes, fullBox, rebuild, words } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { trackBytes } from '../../../src/core/containers/isobmff/write.ts'
import { readAvi } from '../../../src/core/containers/riff/avi.ts'
import { chunkHeader } from '../../../src/core/containers/riff/riff.ts'
import { avi } from '../../../src/core/formats/film/avi/avi.ts'
import { pcmStream } from '../../../src/core/formats/film/decoders.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { expandedBytes, expandPalette } from '../../../wasm/ffmpeg/palette.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { press, rawAvi, rawMovie, tones, wave } from './media-fixtures.ts'

/** A frame of silence: MPEG-1, Layer III by default, mono, 48 kHz, with the given bit rate index. */
function frame(kbpsIndex: number, bytes: number, layer = 0xfb): Uint8Array {
  const silent = new Uint8Array(bytes)
  silent.set([0xff, layer, (kbpsIndex << 4) | 4, 0xc0])
  return silent
}

/** The frame of silence at 128 kbit/s. */
const silence = (frames: number) => concat(Array.from({ length: frames }, () => frame(9, 384)))

/**
 * An Info frame of 168 bytes, as old versions of Lavf wrote it: five bytes too short for LAME's extension, but with the delays in bytes
 * 158–160.
 */
function shortInfo(frames: number): Uint8Array {
  const info = frame(4, 168)
  const view = new DataView(info.buffer)
  info.set(new TextEncoder().encode('Info'), 21)
  view.setUint32(25, 7)
  view.setUint32(29, frames)
  info.set(new TextEncoder().encode('Lavf55.12'), 137)
  info.set([0x24, 0x01, 0x23], 158)
  return info
}

describe('MP3', () => {
  it('keeps the delays of an Info frame that ends inside the LAME extension', async () => {
    const { outcome, bytes } = await press(mp3, concat([shortInfo(40), silence(40)]), 'high', 'mp3')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    const at = new TextDecoder('latin1').decode(bytes).indexOf('Lavf')
    expect([...bytes.subarray(at + 21, at + 24)]).toEqual([0x24, 0x01, 0x23])
  })

  it('keeps an ID3v1 tag followed by another tag', async () => {
    const first = new Uint8Array(128)
    first.set(new TextEncoder().encode('TAGTitle'))
    const { bytes } = await press(mp3, concat([silence(40), first, id3Tag([['title', 'Title']])]), 'high', 'mp3')
    expect(bytes.length).toBeLessThan(40 * 384)
    expect(new TextDecoder('latin1').decode(bytes)).toContain('TAGTitle')
  })

  it('does not read a truncated stream into the tags after it', async () => {
    const ape = new Uint8Array(32 + 9 + 5 + 5 + 32)
    ape.set(new TextEncoder().encode('APETAGEX'))
    ape.set([5, 0, 0, 0, 0, 0, 0, 0], 32)
    ape.set(new TextEncoder().encode('Title\0Title'), 40)
    ape.set(new TextEncoder().encode('APETAGEX'), ape.length - 32)
    for (const at of [0, ape.length - 32]) {
      const view = new DataView(ape.buffer, at)
      view.setUint32(8, 2000, true)
      view.setUint32(12, ape.length - 32, true)
      view.setUint32(16, 1, true)
      view.setUint32(20, 0x80000000, true)
    }
    const file = concat([id3Tag([['title', 'Title']]), new Uint8Array(40), silence(40), silence(1).subarray(0, 380), ape])
    const { bytes } = await press(mp3, file, 'high', 'mp3')
    expect(bytes.subarray(-ape.length - 380)).toEqual(file.subarray(-ape.length - 380))
  })

  it('recognises one or two frames and a tag as MP3', async () => {
    const tag = new Uint8Array(128)
    tag.set(new TextEncoder().encode('TAG'))
    for (const file of [silence(1), silence(2), concat([silence(1), tag]), concat([silence(2), tag])]) {
      expect((await identify(memorySource(file, 'short.mp3')))?.id).toBe('mp3')
      expect((await press(mp3, file, 'medium', 'mp3')).outcome.kind).toBe('unchanged')
    }
    expect(await identify(memorySource(concat([silence(1), new Uint8Array(9)]), 'noise.bin'))).toBeUndefined()
  })

  it('reports Layer II after a tag as another format, not as damage', async () => {
    const file = concat([id3Tag([['title', 'Title']]), ...Array.from({ length: 3 }, () => frame(8, 384, 0xfd))])
    expect((await press(mp3, file, 'medium', 'mp3')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('moves nothing if unknown bytes precede the first frame, because players then miss its tag', async () => {
    const file = concat([Uint8Array.of(1, 2, 3, 4, 5, 6), shortInfo(40), silence(40)])
    const { bytes } = await press(mp3, file, 'high', 'mp3')
    expect(bytes).toEqual(file)
  })
})

describe('WAVE', () => {
  const samples = Int32Array.from(tones(4000, 1, 22050), (value) => Math.round(value * 100) * 256)

  it('reads chunks of size zero to the end of the file', async () => {
    const whole = wave(samples, 16, 1, 22050)
    const streamed = whole.slice()
    streamed.fill(0, 4, 8)
    streamed.fill(0, 40, 44)
    const { outcome, bytes } = await press(wav, streamed, 'high', 'wav')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes).toEqual((await press(wav, whole, 'high', 'wav')).bytes)
  })

  it('returns a file without samples unchanged', async () => {
    const empty = wave(new Int32Array(), 24, 2, 48000, [['JUNK', new Uint8Array(60)]])
    const file = concat([empty, new TextEncoder().encode('DGDA'), Uint8Array.of(4, 0, 0, 0, 1, 2, 3, 4)])
    new DataView(file.buffer).setUint32(4, file.length - 8, true)
    expect((await press(wav, file, 'medium', 'wav')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })
})

describe('AVI', () => {
  it('keeps tags in front of the media, where players look for them', async () => {
    const chunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body])
    const ascii = new TextEncoder()
    const info = chunk('LIST', concat([ascii.encode('INFO'), chunk('INAM', ascii.encode('AVI title\0'))]))
    const film = rawAvi(12)
    const movi = new TextDecoder('latin1').decode(film).indexOf('movi') - 8
    const tagged = concat([film.subarray(0, movi), info, film.subarray(movi), info])
    new DataView(tagged.buffer).setUint32(4, tagged.length - 8, true)
    const { outcome, bytes } = await press(avi, tagged, 'medium', 'avi')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const { others } = await readAvi(memorySource(bytes, 'film.avi'))
    expect(others.map(({ id, isBeforeMedia: inFront }) => [id, inFront])).toEqual([
      ['LIST', true],
      ['LIST', false],
    ])
    expect(bytes.subarray(others[0]!.offset, others[0]!.offset + others[0]!.size)).toEqual(info)
  })
})

describe('AVI of cameras', () => {
  const chunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body])
  const ascii = (text: string) => new TextEncoder().encode(text)

  it('keeps the frames after the end of a short idx1', async () => {
    const film = rawAvi(12)
    const at = new TextDecoder('latin1').decode(film).lastIndexOf('idx1')
    const shorter = concat([film.subarray(0, at), chunk('idx1', film.subarray(at + 8, at + 8 + 2 * 16))])
    new DataView(shorter.buffer).setUint32(4, shorter.length - 8, true)
    expect((await readAvi(memorySource(shorter, 'film.avi'))).chunks.count).toBe(12)
    expect((await press(avi, shorter, 'medium', 'avi')).bytes).toEqual((await press(avi, film, 'medium', 'avi')).bytes)
  })

  it('keeps camera notes in a JUNK chunk', async () => {
    const film = rawAvi(12)
    const notes = chunk('JUNK', concat([ascii('PENTDigital Camera'), new Uint8Array(100)]))
    const filled = concat([film, notes, chunk('JUNK', new Uint8Array(2000))])
    new DataView(filled.buffer).setUint32(4, filled.length - 8, true)
    const { bytes } = await press(avi, filled, 'medium', 'avi')
    const text = new TextDecoder('latin1').decode(bytes)
    expect(text).toContain('PENTDigital Camera')
    expect(text.split('JUNK').length).toBe(2)
  })
})

describe('uncompressed pictures', () => {
  it('expands a palette before decoding', () => {
    const palette = Uint8Array.of(1, 2, 3, 0, 4, 5, 6, 0)
    // Rows of one byte and of three bytes per pixel, padded to four bytes.
    const rows = Uint8Array.of(1, 9, 9, 9, 0, 9, 9, 9)
    const coloured = (indexes: Uint8Array, width: number, height: number) => {
      const out = new Uint8Array(expandedBytes(width, height)).fill(99)
      expandPalette(indexes, palette, width, height, out)
      return [...out]
    }
    expect(coloured(rows, 1, 2)).toEqual([4, 5, 6, 0, 1, 2, 3, 0])
    expect(coloured(Uint8Array.of(200, 1), 2, 1)).toEqual([0, 0, 0, 4, 5, 6, 0, 0])
  })

  it('reads AVI without a codec as RGB', async () => {
    const film = rawAvi(12)
    const text = new TextDecoder('latin1').decode(film)
    // Changes the FourCC in `strf`, the second of the two occurrences.
    film.fill(0, text.lastIndexOf('UYVY'), text.lastIndexOf('UYVY') + 4)
    const { outcome, bytes } = await press(avi, film, 'low', 'avi')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([expect.stringMatching(/rawvideo → H.264/)]),
    })
    expect(bytes.length).toBeLessThan(film.length / 2)
  })
})

describe('films', () => {
  it('reads uncompressed sound (ISO/IEC 23003-5) by its pcmC box (ipcm)', () => {
    const fields = new Uint8Array(28)
    const view = new DataView(fields.buffer)
    view.setUint16(16, 2)
    view.setUint16(18, 16)
    view.setUint32(24, 48000 * 65536)
    const described = (type: string, flags: number, bits: number) => {
      const entry = box(type, fields, box('pcmC', Uint8Array.of(0, 0, 0, 0, flags, bits)))
      return pcmStream(entry, [...boxes(entry, 0, entry.length)][0]!)
    }
    expect(described('ipcm', 1, 24)).toMatchObject({ decoder: 'pcm_s24le', hertz: 48000, channels: 2, blockAlign: 6 })
    expect(described('fpcm', 0, 32)).toMatchObject({ decoder: 'pcm_f32be', blockAlign: 8 })
    expect(described('ipcm', 0, 12)).toBeUndefined()
  })

  it('accepts an mdat size that is too large if all chunks are present', async () => {
    const film = (await press(mov, rawMovie(10), 'high', 'mp4')).bytes
    const { top } = await readMovie(memorySource(film, 'film.mp4'))
    const mdat = top.find(({ type }) => type === 'mdat')!
    const longer = film.slice()
    new DataView(longer.buffer).setUint32(mdat.offset, mdat.size + 1000)
    expect((await readMovie(memorySource(longer, 'film.mp4'))).tracks.length).toBe(2)
    await expect(readMovie(memorySource(longer.subarray(0, film.length - 1000), 'film.mp4'))).rejects.toThrow('runs past the end')
  })

  it('reads µ-law with one byte per sample although its description says 16 bits', async () => {
    const film = rawMovie(10)
    const text = new TextDecoder('latin1').decode(film)
    const bytes = film.slice()
    bytes.set(new TextEncoder().encode('ulaw'), text.indexOf('sowt'))
    // All sample sizes are equal, and samples are counted one by one.
    new DataView(bytes.buffer).setUint32(text.lastIndexOf('stsz') + 8, 1)
    const sound = (await readMovie(memorySource(bytes, 'film.mov'))).tracks[1]!
    expect(trackBytes(sound)).toBe(sound.sampleCount)
  })

  it('pads sound of a low sample rate in front, so that its end stays', async () => {
    const raw = rawMovie(12)
    const was = (await readMovie(memorySource(raw, 'film.mov'))).tracks[1]!
    const { tracks } = await readMovie(memorySource((await press(mov, raw, 'medium', 'mov')).bytes, 'film.mov'))
    const { sampleCount, edits, descriptions, handler } = tracks[1]!
    expect([handler, descriptions[0]!.type]).toEqual(['soun', 'mp4a'])
    expect(was.sampleCount % 1024).not.toBe(0)
    expect(sampleCount * 1024).toBe(edits![0]!.mediaTime + was.sampleCount)
  })

  it('shows a last picture that lasts less than one movie tick', async () => {
    const raw = rawMovie(12)
    // 0.48 seconds are 3.36 ticks.
    new DataView(raw.buffer).setUint32(new TextDecoder('latin1').decode(raw).indexOf('mvhd') + 16, 7)
    const film = (await press(mov, raw, 'high', 'mp4')).bytes
    const { tracks, timescale } = await readMovie(memorySource(film, 'film.mp4'))
    const [edit] = tracks[0]!.edits!
    expect(edit!.duration / timescale).toBeGreaterThanOrEqual(tracks[0]!.samples().dts[12]! / tracks[0]!.timescale)
  })

  it('returns an index whose fragments are in other files unchanged', async () => {
    const { ftyp, moov, moovBox } = await readMovie(memorySource(rawMovie(4), 'film.mov'))
    const empty = [
      fullBox('stts', 0, words(0)),
      fullBox('stsc', 0, words(0)),
      fullBox('stsz', 0, words(0, 0)),
      fullBox('stco', 0, words(0)),
    ]
    const within = (old: Box): Uint8Array =>
      box(
        old.type,
        ...rebuild(moov, old, (child) => {
          if (['trak', 'mdia', 'minf'].includes(child.type)) return within(child)
          if (child.type !== 'stbl') return undefined
          return box('stbl', ...rebuild(moov, child, (table) => (table.type === 'stsd' ? undefined : null)), ...empty)
        }),
      )
    const index = within(moovBox)
    const head = concat([index, box('mvex', fullBox('trex', 0, words(1, 1, 0, 0, 0)))])
    new DataView(head.buffer).setUint32(0, head.length)
    const file = concat([ftyp!, head, box('free', new Uint8Array(100))])
    expect((await press(mov, file, 'medium', 'mov')).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})
