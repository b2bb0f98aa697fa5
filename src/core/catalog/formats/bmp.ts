import { palette } from '../describe.ts'
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
  fidelity: 'perceptual',
  levels: {
    low: `${palette('low')}, else exact`,
    medium: `${palette('medium')}, else exact`,
    high: 'exact: fewer bits, run lengths',
  },
} as const satisfies Format
