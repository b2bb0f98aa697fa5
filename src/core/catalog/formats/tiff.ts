import type { Format } from '../format.ts'

export const TIFF = {
  id: 'tiff',
  title: 'TIFF',
  family: 'image',
  extensions: ['tif', 'tiff'],
  mimeTypes: ['image/tiff'],
  outputs: ['tiff'],
  scored: true,
  hasEfforts: true,
  metadata: true,
  fidelity: 'lossless',
} as const satisfies Format

export const GEOTIFF = {
  id: 'geotiff',
  title: 'GeoTIFF',
  family: 'geo',
  extensions: ['tif', 'tiff', 'gtiff'],
  mimeTypes: ['image/tiff; application=geotiff', 'image/tiff'],
  outputs: ['geotiff'],
  metadata: true,
  fidelity: 'lossless',
} as const satisfies Format
