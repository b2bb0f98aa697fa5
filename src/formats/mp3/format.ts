import type { Format } from '../format.ts'

export const MP3 = {
  id: 'mp3',
  title: 'MP3',
  family: 'audio',
  extensions: ['mp3'],
  mimeTypes: ['audio/mpeg'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mp3'],
  fidelity: 'perceptual',
} as const satisfies Format
