/** Matroska film of an MP4 film with H.264 and AAC: the same frames, with times in milliseconds. */
import type { Box } from '../../src/core/containers/isobmff/box.ts'
import { type Movie, readMovie } from '../../src/core/containers/isobmff/movie.ts'
import type { Track } from '../../src/core/containers/isobmff/track.ts'
import { visualExtensions } from '../../src/core/containers/isobmff/write.ts'
import { packetStream } from '../../src/core/formats/film/decoders.ts'
import { memorySource } from '../../src/core/model/source.ts'
import { number, space } from './mkv-file.ts'
import { AAC, AVC, filmOf, float, type TestFrame, type TestTrack } from './mkv-tracks.ts'

/** @param spaceBytes bytes of Void in front of the clusters */
export async function matroskaOf(bytes: Uint8Array, spaceBytes = 2000): Promise<Uint8Array> {
  using movie = await readMovie(memorySource(bytes, 'a.mp4'))
  const tracks = movie.tracks.map((track, i) => ({ ...trackOf(movie, track), number: i + 1 }))
  const frames = movie.tracks.flatMap((track, i) => framesOf(bytes, track, i + 1))
  return filmOf({ tracks, frames: frames.sort((a, b) => a.at - b.at), more: [space(spaceBytes)] })
}

function trackOf({ moov }: Movie, { handler, descriptions }: Track): TestTrack {
  const [entry] = descriptions as readonly [Box]
  if (handler === 'soun') {
    const { extradata, hertz, channels } = packetStream(moov, entry)!
    return { ...AAC, config: extradata, audio: [float(0xb5, hertz), number(0x9f, channels, 1)] }
  }
  const config = visualExtensions(moov, entry).find(({ type }) => type === 'avcC')!
  const [width, height] = [24, 26].map((at) => (moov[entry.body + at]! << 8) | moov[entry.body + at + 1]!) as [number, number]
  return { ...AVC, config: moov.slice(config.body, config.end), video: [number(0xb0, width, 2), number(0xba, height, 2)] }
}

function framesOf(bytes: Uint8Array, track: Track, number: number): (TestFrame & { readonly at: number })[] {
  const { count, offset, size, dts, composition, sync } = track.samples()
  const skipped = track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  const shift = track.handler === 'vide' ? skipped : 0
  return Array.from({ length: count }, (_, i) => ({
    track: number,
    time: Math.round(((dts[i]! + composition[i]! - shift) * 1000) / track.timescale),
    bytes: bytes.slice(offset[i]!, offset[i]! + size[i]!),
    isKey: sync[i] !== 0,
    at: dts[i]! / track.timescale,
  }))
}
