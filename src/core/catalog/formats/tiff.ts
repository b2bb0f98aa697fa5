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

export const GEOTIFF = {
  id: 'geotiff',
  title: 'GeoTIFF',
  family: 'geo',
  extensions: ['tif', 'tiff', 'gtiff'],
  mimeTypes: ['image/tiff; application=geotiff', 'image/tiff'],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['geotiff'],
  fidelity: 'lossless',
} as const satisfies Format
