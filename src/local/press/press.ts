/** The press of `whittle-press`, as a process: every codec but audio and video. */
import { PRESS_CODECS } from '../../core/formats/press.ts'
import { serve } from './serve.ts'

serve(PRESS_CODECS)
