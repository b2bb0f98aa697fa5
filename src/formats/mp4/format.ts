import type { Format } from '../format.ts'
import { LEVEL_TEXTS } from '../video/levels.ts'

export const MP4 = {
  id: 'mp4',
  title: 'MP4',
  family: 'video',
  extensions: ['mp4', 'm4v', 'm4a'],
  mimeTypes: ['video/mp4'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mp4', 'mov'],
  fidelity: 'perceptual',
  levels: LEVEL_TEXTS,
} as const satisfies Format
