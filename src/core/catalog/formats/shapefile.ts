import type { Format } from '../format.ts'

export const SHAPEFILE = {
  id: 'shapefile',
  title: 'Shapefile bundle',
  family: 'geo',
  extensions: ['zip', 'shz'],
  mimeTypes: ['application/zip'],
  hasEfforts: true,
  outputs: ['shapefile'],
  fidelity: 'lossless',
} as const satisfies Format
