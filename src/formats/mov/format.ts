import type { Format } from '../format.ts'

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
} as const satisfies Format
