/** `@whittle-app/film`: films, sound and HEIC pictures for `@whittle-app/core`. It contains FFmpeg and x264, which are under the GPL. */
import { LAZY_MEDIA_CODECS } from '../../../src/core/formats/lazy-media.ts'
import { libraryOf } from '../../../src/core/library.ts'
import type { Extension } from '../../core/src/extension.ts'

/** MP4, MOV, AVI, Matroska, WebM, transport streams, FLV, MP3, M4A, WAV, AIFF, FLAC, Ogg, Opus and HEIC. Hand it to `use` of `@whittle-app/core`. */
export const film: Extension = {
  formats: ['mp4', 'mov', 'avi', 'mkv', 'webm', 'ts', 'flv', 'mp3', 'm4a', 'wav', 'aiff', 'flac', 'ogg', 'opus', 'heic'],
  library: libraryOf(LAZY_MEDIA_CODECS),
}
