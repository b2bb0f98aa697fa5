import type { Format } from '../format.ts'

export const KMZ = {
  id: 'kmz',
  title: 'KMZ',
  family: 'geo',
  extensions: ['kmz'],
  mimeTypes: ['application/vnd.google-earth.kmz'],
  hasEfforts: true,
  outputs: ['kmz'],
  fidelity: 'perceptual',
  levels: {
    low: 'pictures as small as possible that still look clean; everything else is lossless',
    medium: 'pictures without visible difference at normal viewing size',
    high: 'pictures without visible difference at 100 %',
  },
} as const satisfies Format
