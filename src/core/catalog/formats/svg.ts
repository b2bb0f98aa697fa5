import type { Format } from '../format.ts'
import { DRAWN_WIDTH, LEVELS, MAGNIFIED_WIDTH, type Quality } from '../levels.ts'

function renderedTarget(quality: Quality): string {
  const { ssim, psnrDb, score, magnified } = LEVELS.drawing[quality]
  return `SSIM ${ssim}, PSNR ${psnrDb} dB and SSIMULACRA 2 ${score}, rendered ${DRAWN_WIDTH} pixels wide; SSIMULACRA 2 ${magnified.score}, rendered ${MAGNIFIED_WIDTH} pixels wide`
}

export const SVG = {
  id: 'svg',
  title: 'SVG and SVGZ',
  family: 'image',
  extensions: ['svg', 'svgz'],
  mimeTypes: ['image/svg+xml'],
  outputs: ['svg'],
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: renderedTarget('low'),
    medium: renderedTarget('medium'),
    high: renderedTarget('high'),
  },
} as const satisfies Format
