/** What each level asks of pictures and sound. */
import { type FilmSound, type FrameTarget, LEVELS, type Quality } from '../../catalog/levels.ts'

export interface Level extends FrameTarget, FilmSound {}

export const levelOf = (quality: Quality): Level => ({ ...LEVELS.frame[quality], ...LEVELS.filmSound[quality] })
