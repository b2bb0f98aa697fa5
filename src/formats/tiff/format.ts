import type { Format } from '../format.ts'

export const TIFF = {
  id: 'tiff',
  title: 'TIFF',
  family: 'image',
  extensions: ['tif', 'tiff'],
  mimeTypes: ['image/tiff'],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['tiff'],
  fidelity: 'lossless',
} as const satisfies Format
