import { palette } from '../describe.ts'
import type { Format } from '../format.ts'

export const BMP = {
  id: 'bmp',
  title: 'BMP',
  family: 'image',
  extensions: ['bmp', 'dib'],
  mimeTypes: ['image/bmp'],
  outputs: ['bmp', 'jpg', 'png', 'webp', 'avif'],
  mostPixels: { isolate: 110_000_000, roomy: 268_435_456 },
  fidelity: 'perceptual',
  levels: {
    low: `${palette('low')}, else exact`,
    medium: `${palette('medium')}, else exact`,
    high: 'exact: fewer bits, run lengths',
  },
} as const satisfies Format
