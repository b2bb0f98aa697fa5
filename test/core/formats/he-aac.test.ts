import { beforeAll, describe, expect, it } from 'vitest'
import { findBox } from '../../../src/core/containers/isobmff/box.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { decoderConfig } from '../../../src/core/containers/isobmff/sound-entry.ts'
import { packetStream } from '../../../src/core/formats/film/decoders.ts'
import { m4a } from '../../../src/core/formats/film/m4a/m4a.ts'
import { decodedSound } from '../../../src/core/formats/film/sound.ts'
import { flac } from '../../../src/core/formats/flac/flac.ts'
import { englishText } from '../../../src/core/i18n/message.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { flacFile } from '../../support/flac-file.ts'
import { inEnglish } from '../../support/in-english.ts'
import { optionsFor, press, tones } from './media-fixtures.ts'

const HERTZ = 44_100

let file: Uint8Array
beforeAll(async () => {
  const samples = Int32Array.from(tones(HERTZ, 2, HERTZ), (value) => Math.round(value * 32_000))
  file = (await press(flac, flacFile(samples, { channels: 2, hertz: HERTZ }), 'high', 'm4a')).bytes
})

// FFmpeg has no encoder for HE-AAC, so these files only say what real ones say.
describe('HE-AAC in M4A', () => {
  it.each([5, 29])('of object type %i is refused by name', async (type) => {
    const bytes = file.slice()
    using movie = await readMovie(memorySource(bytes, 'a.m4a'))
    const [entry] = movie.tracks[0]!.descriptions
    const { specific } = decoderConfig(movie.moov, findBox(movie.moov, { body: entry!.body + 28, end: entry!.end }, 'esds')!)!
    const at = Buffer.from(bytes).indexOf(specific)
    bytes[at] = (bytes[at]! & 7) | (type << 3)
    for (const output of ['mp3', 'flac', 'opus'] as const) {
      const { outcome } = await press(m4a, bytes, 'high', output, 'a.m4a')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
      expect(JSON.stringify(inEnglish(outcome))).toContain('HE-AAC')
    }
  })

  it('is refused by name where only the decoder finds it: at twice the rate', async () => {
    using movie = await readMovie(memorySource(file, 'a.m4a'))
    const [track] = movie.tracks
    const stream = { ...packetStream(movie.moov, track!.descriptions[0]!)!, hertz: HERTZ / 2 }
    using engine = new Ffmpeg()
    const stored = { source: memorySource(file, 'a.m4a'), stream, runs: track!.samples(), options: optionsFor('high', 'mp3') }
    const error = await decodedSound(engine, stored)
      .next()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CodecError)
    expect(englishText((error as CodecError).detail!)).toContain('HE-AAC')
  })
})
