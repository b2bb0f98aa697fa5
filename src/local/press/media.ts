/** Entry point of the `whittle-media` press process: audio and video. A process of its own, because its engine is under the GPL. */
import { MEDIA_CODECS } from '../../core/formats/media.ts'
import { servePress } from './serve.ts'

servePress(MEDIA_CODECS)
