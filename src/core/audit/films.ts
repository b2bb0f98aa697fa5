/** Measures the loss of a film by decoding every frame of both files: the worst second and the mean. */

import { equalBytes } from '../bytes/equal.ts'
import { type Movie, readMovie } from '../containers/isobmff/movie.ts'
import { readAvi } from '../containers/riff/avi.ts'
import { indexAviPictures, indexMoviePictures } from '../formats/film/avi/verify.ts'
import { type ComparedTrack, type IndexedPictures, measurePictures } from '../formats/film/compare-pictures.ts'
import { indexPictures } from '../formats/film/compare-video.ts'
import { readFlvFilm } from '../formats/film/flv/flv-film.ts'
import { readMkvFilm } from '../formats/film/mkv/to-mp4/mkv-film.ts'
import { openAsMp4 } from '../formats/film/mkv/to-mp4/mp4-film.ts'
import { measureNatively, nativeSides } from '../formats/film/native/compare.ts'
import { isOnlyNative, nativeStream } from '../formats/film/native/stream.ts'
import { readTsFilm } from '../formats/film/ts/ts-film.ts'
import { message } from '../i18n/message.ts'
import type { Options, Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'
import type { PictureLoss } from '../model/loss.ts'

export type FilmFormat = 'mp4' | 'm4a' | 'mov' | 'avi' | 'mkv' | 'webm' | 'ts' | 'flv'

/** Returns the film as the MP4 file that its result was made of. MP4, QuickTime and AVI: the film itself. */
const asMovie = async (source: Source, format: string, { signal }: Options): Promise<Source> => {
  const read = { mkv: readMkvFilm, webm: readMkvFilm, ts: readTsFilm, flv: readFlvFilm }[format]
  return read ? await openAsMp4(source, await read(source, signal)) : source
}

/**
 * Returns the loss of a film's pictures. `undefined`: every frame is identical.
 * @throws CodecError `unsupported_feature` if the films cannot be compared
 */
export async function filmLoss(
  original: Source,
  format: FilmFormat,
  result: Source,
  output: string,
  options: Options,
): Promise<PictureLoss | undefined> {
  const found =
    format === 'avi'
      ? await aviFigures(original, result, output, options)
      : await movieFigures(await asMovie(original, format, options), result, options)
  if (typeof found === 'string') throw unsupported(message('files_differ', { difference: found }))
  const { worst, mean } = found
  return worst.psnrDb === Number.POSITIVE_INFINITY ? undefined : { ...worst, measuredAt: 'second', mean }
}

async function movieFigures(original: Source, result: Source, options: Options) {
  using before = await readMovie(original)
  using after = await readMovie(result)
  const [x, y] = [sideOf(original, before), sideOf(result, after)]
  const native = x && y && nativeSides(x, y, options)
  if (native) return await measureNatively(native, options)
  const [old, compressed] = [picturesOf(original, before), picturesOf(result, after)]
  return old && compressed ? await measurePictures([old, compressed], options) : 'pictures that cannot be decoded'
}

function sideOf(source: Source, { moov, tracks }: Movie): ComparedTrack | undefined {
  const track = tracks.find(({ handler }) => handler === 'vide')
  return track && { source, moov, track }
}

/** True if the pictures of the original need an external decoder and the result's codec or codec configuration differs. */
export async function needsExternalDecoder(original: Source, format: string, result: Source, options: Options): Promise<boolean> {
  using before = await readMovie(await asMovie(original, format, options))
  using after = await readMovie(result)
  const streams = [before, after].map((movie) => {
    const [entry] = sideOf(original, movie)?.track.descriptions ?? []
    return entry && nativeStream(movie.moov, entry, options)
  })
  const [old, compressed] = streams
  return old !== undefined && isOnlyNative(old) && (!compressed || !equalBytes(old.entry, compressed.entry))
}

function picturesOf(source: Source, { moov, tracks }: Movie): IndexedPictures | undefined {
  const track = tracks.find(({ handler }) => handler === 'vide')
  return track && indexPictures({ source, moov, track })
}

async function aviFigures(original: Source, result: Source, output: string, options: Options) {
  const old = await indexAviPictures({ source: original, file: await readAvi(original) })
  if (output === 'avi')
    return await measurePictures([old, await indexAviPictures({ source: result, file: await readAvi(result) })], options)
  using movie = await readMovie(result)
  return await measurePictures([old, indexMoviePictures({ source: result, movie })], options)
}
