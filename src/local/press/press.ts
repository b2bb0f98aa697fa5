/** Entry point of the `whittle-press` press process: every codec except audio and video. */
import { PRESS_CODECS } from '../../core/formats/press.ts'
import { serve } from './serve.ts'

serve(PRESS_CODECS)
