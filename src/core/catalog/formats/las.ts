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

export const LAZ = {
  id: 'laz',
  title: 'LAZ',
  family: 'pointcloud',
  extensions: ['laz'],
  mimeTypes: ['application/vnd.laszip'],
  worker: 'press',
  quickUpTo: 4194304,
  outputs: ['laz'],
  fidelity: 'lossless',
} as const satisfies Format
