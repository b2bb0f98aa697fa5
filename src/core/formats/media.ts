/** Codecs that the Worker `whittle-media` runs. To add a codec to the Worker, add it to `MEDIA_CODECS`. */

import type { FormatId } from '../catalog/index.ts'
import { EN } from '../i18n/en.ts'
import { setEnglishTexts } from '../i18n/message.ts'
import type { Codec } from '../model/codec.ts'
import { avi } from './film/avi/avi.ts'
import { mov, mp4 } from './film/film.ts'
import { flv } from './film/flv/flv.ts'
import { m4a } from './film/m4a/m4a.ts'
import { mkv, webm } from './film/mkv/mkv.ts'
import { ts } from './film/ts/ts.ts'
import { flac } from './flac/flac.ts'
import { heic } from './heic/heic.ts'
import { mp3 } from './mp3/mp3.ts'
import { ogg, opus } from './ogg/ogg.ts'
import { aiff } from './wav/aiff/aiff.ts'
import { wav } from './wav/wav.ts'

setEnglishTexts(EN)

export const MEDIA_CODECS: { readonly [Id in FormatId]?: Codec } = {
  aiff,
  avi,
  flac,
  flv,
  heic,
  m4a,
  mkv,
  mov,
  mp3,
  mp4,
  ogg,
  opus,
  ts,
  wav,
  webm,
}
