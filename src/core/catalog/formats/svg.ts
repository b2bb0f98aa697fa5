import type { Format } from '../format.ts'
import { DRAWN_WIDTH, LEVELS, MAGNIFIED_WIDTH, type Quality } from '../levels.ts'

function drawn(quality: Quality): string {
  const { ssim, psnrDb, score, magnified } = LEVELS.drawing[quality]
  return `SSIM ${ssim}, PSNR ${psnrDb} dB and SSIMULACRA2 ${score}, drawn ${DRAWN_WIDTH} pixels wide; ${magnified.score}, drawn ${MAGNIFIED_WIDTH} pixels wide`
}

export const SVG = {
  id: 'svg',
  title: 'SVG and SVGZ',
  family: 'image',
  extensions: ['svg', 'svgz'],
  mimeTypes: ['image/svg+xml'],
  outputs: ['svg'],
  fidelity: 'perceptual',
  levels: {
    low: drawn('low'),
    medium: drawn('medium'),
    high: drawn('high'),
  },
} as const satisfies Format
