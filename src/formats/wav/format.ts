import type { Format } from '../format.ts'

export const WAV = {
  id: 'wav',
  title: 'WAV',
  family: 'audio',
  extensions: ['wav', 'wave', 'bwf', 'rf64'],
  mimeTypes: ['audio/wav'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['wav', 'mp3', 'flac'],
  fidelity: 'perceptual',
} as const satisfies Format
