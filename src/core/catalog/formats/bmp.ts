import { describePaletteTarget } from '../describe.ts'
import type { Format } from '../format.ts'
import { CONVERTED_PICTURES } from '../output-table.ts'

export const BMP = {
  id: 'bmp',
  title: 'BMP',
  family: 'image',
  extensions: ['bmp', 'dib'],
  mimeTypes: ['image/bmp'],
  outputs: ['bmp', 'jpg', 'png', ...CONVERTED_PICTURES],
  mostPixels: { isolate: 110_000_000, roomy: 268_435_456 },
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describePaletteTarget('low')}; lossless if no palette reaches this`,
    medium: `${describePaletteTarget('medium')}; lossless if no palette reaches this`,
    high: 'lossless: fewer bits per pixel, run-length encoding',
  },
} as const satisfies Format
