/** The press of `whittle-media`, as a process of its own: its engine is under the GPL. */
import { MEDIA_CODECS } from '../../core/formats/media.ts'
import { serve } from './serve.ts'

serve(MEDIA_CODECS)
