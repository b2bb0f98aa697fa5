/** The codecs of `media.ts`, each with its code and engines loaded when it is first used. They contain code under the GPL and the LGPL. */

import { FORMATS } from '../catalog/index.ts'
import { type LazyCodecs, lazyCodec } from '../model/lazy-codec.ts'

export const LAZY_MEDIA_CODECS: LazyCodecs = {
  aiff: lazyCodec(FORMATS.aiff, async () => (await import('./wav/aiff/aiff.ts')).aiff),
  avi: lazyCodec(FORMATS.avi, async () => (await import('./film/avi/avi.ts')).avi),
  flac: lazyCodec(FORMATS.flac, async () => (await import('./flac/flac.ts')).flac),
  flv: lazyCodec(FORMATS.flv, async () => (await import('./film/flv/flv.ts')).flv),
  heic: lazyCodec(FORMATS.heic, async () => (await import('./heic/heic.ts')).heic),
  m4a: lazyCodec(FORMATS.m4a, async () => (await import('./film/m4a/m4a.ts')).m4a),
  mkv: lazyCodec(FORMATS.mkv, async () => (await import('./film/mkv/mkv.ts')).mkv),
  mov: lazyCodec(FORMATS.mov, async () => (await import('./film/film.ts')).mov),
  mp3: lazyCodec(FORMATS.mp3, async () => (await import('./mp3/mp3.ts')).mp3),
  mp4: lazyCodec(FORMATS.mp4, async () => (await import('./film/film.ts')).mp4),
  ogg: lazyCodec(FORMATS.ogg, async () => (await import('./ogg/ogg.ts')).ogg),
  opus: lazyCodec(FORMATS.opus, async () => (await import('./ogg/ogg.ts')).opus),
  ts: lazyCodec(FORMATS.ts, async () => (await import('./film/ts/ts.ts')).ts),
  wav: lazyCodec(FORMATS.wav, async () => (await import('./wav/wav.ts')).wav),
  webm: lazyCodec(FORMATS.webm, async () => (await import('./film/mkv/mkv.ts')).webm),
}
