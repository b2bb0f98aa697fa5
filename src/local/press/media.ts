/** Entry point of the `whittle-media` press process: audio and video. A process of its own, because its engine is under the GPL. */
import { MEDIA_CODECS } from '../../core/formats/media.ts'
import { serve } from './serve.ts'

serve(MEDIA_CODECS)
