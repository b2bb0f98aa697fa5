/** Quality targets and bit rates of each quality level for films. */
import { type FilmSound, type FrameTarget, LEVELS, type Quality } from '../../catalog/levels.ts'

export interface Level extends FrameTarget, FilmSound {}

export const levelOf = (quality: Quality): Level => ({ ...LEVELS.frame[quality], ...LEVELS.filmSound[quality] })
