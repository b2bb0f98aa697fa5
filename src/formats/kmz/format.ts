import type { Format } from '../format.ts'

export const KMZ = {
  id: 'kmz',
  title: 'KMZ',
  family: 'geo',
  extensions: ['kmz'],
  mimeTypes: ['application/vnd.google-earth.kmz'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['kmz'],
  fidelity: 'perceptual',
} as const satisfies Format
