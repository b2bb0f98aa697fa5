/** Entry point of the `whittle-press` press process: every codec except audio and video. */
import { PRESS_CODECS } from '../../core/formats/press.ts'
import { servePress } from './serve.ts'

servePress(PRESS_CODECS)
