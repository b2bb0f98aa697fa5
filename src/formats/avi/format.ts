import type { Format } from '../format.ts'

export const AVI = {
  id: 'avi',
  title: 'AVI',
  family: 'video',
  extensions: ['avi'],
  mimeTypes: ['video/x-msvideo'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['avi', 'mp4', 'mov'],
  fidelity: 'perceptual',
} as const satisfies Format
