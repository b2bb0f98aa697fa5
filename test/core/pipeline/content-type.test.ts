import { expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { latin1Bytes } from '../../../src/core/bytes/latin1.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { contentTypeOf } from '../../../src/core/pipeline/content-type.ts'
import { ebmlHeader, element, info, number, openElement, space, text, tracks } from '../../support/mkv-file.ts'
import { oggPages, opusFile, opusHead, vorbisFile } from '../../support/ogg-file.ts'

const SEGMENT = 0x18538067
const track = (type: number) => element(0xae, [number(0xd7, 1, 1), number(0x83, type, 1), text(0x86, 'A_OPUS')])
const soundTracks = element(0x1654ae6b, [track(2), track(17)])
const matroska = (...children: Uint8Array[]) => concat([ebmlHeader(), openElement(SEGMENT, children)])

it.each<[string, OutputId, Uint8Array, string]>([
  ['Matroska with pictures', 'mkv', matroska(info(), tracks()), 'video/x-matroska'],
  ['Matroska with sound and subtitles', 'mkv', matroska(info(), space(300), soundTracks), 'audio/x-matroska'],
  ['WebM with sound', 'webm', matroska(soundTracks), 'audio/webm'],
  ['WebM with subtitles alone', 'webm', matroska(element(0x1654ae6b, [track(17)])), 'video/webm'],
  ['Matroska whose tracks are behind the first cluster', 'mkv', matroska(element(0x1f43b675, []), soundTracks), 'video/x-matroska'],
  ['Matroska that is cut off', 'mkv', matroska(soundTracks).subarray(0, 40), 'video/x-matroska'],
  ['a segment in a segment, without end', 'mkv', concat(Array.from({ length: 1000 }, () => openElement(SEGMENT, []))), 'video/x-matroska'],
  ['Vorbis', 'ogg', vorbisFile(3), 'audio/ogg'],
  ['Opus', 'opus', opusFile(3), 'audio/ogg; codecs=opus'],
  [
    'Theora behind sound',
    'ogg',
    oggPages([
      { flags: 2, packets: [opusHead()] },
      { flags: 2, serial: 8, packets: [latin1Bytes('\x80theora\x03\x02')] },
    ]),
    'video/ogg',
  ],
  ['a password archive', 'zip', matroska(soundTracks), 'application/zip'],
])('the media type of %s', async (_, output, bytes, type) => {
  expect(await contentTypeOf(output, memorySource(bytes, 'a'))).toBe(type)
})
