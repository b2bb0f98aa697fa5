import type { Format } from '../format.ts'

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
