import { DRAWN_WIDTH, LEVELS, type Quality } from '../../quality/levels.ts'
import type { Format } from '../format.ts'

const drawn = (quality: Quality) =>
  `SSIM ${LEVELS.drawing[quality].ssim} and PSNR ${LEVELS.drawing[quality].psnrDb} dB, drawn ${DRAWN_WIDTH} pixels wide`

export const SVG = {
  id: 'svg',
  title: 'SVG and SVGZ',
  family: 'image',
  extensions: ['svg', 'svgz'],
  mimeTypes: ['image/svg+xml'],
  worker: 'press',
  quickUpTo: 262144,
  outputs: ['svg'],
  fidelity: 'perceptual',
  levels: {
    low: drawn('low'),
    medium: drawn('medium'),
    high: drawn('high'),
  },
} as const satisfies Format
