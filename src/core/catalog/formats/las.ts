import type { Format } from '../format.ts'

export const LAS = {
  id: 'las',
  title: 'LAS',
  family: 'pointcloud',
  extensions: ['las'],
  mimeTypes: ['application/vnd.las'],
  outputs: ['laz', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

export const LAZ = {
  id: 'laz',
  title: 'LAZ',
  family: 'pointcloud',
  extensions: ['laz'],
  mimeTypes: ['application/vnd.laszip'],
  outputs: ['laz'],
  fidelity: 'lossless',
} as const satisfies Format
