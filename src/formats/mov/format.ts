import type { Format } from '../format.ts'
import { LEVEL_TEXTS } from '../video/levels.ts'

export const MOV = {
  id: 'mov',
  title: 'QuickTime',
  family: 'video',
  extensions: ['mov', 'qt'],
  mimeTypes: ['video/quicktime'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mov', 'mp4'],
  fidelity: 'perceptual',
  levels: LEVEL_TEXTS,
} as const satisfies Format
