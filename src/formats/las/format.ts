import type { Format } from '../format.ts'

export const LAS = {
  id: 'las',
  title: 'LAS',
  family: 'pointcloud',
  extensions: ['las'],
  mimeTypes: ['application/vnd.las'],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['laz', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format
